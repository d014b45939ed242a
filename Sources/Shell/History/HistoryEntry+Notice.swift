internal import Budgeting
internal import Launching
package import Lifecycle
internal import Linux
internal import Notifications
internal import Places
package import Records
package import SupervisorPorts

extension HistoryEntry {
    /// What the history keeps of a notice; nil for what it does not.
    ///
    /// It is made on the loop, for every change: it looks nothing up and computes little.
    package init?(_ notice: Notice, of worker: String, at moment: Instant, now: Instant) {
        switch notice {
        case .changed(let transition):
            self.init(
                worker: worker, kind: .changed, at: WallClock.microseconds(of: transition.at, now: now),
                from: transition.from.rawValue, to: transition.to.rawValue, reason: transition.cause.word,
                suspendedFor: transition.suspendedFor?.microseconds,
                notTold: transition.notTold.isEmpty ? nil : transition.notTold.words)
            if case .goal(let requester) = transition.cause { asked(by: requester) }
        case .launchCompleted:
            self.init(
                worker: worker, kind: .launched, at: WallClock.microseconds(of: moment, now: now),
                reason: "launched")
        case .launchFailed(let error):
            self.init(
                worker: worker, kind: .launchFailed, at: WallClock.microseconds(of: moment, now: now),
                reason: error.stage.word, message: error.description.printable(limit: LogEntry.lengthLimit))
        case .ended(let record):
            self.init(
                worker: worker, kind: .ended, at: WallClock.microseconds(of: record.at, now: now),
                from: record.state.rawValue, reason: record.cause.rawValue,
                message: StatusPrinter.sentence(record))
            if let requester = record.requester { asked(by: requester) }
        case .warned(let warning, let detail):
            self.init(
                worker: worker, kind: .warned, at: WallClock.microseconds(of: moment, now: now),
                reason: warning.word, message: detail?.printable(limit: LogEntry.lengthLimit))
        case .hookFailed(let callback, let problem):
            self.init(
                worker: worker, kind: .warned, at: WallClock.microseconds(of: moment, now: now),
                reason: "\(callback.rawValue) failed", message: problem.printable(limit: LogEntry.lengthLimit)
            )
        case .woken(let origin):
            self.init(
                worker: worker, kind: .woken, at: WallClock.microseconds(of: moment, now: now),
                reason: origin.reason.rawValue,
                message: "woken by \(origin.words(withDetails: true))".printable(limit: LogEntry.lengthLimit))
            asked(by: origin.caller)
        case .opened(let url, let caller):
            self.init(
                worker: worker, kind: .opened, at: WallClock.microseconds(of: moment, now: now),
                reason: "url",
                message: "\(url) opened by \(caller.words)".printable(limit: LogEntry.lengthLimit))
            asked(by: caller)
        case .budget(let notice):
            guard let reason = notice.reason else { return nil }
            self.init(
                worker: worker, kind: .kept, at: WallClock.microseconds(of: moment, now: now),
                reason: reason, message: notice.words.printable(limit: LogEntry.lengthLimit))
        case .processing(let news):
            guard let reason = news.word else { return nil }
            self.init(
                worker: worker, kind: .processed, at: WallClock.microseconds(of: moment, now: now),
                reason: reason, message: news.words.printable(limit: LogEntry.lengthLimit))
        case .notificationSetAside(let topic, let number):
            self.init(
                worker: worker, kind: .warned, at: WallClock.microseconds(of: moment, now: now),
                reason: "notificationSetAside", message: StatusPrinter.setAside(topic, number))
        case .notificationRemoved(let topic, let number):
            self.init(
                worker: worker, kind: .warned, at: WallClock.microseconds(of: moment, now: now),
                reason: "notificationRemoved", message: StatusPrinter.removed(topic, number))
        case .commandFailed(let command, let problem):
            self.init(
                worker: worker, kind: .warned, at: WallClock.microseconds(of: moment, now: now),
                reason: "\(command.key) failed", message: problem.printable(limit: LogEntry.lengthLimit))
        case .said, .refused, .surprised, .watched, .hookPrinted, .commandPrinted, .ignored, .remarked,
            .interrupted, .interruptionOver, .completed, .handoff:
            return nil
        }
    }

    private mutating func asked(by caller: CallerIdentity?) {
        guard let caller else { return }
        (uid, pid) = (Int64(caller.uid), Int64(caller.pid))
    }

    private mutating func asked(by requester: Requester) {
        guard case .operator(let user, let process) = requester else { return }
        uid = Int64(user)
        pid = Int64(process)
    }
}

extension Notice {
    /// Whether the history keeps it.
    package var isStored: Bool {
        switch self {
        case .changed, .launchCompleted, .launchFailed, .ended, .warned, .hookFailed, .notificationSetAside,
            .notificationRemoved, .woken, .opened, .commandFailed:
            true
        case .processing(let news): news.word != nil
        case .budget(let notice): notice.reason != nil
        case .said, .refused, .surprised, .hookPrinted, .commandPrinted, .ignored, .remarked, .watched,
            .interrupted,
            .interruptionOver, .completed, .handoff:
            false
        }
    }
}

extension BudgetNotice {
    /// What it is in a word; nil for what the history does not keep.
    fileprivate var reason: String? {
        switch self {
        case .kept(let kept, _), .heldBack(let kept): kept.reason.rawValue
        case .released: "released"
        case .fetched: nil
        }
    }
}

extension CallbackSet {
    /// The callbacks' names, separated by blanks.
    fileprivate var words: String {
        Callback.allCases.filter(contains).map(\.rawValue).joined(separator: " ")
    }
}

extension Warning {
    /// The warning in a word, for programs.
    fileprivate var word: String {
        switch self {
        case .overrun(let callback): callback.rawValue
        case .holdsResource: "holdsResource"
        case .freezeFailed: "freezeFailed"
        case .thawFailed: "thawFailed"
        case .cannotBeKilled: "cannotBeKilled"
        case .startLimitHit: "startLimitHit"
        }
    }
}

extension LaunchError.Stage {
    /// Where it failed, in a word.
    fileprivate var word: String { "\(self)" }
}
