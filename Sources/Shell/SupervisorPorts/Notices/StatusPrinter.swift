internal import ConfigurationSyntax
internal import Continuing
internal import Interrupting
package import Lifecycle
internal import Linux
internal import Notifications
internal import Places
internal import WorkerFile

/// Tells the life of the one worker on stderr, one line a change (`torpor run -v`).
package struct StatusPrinter {
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package func tell(_ notice: Notice) {
        guard let line = line(for: notice) else { return }
        StandardError.write("torpor: \(name): \(line)\n")
    }

    /// What a person wants to read of it; nil for what is of no interest.
    package func line(for notice: Notice) -> String? {
        switch notice {
        case .changed(let transition): Self.sentence(transition)
        case .ended(let record): Self.sentence(record)
        case .launchCompleted: "launched"
        case .launchFailed: nil
        case .said(let report): report.status.map { "status: \($0)" }
        case .warned(let warning, let detail): "warning: \(warning)\(detail.map { ": \($0)" } ?? "")"
        case .refused(let refusal, _): "refused: \(refusal)"
        case .surprised, .completed: nil
        case .hookFailed(let callback, let problem): "the hook for \(callback.rawValue) failed: \(problem)"
        case .hookPrinted(let callback, let line): "\(callback.rawValue): \(line)"
        case .woken(let origin): "woken by \(origin.words(withDetails: true))"
        case .watched(let words): "wakes by \(words)"
        case .opened(let url, let caller): "\(url) opened by \(caller.words)"
        case .interrupted(let interruption): "interruption \(interruption.number): \(interruption.words())"
        case .interruptionOver(let interruption, let end):
            "interruption \(interruption.number) is over: \(end.words)"
        case .budget(let notice): notice.words
        case .processing(let news): news.words
        case .handoff(let news): news.words
        case .notificationSetAside(let topic, let number): Self.setAside(topic, number)
        case .notificationRemoved(let topic, let number): Self.removed(topic, number)
        case .commandFailed(let command, let problem): "\(command) failed: \(problem)"
        case .commandPrinted(let command, let line): "\(command.key): \(line)"
        case .ignored(let reason): reason
        case .remarked(let remark): remark
        }
    }

    package static func setAside(_ topic: String, _ number: UInt64) -> String {
        "notification \(number) (\(topic)) was set aside: the worker died twice while it was delivered"
    }

    package static func removed(_ topic: String, _ number: UInt64) -> String {
        "notification \(number) (\(topic)), which was set aside, was removed: too many are set aside"
    }

    package static func sentence(_ transition: Transition) -> String {
        var text = "\(transition.from) → \(transition.to) (\(transition.cause))"
        if let asleep = transition.suspendedFor { text += ", asleep for \(asleep.legible)" }
        if !transition.notTold.isEmpty { text += ", not delivered: \(transition.notTold)" }
        return text
    }

    package static func sentence(_ record: TerminationRecord) -> String {
        if record.cause == .launchFailed, let detail = record.detail {
            return "ended: \(record.cause): \(detail)"
        }
        var text = "ended: \(record.cause), \(record.status)"
        if let code = record.cause.code { text += ", 0x\(String(code, radix: 16))" }
        if let detail = record.detail { text += " (\(detail))" }
        return text + ", ran \(record.ran.legible), asleep \(record.suspended.legible)"
    }
}
