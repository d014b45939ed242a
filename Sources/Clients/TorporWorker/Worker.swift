public import ControlAPI
internal import Synchronization
internal import Varlink

#if canImport(Linux)
internal import Linux
#endif

/// This process as a worker of Torpor: its callbacks and its calls to the supervisor.
///
/// Without a supervisor all methods work and have no effect; see <doc:Adopting-the-life-cycle>.
public final class Worker: Sendable {
    /// The worker of this process, from its environment.
    public static let shared = Worker()

    /// The name of the worker; nil without a supervisor.
    public let name: String?
    /// The launch of this process, from its environment.
    public let launch: Launch
    private let socket: String?
    private let parts = Mutex(Parts())
    let expirations = Expirations()

    private struct Parts {
        var link: Link?
        var serving: Serving?
    }

    /// The present server of callbacks.
    struct Serving {
        let number: UInt64
        let items: AsyncStream<Item>.Continuation
    }

    /// What a served worker is to deal with.
    enum Item: Sendable {
        case callback(Callback)
        /// The program itself wants to end.
        case terminate
    }

    /// Creates the worker that the environment describes: `$TORPOR_SOCKET` and the other variables of a worker.
    ///
    /// On systems other than Linux there is no supervisor, whatever the environment contains.
    public convenience init() {
        #if canImport(Linux)
        self.init(environment: .current)
        #else
        self.init { _ in nil }
        #endif
    }

    #if canImport(Linux)
    convenience init(environment: Environment) {
        self.init { name in environment[name].map { String(decoding: $0.bytes, as: UTF8.self) } }
    }
    #endif

    /// The worker of a supervisor that listens at `socket`, whatever the environment says.
    package convenience init(socket: String, name: String) {
        self.init { ["TORPOR_SOCKET": socket, "TORPOR_WORKER": name][$0] }
    }

    private init(variable: (String) -> String?) {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        name = value("TORPOR_WORKER")
        socket = value("TORPOR_SOCKET")
        launch = Launch(
            .init(
                reason: value("TORPOR_LAUNCH_REASON").flatMap(WorkerInterface.LaunchReason.init) ?? .operator,
                intoForeground: value("TORPOR_LAUNCH_STATE") != "background",
                restoresState: value("TORPOR_RESTORE") != nil,
                // Ignoring what is no JSON: it came from elsewhere, and willFinishLaunching tells it again.
                options: value("TORPOR_LAUNCH_OPTIONS").flatMap { try? JSON(parsing: Array($0.utf8).span) }
                    ?? [:],
                restored: value("TORPOR_LAUNCH_RESTORED") == "1" ? true : nil))
    }

    deinit {
        parts.withLock { $0.link?.close() }
    }

    /// Whether there is a supervisor.
    public var isSupervised: Bool { socket != nil }

    // MARK: what the supervisor knows

    /// The state of the worker; active without a supervisor.
    public var state: WorkerState {
        get async throws(WorkerError) {
            guard isSupervised else { return .active }
            return try await call(WorkerInterface.GetState.self, .init()).state
        }
    }

    /// The remaining background time; nil while it is unlimited, and without a supervisor.
    public var backgroundTimeRemaining: Duration? {
        get async throws(WorkerError) {
            guard isSupervised else { return nil }
            let reply = try await call(WorkerInterface.BackgroundTimeRemaining.self, .init())
            return reply.remainingUsec.map { .microseconds($0) }
        }
    }

    /// Whether low-power mode is on: the worker should put off what can wait.
    ///
    /// False without a supervisor. A worker that takes the topic `powerChanged` is told when that changes, by the member `lowPower` of the payload.
    public var isLowPowerModeEnabled: Bool {
        get async throws(WorkerError) {
            guard isSupervised else { return false }
            return try await call(WorkerInterface.GetState.self, .init()).lowPower ?? false
        }
    }

    // MARK: what it asks for

    /// Saves `state`, to be restored once at the next launch.
    public func saveState(_ state: some Encodable) async throws(WorkerError) {
        let json = try SavedState.json(of: state)
        guard isSupervised else { return }
        _ = try await call(WorkerInterface.SaveState.self, .init(state: json))
    }

    /// Discards the saved state.
    public func discardState() async throws(WorkerError) {
        guard isSupervised else { return }
        _ = try await call(WorkerInterface.SaveState.self, .init(state: [:]))
    }

    /// Requests the foreground, like an operator's `activate`.
    public func requestActivation() async throws(WorkerError) {
        guard isSupervised else { return }
        _ = try await call(WorkerInterface.RequestActivation.self, .init())
    }

    /// Says whether the worker is in use: while it is, it is not suspended for idleness (`IdleSec=`), however long no data has passed.
    ///
    /// For what only the worker knows, such as a game with players who wait or a job that runs elsewhere. It holds until it is taken back,
    /// also after the supervisor has been restarted; an operator can suspend the worker all the same.
    public func setInUse(_ inUse: Bool) async throws(WorkerError) {
        guard let link = try link() else { return }
        let refusal = await withCheckedContinuation { continuation in
            link.post { conversation in
                conversation.setInUse(inUse) { continuation.resume(returning: $0) }
            }
        }
        if let refusal { throw refusal }
    }

    /// Ends `run` like `willTerminate`: the delegate receives that callback after the previous ones are complete.
    ///
    /// For a program that is asked to end by other means, such as SIGTERM. It has no effect while no callbacks are served.
    public func terminate() {
        _ = parts.withLock { $0.serving?.items.yield(.terminate) }
    }

    // MARK: the connection

    /// The way to the supervisor, made on first use; nil without one.
    func link() throws(WorkerError) -> Link? {
        guard let socket else { return nil }
        return try parts.withLock { (parts) throws(WorkerError) in
            if let link = parts.link { return link }
            let link = try Link(to: socket)
            parts.link = link
            return link
        }
    }

    /// Replaces the server of callbacks; the items end when the new one ends.
    func serve(_ wanted: Set<CallbackName>) throws(WorkerError) -> (items: AsyncStream<Item>, number: UInt64)
    {
        let link = try link()
        let number = expirations.nextNumber()
        let (stream, continuation) = AsyncStream.makeStream(of: Item.self)
        try parts.withLock { (parts) throws(WorkerError) in
            guard parts.serving == nil else { throw .alreadyServed }
            parts.serving = Serving(number: number, items: continuation)
        }
        let isAll = wanted.count == CallbackName.allCases.count
        // Expiry cancels background tasks whether or not there are other subscribers.
        let names = isAll ? nil : Array(wanted.union([.backgroundTaskWillExpire]))
        let expirations = expirations
        let audience = Audience(callbacks: names?.sorted { $0.rawValue < $1.rawValue }) {
            [weak self] message, attachment in
            if message.name == .backgroundTaskWillExpire { expirations.expireAll() }
            let callback = Callback(message, of: attachment, from: self)
            if wanted.contains(message.name) {
                continuation.yield(.callback(callback))
            } else {
                callback.completeSoon()
            }
        }
        link?.post { $0.attach(audience) }
        return (stream, number)
    }

    /// Lets go of the callbacks.
    func stopServing(_ number: UInt64) {
        let link = parts.withLock { parts in
            guard parts.serving?.number == number else { return nil as Link? }
            parts.serving?.items.finish()
            parts.serving = nil
            return parts.link
        }
        link?.post { $0.attach(nil) }
    }

    /// Calls a method, and waits for its answer; gives up when the task is cancelled.
    func call<M: WorkerInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters, of attachment: Int? = nil
    ) async throws(WorkerError) -> M.Reply {
        guard let link = try link() else { throw .disconnected }
        do {
            guard let object = parameters.asJSON.object else { throw WorkerError.disconnected }
            let answer = await Self.call(link, M.name, object, attachment)
            return try M.Reply(json: .object(answer.get()))
        } catch let error as WorkerError {
            throw error
        } catch {
            throw WorkerError(.mismatch, "unexpected reply from the supervisor: \(error)")
        }
    }

    private static func call(
        _ link: Link, _ method: String, _ parameters: JSON.Object, _ attachment: Int?
    ) async -> Result<JSON.Object, WorkerError> {
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                link.post { conversation in
                    conversation.call(method, parameters, of: attachment, ticket: ticket) { result in
                        continuation.resume(returning: result)
                    }
                }
            }
        } onCancel: {
            ticket.cancel()
            link.post { $0.cancel(ticket) }
        }
    }
}
