package import ControlAPI
package import Linux
package import SupervisorPorts
internal import Systemd

/// The log of the daemon: every change once, with its fields, to the journal or as lines.
///
/// Belongs to the supervisor's loop, and never makes it wait: what cannot be written at once is lost, counted, and told as
/// soon as something can be written again.
package final class ChangeLog {
    /// How much is logged: this and everything more urgent.
    package var level: SupervisorInterface.LogLevel
    /// Entries that were lost and not told of yet.
    package private(set) var lost = 0
    private let sink: any LogSink

    /// A log to `sink`.
    package init(level: SupervisorInterface.LogLevel = .info, sink: any LogSink) {
        self.level = level
        self.sink = sink
    }

    /// A log to our standard error: by the journal's own protocol where that is the journal, else as plain lines.
    package convenience init(
        level: SupervisorInterface.LogLevel = .info, environment: Environment = .current
    ) {
        let isJournal = Journal.receives(2, environment: environment)
        let lines = LineSink(2, showsLevel: isJournal)
        if isJournal, let journal = try? Journal() {
            self.init(level: level, sink: JournalSink(journal, stream: lines))
        } else {
            self.init(level: level, sink: lines)
        }
    }

    /// Logs `entry`, if it is urgent enough.
    package func log(_ entry: LogEntry) {
        guard entry.level.priority <= level.priority else { return }
        if lost > 0 {
            guard sink.write(LogEntry(.lost, .warning, "\(lost) log lines were lost")) else {
                lost += 1
                return
            }
            lost = 0
        }
        if !sink.write(entry) { lost += 1 }
    }

    /// Whether it is worth while to put the entry together: not for what happens most often and is not logged.
    func logs(_ notice: Notice) -> Bool {
        switch notice {
        case .changed, .woken, .interrupted, .interruptionOver, .budget, .processing, .handoff:
            level.priority >= SupervisorInterface.LogLevel.info.priority
        case .said, .watched, .surprised, .ignored, .completed: level == .debug
        case .ended, .launchFailed, .launchCompleted, .warned, .refused, .hookFailed, .hookPrinted, .opened,
            .notificationSetAside, .notificationRemoved, .commandFailed, .commandPrinted, .remarked:
            true
        }
    }

    /// Logs what happened to the worker called `worker`, which is asked for only where it is logged; nil is one that is not defined.
    package func log(_ notice: Notice, of worker: @autoclosure () -> String?) {
        if logs(notice), let worker = worker() { log(LogEntry(notice, of: worker)) }
    }
}
