internal import ConfigurationSyntax
package import Launching
package import Linux
package import WorkerFile

/// The user and the groups that a worker runs as, found out when its definition is loaded.
///
/// Asking may wait for the network; from then on the numbers are kept, and a reload asks again.
package struct WorkerIdentity: Hashable, Sendable {
    /// What changes at a launch; nil where it stays that of the daemon.
    package let credentials: LaunchRequest.Credentials?
    /// The user whose login the environment tells of; nil where it tells of none.
    package let account: UserAccount?

    /// The identity of this process.
    package static let ours = WorkerIdentity(credentials: nil, account: nil)

    private init(credentials: LaunchRequest.Credentials?, account: UserAccount?) {
        self.credentials = credentials
        self.account = account
    }

    /// The user and groups that `User=`, `Group=` and `SupplementaryGroups=` name, by the rules of systemd.exec(5).
    ///
    /// A user brings its primary group and all groups it is in; a number without an entry needs `Group=` and is in no
    /// other. To run as the daemon's own user takes no privileges.
    package init(_ execution: WorkerDefinition.Execution) throws(IdentityError) {
        let further = try execution.supplementaryGroups.map { account throws(IdentityError) in
            try Self.group(account, "SupplementaryGroups")
        }
        let group = try execution.group.map { account throws(IdentityError) in
            try Self.group(account, "Group")
        }
        guard let user = execution.user else {
            account = nil
            let isNone = group == nil && further.isEmpty
            // The daemon's groups are none of the worker's once it has one of its own; only root may leave them.
            let stays = further.isEmpty && !ThisProcess.isPrivileged
            credentials = isNone ? nil : .init(group: group, supplementaryGroups: stays ? nil : further)
            return
        }
        let account = try Self.user(user, group: group)
        self.account = account
        let primary = group ?? account.group
        let isOurselves = account.id == ThisProcess.user && !ThisProcess.isRoot
        guard !isOurselves || group != nil || !further.isEmpty else {
            credentials = nil
            return
        }
        let own = account.name.isEmpty ? [primary] : UserAccount.groups(of: account.name, with: primary)
        credentials = .init(
            user: account.id, group: primary,
            supplementaryGroups: own + further.filter { !own.contains($0) })
    }

    /// The number of the user that `SocketUser=` names.
    static func socketUser(_ account: Account) throws(IdentityError) -> UInt32 {
        guard case .name(let name) = account else { return try number(account) }
        let found = try asking("SocketUser", name) { () throws(LinuxError) in try UserAccount.named(name) }
        guard let found else {
            throw IdentityError(key: "SocketUser", problem: "user “\(name)” does not exist")
        }
        return found.id
    }

    /// The number of the group that `SocketGroup=` names.
    static func socketGroup(_ account: Account) throws(IdentityError) -> UInt32 {
        try group(account, "SocketGroup")
    }

    private static func number(_ account: Account) throws(IdentityError) -> UInt32 {
        switch account {
        case .id(let id): return id
        case .name(let name):
            throw IdentityError(key: "SocketUser", problem: "user “\(name)” does not exist")
        }
    }

    private static func user(_ user: Account, group: UInt32?) throws(IdentityError) -> UserAccount {
        switch user {
        case .name(let name):
            let found = try asking("User", name) { () throws(LinuxError) in try UserAccount.named(name) }
            guard let found else {
                throw IdentityError(key: "User", problem: "user “\(name)” does not exist")
            }
            return found
        case .id(let id):
            let found = try asking("User", String(id)) { () throws(LinuxError) in try UserAccount.numbered(id)
            }
            if let found { return found }
            guard let group else {
                throw IdentityError(
                    key: "User", problem: "user \(id) has no entry and therefore no group: set Group= as well"
                )
            }
            return UserAccount(name: "", id: id, group: group, home: "/", shell: "/bin/sh")
        }
    }

    private static func group(_ group: Account, _ key: String) throws(IdentityError) -> UInt32 {
        switch group {
        // The kernel asks for no entry.
        case .id(let id): return id
        case .name(let name):
            let found = try asking(key, name) { () throws(LinuxError) in try GroupAccount.named(name) }
            guard let found else { throw IdentityError(key: key, problem: "group “\(name)” does not exist") }
            return found.id
        }
    }

    private static func asking<Found>(
        _ key: String, _ subject: String, _ ask: () throws(LinuxError) -> Found?
    ) throws(IdentityError) -> Found? {
        do throws(LinuxError) { return try ask() } catch {
            throw IdentityError(key: key, problem: "cannot look up “\(subject)”: \(error.reason)")
        }
    }
}

/// An account of a definition that is not to be had.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directive that names it.
    package let key: String
    /// What is wrong, as a clause.
    package let problem: String

    /// Both, as a diagnostic has them.
    package var description: String { "\(key)=: \(problem)" }
}
