internal import ConfigurationSyntax

/// How the sockets of a worker that is gone change hands when it is launched again (`HandOver=`).
package enum HandOver: String, Hashable, Sendable, CaseIterable {
    /// The best way that there is here.
    case auto
    /// The kernel moves the connections that wait to the worker's own listener.
    case migrate
    /// The supervisor accepts them, and passes their bytes.
    case splice
    /// The worker is given the socket where it binds its own.
    case handover
    /// They are closed, and a client that tries again reaches the worker.
    case no
}

/// The words of `HandOver=`.
extension HandOver: Keyword {}

/// The way in which one socket changes hands.
package enum DoorWay: Hashable, Sendable {
    /// Both listen, then the duplicate is closed, and the kernel moves what waits. Where it `binds`, a program has the worker's socket share
    /// the port; else the worker does that by itself.
    case migrate(binds: Bool)
    /// What waits is accepted, and its bytes are passed on once the worker listens; where the duplicate `staysOpen` until then, it accepts
    /// further ones, else connections are refused from the launch on.
    case splice(staysOpen: Bool)
    /// The worker is given the duplicate where it binds the address.
    case lend
    /// The duplicate is only a bell: it is closed before the launch, with what waits there.
    case bell

    /// In a word, as `HandOver=` has it.
    package var word: String {
        switch self {
        case .migrate: HandOver.migrate.rawValue
        case .splice: HandOver.splice.rawValue
        case .lend: HandOver.handover.rawValue
        case .bell: HandOver.no.rawValue
        }
    }
}

/// What the choice of the way depends on.
package struct HandOverFacts: Hashable, Sendable {
    /// Why the worker's socket cannot share the port with the duplicate; nil where it can.
    package var migrationGap: String?
    /// Why what was accepted cannot be passed on; nil where it can.
    package var relayGap: String?
    /// Why the worker cannot be given the duplicate; nil where it can.
    package var lendingGap: String?

    /// Nothing is missing, unless said otherwise.
    package init(migrationGap: String? = nil, relayGap: String? = nil, lendingGap: String? = nil) {
        (self.migrationGap, self.relayGap, self.lendingGap) = (migrationGap, relayGap, lendingGap)
    }
}

/// The way that one socket takes, and why it is no better one.
package struct DoorChoice: Hashable, Sendable {
    package let way: DoorWay
    /// In words; nil where it is the way that was asked for, or the best.
    package let reason: String?

    private init(_ way: DoorWay, _ reason: String? = nil) { (self.way, self.reason) = (way, reason) }

    /// The way for a socket at `place`, of which `sharesPort` tells whether the worker has set SO_REUSEPORT itself.
    package init(_ place: DoorPlace, sharesPort: Bool, _ asked: HandOver, _ facts: HandOverFacts) {
        if case .unix = place {
            self.init(.bell, "a Unix socket is bound anew: a connection that waits is closed")
            return
        }
        var reasons: [String] = []
        if asked == .handover {
            guard let gap = facts.lendingGap else {
                self.init(.lend)
                return
            }
            reasons.append(gap)
        }
        switch place {
        case .unix, .udp:
            reasons.append("a datagram that waits is lost")
            self.init(.bell, reasons.joined(separator: "; "))
        case .tcp: self.init(sharesPort: sharesPort, asked, facts, reasons)
        }
    }

    private init(
        sharesPort: Bool, _ asked: HandOver, _ facts: HandOverFacts, _ reasons: [String]
    ) {
        var reasons = reasons
        switch asked {
        case .no:
            self.init(.bell, "HandOver=no")
            return
        case .splice: break
        case .auto, .migrate, .handover:
            guard let gap = facts.migrationGap else {
                self.init(.migrate(binds: !sharesPort), reasons.first)
                return
            }
            reasons.append(gap)
        }
        guard let gap = facts.relayGap else {
            self.init(.splice(staysOpen: sharesPort), reasons.isEmpty ? nil : reasons.joined(separator: "; "))
            return
        }
        reasons.append(gap)
        self.init(.bell, reasons.joined(separator: "; "))
    }
}
