public import ControlAPI
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Worker {
    /// How what is posted merges with what waits of the same topic.
    public typealias MergeRule = WorkerInterface.MergeRule

    /// Posts to this worker itself: a note of what is to be done once it runs again, merged by `rule` with what waits of the topic.
    ///
    /// It comes back as ``LifecycleDelegate/didReceiveNotifications(_:)``: at once while the worker runs, and before anything else
    /// when it wakes. When this returns, what `survives` is on the disk: it outlives the process and the supervisor, and is
    /// delivered at least once. Without a supervisor nothing is posted.
    ///
    /// A topic is a lowercase letter, then letters, digits, dots, dashes and `_`, at most 128; a payload anything that encodes
    /// itself as an object of JSON, of at most 64 KiB.
    ///
    /// - Returns: the number under which it waits; nil where it undid what waited, and without a supervisor.
    /// - Throws: a ``WorkerError`` with the code `notPosted` where it is not taken.
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

    /// Posts that members of a set came and went; one that came and went again before it was told is not told.
    @discardableResult
    public func post(
        _ topic: String, added: [String], removed: [String] = [], survives: Bool = true
    ) async throws(WorkerError) -> Int64? {
        guard isSupervised else { return nil }
        let parameters = WorkerInterface.Post.Parameters(
            topic: topic, rule: .set, added: added, removed: removed, transient: survives ? nil : true)
        return try await call(WorkerInterface.Post.self, parameters).sequence
    }

    /// Has something posted to this worker `delay` from now, and every `period` after that.
    ///
    /// The time is one of the wall clock: a clock that is set makes it sooner or later. The worker need not run then; with `wakes`
    /// it is woken for it, where its file gives it the `remote-notification` mode. The 64 soonest are kept, more are refused.
    ///
    /// - Returns: the number by which ``cancelSchedule(_:)`` takes it back; nil without a supervisor.
    /// - Throws: a ``WorkerError`` with the code `notPosted` where it is not taken.
    @discardableResult
    public func schedule<Content: Encodable>(
        _ topic: String, after delay: Duration, every period: Duration? = nil,
        payload: Content? = String?.none, rule: MergeRule? = nil, wakes: Bool = false
    ) async throws(WorkerError) -> Int64? {
        // A time that is too far away is the last that can be told.
        let (now, later) = (Date().microseconds, delay.microseconds)
        let (sum, isTooFar) = now.addingReportingOverflow(later)
        return try await schedule(
            topic, atMicroseconds: isTooFar ? (later < 0 ? .min : .max) : sum, every: period,
            payload: payload, rule: rule, wakes: wakes)
    }

    /// Has something posted to this worker at a time of the wall clock; see ``schedule(_:after:every:payload:rule:wakes:)``.
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
            topic: topic, at: time, everyUsec: period?.microseconds, payload: payload,
            rule: rule,
            wake: wakes ? true : nil)
        return try await call(WorkerInterface.Schedule.self, parameters).id
    }

    /// Takes a scheduled post back.
    ///
    /// - Throws: a ``WorkerError`` with the code `noSuchSchedule` where none of that number is scheduled any more.
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
            throw WorkerError(.mismatch, "the payload is no object of JSON: \(error)")
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLong ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000
    }
}
