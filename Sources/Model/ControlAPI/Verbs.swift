extension SupervisorInterface {
    /// Brings workers into the foreground; like Launch for one that does not run.
    public enum Activate: Method {
        /// The name, in full `io.torpor.Supervisor.Activate`.
        public static let member = "Activate"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Makes active workers inactive until they are activated.
    public enum Resign: Method {
        /// The name, in full `io.torpor.Supervisor.Resign`.
        public static let member = "Resign"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Sends workers to the background, and keeps them there.
    public enum Background: Method {
        /// The name, in full `io.torpor.Supervisor.Background`.
        public static let member = "Background"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Sends workers to sleep, through the background.
    public enum Suspend: Method {
        /// The name, in full `io.torpor.Supervisor.Suspend`.
        public static let member = "Suspend"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Wakes workers and restores the goal they had before they slept.
    public enum Resume: Method {
        /// The name, in full `io.torpor.Supervisor.Resume`.
        public static let member = "Resume"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Ends workers the graceful way and launches them again to where they are wanted, with those that require them.
    public enum Restart: Method {
        /// The name, in full `io.torpor.Supervisor.Restart`.
        public static let member = "Restart"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Ends workers the graceful way.
    public enum Terminate: Method {
        /// The name, in full `io.torpor.Supervisor.Terminate`.
        public static let member = "Terminate"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Ends workers at once, and for good: a force-quit.
    public enum Kill: Method {
        /// The name, in full `io.torpor.Supervisor.Kill`.
        public static let member = "Kill"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Has workers read their own configuration anew (`ExecReload=`).
    public enum ReloadWorker: Method {
        /// The name, in full `io.torpor.Supervisor.ReloadWorker`.
        public static let member = "ReloadWorker"

        /// What goes in: the workers, and how long to wait.
        public typealias Parameters = GoalParameters

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Ends all workers the graceful way.
    public enum Shutdown: Method {
        /// The name, in full `io.torpor.Supervisor.Shutdown`.
        public static let member = "Shutdown"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(wait: Bool? = nil, timeoutMs: Int64? = nil) {
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }
}
