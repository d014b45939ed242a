internal import Idleness
internal import Linux
internal import Sockets

/// What has come for a sleeper, as its own descriptors tell: asked of those that have something, and of no other.
struct Arrivals {
    /// What counts and is no TCP.
    private(set) var other: WakeFilter.Reason?
    /// Connections that it has, on which something may wait.
    private(set) var connections: [WakeFacts.Connection] = []
    /// Its listening sockets at which a connection waits, by their inodes.
    private(set) var listeners: [UInt64] = []
    /// Something that only a look at all sockets tells.
    private(set) var isUnknown = false

    /// A socket, a pipe or a timer at `place` of `set` has something.
    mutating func take(
        _ kind: EyePlan.Borrowed.Kind, at place: Int, of set: borrowing BorrowedSet, _ rules: WakeRules
    ) {
        switch kind {
        case .eventPoll: isUnknown = true
        case .pipe: if set.hasBytes(at: place) { other = .ready("input") }
        case .timer: other = .ready("a timer of its own")
        case .socket(let inode): take(set.news(at: place, rules), inode)
        }
    }

    /// An epoll instance at `place` of `set`, of this process, has something.
    mutating func take(
        _ polled: (process: PidfdBox, members: PolledMembers), at place: Int, of set: borrowing BorrowedSet,
        _ rules: WakeRules
    ) {
        guard let ready = set.readyMembers(at: place) else {
            isUnknown = true
            return
        }
        var sockets: [(descriptor: Int32, inode: UInt64)] = []
        for data in ready {
            switch polled.members[data]?.kind {
            case .listener(let inode): listeners.append(inode)
            case .socket(let inode): sockets.append((polled.members[data]?.descriptor ?? -1, inode))
            case .other: other = .ready("something besides its sockets")
            case nil: isUnknown = true
            }
        }
        // What is there wakes it already.
        guard other == nil, !sockets.isEmpty else { return }
        for (descriptor, inode) in sockets {
            if let connection = polled.process.pidfd.connection(at: descriptor, inode: inode) {
                connections.append(connection)
                continue
            }
            // Ignoring why there is none: all sockets are looked at then.
            if let found = try? BorrowedDescriptor(
                descriptor, of: polled.process.pidfd, expecting: .socket(inode: inode))
            {
                take(found.news(rules), inode)
            } else {
                isUnknown = true
            }
        }
    }

    private mutating func take(_ news: SocketNews, _ inode: UInt64) {
        switch news {
        case .nothing: break
        case .knock: listeners.append(inode)
        case .connection(let connection): connections.append(connection)
        case .other(let arrival): other = arrival.reason
        }
    }
}
