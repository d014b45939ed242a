extension SupervisorInterface {
    /// The five states of a worker (iOS's, and in its words).
    public enum State: String, Codable, CaseIterable, Hashable, Sendable {
        /// No process.
        ///
        /// Why not, says the reason.
        case notRunning
        /// Runs, but gets no input: every change passes through it.
        case inactive
        /// Runs and gets input.
        case active
        /// Runs on a budget, without input.
        case background
        /// Does not run; its memory is kept.
        case suspended
    }

    /// What a worker is steered to; it walks the legal steps, one at a time.
    public enum Goal: String, Codable, CaseIterable, Hashable, Sendable {
        /// Runs in the foreground.
        case active
        /// Runs, without input, until it is activated.
        case inactive
        /// Stays in the background.
        case background
        /// Sleeps.
        case suspended
        /// Ends.
        case notRunning
    }

    /// Why a worker has no process.
    ///
    /// Only failed is a failure.
    public enum NotRunningReason: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nobody has wanted it yet.
        case neverLaunched
        /// It ended by itself, successfully.
        case exited
        /// It had to make room; the next event brings it back.
        case evicted
        /// An operator killed it; only an operator brings it back.
        case forceQuit
        /// It crashed, or broke a time rule.
        case failed
        /// It failed and waits to be restarted.
        case backingOff
        /// Its file does not hold, and nothing that held has been read of it.
        case badSetting
    }

    /// Who or what a worker was launched for.
    public enum LaunchReason: String, Codable, CaseIterable, Hashable, Sendable {
        /// A command.
        case `operator`
        /// The start of the supervisor.
        case boot
        /// A connection on a held socket.
        case socket
        /// A URL was opened.
        case url
        /// A notification for the user, into the foreground.
        case notification
        /// A notification handled in the background.
        case silentNotification
        /// A scheduled notification.
        case schedule
        /// A background fetch.
        case fetch
        /// A watched path.
        case path
        /// A device.
        case device
        /// An activity handed on.
        case activity
        /// The end of a transfer.
        case transfer
        /// A crash before.
        case restart
        /// An eviction before.
        case restore
        /// Kept warm.
        case prelaunch
        /// The failure of another worker, which names it in `OnFailure=`.
        case failure
    }

    /// How a worker is put to sleep.
    public enum FreezeMethod: String, Codable, CaseIterable, Hashable, Sendable {
        /// By the freezer of its control group.
        case cgroup
        /// By SIGSTOP to each of its processes, where no control group can be used.
        case signal
    }
}
