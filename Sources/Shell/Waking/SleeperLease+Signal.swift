package import Idleness
package import Linux

extension SleeperLease.Turn {
    /// What a signal is to a sleeper: SIGCONT lets none run that its group's freezer holds.
    package init(_ signal: Signal, sleepsBySignals: Bool) {
        self =
            switch signal {
            case .stop: .stopSignal
            case .kill: .kill
            case .resume: sleepsBySignals ? .runs : .signal
            default: .signal
            }
    }
}
