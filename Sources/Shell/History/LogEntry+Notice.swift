internal import Continuing
internal import ControlAPI
internal import Interrupting
internal import Launching
internal import Lifecycle
internal import Linux
internal import Notifications
package import SupervisorPorts
internal import Systemd

extension LogEntry {
    /// What is logged of a notice.
    ///
    /// `TORPOR_UID` and `TORPOR_PID` are those of the requester.
    package init(_ notice: Notice, of worker: String) {
        switch notice {
        case .changed(let transition):
            self.init(
                .changed, .info, worker: worker, StatusPrinter.sentence(transition),
                fields: [
                    Field("TORPOR_FROM", transition.from.rawValue),
                    Field("TORPOR_TO", transition.to.rawValue),
                    Field("TORPOR_REASON", transition.cause.description),
                ] + Self.fields(of: transition.cause.requester))
        case .ended(let record):
            self.init(
                .ended, record.cause.isFailure ? .warning : .notice, worker: worker,
                StatusPrinter.sentence(record),
                fields: [
                    Field("TORPOR_FROM", record.state.rawValue),
                    Field("TORPOR_TO", State.notRunning.rawValue),
                    Field("TORPOR_REASON", record.cause.rawValue),
                    Field("TORPOR_EXIT_STATUS", record.status.description),
                    Field("TORPOR_WORKER_PID", String(record.pid)),
                ] + Self.fields(of: record.requester))
        case .launchFailed(let error):
            self.init(
                .launchFailed, .err, worker: worker, error.description,
                fields: [Field("ERRNO", String(error.errno))])
        case .launchCompleted: self.init(.launchCompleted, .info, worker: worker, "launched")
        case .said(let report):
            self.init(.status, .debug, worker: worker, report.status.map { "status: \($0)" } ?? "\(report)")
        case .warned(let warning, let detail):
            self.init(
                .warned, .warning, worker: worker, "warning: \(warning)" + (detail.map { ": \($0)" } ?? ""))
        case .refused(let refusal, let requester):
            self.init(
                .refused, .notice, worker: worker, "refused: \(refusal), requested by \(requester)",
                fields: [Field("TORPOR_REASON", refusal.rawValue)] + Self.fields(of: requester))
        case .surprised(let surprise):
            self.init(
                .surprised, .debug, worker: worker, "\(surprise.event) ignored while \(surprise.state)")
        case .completed(let callback, let completion, let took):
            self.init(
                .callback, .debug, worker: worker,
                "\(callback.rawValue): \(completion) after \(took.microseconds / 1000) ms",
                fields: [
                    Field("TORPOR_CALLBACK", callback.rawValue),
                    Field("TORPOR_USEC", String(took.microseconds)),
                ])
        case .hookFailed(let callback, let problem):
            self.init(
                .hookFailed, .warning, worker: worker, "the hook for \(callback.rawValue) failed: \(problem)",
                fields: [Field("TORPOR_CALLBACK", callback.rawValue)])
        case .hookPrinted(let callback, let line):
            self.init(
                .hookPrinted, .info, worker: worker, "\(callback.rawValue): \(line)",
                fields: [Field("TORPOR_CALLBACK", callback.rawValue)])
        case .woken(let origin):
            self.init(
                .woken, .info, worker: worker, "woken by \(origin.words(withDetails: true))",
                fields: [Field("TORPOR_REASON", origin.reason.rawValue)] + Self.fields(of: origin.caller))
        case .opened(let url, let caller):
            self.init(
                .opened, .info, worker: worker, "\(url) opened by \(caller.words)",
                fields: Self.fields(of: caller))
        case .interrupted(let interruption):
            self.init(
                .status, .info, worker: worker,
                "interruption \(interruption.number): \(interruption.words())",
                fields: Self.fields(of: interruption.requester))
        case .interruptionOver(let interruption, let end):
            self.init(
                .status, .info, worker: worker,
                "interruption \(interruption.number) is over: \(end.words)")
        case .budget(let notice): self.init(.woken, .info, worker: worker, notice.words)
        case .processing(let news):
            self.init(.status, news.word == nil ? .debug : .info, worker: worker, news.words)
        case .handoff(let news):
            self.init(
                .status, .info, worker: worker, news.words,
                fields: Self.fields(of: news.requester))
        case .notificationSetAside(let topic, let number):
            self.init(
                .warned, .warning, worker: worker,
                StatusPrinter.setAside(topic, number)
                    + "; use 'torpor notifications --retry \(number) \(worker)' to deliver it again, or --drop to remove it",
                fields: [Field("TORPOR_TOPIC", topic), Field("TORPOR_NOTIFICATION", String(number))])
        case .notificationRemoved(let topic, let number):
            self.init(
                .warned, .warning, worker: worker, StatusPrinter.removed(topic, number),
                fields: [Field("TORPOR_TOPIC", topic), Field("TORPOR_NOTIFICATION", String(number))])
        case .commandFailed(let command, let problem):
            self.init(.hookFailed, .warning, worker: worker, "\(command) failed: \(problem)")
        case .commandPrinted(let command, let line):
            self.init(.hookPrinted, .info, worker: worker, "\(command.key): \(line)")
        case .ignored(let reason): self.init(.ignored, .debug, worker: worker, reason)
        case .watched(let words): self.init(.woken, .debug, worker: worker, "wakes by \(words)")
        case .remarked(let remark): self.init(.warned, .warning, worker: worker, remark)
        }
    }

    private static func fields(of caller: CallerIdentity?) -> [Field] {
        guard let caller else { return [] }
        return [Field("TORPOR_UID", String(caller.uid)), Field("TORPOR_PID", String(caller.pid))]
            + (caller.program.map { [Field("TORPOR_PROGRAM", $0)] } ?? [])
    }

    private static func fields(of requester: Requester?) -> [Field] {
        guard case .operator(let uid, let pid) = requester else { return [] }
        return [Field("TORPOR_UID", String(uid)), Field("TORPOR_PID", String(pid))]
    }
}

extension Transition.Cause {
    /// The requester of the change; nil where there is none.
    fileprivate var requester: Requester? {
        guard case .goal(let requester) = self else { return nil }
        return requester
    }
}

extension TerminationRecord.Cause {
    /// Whether an operator should look at it.
    fileprivate var isFailure: Bool {
        switch self {
        case .exited, .stopped, .forceQuit, .evicted: false
        case .failed, .crashed, .watchdog, .backgroundTask, .transfer, .fetch, .backgroundCPU, .heldResource,
            .memoryLimit, .kernelOOM, .launchFailed:
            true
        }
    }
}
