/// Which sessions of login1 are locked, and whose they are.
package struct SessionLocks: Hashable, Sendable {
    /// A session, as login1 lists it.
    package struct Session: Hashable, Sendable {
        /// Its id.
        package let id: String
        /// The user, as a number.
        package let uid: UInt32
        /// The user, by name.
        package let user: String

        package init(id: String, uid: UInt32, user: String) {
            self.id = id
            self.uid = uid
            self.user = user
        }
    }

    /// What login1 tells.
    package enum Event: Hashable, Sendable {
        /// These are all sessions.
        case listed([Session])
        /// A session ended.
        case ended(String)
        /// A session was locked.
        case locked(String)
        /// A session was unlocked.
        case unlocked(String)
    }

    /// The session that the supervisor itself is in.
    ///
    /// Its lock alone counts for workers that run as the supervisor's user.
    private var own: String?
    /// The user of the supervisor; nil for root, to whose services no session belongs.
    private var uid: UInt32?
    /// What login1 has listed; nil before it has.
    private var sessions: [String: Session]?
    private var locked: Set<String> = []

    /// No session is known yet.
    package init() {}

    /// Login1 is listened to by a supervisor that is in the session `own`, if in any, and runs as the user `uid`.
    package mutating func listen(own: String?, uid: UInt32) {
        self.own = own
        self.uid = uid == 0 ? nil : uid
    }

    /// Whether login1 has listed its sessions.
    package var isListed: Bool { sessions != nil }

    /// A predecessor knew these as locked: they count until login1 tells otherwise.
    package mutating func inherit(_ ids: Set<String>) { locked.formUnion(ids) }

    /// A predecessor knew that the session of the supervisor was locked.
    package mutating func inheritOwn() { if let own { locked.insert(own) } }

    /// Applies `event`.
    package mutating func handle(_ event: Event) {
        switch event {
        case .listed(let all):
            let sessions = Dictionary(all.map { ($0.id, $0) }) { $1 }
            self.sessions = sessions
            // What was locked and is not there any more is no session.
            locked = locked.filter { sessions[$0] != nil || $0 == own }
        case .ended(let id):
            sessions?[id] = nil
            locked.remove(id)
        case .locked(let id): locked.insert(id)
        case .unlocked(let id): locked.remove(id)
        }
    }

    /// The locked sessions whose lock concerns workers that run as `user`, by name or number; nil is the supervisor's user.
    ///
    /// The answer is nil while that is not known: before login1 has listed its sessions.
    package func lockedSessions(of user: String?) -> Set<String>? {
        let isOwnLocked = user == nil && (own.map { locked.contains($0) } ?? false)
        guard let sessions else { return isOwnLocked ? Set(own.map { [$0] } ?? []) : nil }
        guard let user else {
            if let own { return isOwnLocked ? [own] : [] }
            return uid.map { uid in locked.filter { sessions[$0]?.uid == uid } } ?? []
        }
        return locked.filter { id in
            guard let session = sessions[id], session.uid != 0 else { return false }
            return session.user == user || "\(session.uid)" == user
        }
    }
}
