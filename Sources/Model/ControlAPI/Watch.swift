extension SupervisorInterface {
    /// A change of state, or of what is defined.
    public struct Change: Codable, Hashable, Sendable {
        /// The worker.
        public var worker: String
        /// The state before; none when the worker was defined just now.
        public var from: State?
        /// The state after; none when the worker is no longer defined.
        public var to: State?
        /// Its goal at the time.
        public var goal: Goal
        /// Why, in a word: operator, idle, socket, exited, watchdog and so on.
        public var reason: String
        /// When: microseconds since 1970.
        public var at: Int64
        /// When: microseconds of the monotonic clock.
        public var monotonic: Int64
        /// Who asked, when somebody did.
        public var uid: Int64?
        /// The process that asked.
        public var pid: Int64?
        /// Callbacks that the change would have had but that were skipped.
        public var notTold: [String]

        /// Everything at once; what may be missing is missing when left out.
        public init(
            worker: String, from: State? = nil, to: State? = nil, goal: Goal, reason: String,
            at: Int64, monotonic: Int64, uid: Int64? = nil, pid: Int64? = nil,
            notTold: [String]
        ) {
            self.worker = worker
            self.from = from
            self.to = to
            self.goal = goal
            self.reason = reason
            self.at = at
            self.monotonic = monotonic
            self.uid = uid
            self.pid = pid
            self.notTold = notTold
        }
    }

    /// The present state, then every change, so that nothing falls between.
    public enum Watch: Method {
        /// The name, in full `io.torpor.Supervisor.Watch`.
        public static let member = "Watch"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out.
            public var names: [String]?

            /// Everything at once; what may be missing is missing when left out.
            public init(names: [String]? = nil) {
                self.names = names
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// All workers concerned; in the first reply only.
            public var present: [WorkerSummary]?
            /// What changed; in every reply but the first.
            public var change: Change?

            /// Everything at once; what may be missing is missing when left out.
            public init(present: [WorkerSummary]? = nil, change: Change? = nil) {
                self.present = present
                self.change = change
            }
        }
    }
}
