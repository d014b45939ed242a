internal import Glibc
internal import Lifecycle
package import Linux
package import Processes
package import SupervisorPorts
package import Systemd

/// The socket at which workers without a pressure file of their own hear of memory warnings, by systemd's protocol: a process that
/// connects gets a byte for each.
///
/// One for all workers: the kernel tells which process has connected, and the group of the process or a parent tells its worker.
package final class PressureSocket {
    /// Where it is.
    package let path: String
    /// How many connections a worker may have: it may consist of several processes.
    private static let mostPerWorker = 16

    /// What the socket file allows: workers run as any user; whether a peer may hear depends on the worker that its process belongs to.
    package static let access = SocketAccess.everybody

    private final class Connection {
        let worker: WorkerID
        let number: Int
        let socket: StreamSocket
        let source = SourceBox<IOSource>()
        /// The store that also keeps it open, and the name there.
        var keeping: (keeper: any DescriptorStoring, name: String)?

        init(_ worker: WorkerID, _ number: Int, _ socket: consuming StreamSocket) {
            self.worker = worker
            self.number = number
            self.socket = socket
        }

        deinit {
            // Before its descriptor is closed.
            source.handle = nil
            keeping?.keeper.drop(socket.rawValue, as: keeping?.name ?? "")
        }
    }

    /// One whose worker is not known: it may be a process whose launch is not told yet, which has run ahead of that.
    private final class Early {
        var socket: StreamSocket?

        init(_ socket: consuming StreamSocket) { self.socket = consume socket }
    }

    /// How many of those are kept.
    private static let mostEarly = 16

    private let loop: EventLoop
    private let owner: (PeerProcess) -> WorkerID?
    private let isLaunching: () -> Bool
    private var early: [Early] = []
    private let name: (WorkerID) -> String?
    private let keeper: (any DescriptorStoring)?
    private let listener: StreamListener
    private let source = SourceBox<IOSource>()
    /// Accepts further connections later, when too many had come at once.
    private let rest = SourceBox<TimeSource>()
    /// How many connections are looked at: looking costs some reads of /proc for each.
    private var budget = TokenBucket(holding: 64, perSecond: 200)
    private var connections: [WorkerID: [Connection]] = [:]

    /// A socket behind `listener`, which is at `address`; `owner` answers the worker of a process, and no other process is accepted; `name`
    /// answers what the group of a worker is called, `isLaunching` whether there are processes whose launch is not told yet.
    package init(
        _ listener: consuming StreamListener, at address: UnixSocketAddress, on loop: EventLoop,
        keptBy keeper: (any DescriptorStoring)?, owner: @escaping (PeerProcess) -> WorkerID?,
        name: @escaping (WorkerID) -> String?, isLaunching: @escaping () -> Bool = { false }
    ) throws {
        guard let path = address.path else {
            throw LinuxError(errno: 97, call: "bind", subject: "\(address): the protocol supports only paths")
        }
        self.path = path
        self.loop = loop
        self.owner = owner
        self.name = name
        self.isLaunching = isLaunching
        self.keeper = keeper
        self.listener = listener
        source.handle = try IOSource(
            on: loop, descriptor: self.listener.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in admit() }
        rest.handle = try TimeSource(on: loop, accuracy: 10_000, priority: .clients) { [unowned self] _ in
            try? self.source.handle?.setEnabled(.on)
        }
    }

    /// A socket of its own at `address`, which no store keeps open.
    package convenience init(
        at address: UnixSocketAddress, on loop: EventLoop, owner: @escaping (PeerProcess) -> WorkerID?
    ) throws {
        try self.init(
            StreamListener(at: address, access: Self.access), at: address, on: loop, keptBy: nil,
            owner: owner,
            name: { _ in "" })
    }

    deinit {
        source.handle = nil
        rest.handle = nil
    }

    /// Tells a worker that memory is short; one that does not read what it was told already is told nothing more.
    package func warn(_ worker: WorkerID) {
        // A process that has just connected is warned too.
        admit()
        let byte: [UInt8] = [1]
        for connection in connections[worker] ?? [] {
            // Ignoring a failure: a peer that is gone is noticed by its source.
            _ = try? connection.socket.write(byte.span)
        }
    }

    /// Looks again for the workers of those that had connected before the launch of their process was told; now one has been.
    package func launchWasTold() {
        let waiting = early
        early = []
        for one in waiting { if let socket = one.socket.take() { admit(socket) } }
    }

    /// Lets go of the connections of a worker that has ended.
    package func close(_ worker: WorkerID) { connections[worker] = nil }

    /// How many connections a worker has.
    package func connectionCount(of worker: WorkerID) -> Int { connections[worker]?.count ?? 0 }

    /// How many connections are accepted before anything else has its turn.
    private static let turn: Int64 = 16
    /// How long connections wait once too many have come, in microseconds.
    private static let pause: Int64 = 50_000

    private func admit() {
        guard rest.handle?.isArmed != true else { return }
        let granted = budget.take(upTo: Self.turn, at: Instant(microseconds: KernelClock.monotonic))
        guard granted > 0 else { return takeRest() }
        for used in 0..<granted {
            do throws(LinuxError) {
                guard let socket = try listener.accept() else { return budget.putBack(granted - used) }
                admit(socket)
            } catch {
                budget.putBack(granted - used)
                // ECONNABORTED: gone meanwhile. For want of descriptors nothing can be done at once.
                return error.errno == ECONNABORTED ? () : takeRest()
            }
        }
    }

    /// Leaves those that wait where they are for a moment.
    private func takeRest() {
        try? source.handle?.setEnabled(.off)
        rest.handle?.arm(at: KernelClock.monotonic + Self.pause)
    }

    private func admit(_ socket: consuming StreamSocket) {
        guard let credentials = try? socket.peerCredentials() else { return }
        let found: WorkerID?
        if let pidfd = socket.peerPidfd() {
            found = owner(PeerProcess(credentials, pidfd: pidfd.descriptor))
        } else {
            found = owner(PeerProcess(credentials, tellsPidfd: socket.tellsPeerPidfd()))
        }
        guard found != nil || !isLaunching() || early.count >= Self.mostEarly else {
            return early.append(Early(socket))
        }
        guard let worker = found, let number = freeNumber(for: worker) else { return }
        let descriptor = socket.rawValue
        guard let connection = welcome(worker, number, socket), let name = name(worker) else { return }
        let kept = StoreName.connection(name, number)
        keeper?.keep(descriptor, as: kept, polled: true)
        connection.keeping = keeper.map { ($0, kept) }
    }

    private func freeNumber(for worker: WorkerID) -> Int? {
        let used = (connections[worker] ?? []).map(\.number)
        return (1...Self.mostPerWorker).first { !used.contains($0) }
    }

    /// Goes on with the connections of a worker that the store has kept.
    package func takeStored(_ worker: WorkerID, _ group: String) {
        for number in 1...Self.mostPerWorker {
            let kept = StoreName.connection(group, number)
            guard let descriptor = keeper?.take(kept) else { continue }
            take(descriptor, number, of: worker, keptAs: kept)
        }
    }

    /// The connections of a worker by their numbers: descriptors that are borrowed.
    package func handover(of worker: WorkerID) -> [(number: Int, descriptor: Int32)] {
        (connections[worker] ?? []).map { ($0.number, $0.socket.rawValue) }
    }

    /// Where it listens, borrowed.
    package var descriptor: Int32 { listener.rawValue }

    /// Goes on with a connection that a predecessor has accepted.
    package func take(_ descriptor: Int32, _ number: Int, of worker: WorkerID, keptAs name: String) {
        guard let socket = try? StreamSocket(inheriting: descriptor) else { return }
        welcome(worker, number, socket)?.keeping = keeper.map { ($0, name) }
    }

    private func welcome(_ worker: WorkerID, _ number: Int, _ socket: consuming StreamSocket) -> Connection? {
        let connection = Connection(worker, number, socket)
        connection.source.handle = try? IOSource(
            on: loop, descriptor: connection.socket.rawValue, events: [.readable, .peerClosed],
            priority: .clients
        ) { [unowned self, unowned connection] _ in
            // What MEMORY_PRESSURE_WRITE may make it say is of no interest.
            var room = [UInt8](repeating: 0, count: 256)
            let count: Int?
            do throws(LinuxError) { count = try connection.socket.read(into: &room) } catch { count = 0 }
            if count == 0 { connections[connection.worker]?.removeAll { $0 === connection } }
        }
        guard connection.source.handle != nil else { return nil }
        connections[worker, default: []].append(connection)
        return connection
    }
}
