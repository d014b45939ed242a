internal import ConfigurationSyntax
package import Idleness
internal import Lifecycle

extension WorkerDefinition.Foreground {
    /// How long the worker must be idle before it is suspended; nil where it never is (`IdleSec=0` or `infinity`).
    var idleDelay: TimeSpan? { idle.withZeroAsInfinity.span }

    /// What counts as use of the worker.
    package var useRules: UseRules {
        var rules = UseRules()
        rules.connections = idleWhen == .quiet ? .withData : .open
        rules.cpu = idleCPU.percent
        rules.pending = idlePending.span ?? TimeSpan(microseconds: .max)
        rules.acts = idleAction == .act
        return rules
    }

    /// What wakes the worker while it sleeps.
    package var wakeRules: WakeRules {
        var rules = WakeRules()
        rules.watching = wake
        if !wakeOn.isEmpty { rules.kinds = wakeOn }
        rules.from = wakeFrom.isEmpty ? nil : wakeFrom.flatMap(\.networks)
        rules.notFrom = wakeNotFrom.flatMap(\.networks)
        rules.linger = wakeLinger
        return rules
    }

    /// The keys of `WakeFrom=` and `WakeNotFrom=` where they have more networks than `WakeRules` takes.
    package var tooLongWakeLists: [String] {
        [("WakeFrom", wakeFrom), ("WakeNotFrom", wakeNotFrom)].compactMap { key, sets in
            sets.reduce(0) { $0 + $1.networks.count } > WakeRules.mostNetworks ? key : nil
        }
    }
}

extension WorkerDefinition {
    /// Directives of `[Foreground]` whose combination never wakes the worker, although each of them reads as if it did, and lists that
    /// are too long to be compared with each peer.
    var wakeContradictions: [Contradiction] {
        let tooLong = foreground.tooLongWakeLists
        guard tooLong.isEmpty else {
            return tooLong.map {
                Contradiction(
                    key: $0, problem: "more than \(WakeRules.mostNetworks) networks",
                    expected: "shorter prefixes that cover several of them")
            }
        }
        let rules = foreground.wakeRules
        var found: [Contradiction] = []
        if rules.watching == .listen, rules.kinds.isDisjoint(with: [.connection, .request]) {
            found.append(
                Contradiction(
                    .warning, key: "WakeOn",
                    problem: "Wake=listen watches listening sockets only, and no connection wakes the worker",
                    expected: "connection or request as well"))
        }
        let held = Set(foreground.listens.map(\.kind))
        for kind in HeldSocket.Kind.allCases where rules.watching != .no && held.contains(kind) {
            guard rules.kinds.isDisjoint(with: kind.wakes) else { continue }
            found.append(
                Contradiction(
                    .warning, key: "WakeOn",
                    problem: "nothing that comes to \(kind.rawValue)= launches or wakes the worker",
                    expected: "\(kind.wakes.map(\.rawValue).sorted().joined(separator: " or ")) as well"))
        }
        if rules.admitsNoPeer {
            found.append(
                Contradiction(
                    .warning, key: "WakeNotFrom", problem: "every address of WakeFrom= is excluded",
                    expected: "networks that leave some of them"))
        }
        return found
    }

    /// Directives about waking of a worker that no socket of its own wakes, and directives about use of a worker that never falls
    /// asleep by itself.
    var idleAdvice: [Contradiction] {
        func advice(_ key: String, _ problem: String, _ expected: String) -> Contradiction {
            Contradiction(.advice, key: key, problem: problem, expected: expected)
        }
        let defaults = Foreground()
        var found: [Contradiction] = []
        if foreground.idleDelay == nil {
            let keys: [(key: String, isSet: Bool)] = [
                ("IdleWhen", foreground.idleWhen != defaults.idleWhen),
                ("IdleCPU", foreground.idleCPU != defaults.idleCPU),
                ("IdlePendingSec", foreground.idlePending != defaults.idlePending),
                ("Idle", foreground.idleAction != defaults.idleAction),
            ]
            found += keys.filter(\.isSet).map { advice($0.key, "has no effect", "IdleSec= as well") }
        }
        if let delay = foreground.idleDelay, let maximum = foreground.idleMaximum.span, maximum < delay,
            foreground.idleMaximum != defaults.idleMaximum
        {
            found.append(advice("IdleMaxSec", "has no effect", "a longer time than IdleSec="))
        }
        if foreground.wake == .no {
            let keys: [(key: String, isSet: Bool)] = [
                ("WakeOn", !foreground.wakeOn.isEmpty), ("WakeFrom", !foreground.wakeFrom.isEmpty),
                ("WakeNotFrom", !foreground.wakeNotFrom.isEmpty),
                ("WakeLingerSec", foreground.wakeLinger != defaults.wakeLinger),
            ]
            found += keys.filter(\.isSet).map {
                advice(
                    $0.key, "has no effect with Wake=\(foreground.wake.rawValue)", "Wake=auto or Wake=listen")
            }
        }
        return found
    }
}

extension HeldSocket.Kind {
    /// What must be in `WakeOn=`, any of it, so that what comes to such a socket brings the worker.
    fileprivate var wakes: Set<WakeRules.Kind> {
        switch self {
        case .stream, .sequentialPacket: [.connection, .request]
        case .datagram: [.datagram]
        case .fifo: [.input]
        }
    }
}
