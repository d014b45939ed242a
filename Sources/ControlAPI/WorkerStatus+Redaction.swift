extension SupervisorInterface.WorkerStatus {
    /// What a caller who is no operator may see (spec 3.4): no command line, environment, payload or output.
    ///
    /// What the worker says about itself (STATUS=) stays, as it does with systemctl.
    public var redacted: Self {
        var status = self
        status.commandLine = nil
        status.environment = nil
        status.launchOptions = nil
        status.lastOutput = nil
        status.lastTermination = lastTermination?.redacted
        return status
    }
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
    /// What a caller who is no operator may see: not who asked, nor the command that could not be launched.
    public var redacted: Self {
        var entry = self
        entry.requestedBy = nil
        if kind == .launchFailed { entry.message = nil }
        return entry
    }
}
