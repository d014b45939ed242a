internal import Lifecycle
internal import Operator
internal import Pressure
internal import Simulation
internal import Varlink

extension SimulationLine {
    /// What the policy of memory decided; nil for what the worker's own lines tell as well.
    init?(_ decision: MemoryDecision, _ style: Style) {
        switch decision.effect {
        case .levelChanged(let from, let to, _):
            let tint: Tint =
                switch to {
                case .normal: .good
                case .warning: .attention
                case .critical: .bad
                }
            self.init(
                "memory",
                "memory \(from.rawValue) \(style.arrow) \(to.rawValue) (\(size(decision.available)) available)",
                tint, ["from": .string(from.rawValue), "to": .string(to.rawValue)])
        case .evict(let victim):
            let grace = victim.grace.map { ", \(span($0.microseconds)) to end" } ?? ", silently"
            self.init(
                "victim",
                "\(victim.name.printable) is evicted (\(victim.band.words)\(grace)): \(victim.reason.words)",
                .bad,
                ["worker": .string(victim.name), "benefitBytes": .int(victim.benefit)])
        case .report(let report): self.init(report)
        case .warn, .sample, .look, .lookAtLimits, .arm, .disarm: return nil
        }
        fields["availableBytes"] = .int(decision.available)
    }

    private init?(_ report: PressureReport) {
        switch report {
        case .wouldEvict(let victim):
            self.init(
                "wouldEvict",
                "\(victim.name.printable) would be evicted and free \(size(victim.benefit))", .attention,
                ["worker": .string(victim.name), "benefitBytes": .int(victim.benefit)])
        case .wouldWarn(let worker):
            self.init(
                "wouldWarn", "\(worker.printable) would be warned", .attention, ["worker": .string(worker)])
        case .broughtBack(let victim, let after):
            self.init(
                "broughtBack",
                "\(size(victim.benefit)) freed by \(victim.name.printable), after \(span(after.microseconds))",
                .good,
                [
                    "worker": .string(victim.name), "benefitBytes": .int(victim.benefit),
                    "usec": .int(after.microseconds),
                ])
        case .cannotBeFreed(let victim, let after):
            self.init(
                "cannotBeFreed",
                "\(victim.name.printable) has not ended within \(span(after.microseconds)): the next worker may be evicted",
                .bad,
                ["worker": .string(victim.name), "usec": .int(after.microseconds)])
        case .nothingHelps(let why, let shortfall):
            let falling = why == .keepsFalling ? " and \(size(shortfall.falling)) to come" : ""
            self.init(
                "nothingHelps",
                "eviction does not help: \(why.words) (\(size(shortfall.missing)) missing\(falling), \(size(shortfall.used)) held)",
                .bad,
                [
                    "why": .string(why.rawValue), "missingBytes": .int(shortfall.missing),
                    "fallingBytes": .int(shortfall.falling), "usedBytes": .int(shortfall.used),
                    "heldBytes": .int(shortfall.evictable),
                ])
        case .killedByKernel(let worker, _):
            self.init(
                "killedByKernel", "the kernel's OOM killer killed \(worker.printable)", .bad,
                ["worker": .string(worker)])
        case .sourceLost: return nil
        }
    }
}
