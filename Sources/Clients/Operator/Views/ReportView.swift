package import ControlAPI

/// What `torpor report` shows: how a process ended, a line for each fact.
package struct ReportView {
    private let report: SupervisorInterface.TerminationReport
    private let clock: WallClock

    /// A view of `report`, as seen at the time of `clock`.
    package init(_ report: SupervisorInterface.TerminationReport, at clock: WallClock) {
        self.report = report
        self.clock = clock
    }

    /// All of it, as lines.
    package func rendered(_ style: Style) -> String {
        let end = report.termination
        let tint: Tint = end.isHarmless ? .faint : .bad
        var fields = Fields()
        fields.add("Ended", "\(clock.stamp(end.at)); \(clock.age(end.at))")
        fields.add("Cause", style.paint(end.causeInWords, tint))
        if end.cause == "launchFailed" { fields.add("Why", end.lastOutput?.last?.printable) }
        fields.add("Why", end.detail?.printable)
        fields.add("Code", end.code?.printable)
        fields.add("Exit status", end.exitStatus.map { "\($0)" })
        fields.add("Signal", end.signal?.printable)
        fields.add("Requested by", end.requestedBy?.words(style.users))
        fields.add("Main PID", end.pid > 0 ? "\(end.pid)" : nil)
        fields.add("Launched for", end.launchReason?.rawValue)
        fields.add("State", end.state.rawValue)
        fields.add("Goal", end.goal.rawValue)
        fields.add("Ran", end.timesInWords)
        fields.add(
            "Callback",
            end.callback.map { callback in
                callback.printable + " in flight" + (end.callbackUsec.map { " for \(span($0))" } ?? "")
            })
        fields.add(
            "Queue",
            end.queueLength > 0
                ? count(Int(clamping: end.queueLength), "notification") + " kept" : nil)
        fields.add("Peak memory", end.peakMemoryBytes.map(size))
        fields.add("Freed", end.freedInWords)
        fields.add("Pressure", end.pressureInWords)
        fields.add("Boot", report.bootId.isEmpty ? nil : report.bootId.printable)
        return style.paint(style.dot, tint) + " " + style.paint(report.worker.printable, .strong) + "\n"
            + fields.rendered(style) + output(style)
    }

    /// The last lines of output, set apart.
    private func output(_ style: Style) -> String {
        var lines = report.termination.lastOutput ?? []
        // Of a launch that failed the last line is why, and before it stands what its commands have printed.
        if report.termination.cause == "launchFailed" { lines = lines.dropLast() }
        guard !lines.isEmpty else { return "" }
        return "\n" + lines.map { style.paint($0.printable, .faint) + "\n" }.joined()
    }
}

extension SupervisorInterface.Termination {
    /// Whether nothing went wrong.
    var isHarmless: Bool { ["exited", "stopped", "forceQuit", "evicted"].contains(cause) }

    /// The missed deadline or the failed command, which its sentence has in brackets before how long it ran; nil where it has none.
    fileprivate var detail: String? {
        guard cause != "launchFailed", let end = sentence.range(of: "), ran ", last: true),
            let start = sentence.range(of: " (", last: false), start.upperBound <= end.lowerBound
        else { return nil }
        return String(sentence[start.upperBound..<end.lowerBound])
    }

    fileprivate var causeInWords: String {
        let words: String? =
            switch cause {
            case "exited": "it exited by itself"
            // Neither a status nor a signal: it was no child of the supervisor that saw its end.
            case "failed" where exitStatus == nil && signal == nil:
                "exit status unknown: it was not a child of the supervisor that noticed its end"
            case "failed": "it exited by itself, with a failure"
            case "crashed": "killed by a signal"
            case "stopped": "it was stopped on request"
            case "watchdog": "it missed a deadline or its watchdog timeout"
            case "backgroundTask": "it exceeded its background time"
            case "transfer": "it took too long for the events of a transfer"
            case "fetch": "it took too long for a fetch"
            case "backgroundCPU": "it used too much CPU time in the background"
            case "heldResource": "it held a resource that must not be held while suspended"
            case "forceQuit": "an operator force-quit it"
            case "evicted": "memory was short"
            case "memory-limit": "it exceeded its own memory limit"
            case "kernel-oom": "the kernel's OOM killer ended it"
            case "launchFailed": "no process could be started"
            default: nil
            }
        return cause.printable + (words.map { " (\($0))" } ?? "")
    }

    /// What was freed, and how: by its end, and before that by its sleep.
    fileprivate var freedInWords: String? {
        var parts: [String] = []
        if let freedBytes { parts.append("\(size(freedBytes)) freed by its end") }
        if let givenBackBytes, givenBackBytes > 0 {
            parts.append("\(size(givenBackBytes)) reclaimed during its sleep")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    fileprivate var timesInWords: String {
        var parts: [String] = []
        if backgroundUsec > 0 { parts.append("\(span(backgroundUsec)) in the background") }
        if suspendedUsec > 0 { parts.append("\(span(suspendedUsec)) suspended") }
        return span(runUsec) + (parts.isEmpty ? "" : ", including \(enumeration(parts))")
    }

    fileprivate var pressureInWords: String? {
        guard let pressureSome, let pressureFull else { return nil }
        return "some \(percent(pressureSome)), full \(percent(pressureFull)) of the last 10s"
    }
}

/// A percentage with two digits behind the point.
private func percent(_ share: Double) -> String {
    guard share.isFinite, share >= 0, share < 1_000_000 else { return "?" }
    let hundredths = Int((share * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)%"
}

extension String {
    /// Where `part` stands first, or last.
    fileprivate func range(of part: String, last isLast: Bool) -> Range<Index>? {
        isLast ? ranges(of: part).last : firstRange(of: part)
    }
}
