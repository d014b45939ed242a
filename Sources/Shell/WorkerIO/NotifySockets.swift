package import Linux
package import SupervisorPorts
package import Systemd

/// The notify sockets of all workers, behind one source of the loop.
package final class NotifySockets {
    private let set: ReadySet
    private let source = SourceBox<IOSource>()

    /// No sockets yet; `handler` is told whose has something to read.
    package init(on loop: EventLoop, handler: @escaping (WorkerID) -> Void) throws {
        set = try ReadySet()
        source.handle = try IOSource(
            on: loop, descriptor: set.rawValue, events: .readable, priority: .notifications
        ) { [unowned self] _ in
            for number in set.ready() { handler(WorkerID(number)) }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Makes the socket of `worker` at `address`; closed, it is forgotten.
    ///
    /// It rests until ``goOn(_:as:)``: a process may speak before the loop knows that it has been launched.
    package func make(
        for worker: WorkerID, at address: UnixSocketAddress, access: SocketAccess
    ) throws(LinuxError) -> NotifyEndpoint {
        let endpoint = NotifyEndpoint(try NotifySocket(at: address, access: access), of: self)
        endpoint.isResting = true
        return endpoint
    }

    /// Tells of an endpoint no more until ``goOn(_:as:)``: what is sent there waits, and its senders with it.
    package func rest(_ endpoint: NotifyEndpoint) {
        endpoint.isResting = true
        forget(endpoint.socket.descriptor)
    }

    /// Tells nothing more of a descriptor.
    fileprivate func forget(_ descriptor: Int32) { set.remove(descriptor) }

    /// Tells of it again.
    package func goOn(_ endpoint: NotifyEndpoint, as worker: WorkerID) {
        guard endpoint.isResting else { return }
        endpoint.isResting = false
        // Ignoring a failure: nothing but memory could be short, and then the worker is not heard.
        try? set.add(endpoint.socket.descriptor, as: worker.rawValue)
    }

    /// Hears on at the socket of a predecessor, with what waits in it.
    package func take(
        _ descriptor: Int32, for worker: WorkerID, at address: UnixSocketAddress
    ) throws(LinuxError) -> NotifyEndpoint {
        let endpoint = NotifyEndpoint(try NotifySocket(inheriting: descriptor, at: address), of: self)
        try set.add(descriptor, as: worker.rawValue)
        return endpoint
    }
}

/// The notify socket of one worker.
package final class NotifyEndpoint {
    package let socket: NotifySocket
    /// Whether what is sent waits for a while.
    package fileprivate(set) var isResting = false
    /// The store that also keeps it open, and the name there.
    private var keeping: (keeper: any DescriptorStoring, name: String)?

    private weak var sockets: NotifySockets?

    fileprivate init(_ socket: consuming NotifySocket, of sockets: NotifySockets) {
        self.socket = socket
        self.sockets = sockets
    }

    deinit {
        // Before it is closed: a copy that is open elsewhere keeps it in the epoll set, which would report it for ever.
        sockets?.forget(socket.descriptor)
        keeping?.keeper.drop(socket.descriptor, as: keeping?.name ?? "")
    }

    /// `keeper` has it under `name`, and is told when it is closed.
    package func isStored(by keeper: (any DescriptorStoring)?, as name: String) {
        keeping = keeper.map { ($0, name) }
    }
}
