/// What the processes of a worker have open, as far as it may wake the worker.
package struct Inventory: Hashable, Sendable {
    /// One descriptor in one process.
    package struct Place: Hashable, Sendable, Comparable {
        package let process: Int32
        package let descriptor: Int32

        /// A descriptor of a process.
        package init(process: Int32, descriptor: Int32) {
            (self.process, self.descriptor) = (process, descriptor)
        }

        /// By process, then by descriptor.
        package static func < (a: Place, b: Place) -> Bool {
            (a.process, a.descriptor) < (b.process, b.descriptor)
        }
    }

    /// The kind of a descriptor, by the link of `/proc/PID/fd` (proc_pid_fd(5)).
    package enum Kind: Hashable, Sendable {
        /// `socket:[INODE]`.
        case socket(inode: UInt64)
        /// `pipe:[INODE]`, or the path of a FIFO.
        case pipe(inode: UInt64)
        case eventPoll
        case eventCounter
        case timer
        case signals
        case inotify
        case pidfd
        case ioUring
        /// Files, devices and whatever is unknown.
        case other
    }

    /// What one process has open.
    package struct Descriptors: Hashable, Sendable {
        package let process: Int32
        /// Sockets, pipes and anonymous inodes, by their descriptors; files are left out.
        package var kinds: [Int32: Kind]
        /// What each of its epoll instances watches; nil where that cannot be read.
        package var members: [Int32: [EpollMember]?]
        /// Pipes that may be read from: the access mode of `/proc/PID/fdinfo/FD`.
        package var readable: Set<Int32>
        /// Whether its descriptors could be listed: not of a process that may not be looked at.
        package var isListed: Bool
        /// Whether there are more than were looked at.
        package var isCut: Bool

        /// What `process` has open.
        package init(
            process: Int32, kinds: [Int32: Kind] = [:], members: [Int32: [EpollMember]?] = [:],
            readable: Set<Int32> = [], isListed: Bool = true, isCut: Bool = false
        ) {
            self.process = process
            self.kinds = kinds
            self.members = members
            self.readable = readable
            self.isListed = isListed
            self.isCut = isCut
        }
    }

    /// By process, in the order of their numbers.
    package var processes: [Descriptors]

    /// Whether every process was listed to its end, as far as processes may be looked at.
    package var isComplete: Bool { !processes.contains(where: \.isCut) }

    /// An inventory of `processes`.
    package init(_ processes: [Descriptors] = []) {
        self.processes = processes
    }
}

extension Inventory.Descriptors {
    /// What something may come through: not a socket or pipe that is its standard output or error and nothing else, as the journal's is.
    package var inputs: [Int32: Inventory.Kind] {
        kinds.filter { descriptor, kind in
            guard descriptor == 1 || descriptor == 2 else { return true }
            switch kind {
            case .socket, .pipe: break
            case .eventPoll, .eventCounter, .timer, .signals, .inotify, .pidfd, .ioUring, .other: return true
            }
            return kinds.contains { $0.key != 1 && $0.key != 2 && $0.value == kind }
        }
    }
}

extension Inventory {
    /// The pipes that a process of the worker can write to: what waits in them it has written itself, such as the byte that some
    /// programs keep in one as a lock.
    package var ownPipes: Set<UInt64> {
        var inodes: Set<UInt64> = []
        for process in processes {
            for case (let descriptor, .pipe(let inode)) in process.kinds
            where !process.readable.contains(descriptor) {
                inodes.insert(inode)
            }
        }
        return inodes
    }

    /// Where the sockets of these inodes are, each at the first place that it has.
    package func places(of sockets: Set<UInt64>) -> [UInt64: Place] {
        var places: [UInt64: Place] = [:]
        guard !sockets.isEmpty else { return places }
        for process in processes {
            for case (let descriptor, .socket(let inode)) in process.kinds where sockets.contains(inode) {
                let place = Place(process: process.process, descriptor: descriptor)
                places[inode] = min(places[inode] ?? place, place)
            }
        }
        return places
    }
}
