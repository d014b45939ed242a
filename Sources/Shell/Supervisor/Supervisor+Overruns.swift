internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import WorkerFile

/// What is known of why a process ends, besides its record: it counts where the record has one of these causes.
package struct EndDetail: Hashable, Sendable {
    let causes: Set<TerminationRecord.Cause>
    let words: String

    /// `words`, where the process ends for one of `causes`.
    init(_ words: String, of causes: Set<TerminationRecord.Cause>) {
        self.causes = causes
        self.words = words
    }
}

/// A deadline that a worker has missed, as its definition names it.
struct MissedDeadline: Hashable, Sendable, CustomStringConvertible {
    /// The directive, without `=`; nil where none sets it.
    let directive: String?
    /// The span; nil where it is not known.
    let limit: TimeSpan?
    /// What has not happened by then, in a clause.
    let missing: String

    /// `TimeoutStartSec=3s: READY=1 has not come`.
    var description: String {
        let rule =
            directive.map { "\($0)=\(limit?.written() ?? "")" } ?? limit.map { "after \($0.written())" }
        return rule.map { "\($0): \(missing)" } ?? missing
    }

    /// The deadline of `timer`, with what is under way when it passes; nil for timers that are appointments.
    ///
    /// `command` is the one that runs before the launch is complete, `showsBy` what shows that the worker is ready.
    init?(
        _ timer: Timer, limits: Limits, callback: Callback?, hasProcess: Bool, readiness: Policy.Readiness,
        command: ServiceCommand?, showsBy: String?, stopSignal: String
    ) {
        switch timer {
        case .launch:
            directive = "TimeoutStartSec"
            limit = limits.launch
            missing =
                if let command { "\(command) has not ended" } else if !hasProcess {
                    "its process has not been started"
                } else if let showsBy { "\(showsBy) has not been met" } else {
                    switch readiness {
                    case .notify: "READY=1 was not received"
                    case .exit: "it has not ended"
                    case .exec, .app: "\(callback.map { $0.rawValue } ?? "its launch") is not complete"
                    }
                }
        case .callback:
            guard let callback else { return nil }
            let own = limits.own[callback] ?? nil
            directive =
                own == nil
                ? nil
                : callback.rawValue.prefix(1).uppercased() + callback.rawValue.dropFirst() + "TimeoutSec"
            limit = own
            missing = command.map { "\($0) has not ended" } ?? "\(callback.rawValue) is not complete"
        case .watchdog:
            directive = "WatchdogSec"
            limit = limits.watchdog
            missing = "WATCHDOG=1 was not received"
        case .ending:
            directive = "TimeoutStopSec"
            limit = limits.stop == .zero ? limits.terminate : limits.stop
            missing = "it has not ended after \(stopSignal)"
        case .backgroundTasks, .grace, .activity, .idle, .quiet, .hold, .backoff, .freeze: return nil
        }
    }
}

/// What the records of ends say of deadlines and of commands.
extension Supervisor {
    /// Takes note of a deadline that has passed, before the model decides what that means.
    func note(overrunOf timer: Timer, by worker: Worker) {
        let life = worker.life
        let missed = MissedDeadline(
            timer, limits: life.policy.limits, callback: life.callbackInFlight?.callback,
            hasProcess: life.pid != nil, readiness: life.policy.readiness,
            command: launchCommand(of: worker),
            showsBy: worker.configuration.readiness == nil ? nil : "ReadyWhen=",
            stopSignal: worker.configuration.stopSignal.description)
        guard let missed else { return }
        worker.endDetail = EndDetail(missed.description, of: [.watchdog])
    }

    /// The command that runs before the launch of a worker is complete (`ExecStartPost=`).
    func launchCommand(of worker: Worker) -> ServiceCommand? {
        guard let run = commandRuns[worker.id], run.delivery != nil else { return nil }
        return run.current?.command
    }

    /// The record of an end with what is known here besides.
    func completed(_ record: TerminationRecord, of worker: Worker) -> TerminationRecord {
        var record = record
        if record.cause == .launchFailed {
            record.detail = worker.launchFailure?.description
        } else if record.cause == .heldResource, let held = worker.heldDetail {
            record.detail = "it held \(held)"
        } else if let detail = worker.endDetail, detail.causes.contains(record.cause) {
            record.detail = detail.words
        }
        if record.unfinished?.callback == .didFinishLaunching, let command = launchCommand(of: worker) {
            record.unfinishedDirective = command.key
        }
        return record
    }
}
