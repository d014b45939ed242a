#if canImport(Linux)
package import ControlAPI
internal import Linux
internal import Synchronization
package import TorporWorker
package import Varlink

/// What a fake supervisor has heard.
package enum Heard: Hashable, Sendable {
    case attached([String]?)
    case detached
    case completed(Int64)
    case refused(Int64)
    case noData(Int64)
    case failed(Int64, String)
    case saved(Int64, JSON)
    case began(String)
    case ended(Int64)
    case interrupted(String)
    case transferred([String])
    case offered(String)
    case told(Int64, JSON)
    case notTold(Int64, String)
    case called(String)
    case posted(String, JSON.Object)
}

/// How it behaves.
package struct Manners: Sendable {
    var attachError: MethodError?
    var taskError: MethodError?
    var completionError: MethodError?
    var postError: MethodError?
    /// What Post answers.
    var sequence: Int64?
    /// Microseconds of background time.
    var remaining: @Sendable () -> Int64? = { nil }
    /// The state of the worker.
    var state: @Sendable () -> WorkerState = { .background }
    /// Whether low-power mode is on.
    var isLowPower: @Sendable () -> Bool = { false }
    /// Calls of this member get no answer.
    var silentOn: String?

    package init(
        attachError: MethodError? = nil, taskError: MethodError? = nil, completionError: MethodError? = nil,
        postError: MethodError? = nil, sequence: Int64? = nil, remaining: Int64? = nil,
        silentOn: String? = nil
    ) {
        self.attachError = attachError
        self.taskError = taskError
        self.completionError = completionError
        self.postError = postError
        self.sequence = sequence
        self.remaining = { remaining }
        self.silentOn = silentOn
    }
}

/// A supervisor on a real socket that does what a test says and tells what it hears.
package final class FakeSupervisor: Sendable {
    package let path: String
    private struct Orders {
        var list: [@Sendable (FakeConnections) -> Void] = []
        var isOver = false
        /// Until the thread takes it, which may let it go.
        var listener: Listener?
    }
    private let orders = Mutex(Orders())
    private let wakeup: Wakeup
    private let stream: AsyncStream<Heard>
    private let heard: AsyncStream<Heard>.Continuation

    /// Listens at `path`; what it hears goes to `tell`, on its thread, or waits for ``hear(_:)``.
    package init(
        _ path: String, _ manners: Manners = Manners(), tell: (@Sendable (Heard) -> Void)? = nil
    ) throws {
        self.path = path
        wakeup = try Wakeup()
        let (stream, heard) = AsyncStream.makeStream(of: Heard.self)
        self.heard = heard
        self.stream = stream
        // Before the thread: a client that connects now has to find a listener.
        orders.withLock { [listener = try Listener(path)] in $0.listener = listener }
        try DetachedThread.start { [self] in
            let connections = FakeConnections(
                path, orders.withLock { $0.listener.take() }, manners, tell ?? { heard.yield($0) })
            while true {
                wakeup.clear()
                let (list, isOver) = orders.withLock { orders in
                    defer { orders.list = [] }
                    return (orders.list, orders.isOver)
                }
                for order in list { order(connections) }
                if isOver { break }
                connections.turn(wakeup.rawValue)
            }
            heard.finish()
        }
    }

    /// Asks for the state of an activity.
    package func ask(_ number: Int64, _ type: String) { order { $0.ask(number, type) } }

    func order(_ order: @escaping @Sendable (FakeConnections) -> Void) {
        orders.withLock { $0.list.append(order) }
        wakeup.signal()
    }

    package func deliver(_ callback: WorkerInterface.Callback) {
        order { $0.deliver(callback) }
    }

    package func deliver(_ id: Int64, _ name: CallbackName) {
        deliver(WorkerInterface.Callback(id: id, name: name))
    }

    /// Lets every connection go, and listens on, as a supervisor that was started again.
    package func restart() { order { $0.dropClients(tokensAfter: 100) } }

    /// The next `count` things that it hears.
    package func hear(_ count: Int = 1) async -> [Heard] {
        var all: [Heard] = []
        for await heard in stream {
            all.append(heard)
            if all.count == count { break }
        }
        return all
    }

    /// Delivers what is no callback of this version.
    package func deliver(json callback: JSON) {
        order { $0.deliver(callback) }
    }

    /// Ends its thread, and with that its connections.
    package func close() {
        orders.withLock { $0.isOver = true }
        wakeup.signal()
    }
}
#endif
