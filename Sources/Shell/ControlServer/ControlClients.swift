package import Lifecycle
internal import SupervisorPorts

/// Two ways through a control server: one for operators, which no other user can fill, and one for all other clients.
package enum ControlLane: Hashable, CaseIterable {
    /// Clients of a control socket that may steer.
    case operators
    /// Any other client of it, and the processes of workers at their own sockets.
    case others
}

extension Peer {
    package var lane: ControlLane { isOperator && worker == nil ? .operators : .others }
}

extension ControlLimits {
    /// How long calls of a lane are carried out.
    package func turn(of lane: ControlLane) -> TurnLimits {
        switch lane {
        case .operators: operatorsTurn
        case .others: othersTurn
        }
    }

    /// What the accounts of a lane may hold.
    package func allotment(of lane: ControlLane) -> Allotment {
        switch lane {
        case .operators: operatorsAllotment
        case .others: othersAllotment
        }
    }
}

/// What the clients of a control server use, by account: connections, memory, and time of the processor.
///
/// It is pure, but for its callers' clock. An account is kept for as long as its time is not made up for: a user does not get it
/// back by connecting anew.
package struct ControlClients {
    private struct Account {
        let lane: ControlLane
        var connections = 0
        var held = Allotment.Holding()
        var work: TokenBucket?
        /// It was told to wait.
        var isHeldBack = false
    }

    private let limits: ControlLimits
    private var accounts: [Peer.Account: Account] = [:]
    private var held: [ControlLane: Allotment.Holding] = [:]

    /// None yet.
    package init(_ limits: ControlLimits) {
        self.limits = limits
    }

    package func connections(of account: Peer.Account) -> Int { accounts[account]?.connections ?? 0 }

    /// A client has connected.
    package mutating func add(_ peer: Peer) {
        let lane = peer.lane
        accounts[
            peer.account, default: Account(lane: lane, work: limits.turn(of: lane).bucket)
        ].connections += 1
    }

    /// A client has gone, and holds nothing any more.
    package mutating func remove(_ peer: Peer, at now: Instant) {
        guard var account = accounts[peer.account] else { return }
        account.connections -= 1
        accounts[peer.account] = account
        guard account.connections <= 0 else { return }
        // Those whose time is not made up for stay until then; they are looked for when there are many.
        if account.work?.isFull(at: now) ?? true {
            accounts[peer.account] = nil
        } else if accounts.count > 64 {
            accounts = accounts.filter {
                $0.value.connections > 0 || !($0.value.work?.isFull(at: now) ?? true)
            }
        }
    }

    /// A client of `peer` holds something else than before; answers whether clients that were not read may be read again.
    package mutating func account(
        for peer: Peer, replacing old: Allotment.Holding, by new: Allotment.Holding
    ) -> Bool {
        guard old != new else { return false }
        accounts[peer.account]?.held.replace(old, by: new)
        held[peer.lane, default: Allotment.Holding()].replace(old, by: new)
        guard new.input < old.input || new.output < old.output else { return false }
        let waiting = accounts.filter { $0.value.isHeldBack }
        guard !waiting.isEmpty else { return false }
        for key in waiting.keys { accounts[key]?.isHeldBack = false }
        return true
    }

    /// Whether more may be read for a client of that account; where not, it is told when it may be.
    package mutating func mayRead(_ account: Peer.Account) -> Bool {
        guard let entry = accounts[account] else { return true }
        let may = limits.allotment(of: entry.lane).mayRead(entry.held, of: held[entry.lane] ?? .init())
        if !may { accounts[account]?.isHeldBack = true }
        return may
    }

    /// Whether calls of that account may be carried out.
    package func mayWork(_ account: Peer.Account, at now: Instant) -> Bool {
        guard let entry = accounts[account] else { return true }
        guard entry.work?.hasRoom(at: now) ?? true else { return false }
        return limits.allotment(of: entry.lane).mayPerform(entry.held, of: held[entry.lane] ?? .init())
    }

    /// From when on that account has time again; nil where that is not what it waits for.
    package func worksFrom(_ account: Peer.Account) -> Instant? { accounts[account]?.work?.hasRoomFrom }

    /// Something was done for that account.
    package mutating func worked(_ account: Peer.Account, for span: TimeSpan, at now: Instant) {
        accounts[account]?.work?.take(span.microseconds, at: now)
    }
}
