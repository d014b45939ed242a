public import ControlAPI
public import Linux
public import Varlink

/// Who may do what (3.4): the only place that decides it.
///
/// Root, our own user and the operators' groups may do everything; anybody else what is open to all.
public struct Authorization: Hashable, Sendable {
    private let user: UInt32
    private let groups: Set<UInt32>
    private let open: Set<String>

    /// The rule for a supervisor that runs as `user`, with operators in any of `groups`.
    ///
    /// `open` are the full names of the methods that anybody may call.
    public init(
        user: UInt32 = ThisProcess.user, operators groups: Set<UInt32> = [],
        open: Set<String> = SupervisorInterface.open
    ) {
        self.user = user
        self.groups = groups
        self.open = open
    }

    /// Whether that user, with those groups, is an operator.
    func isOperator(uid: UInt32, groups: [UInt32]) -> Bool {
        uid == 0 || uid == user || groups.contains { self.groups.contains($0) }
    }

    /// Whether `peer` may make `call`.
    public func permits(_ call: Call, by peer: Peer) -> Bool {
        peer.isOperator || open.contains(call.method)
    }
}
