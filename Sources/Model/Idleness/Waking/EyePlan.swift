/// How a sleeper is watched, so that it wakes when something comes for it (section 7 of the spec's `5-waking`).
package enum EyePlan: Hashable, Sendable {
    /// By duplicates of its own descriptors, which are let go before it runs again.
    case borrowed([Borrowed])
    /// By looking at its sockets from time to time, through sock_diag(7).
    case sampled(Shortfall)
    /// Not at all.
    case none(Blindness)

    /// One descriptor to be duplicated.
    package struct Borrowed: Hashable, Sendable {
        package let place: Inventory.Place
        package let kind: Kind

        /// What it is.
        package enum Kind: Hashable, Sendable {
            /// An epoll instance, which is readable when anything that it watches is.
            case eventPoll
            /// A socket or pipe of this inode.
            case socket(inode: UInt64)
            case pipe(inode: UInt64)
            /// A timer, whose time is the worker's own.
            case timer
        }

        /// The descriptor at `place`.
        package init(_ place: Inventory.Place, _ kind: Kind) {
            (self.place, self.kind) = (place, kind)
        }
    }

    /// Why descriptors are not duplicated, although there are sockets.
    package enum Shortfall: Hashable, Sendable {
        /// The kernel refuses it.
        case refused
        /// There are more than may be duplicated for one worker.
        case tooMany(Int, limit: Int)
        /// No descriptor is free.
        case noDescriptors
    }

    /// Why a worker is not watched.
    package enum Blindness: Hashable, Sendable {
        /// Its file says so (`Wake=`).
        case notWanted
        /// It has nothing that could wake it.
        case nothingToWatch
        /// Of what it has, nothing counts (`WakeOn=`, `Wake=listen`).
        case nothingCounts
        /// What it has open may not be looked at, and sock_diag(7) tells nothing either.
        case unreadable
    }
}

extension EyePlan {
    /// What is watched of a worker with these descriptors.
    ///
    /// An epoll instance stands for all that it watches, where none of that is harmed by being polled from outside (section 7); sockets and
    /// pipes that no such instance watches are watched one by one. A socket that several processes share is watched once.
    /// `listening` has the inodes of sockets that listen, `left` of those that wake no worker, such as its connection to the supervisor.
    /// No more than `limit` descriptors are duplicated.
    package init(
        of inventory: Inventory, _ rules: WakeRules, listening: Set<UInt64>,
        leavingOut left: Set<UInt64> = [],
        on systems: KernelFileSystems, limit: Int
    ) {
        switch rules.watching {
        case .no, .held: self = .none(.notWanted)
        case .auto, .listen:
            guard inventory.processes.contains(where: \.isListed) else {
                self = inventory.processes.isEmpty ? .none(.nothingToWatch) : .sampled(.refused)
                return
            }
            var gathering = Gathering(rules, listening, left, systems)
            gathering.internalPipes = inventory.ownPipes
            for process in inventory.processes { gathering.take(process) }
            let found = gathering.found
            if found.isEmpty {
                let hasSome = inventory.processes.contains { !$0.inputs.isEmpty }
                self =
                    !inventory.processes.allSatisfy(\.isListed)
                    ? .sampled(.refused)
                    : .none(hasSome && !gathering.takesAll ? .nothingCounts : .nothingToWatch)
            } else if found.count > limit {
                self = .sampled(.tooMany(found.count, limit: limit))
            } else {
                self = .borrowed(found)
            }
        }
    }
}

/// Puts the plan of one worker together, process by process.
private struct Gathering {
    private let rules: WakeRules
    private let listening: Set<UInt64>
    private let left: Set<UInt64>
    private let systems: KernelFileSystems
    private(set) var found: [EyePlan.Borrowed] = []
    /// Pipes through which nothing comes from outside.
    var internalPipes: Set<UInt64> = []
    /// Inodes that are watched already.
    private var watched: Set<UInt64> = []

    init(
        _ rules: WakeRules, _ listening: Set<UInt64>, _ left: Set<UInt64>, _ systems: KernelFileSystems
    ) {
        (self.rules, self.listening, self.left, self.systems) = (rules, listening, left, systems)
    }

    /// An epoll instance tells of everything, so that everything has to count.
    var takesAll: Bool {
        rules.hearsConnections && [.data, .datagram, .input].allSatisfy(rules.hears)
    }

    mutating func take(_ process: Inventory.Descriptors) {
        var covered: Set<UInt64> = []
        if takesAll {
            for (descriptor, members) in process.members.sorted(by: { $0.key < $1.key }) {
                guard let members, !members.isEmpty,
                    members.allSatisfy({ isFit($0, in: process) })
                else { continue }
                found.append(.init(.init(process: process.process, descriptor: descriptor), .eventPoll))
                covered.formUnion(
                    members.filter { [systems.sockets, systems.pipes].contains($0.device) }.map(\.inode))
            }
        }
        for (descriptor, kind) in process.inputs.sorted(by: { $0.key < $1.key }) {
            let place = Inventory.Place(process: process.process, descriptor: descriptor)
            switch kind {
            case .socket(let inode):
                guard counts(socket: inode), !covered.contains(inode), watched.insert(inode).inserted else {
                    continue
                }
                found.append(.init(place, .socket(inode: inode)))
            case .pipe(let inode):
                guard rules.hears(.input),
                    process.readable.contains(descriptor), !covered.contains(inode),
                    !internalPipes.contains(inode),
                    watched.insert(inode).inserted
                else { continue }
                found.append(.init(place, .pipe(inode: inode)))
            case .timer:
                if rules.hears(.timer) { found.append(.init(place, .timer)) }
            case .eventPoll, .eventCounter, .signals, .inotify, .pidfd, .ioUring, .other: break
            }
        }
        watched.formUnion(covered)
    }

    /// What kind of socket it is is told by the duplicate; here only whether one that listens is wanted or one that does not.
    private func counts(socket inode: UInt64) -> Bool {
        if left.contains(inode) { return false }
        if listening.contains(inode) { return rules.hearsConnections }
        return rules.hears(.data) || rules.hears(.datagram)
    }

    /// Whether polling it from outside leaves it as it is: not a signalfd, which would lose signals, nor what another program answers.
    private func isFit(_ member: EpollMember, in process: Inventory.Descriptors) -> Bool {
        if member.device == systems.sockets, left.contains(member.inode) { return false }
        if [systems.sockets, systems.pipes].contains(member.device) { return true }
        if member.device == systems.pidfds, systems.pidfds != systems.anonymous { return true }
        guard member.device == systems.anonymous else { return false }
        switch process.kinds[member.descriptor] {
        case .eventCounter, .inotify, .pidfd: return true
        // Its own timers do not wake it; a nested instance, and what the number does not name any more, may hide anything.
        case .socket, .pipe, .eventPoll, .timer, .signals, .ioUring, .other, nil: return false
        }
    }
}
