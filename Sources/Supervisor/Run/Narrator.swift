internal import Lifecycle
internal import Linux

/// Tells the life of the one worker on stderr, one line a change (`torpor run -v`).
struct Narrator {
    let name: String

    func tell(_ notice: Notice) {
        guard let line = line(for: notice) else { return }
        StandardError.write("torpor: \(name): \(line)\n")
    }

    /// What a person wants to read of it; nil for what is of no interest.
    func line(for notice: Notice) -> String? {
        switch notice {
        case .changed(let transition): Self.sentence(transition)
        case .ended(let record): Self.sentence(record)
        case .launchCompleted: "launched"
        case .launchFailed: nil
        case .said(let saying): saying.status.map { "status: \($0)" }
        case .warned(let warning, let detail): "warning: \(warning)\(detail.map { ": \($0)" } ?? "")"
        case .refused(let refusal, _): "refused: \(refusal)"
        case .surprised: nil
        case .hookFailed(let callback, let problem): "the hook for \(callback.rawValue) failed: \(problem)"
        case .hookPrinted(let callback, let line): "\(callback.rawValue): \(line)"
        case .ignored(let reason): reason
        }
    }

    static func sentence(_ transition: Transition) -> String {
        var text = "\(transition.from) → \(transition.to) (\(transition.cause))"
        if let asleep = transition.suspendedFor { text += ", asleep for \(asleep.seconds)" }
        if !transition.notTold.isEmpty { text += ", not told \(transition.notTold)" }
        return text
    }

    static func sentence(_ record: TerminationRecord) -> String {
        var text = "ended: \(record.cause), \(record.status)"
        if let code = record.cause.code { text += ", 0x\(String(code, radix: 16))" }
        return text + ", ran \(record.ran.seconds), asleep \(record.suspended.seconds)"
    }
}

extension TimeSpan {
    /// The span in seconds, to the millisecond.
    fileprivate var seconds: String {
        let milliseconds = microseconds.magnitude / 1000
        let fraction = String(milliseconds % 1000)
        let zeros = String(repeating: "0", count: max(0, 3 - fraction.count))
        return "\(microseconds < 0 ? "-" : "")\(milliseconds / 1000).\(zeros)\(fraction) s"
    }
}
