internal import Idleness
internal import Linux
internal import Sockets
internal import WorkerIO

/// The sockets at which clients of a worker wait, duplicated before its end.
package final class DoorStock {
    /// One of them; its descriptor is nil once it is closed.
    final class Box {
        private(set) var descriptor: DoorDescriptor?
        let inode: UInt64
        let place: DoorPlace
        let sharesPort: Bool

        init(_ descriptor: consuming DoorDescriptor) {
            (inode, place, sharesPort) = (descriptor.inode, descriptor.place, descriptor.sharesPort)
            self.descriptor = consume descriptor
        }

        /// Its number, borrowed; nil once it is closed.
        var number: Int32? {
            switch descriptor {
            case .some(let descriptor): descriptor.rawValue
            case .none: nil
            }
        }

        var isServing: Bool {
            switch descriptor {
            case .some(let descriptor): descriptor.isServing
            case .none: false
            }
        }

        func take() -> DoorDescriptor? { descriptor.take() }

        func lendable(at place: Int) -> BindService.Door? {
            switch descriptor {
            case .some(let descriptor): descriptor.lendable(at: place)
            case .none: nil
            }
        }

        func share() throws(LinuxError) {
            switch descriptor {
            case .some(let descriptor): try descriptor.share()
            case .none: break
            }
        }

        func admitNoMore() {
            switch descriptor {
            case .some(let descriptor): descriptor.admitNoMore()
            case .none: break
            }
        }

        var awaitsLast: Bool {
            switch descriptor {
            case .some(let descriptor): descriptor.awaitsLast()
            case .none: false
            }
        }

        func accept() -> OwnedDescriptor? {
            switch descriptor {
            case .some(let descriptor): descriptor.accept()
            case .none: nil
            }
        }
    }

    private(set) var boxes: [Box] = []

    /// How many there are at most.
    static let most = 64
    /// How many sockets of one process that do not listen by TCP are looked at.
    private static let mostOthers = 64

    /// The numbers of the descriptors, borrowed.
    package var descriptors: [Int32] { boxes.compactMap(\.number) }

    private init(_ boxes: [Box]) { self.boxes = boxes }

    /// Those that a predecessor has kept open; nil where none is left.
    package convenience init?(inheriting descriptors: [Int32]) {
        let boxes = descriptors.compactMap { number -> Box? in
            guard let door = DoorDescriptor(inheriting: number) else { return nil }
            return Box(door)
        }
        guard !boxes.isEmpty else { return nil }
        self.init(boxes)
    }

    /// Duplicates those of the processes in `inventory`; nil where there are none, or they may not be duplicated.
    ///
    /// `listening` are the TCP sockets of the supervisor's network namespace that listen. Of datagram sockets only those with a port that
    /// the kernel does not give out by itself, which is from `ephemeral` on, wait for clients. Those of the inodes `held` are left out.
    convenience init?(
        of inventory: Inventory, listening: Set<UInt64>, ephemeral: UInt16, leavingOut held: Set<UInt64>
    ) {
        var (boxes, seen): ([Box], Set<UInt64>) = ([], held)
        for process in inventory.processes {
            guard let pidfd = try? PidfdBox(process.process) else { continue }
            var others = 0
            for (number, kind) in process.kinds.sorted(by: { $0.key < $1.key }) {
                guard case .socket(let inode) = kind, boxes.count < Self.most, !seen.contains(inode) else {
                    continue
                }
                if !listening.contains(inode) {
                    others += 1
                    guard others <= Self.mostOthers else { continue }
                }
                seen.insert(inode)
                // Ignoring why: what may not be duplicated is closed with the worker.
                guard let door = try? DoorDescriptor(number, of: pidfd.pidfd, expecting: inode) else {
                    continue
                }
                if case .udp(let endpoint) = door.place, endpoint.port >= ephemeral { continue }
                boxes.append(Box(door))
            }
        }
        guard !boxes.isEmpty else { return nil }
        self.init(boxes)
    }

    /// Leaves out those at which the kernel takes no clients any more; false where none is left.
    func keepServing() -> Bool {
        boxes.removeAll { !$0.isServing }
        return !boxes.isEmpty
    }
}

extension WakingTools {
    /// Has `then` called with duplicates of the sockets at which clients of these processes wait: at once where they have few descriptors,
    /// else when a thread has listed them; those of the inodes `held` are left out.
    package func duplicateDoors(
        of processes: [Int32], leavingOut held: Set<UInt64>, then: @escaping (DoorStock?) -> Void
    ) {
        let (hasOwn, _) = NetworkNamespace.places(of: processes)
        guard hasOwn else { return then(nil) }
        let listening = Set((own.listeners() ?? []).map { UInt64($0.inode) })
        let ephemeral = EphemeralPorts.first
        if let quick = SleeperWatch.quickInventory(of: processes) {
            return then(
                DoorStock(of: quick, listening: listening, ephemeral: ephemeral, leavingOut: held))
        }
        let most = mostDescriptors * 32
        lookups.perform {
            SleeperWatch.inventory(of: processes, atMost: most)
        } then: {
            then(DoorStock(of: $0, listening: listening, ephemeral: ephemeral, leavingOut: held))
        }
    }
}
