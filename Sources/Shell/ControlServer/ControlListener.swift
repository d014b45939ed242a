internal import Glibc
internal import Linux
internal import SupervisorPorts
internal import Systemd

/// One listening socket of a control server.
///
/// Where there is no descriptor for a connection, one that is kept for that lets it be accepted and turned away: it would
/// wait in the queue and wake the server for ever otherwise. Where that does not help either, nothing is accepted for a moment.
final class ControlListener {
    private unowned let server: ControlServer
    /// The worker whose processes come in here; nil where any process may.
    private let worker: WorkerID?
    // Before the listener: they must be gone when that is closed.
    private let source = SourceBox<IOSource>()
    private let pause = SourceBox<TimeSource>()
    private let listener: StreamListener
    /// The listening socket, borrowed.
    var descriptor: Int32 { listener.rawValue }
    /// Whether its file belongs to the server: not where systemd holds the socket.
    var ownsFile: Bool { listener.ownsFile }
    /// The name of the socket: a path, or a NUL and an abstract name.
    let name: [UInt8]
    private var spare: OwnedDescriptor?

    /// How long nothing is accepted after a failure, in microseconds.
    private static let pauseLength: Int64 = 100_000

    init(
        _ listener: consuming StreamListener, of server: ControlServer, for worker: WorkerID? = nil
    ) throws(SystemdError) {
        self.server = server
        self.worker = worker
        let descriptor = listener.rawValue
        name = listener.name
        self.listener = listener
        // One for all sockets of workers: a descriptor for each would be one too many.
        if worker == nil { spare = try? OwnedDescriptor.spare() }
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] _ in open() }
        pause.handle = try TimeSource(on: server.loop, accuracy: Self.pauseLength, priority: .clients) {
            [unowned self] _ in setEnabled(.on)
        }
    }

    /// Accepts what waits, some at a time.
    func open() {
        for _ in 0..<server.limits.acceptsPerTurn {
            do {
                guard let socket = try listener.accept() else { return }
                server.admit(socket, for: worker)
            } catch {
                switch error.errno {
                case ECONNABORTED: continue
                case EMFILE, ENFILE:
                    guard turnOneAway(error) else { return rest() }
                default:
                    server.report(.acceptFailed(error))
                    return rest()
                }
            }
        }
    }

    /// Accepts one connection by the spare descriptor, to say no; false when that cannot be done.
    private func turnOneAway(_ reason: LinuxError) -> Bool {
        guard spare != nil else {
            server.report(.acceptFailed(reason))
            spare = try? OwnedDescriptor.spare()
            return spare != nil
        }
        spare = nil
        defer { spare = try? OwnedDescriptor.spare() }
        // Another thread or process may have taken the number.
        guard let socket = try? listener.accept() else { return false }
        server.turnAway(socket, isOfSystem: reason.errno == ENFILE)
        return true
    }

    private func rest() {
        setEnabled(.off)
        pause.handle?.arm(at: server.loop.now + Self.pauseLength)
    }

    func setEnabled(_ enablement: Enablement) {
        do {
            try source.handle?.setEnabled(enablement)
        } catch {
            server.report(.watchFailed(error))
        }
    }
}
