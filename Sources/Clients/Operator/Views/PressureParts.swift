internal import ControlAPI

extension SupervisorInterface.Pressure.Reply {
    /// How short memory is, what was done about it, and what of the kernel's accounting works.
    func lines(_ style: Style) -> [String] {
        var first = [style.paint(level.rawValue, tint) + meaning]
        if let availableBytes, let totalBytes {
            first.append("\(size(availableBytes)) of \(size(totalBytes)) available")
        }
        if let swapTotalBytes, let swapFreeBytes, swapTotalBytes > 0 {
            first.append("\(size(swapFreeBytes)) of \(size(swapTotalBytes)) swap free")
        }
        if let someStallPercent, let fullStallPercent, someStallPercent > 0 {
            first.append(
                "stalled \(Self.percent(someStallPercent)) some, \(Self.percent(fullStallPercent)) full")
        }
        if observesOnly { first.append("Policy=observe") }
        var lines = [first.joined(separator: "; ")]
        if let victim { lines.append(style.paint("evicting \(victim.printable)", .bad)) }
        if let helpless {
            lines.append(style.paint("eviction does not help: \(helpless.printable)", .attention))
        }
        if let done { lines.append(done) }
        lines.append(style.paint(detail.printable, support == "none" ? .attention : .faint))
        return lines
    }

    /// What the level means for the workers.
    private var meaning: String {
        switch level {
        case .normal: ""
        case .warning: " (running workers are asked to free memory)"
        case .critical:
            observesOnly
                ? " (workers would be ended, one at a time)"
                : helpless == nil ? " (workers are ended one at a time, suspended ones first)" : ""
        }
    }

    private var tint: Tint {
        switch level {
        case .normal: .good
        case .warning: .attention
        case .critical: .bad
        }
    }

    /// What has been done since the supervisor began; nil where nothing had to be.
    private var done: String? {
        var parts: [String] = []
        // The total since the start: what was reclaimed from workers that sleep now stands with them.
        if freedByReclaimBytes > 0 {
            parts.append("\(size(freedByReclaimBytes)) reclaimed during sleep since the start")
        }
        if evictionCount > 0 {
            parts.append(
                "\(size(freedByKillBytes)) freed by ending \(count(Int(clamping: evictionCount), "worker"))")
        }
        if warningCount > 0 { parts.append(count(Int(clamping: warningCount), "warning")) }
        if kernelKillCount > 0 {
            parts.append("\(kernelKillCount) killed by the OOM killer")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func percent(_ number: Double) -> String {
        let tenths = Int64((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
