internal import ConfigurationSyntax
package import Lifecycle

extension Use {
    /// The clause with what it is, as far as was seen when it was looked for, of a worker that is idle `delay` after its last use:
    /// `last used, as seen 4s ago: 10.0.0.7:51422 spoke 12s ago`.
    package func account(at now: Instant, delay: TimeSpan) -> String {
        let age = now - (seen ?? now)
        let look = age < .seconds(1) ? "" : ", as seen \(age.aboutLegible) ago"
        return "\(lasts || now - at < delay ? "in use" : "last used")\(look): \(words(at: now))"
    }

    /// What it was or is, in a clause that stands for itself: `10.0.0.7:51422 spoke 12s ago`.
    package func words(at now: Instant) -> String {
        let ago = "\((now - at).aboutLegible) ago"
        return switch kind {
        case .said: "the worker reports that it is in use"
        case .unwakeable: "it has no socket that could wake it"
        case .held(let holder): "it is held by \(holder)"
        case .owes(let peer, let since): "1 answer owed to \(peer) for \((now - since).aboutLegible)"
        case .connected(let peer): "\(peer) is connected"
        case .computes(let percent): "it uses \(Int(percent.rounded())) % of one CPU"
        case .spoke(let peer): "\(peer) spoke \(ago)"
        case .passed(let what): "\(what), \(ago)"
        }
    }

    /// Which setting would let the worker sleep all the same, in a clause; nil where that is a matter of time alone.
    package func remedy(_ rules: UseRules) -> String? {
        switch kind {
        case .owes:
            "it counts as idle when the answer is sent, or after IdlePendingSec=\(rules.pending.written())"
        case .connected: "with IdleWhen=quiet only data would count as use"
        case .computes:
            rules.cpu.map { "it counts as idle below IdleCPU=\(Int($0.rounded()))%" }
        case .unwakeable: "an operator can still suspend it"
        case .said, .held, .spoke, .passed: nil
        }
    }
}

extension WorkerLifecycle {
    /// The idle time that counts at present, and why, in a clause that follows `IdleSec=`; nil where that is as set.
    package var presentDelay: String? {
        guard let usual = policy.idle?.delay, let present = idleDelay, present != usual else { return nil }
        return present > usual
            ? ", at present \(present.written()) since it was woken soon after it had fallen asleep (IdleMaxSec=)"
            : ", at first \(present.written()) since it may be awake for one exchange only (WakeLingerSec=)"
    }
}

extension TimeSpan {
    /// The span as people tell it: no finer than a second, or under 10 s, than a tenth; what is shorter than that, to the millisecond.
    package var aboutLegible: String {
        if self < .milliseconds(100) { return legible }
        let grain: Int64 = self < .seconds(10) ? 100_000 : 1_000_000
        return TimeSpan(microseconds: max(0, microseconds) / grain * grain).legible
    }
}
