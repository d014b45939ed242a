internal import Linux
internal import Systemd

/// The socket at which workers without a pressure file of their own hear of memory warnings, by systemd's protocol: whoever
/// connects gets a byte for each.
///
/// One for all workers: who has connected is told by the kernel, and by its group or its parents whose it is.
final class WarningDoor {
    /// Where it is.
    let path: String
    /// How many connections a worker may have: it may consist of several processes.
    private static let mostPerWorker = 16

    private final class Guest {
        let worker: WorkerID
        let socket: StreamSocket
        let source = SourceBox<IOSource>()

        init(_ worker: WorkerID, _ socket: consuming StreamSocket) {
            self.worker = worker
            self.socket = socket
        }

        deinit {
            // Before its descriptor is closed.
            source.handle = nil
        }
    }

    private let loop: EventLoop
    private let owner: (Int32) -> WorkerID?
    private let listener: StreamListener
    private let source = SourceBox<IOSource>()
    private var guests: [WorkerID: [Guest]] = [:]

    /// A door at `address`; `owner` answers whose a process is, and nobody else's comes in.
    init(at address: UnixSocketAddress, on loop: EventLoop, owner: @escaping (Int32) -> WorkerID?) throws {
        guard let path = address.path else {
            throw LinuxError(errno: 97, call: "bind", subject: "\(address): the protocol has paths only")
        }
        self.path = path
        self.loop = loop
        self.owner = owner
        // Workers have any user; who may hear is judged by whose process it is.
        listener = try StreamListener(at: address, mode: 0o666)
        source.handle = try IOSource(
            on: loop, descriptor: listener.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in admit() }
    }

    deinit {
        source.handle = nil
    }

    /// Tells a worker that memory is short; one that does not read what it was told already is told nothing more.
    func warn(_ worker: WorkerID) {
        // Who has just connected is to hear it too.
        admit()
        let byte: [UInt8] = [1]
        for guest in guests[worker] ?? [] {
            // Ignoring a failure: who is gone is found out by its source.
            _ = try? guest.socket.write(byte.span)
        }
    }

    /// Lets go of the connections of a worker that has ended.
    func close(_ worker: WorkerID) { guests[worker] = nil }

    /// How many connections a worker has.
    func guestCount(of worker: WorkerID) -> Int { guests[worker]?.count ?? 0 }

    private func admit() {
        while true {
            do throws(LinuxError) {
                guard let socket = try listener.accept() else { return }
                admit(socket)
            } catch {
                // Gone meanwhile, or no descriptor is left: the loop calls again when there is one.
                return
            }
        }
    }

    private func admit(_ socket: consuming StreamSocket) {
        guard let peer = try? socket.peerCredentials(), let worker = owner(peer.pid),
            guests[worker, default: []].count < Self.mostPerWorker
        else { return }
        let guest = Guest(worker, socket)
        guest.source.handle = try? IOSource(
            on: loop, descriptor: guest.socket.rawValue, events: [.readable, .peerClosed], priority: .clients
        ) { [unowned self, unowned guest] _ in
            // What MEMORY_PRESSURE_WRITE may make it say is of no interest.
            var room = [UInt8](repeating: 0, count: 256)
            let count: Int?
            do throws(LinuxError) { count = try guest.socket.read(into: &room) } catch { count = 0 }
            if count == 0 { guests[guest.worker]?.removeAll { $0 === guest } }
        }
        guard guest.source.handle != nil else { return }
        guests[worker, default: []].append(guest)
    }
}
