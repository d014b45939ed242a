#if canImport(Linux)
public import ControlAPI
internal import Linux
internal import Synchronization
public import TorporWorker
internal import Varlink

/// A supervisor for one worker, in the process of a test: it delivers callbacks, and awaits their answers.
///
/// Run a delegate with ``worker``, as the program does, and take it through its life; see <doc:TorporWorkerTesting>. Time is the test's
/// own: deadlines and background time pass by ``advance(by:)`` alone. Everything else is real: the library speaks with it over a socket as
/// with `torpord`.
public final class TestSupervisor: Sendable {
    /// The worker to run the delegate with; it has a supervisor, and that is this one.
    public let worker: Worker
    let fake: FakeSupervisor
    let stage: Stage
    private let requests: AsyncStream<Request>

    /// Starts a supervisor whose worker has this name, and this time for all background tasks together.
    ///
    /// - Throws: ``TestSupervisorError`` if the system has no thread or socket left.
    public init(
        workerName: String = "test", backgroundTimeLimit: Duration = .seconds(600)
    ) throws(TestSupervisorError) {
        let (requests, continuation) = AsyncStream.makeStream(of: Request.self)
        self.requests = requests
        let stage = Stage(VirtualTime(taskLimit: backgroundTimeLimit)) { continuation.yield($0) }
        self.stage = stage
        var manners = Manners(sequence: 1)
        manners.remaining = { stage.remaining }
        manners.state = { stage.state }
        manners.isLowPower = { stage.isLowPower }
        // A name of the abstract namespace: no file is left behind.
        let path = "@torpor-worker-testing-\(UInt64.random(in: .min ... .max))"
        do {
            fake = try FakeSupervisor(path, manners) { stage.hear($0) }
        } catch {
            throw TestSupervisorError(.system, "cannot start a supervisor: \(error)")
        }
        worker = Worker(socket: path, name: workerName)
    }

    deinit { fake.close() }

    /// The state of the worker, as the supervisor has it.
    public var state: WorkerState { stage.state }

    /// Whether low-power mode is on, for ``Worker/isLowPowerModeEnabled``; off at first.
    ///
    /// A worker is told of a change by a notification of the topic `powerChanged`, which a test posts itself.
    public var isLowPowerModeEnabled: Bool {
        get { stage.isLowPower }
        set { stage.isLowPower = newValue }
    }

    /// What the worker asks for next: attaching, background tasks, posts.
    ///
    /// Answers to callbacks are not among it.
    ///
    /// - Throws: ``TestSupervisorError`` with the code `cancelled`.
    public func nextRequest() async throws(TestSupervisorError) -> Request {
        for await request in requests { return request }
        throw TestSupervisorError(.cancelled, "cancelled before the worker asked for anything")
    }

    /// Waits until the worker asks for `request`, and passes over what it asks for before.
    ///
    /// - Throws: ``TestSupervisorError`` with the code `cancelled`.
    public func wait(for request: Request) async throws(TestSupervisorError) {
        while try await nextRequest() != request {}
    }

    /// Delivers a callback, with what `fill` puts into it, and waits for the answer; first for the worker to attach.
    ///
    /// Prefer the methods that are named after what happens, such as ``launch(_:options:intoForeground:restoring:)``.
    ///
    /// - Throws: ``TestSupervisorError`` with the code `detached`, `killed` or `cancelled` if there is no answer.
    @discardableResult
    public func deliver(
        _ name: CallbackName, _ fill: (inout WorkerInterface.Callback) -> Void = { _ in }
    ) async throws(TestSupervisorError) -> Answer {
        try await send(name, fill).answer
    }

    /// Delivers a callback, and does not wait for the answer.
    ///
    /// - Throws: ``TestSupervisorError`` with the code `cancelled` before the worker is attached.
    public func send(
        _ name: CallbackName, _ fill: (inout WorkerInterface.Callback) -> Void = { _ in }
    ) async throws(TestSupervisorError) -> Delivery {
        guard await stage.attached() else {
            throw TestSupervisorError(.cancelled, "cancelled before the worker was attached")
        }
        let (promise, message) = stage.begin(name, fill)
        if let message { fake.deliver(message) }
        return Delivery(name: name, promise: promise)
    }

    /// A callback that was delivered.
    public struct Delivery: Sendable {
        /// Its name.
        public let name: CallbackName
        let promise: Promise<Result<Answer, TestSupervisorError>>

        /// The answer, once.
        ///
        /// - Throws: ``TestSupervisorError`` with the code `detached`, `killed` or `cancelled` if there is none.
        public var answer: Answer {
            get async throws(TestSupervisorError) {
                guard let result = await promise.value else {
                    throw TestSupervisorError(.cancelled, "cancelled before \(name) was answered")
                }
                return try result.get()
            }
        }
    }

    // MARK: time

    /// Lets virtual time pass: callbacks without an answer run out of time, and shortly before the background time is over
    /// backgroundTaskWillExpire is delivered, if tasks run.
    ///
    /// - Returns: what the supervisor would have killed the worker for; nil where nothing took too long.
    @discardableResult
    public func advance(by duration: Duration) -> Kill? {
        let (kill, expires) = stage.advance(by: duration)
        if expires {
            // The answer is not waited for: the tasks of the worker are cancelled with it.
            let (_, message) = stage.begin(.backgroundTaskWillExpire) { $0.backgroundTimeRemainingUsec = 0 }
            if let message { fake.deliver(message) }
        }
        return kill
    }

    // MARK: the connection

    /// Closes every connection and accepts no other, as a supervisor that has ended; its worker lives on.
    public func drop() {
        stage.lose()
        fake.order { $0.leave() }
    }

    /// Accepts connections again after ``drop()``: the worker attaches again, and begins its background tasks again.
    public func restore() {
        fake.order { $0.comeBack() }
    }
}
#endif
