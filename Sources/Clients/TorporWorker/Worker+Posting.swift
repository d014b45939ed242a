public import ControlAPI
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Worker {
    /// The rule by which a post merges with pending notifications of the same topic.
    public typealias MergeRule = WorkerInterface.MergeRule

    /// Posts a notification to this worker itself, merged by `rule` with pending notifications of the topic.
    ///
    /// It is delivered to ``LifecycleDelegate/didReceiveNotifications(_:)``: at once while the worker runs, and before anything else
    /// when it wakes. When this returns, a post that `survives` is on disk: it outlives the process and the supervisor, and is
    /// delivered at least once. Without a supervisor nothing is posted.
    ///
    /// A topic is a lowercase letter, then letters, digits, dots, dashes and `_`, at most 128 characters; a payload is any value that
    /// encodes itself as a JSON object of at most 64 KiB.
    ///
    /// - Returns: the number of the pending notification; nil if the post cancelled it, and without a supervisor.
    /// - Throws: a ``WorkerError`` with the code `notPosted` if the post is not accepted.
    @discardableResult
    public func post<Content: Encodable>(
        _ topic: String, payload: Content? = String?.none, rule: MergeRule? = nil, survives: Bool = true
    ) async throws(WorkerError) -> Int64? {
        let payload = try Self.json(of: payload)
        guard isSupervised else { return nil }
        let parameters = WorkerInterface.Post.Parameters(
            topic: topic, payload: payload, rule: rule, transient: survives ? nil : true)
        return try await call(WorkerInterface.Post.self, parameters).sequence
    }

    /// Posts that members were added to or removed from a set; a member that is added and removed before delivery is not delivered.
    @discardableResult
    public func post(
        _ topic: String, added: [String], removed: [String] = [], survives: Bool = true
    ) async throws(WorkerError) -> Int64? {
        guard isSupervised else { return nil }
        let parameters = WorkerInterface.Post.Parameters(
            topic: topic, rule: .set, added: added, removed: removed, transient: survives ? nil : true)
        return try await call(WorkerInterface.Post.self, parameters).sequence
    }

    /// Schedules a post to this worker `delay` from now, and every `period` after that.
    ///
    /// The time is a wall clock time and moves when the clock is set. The worker does not have to run then; with `wakes`
    /// it is woken if its file sets the `remote-notification` mode. At most 64 posts may be scheduled; more are refused.
    ///
    /// - Returns: the number for ``cancelSchedule(_:)``; nil without a supervisor.
    /// - Throws: a ``WorkerError`` with the code `notPosted` if the post is not accepted.
    @discardableResult
    public func schedule<Content: Encodable>(
        _ topic: String, after delay: Duration, every period: Duration? = nil,
        payload: Content? = String?.none, rule: MergeRule? = nil, wakes: Bool = false
    ) async throws(WorkerError) -> Int64? {
        // A time that is too far away is the last that can be told.
        let (now, later) = (Date().microseconds, delay.wholeMicroseconds)
        let (sum, isTooFar) = now.addingReportingOverflow(later)
        return try await schedule(
            topic, atMicroseconds: isTooFar ? (later < 0 ? .min : .max) : sum, every: period,
            payload: payload, rule: rule, wakes: wakes)
    }

    /// Schedules a post to this worker at a wall clock time; see ``schedule(_:after:every:payload:rule:wakes:)``.
    @discardableResult
    public func schedule<Content: Encodable>(
        _ topic: String, at date: Date, every period: Duration? = nil,
        payload: Content? = String?.none, rule: MergeRule? = nil, wakes: Bool = false
    ) async throws(WorkerError) -> Int64? {
        try await schedule(
            topic, atMicroseconds: date.microseconds, every: period, payload: payload, rule: rule,
            wakes: wakes)
    }

    private func schedule<Content: Encodable>(
        _ topic: String, atMicroseconds time: Int64, every period: Duration?, payload: Content?,
        rule: MergeRule?, wakes: Bool
    ) async throws(WorkerError) -> Int64? {
        let payload = try Self.json(of: payload)
        guard isSupervised else { return nil }
        let parameters = WorkerInterface.Schedule.Parameters(
            topic: topic, at: time, everyUsec: period?.wholeMicroseconds, payload: payload,
            rule: rule,
            wake: wakes ? true : nil)
        return try await call(WorkerInterface.Schedule.self, parameters).id
    }

    /// Cancels a scheduled post.
    ///
    /// - Throws: a ``WorkerError`` with the code `noSuchSchedule` if no post with this number is scheduled.
    public func cancelSchedule(_ id: Int64) async throws(WorkerError) {
        guard isSupervised else { return }
        _ = try await call(WorkerInterface.Cancel.self, .init(id: id))
    }

    private static func json(of payload: (some Encodable)?) throws(WorkerError) -> JSON? {
        guard let payload else { return nil }
        do throws(JSON.Mismatch) {
            let json = try JSON(encoding: payload)
            guard json.object != nil else { throw JSON.Mismatch(path: "", expected: "an object") }
            return json
        } catch {
            throw WorkerError(.mismatch, "the payload is not a JSON object: \(error)")
        }
    }
}

extension Duration {
    /// All of it; the limits of the type beyond them.
    var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLong ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000
    }
}
