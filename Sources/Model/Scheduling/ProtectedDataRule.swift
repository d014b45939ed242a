/// When a worker is told that its protected data has come or goes (2.1).
///
/// Its data is there while all paths are that it names and the session is not locked. A worker that names none has the session's lock alone.
package enum ProtectedDataRule {
    /// How the paths of a worker stand.
    package enum Paths: CaseIterable, Hashable, Sendable {
        /// It names none.
        case none
        /// Not all have been looked at.
        case unknown
        case there
        /// At least one is missing.
        case missing
    }

    /// What a worker is told after a takeover.
    package enum Telling: Hashable, Sendable {
        case nothing
        /// By the callback alone.
        case callback
        /// By the callback and by the topic.
        case everything
    }

    /// Whether the data is there now; nil where that is not known.
    ///
    /// `hearsLock`: the session's lock is heard of.
    package static func isAvailable(_ paths: Paths, isLocked: Bool, hearsLock: Bool) -> Bool? {
        switch paths {
        case .none: hearsLock ? !isLocked : nil
        case .unknown: nil
        case .there: !isLocked
        case .missing: false
        }
    }

    /// Some paths of the worker have come or gone, and all of them were there before, or are now; what it is told, nil for nothing.
    ///
    /// Where one of several comes or goes while another is missing, or all are locked away, nothing has changed for it.
    package static func pathsTurned(wereThere: Bool, areThere: Bool, isLocked: Bool) -> Bool? {
        isLocked || wereThere == areThere ? nil : areThere
    }

    /// The session was locked or unlocked; what the worker is told, nil for nothing.
    ///
    /// Data of which a path is missing is not there, locked or not. What is not known yet counts as there.
    package static func sessionTurned(_ paths: Paths, isLocked: Bool) -> Bool? {
        paths == .missing ? nil : !isLocked
    }

    /// What a worker is told that knows of `before` from a predecessor, where the data is `now`.
    ///
    /// `awaitsOpposite`: the callback that says the opposite of `now` waits for it, and what it says has been undone since.
    package static func compared(before: Bool, now: Bool, awaitsOpposite: Bool) -> Telling {
        if before != now { return .everything }
        return awaitsOpposite ? .callback : .nothing
    }
}
