internal import ConfigurationSyntax
internal import Idleness
internal import Lifecycle
internal import Supervisor

/// What wakes a sleeper, what keeps a worker awake, and which peer comes again and again.
extension Explanation {
    /// These as clauses; of peers only operators are told.
    var wakingFacts: [String] {
        var facts: [String] = []
        if life.state == .suspended {
            facts.append("it has been asleep for \((rendering.now - view.since).aboutLegible)")
            if let words = rendering.wakesBy { facts.append("it wakes by \(words)\(limits)") }
            if isForOperator, let use = view.lastUse, case .owes = use.kind {
                facts.append(use.words(at: rendering.now))
            }
        } else if let words = view.doors.flatMap({ $0.isEmpty ? nil : $0.words }) {
            facts.append("its sockets are open: \(words)\(limits)")
        } else if isForOperator, let use = view.lastUse, let delay = life.policy.idle?.delay {
            facts.append(use.account(at: rendering.now, delay: delay))
        }
        if isForOperator, let regular { facts.append(regular) }
        return facts
    }

    /// What of that counts; for operators only.
    private var limits: String { isForOperator ? rendering.wakeLimits.map { ", \($0)" } ?? "" : "" }

    /// The peer that wakes it again and again, and what would let it sleep.
    private var regular: String? {
        guard let peer = view.sleepTally.regular(at: rendering.now) else { return nil }
        let wakes = "woken every \(peer.interval.aboutLegible) by \(peer.address)"
        // Of a client that wants more it would be bad advice.
        guard peer.isExchange else { return wakes }
        return "\(wakes), one exchange each; \(rendering.setting("WakeNotFrom")) would let it sleep"
    }

    /// When it is suspended for idleness, and which setting changes that.
    func idleOutlook(_ delay: String) -> [String] {
        guard view.useRules.acts else {
            return ["with Idle=act it would be suspended after being idle for IdleSec=\(delay)"]
        }
        let remedy = isForOperator ? view.lastUse?.remedy(view.useRules) : nil
        return ["it is suspended after being idle for IdleSec=\(delay)\(life.presentDelay ?? "")"]
            + [remedy].compactMap(\.self)
    }
}
