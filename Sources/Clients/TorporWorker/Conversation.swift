#if canImport(Linux)
internal import ControlAPI
internal import Linux
internal import Varlink

/// The receiver of the callbacks.
struct Audience: Sendable {
    /// The callbacks that it wants; nil for all.
    let callbacks: [CallbackName]?
    /// Takes one, with the number of the attachment that it came by.
    let take: @Sendable (WorkerInterface.Callback, Int) -> Void
}

/// What is said between this process and the supervisor.
///
/// Confined to the thread of its ``Link``. Two connections: one is attached, the other makes the calls. They stand for one
/// supervisor, so the end of either is the end of both. Then both are made anew, after 50 ms at first and no more than 5 s later
/// on; the audience is attached and the background tasks are begun again, and calls that had no answer fail.
final class Conversation {
    typealias Answer = (Result<JSON.Object, WorkerError>) -> Void

    private let path: String
    private var calls: Channel?
    private var attached: Channel?
    private var attachment = 0
    private var audience: Audience?
    private var waiting: [ClientConnection.CallID: (ticket: Ticket?, answer: Answer)] = [:]
    var tasks: [UInt64: HeldTask] = [:]
    /// What answers a question for the state of an activity, by its number; by the type of the activity.
    private var questions: [String: @Sendable (Int64) -> Void] = [:]
    private(set) var isInUse = false
    private var retryAt: ContinuousClock.Instant?
    private var pause = Conversation.shortestPause

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(5)

    init(_ path: String) {
        self.path = path
    }

    // MARK: orders

    /// Attaches `audience`; nil detaches.
    func attach(_ audience: Audience?) {
        self.audience = audience
        attached = nil
        if audience != nil { connect() }
    }

    /// Makes a call; one that belongs to an attachment fails when that is over.
    func call(
        _ method: String, _ parameters: JSON.Object, of attachment: Int? = nil, ticket: Ticket? = nil,
        _ answer: @escaping Answer
    ) {
        if let ticket, ticket.isCancelled { return answer(.failure(.disconnected)) }
        if let attachment, attached == nil || attachment != self.attachment {
            return answer(.failure(.noSuchCallback))
        }
        guard let channel = connection() else { return answer(.failure(.disconnected)) }
        waiting[channel.call(method, parameters)] = (ticket, answer)
    }

    /// That call is not waited for any more.
    func cancel(_ ticket: Ticket) {
        for (id, entry) in waiting where entry.ticket === ticket {
            waiting[id] = (nil, { _ in })
            entry.answer(.failure(.disconnected))
        }
    }

    /// Has `answer` called when the state of an activity is wanted; nil where it is not asked for.
    func setQuestion(_ type: String, _ answer: (@Sendable (Int64) -> Void)?) { questions[type] = answer }

    // MARK: turns

    /// Waits for something to happen, and deals with it.
    func turn(wakeup: Int32) {
        // What the orders have queued goes out first.
        exchange()
        var wait = DescriptorWait()
        wait.add(wakeup)
        for channel in [attached, calls] {
            if let channel { wait.add(channel.descriptor, writing: channel.hasOutput) }
        }
        let left = retryAt.map { ContinuousClock.now.duration(to: $0) }
        // Ignoring a failure: it says that memory is short, and the next turn tries again.
        try? wait.wait(timeout: left.map { max($0.components.seconds * 1_000_000 + $0.microseconds, 0) })
        exchange()
        if let retryAt, ContinuousClock.now >= retryAt { connect() }
    }

    /// Says whether the worker is in use; without a supervisor it is said when there is one.
    func setInUse(_ inUse: Bool, _ answer: @escaping (WorkerError?) -> Void) {
        let wasSaid = isInUse == inUse
        isInUse = inUse
        // A connection that is made now says it already.
        let isNew = calls == nil
        guard connection() != nil else {
            if inUse { retry() }
            return answer(nil)
        }
        if wasSaid || isNew && inUse { return answer(nil) }
        sayInUse(answer)
    }

    private func sayInUse(_ answer: @escaping (WorkerError?) -> Void) {
        call(WorkerInterface.SetInUse.name, ["inUse": .bool(isInUse)]) { result in
            switch result {
            case .success: answer(nil)
            case .failure(let error): answer(error.code == .disconnected ? nil : error)
            }
        }
    }

    /// Ends it; each waiting call gets an answer.
    func close() {
        audience = nil
        isInUse = false
        tasks = [:]
        lose()
    }

    private func exchange() {
        for event in calls?.exchange() ?? [] {
            switch event {
            case .reply(let id, let parameters, _):
                waiting.removeValue(forKey: id)?.answer(.success(parameters))
            case .failed(let id, let error):
                waiting.removeValue(forKey: id)?.answer(.failure(WorkerError(error)))
            case .closed: lose()
            }
        }
        guard let channel = attached else { return }
        for event in channel.exchange() where attached === channel {
            switch event {
            case .reply(_, let parameters, _): take(parameters)
            // Another process of the worker is attached, or it is about to end: not now.
            case .failed:
                attached = nil
                retry()
            case .closed: lose()
            }
        }
    }

    private func take(_ parameters: JSON.Object) {
        // It goes well: the next interruption starts with short pauses again.
        pause = Self.shortestPause
        if let question = parameters["question"]?.object { return take(question: question) }
        guard let json = parameters["callback"] else { return }
        do {
            audience?.take(try json.decode(), attachment)
        } catch {
            // One that a newer supervisor knows and we do not: it must not wait for an answer.
            guard let id = json["id"]?.int else { return }
            let answer: JSON.Object = [
                "id": .int(id), "failure": .string("cannot decode the callback: \(error)"),
            ]
            call(WorkerInterface.Complete.name, answer, of: attachment) { _ in }
        }
    }

    private func take(question: JSON.Object) {
        guard let number = question["number"]?.int else { return }
        if let answer = question["type"]?.string.flatMap({ questions[$0] }) { return answer(number) }
        let failure: JSON.Object = [
            "number": .int(number), "failure": "the worker does not offer it any more",
        ]
        call(WorkerInterface.AnswerActivity.name, failure, of: attachment) { _ in }
    }

    // MARK: connections

    /// The connection for calls, made where there is none.
    func connection() -> Channel? {
        if calls == nil { connect() }
        return calls
    }

    /// Makes the connections that are missing.
    private func connect() {
        retryAt = nil
        do {
            if calls == nil {
                calls = try Channel(path)
                beginTasksAgain()
                if isInUse { sayInUse { _ in } }
            }
            if let audience, attached == nil {
                let channel = try Channel(path)
                var parameters: JSON.Object = [:]
                parameters["callbacks"] = audience.callbacks.map { .array($0.map { .string($0.rawValue) }) }
                _ = channel.call(WorkerInterface.Attach.name, parameters, mode: .more)
                attached = channel
                attachment += 1
            }
        } catch {
            // Ignoring the reason: no supervisor listens now, and one may later.
            lose()
        }
    }

    private func lose() {
        (attached, calls) = (nil, nil)
        let unanswered = waiting
        waiting = [:]
        for entry in unanswered.values { entry.answer(.failure(.disconnected)) }
        for id in tasks.keys { tasks[id]?.token = nil }
        // Calls alone make a connection when they need one.
        if audience != nil || !tasks.isEmpty || isInUse { retry() }
    }

    func retry() {
        retryAt = .now + pause
        pause = min(pause * 2, Self.longestPause)
    }
}

extension Duration {
    /// The microseconds behind the whole seconds.
    fileprivate var microseconds: Int64 { components.attoseconds / 1_000_000_000_000 }
}
#endif
