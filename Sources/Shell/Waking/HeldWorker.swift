internal import Glibc
internal import Idleness
internal import Linux
internal import Sockets
internal import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// What is held for one worker.
final class HeldWorker {
    /// A socket that is asked for.
    final class Socket {
        var socket: HeldSocket
        /// Its place among those of its worker, by which the service manager knows it: no other has it while it is open.
        let slot: UInt32
        /// Nil while it is closed.
        private(set) var descriptor: Int32?
        /// Why it could not be opened.
        var problem: String?
        /// A thread opens it, whose file system has not answered yet.
        var isOpening = false
        private let release: (Int32) -> Void

        init(_ socket: HeldSocket, slot: UInt32, release: @escaping (Int32) -> Void) {
            self.socket = socket
            self.slot = slot
            self.release = release
        }

        deinit { close() }

        func take(_ descriptor: consuming OwnedDescriptor) {
            close()
            self.descriptor = descriptor.release()
            problem = nil
        }

        func close() {
            guard let descriptor else { return }
            self.descriptor = nil
            release(descriptor)
            _ = OwnedDescriptor(adopting: descriptor)
        }
    }

    let name: String
    let group: String
    var terms = HeldDescriptors()
    var rules: WakeRules
    var sockets: [Socket] = []
    var door = HeldDoor.open
    var watch: DoorWatch?
    var store: DescriptorStore?
    /// The names under which the service manager keeps what is stored, by its number.
    var storedAs: [Int32: String] = [:]
    var lastStored: UInt32 = 0
    /// What was stored that is dropped on a hangup.
    var polled: Set<Int32> = []
    /// A client has brought it: whether it takes its socket over is to be looked at then, in microseconds.
    var looksAt: Int64?
    /// It was told that no process of it takes them.
    var isWarned = false

    init(_ name: String, group: String, _ rules: WakeRules) {
        (self.name, self.group, self.rules) = (name, group, rules)
    }

    /// A place that no socket has.
    var freeSlot: UInt32 {
        let taken = Set(sockets.map(\.slot))
        return (0...UInt32(sockets.count)).first { !taken.contains($0) } ?? 0
    }
}
