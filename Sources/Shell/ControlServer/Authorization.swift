internal import ControlAPI
internal import Linux

/// What each caller may do (3.4): the only place that decides it.
///
/// Root, the daemon's own user and the definers' groups may do everything; the operators' groups all but say what runs; any other user
/// what is open to all.
package struct Authorization: Hashable, Sendable {
    private let user: UInt32
    private let operators: Set<UInt32>
    private let definers: Set<UInt32>
    private let open: Set<String>
    private let defining: Set<String>

    /// The rule for a supervisor that runs as `user`, with operators in any of the groups `operators`, and `definers` in others.
    ///
    /// `open` are the full names of the methods that any user may call, `defining` those that say what runs, and so as which
    /// user: only definers may call them.
    package init(
        user: UInt32 = ThisProcess.user, operators: Set<UInt32> = [], definers: Set<UInt32> = [],
        open: Set<String> = SupervisorInterface.open, defining: Set<String> = SupervisorInterface.defining
    ) {
        self.user = user
        self.operators = operators
        self.definers = definers
        self.open = open
        self.defining = defining
    }

    /// Whether that user, with those groups, is an operator; each definer is one.
    func isOperator(uid: UInt32, groups: [UInt32]) -> Bool {
        mayDefine(uid: uid, groups: groups) || groups.contains(where: operators.contains)
    }

    /// Whether that user, with those groups, may say what runs.
    func mayDefine(uid: UInt32, groups: [UInt32]) -> Bool {
        uid == 0 || uid == user || groups.contains(where: definers.contains)
    }

    /// Whether `peer` may call `method`.
    ///
    /// It is asked before the parameters are looked at: what decodes them has only callers that may call it.
    package func permits(_ method: String, by peer: Peer) -> Bool {
        open.contains(method) || (defining.contains(method) ? peer.mayDefine : peer.isOperator)
    }
}
