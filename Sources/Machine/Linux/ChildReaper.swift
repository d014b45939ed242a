internal import CLinux
internal import Glibc

/// Collects what children did: exits, stops and continues, without ever waiting.
package struct ChildReaper: Sendable {
    /// The children whose changes are collected.
    package enum Scope: Hashable, Sendable {
        /// Every child, adopted orphans too.
        case all
        /// The children of one process group.
        case processGroup(Int32)
        /// One child.
        case process(Int32)
    }

    /// What one call to ``drain(limit:)`` found.
    package struct Harvest: Hashable, Sendable {
        /// The events; at most one per child and call to waitid(2), in no promised order.
        package let events: [ChildEvent]
        /// Whether the limit ended it: call again, after others had their turn.
        package let hasMore: Bool
    }

    /// The children whose changes are collected.
    package let scope: Scope

    /// A reaper of `scope`.
    package init(scope: Scope = .all) {
        self.scope = scope
    }

    /// Takes up to `limit` events, and reaps the children that ended.
    ///
    /// No child at all is no error. Call it on SIGCHLD until nothing more is there: one signal may stand for many
    /// children.
    package func drain(limit: Int = 64) throws(LinuxError) -> Harvest {
        var events: [ChildEvent] = []
        while events.count < limit {
            guard let event = try next(WEXITED) else { return Harvest(events: events, hasMore: false) }
            events.append(event)
        }
        return Harvest(events: events, hasMore: true)
    }

    /// The next event, left where it is; nil when there is none.
    ///
    /// An ended child stays a zombie until it is taken, so what it sent before can still be attributed to it. Take
    /// it then by a reaper of ``Scope/process(_:)``.
    package func peek() throws(LinuxError) -> ChildEvent? {
        try next(WEXITED | Int32(WNOWAIT))
    }

    /// Whether there is any child at all, running or not; whatever the scope.
    package static func hasChildren() -> Bool {
        var child = torpor_child()
        let options = WEXITED | WNOHANG | Int32(WNOWAIT) | Int32(bitPattern: UInt32(__WALL))
        return unsafe torpor_wait(Int32(P_ALL.rawValue), 0, options, &child) == 0 || errno != ECHILD
    }

    private func next(_ options: Int32) throws(LinuxError) -> ChildEvent? {
        let (kind, id): (idtype_t, Int32) =
            switch scope {
            case .all: (P_ALL, 0)
            case .processGroup(let group): (P_PGID, group)
            case .process(let pid): (P_PID, pid)
            }
        var child = torpor_child()
        // __WALL: also children that were cloned to end with another signal than SIGCHLD.
        let all = options | WSTOPPED | WCONTINUED | WNOHANG | Int32(bitPattern: UInt32(__WALL))
        while unsafe torpor_wait(Int32(kind.rawValue), id_t(id), all, &child) < 0 {
            switch errno {
            case EINTR: continue
            case ECHILD: return nil
            default: throw .last("waitid")
            }
        }
        return ChildEvent(child)
    }
}
