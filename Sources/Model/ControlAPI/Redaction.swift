extension SupervisorInterface.WorkerStatus {
    /// What a caller that is no operator may see: no command line, environment, payload or output, nor what background
    /// tasks are for.
    ///
    /// What the worker says about itself (STATUS=) stays, as it does with systemctl.
    public var redacted: Self {
        var status = self
        status.commandLine = nil
        status.environment = nil
        status.launchOptions = nil
        status.lastOutput = nil
        status.outputTo = nil
        status.launching = nil
        // It may quote what the file says.
        if fileProblem != nil { status.fileProblem = "its file does not hold" }
        status.lastTermination = lastTermination?.redacted
        status.tasks = tasks.map(\.redacted)
        status.interruptions = interruptions?.map(\.redacted)
        status.transfers = transfers?.map(\.redacted)
        status.wakeBudget?.kept = wakeBudget?.kept?.map(\.redacted)
        status.activities = activities?.map(\.redacted)
        status.goalBy = nil
        status.freezeFailure = nil
        // In words for operators.
        status.because = nil
        status.wouldChange = nil
        status.hookFailures = hookFailures?.map(\.redacted)
        status.wakeLimits = nil
        status.lastUse = nil
        status.sleepGain = nil
        status.lastWake?.detail = nil
        status.lastWake?.by = nil
        status.lastWake?.program = nil
        return status
    }
}

extension SupervisorInterface.HookFailure {
    /// What a caller that is no operator may see: which callback, and when; commands and their texts are not for it.
    public var redacted: Self { Self(callback: callback, at: at) }
}

extension SupervisorInterface.Change {
    /// What a caller that is no operator may see: not the requester.
    public var redacted: Self {
        var change = self
        change.uid = nil
        change.pid = nil
        return change
    }
}

extension SupervisorInterface.BackgroundTask {
    /// What a caller that is no operator may see: since when it lasts.
    ///
    /// What it is for is the text of a worker or an operator.
    public var redacted: Self { Self(name: "", since: since) }
}

extension SupervisorInterface.ActivityOffer {
    /// What a caller that is no operator may see: the type, not what it is about.
    public var redacted: Self {
        Self(worker: worker, type: type, source: source, since: since, inHandoff: inHandoff)
    }
}

extension SupervisorInterface.Interruption {
    /// What a caller that is no operator may see: what interrupts, and since when.
    public var redacted: Self {
        Self(number: number, kind: kind, since: since, remainingUsec: remainingUsec)
    }
}

extension SupervisorInterface.Transfer {
    /// What a caller that is no operator may see: how far it is, and what came of it.
    public var redacted: Self {
        var transfer = self
        (transfer.purpose, transfer.command, transfer.text) = (nil, nil, nil)
        (transfer.output, transfer.by) = (nil, nil)
        return transfer
    }
}

extension SupervisorInterface.KeptWake {
    /// What a caller that is no operator may see: not what it is about.
    public var redacted: Self { Self(reason: reason, count: count, since: since) }
}

extension SupervisorInterface.Termination {
    /// What a caller that is no operator may see: neither output nor the requester, nor the command that failed.
    public var redacted: Self {
        var termination = self
        termination.sentence = "ended: \(cause)"
        termination.lastOutput = nil
        termination.requestedBy = nil
        return termination
    }
}

extension SupervisorInterface.TerminationReport {
    /// What a caller that is no operator may see: neither output nor the requester.
    public var redacted: Self {
        var report = self
        report.termination = termination.redacted
        return report
    }
}

extension SupervisorInterface.HistoryEntry {
    /// What a caller that is no operator may see: not the requester, nor messages that hold commands, paths, or texts of workers and
    /// their hooks.
    public var redacted: Self {
        var entry = self
        entry.requestedBy = nil
        switch kind {
        // What failed is told by the reason; how, by a text of another program.
        case .launchFailed, .ended, .warned, .woken, .opened, .kept, .supervisor: entry.message = nil
        case .changed, .launched, .processed, .memory, .lost: break
        }
        return entry
    }
}

extension SupervisorInterface.WorkerSummary {
    /// What a caller that is no operator may see: not what a file says.
    public var redacted: Self {
        var summary = self
        if fileProblem != nil { summary.fileProblem = "its file does not hold" }
        return summary
    }
}
