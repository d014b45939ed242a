internal import Linux
internal import Systemd

/// The notify sockets of all workers, behind one source of the loop.
final class NotifySockets {
    private let set: ReadySet
    private let source = SourceBox<IOSource>()

    /// No sockets yet; `handler` is told whose has something to read.
    init(on loop: EventLoop, handler: @escaping (WorkerID) -> Void) throws {
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
    func make(
        for worker: WorkerID, at address: UnixSocketAddress, mode: UInt32
    ) throws(LinuxError) -> NotifyEndpoint {
        let endpoint = try NotifyEndpoint(at: address, mode: mode)
        try set.add(endpoint.socket.descriptor, as: worker.rawValue)
        return endpoint
    }

    /// Hears on at the socket of a predecessor.
    func take(
        _ descriptor: Int32, for worker: WorkerID, at address: UnixSocketAddress
    ) throws(LinuxError) -> NotifyEndpoint {
        let endpoint = try NotifyEndpoint(inheriting: descriptor, at: address)
        try set.add(descriptor, as: worker.rawValue)
        return endpoint
    }
}

/// The notify socket of one worker.
final class NotifyEndpoint {
    let socket: NotifySocket

    fileprivate init(inheriting descriptor: Int32, at address: UnixSocketAddress) throws(LinuxError) {
        socket = try NotifySocket(inheriting: descriptor, at: address)
    }

    fileprivate init(at address: UnixSocketAddress, mode: UInt32) throws(LinuxError) {
        socket = try NotifySocket(at: address, mode: mode)
    }
}
