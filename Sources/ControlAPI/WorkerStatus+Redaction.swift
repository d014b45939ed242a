extension SupervisorInterface.WorkerStatus {
    /// What a caller that is no operator may see (spec 3.4): no command line, environment, payload or output, nor what background
    /// tasks are for.
    ///
    /// What the worker says about itself (STATUS=) stays, as it does with systemctl.
    public var redacted: Self {
        var status = self
        status.commandLine = nil
        status.environment = nil
        status.launchOptions = nil
        status.lastOutput = nil
        status.lastTermination = lastTermination?.redacted
        status.tasks = tasks.map(\.redacted)
        return status
    }
}

extension SupervisorInterface.BackgroundTask {
    /// What a caller that is no operator may see: since when it lasts.
    ///
    /// What it is for is the text of a worker or an operator.
    public var redacted: Self { Self(name: "", since: since) }
}

extension SupervisorInterface.Termination {
    /// What a caller who is no operator may see: no output.
    public var redacted: Self {
        var termination = self
        termination.lastOutput = nil
        return termination
    }
}

extension SupervisorInterface.TerminationReport {
    /// What a caller who is no operator may see: neither output nor who asked.
    public var redacted: Self {
        var report = self
        report.termination = termination.redacted
        report.termination.requestedBy = nil
        return report
    }
}

extension SupervisorInterface.HistoryEntry {
    /// What a caller that is no operator may see: not who asked, nor messages that hold commands, paths, or texts of workers and
    /// their hooks.
    public var redacted: Self {
        var entry = self
        entry.requestedBy = nil
        switch kind {
        // What failed is told by the reason; how, by a text that is not ours.
        case .launchFailed, .warned: entry.message = nil
        case .changed, .launched, .ended, .memory, .lost: break
        }
        return entry
    }
}
