extension SupervisorInterface {
    /// What became of a goal for one worker.
    public struct GoalResult: Codable, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// Its state now.
        public var state: State
        /// Its goal now.
        public var goal: Goal
        /// Where it was asked to be, when another goal has replaced that; missing otherwise.
        public var wanted: Goal?
        /// Whether the goal is reached.
        public var reached: Bool
        /// The name of the error, as io.torpor.Supervisor.Refused, when it cannot be reached.
        public var error: String?
        /// What is in the way, in a sentence.
        public var message: String?
        /// The last lines it printed, where it has ended instead.
        public var lastOutput: [String]?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            name: String, state: State, goal: Goal, wanted: Goal? = nil, reached: Bool, error: String? = nil,
            message: String? = nil, lastOutput: [String]? = nil
        ) {
            self.name = name
            self.state = state
            self.goal = goal
            self.wanted = wanted
            self.reached = reached
            self.error = error
            self.message = message
            self.lastOutput = lastOutput
        }
    }

    /// A setting of a transient worker, as a worker file would say it.
    public struct Property: Codable, Hashable, Sendable {
        /// The section, as Worker.
        public var section: String
        /// The key, as MemoryMax.
        public var key: String
        /// The value, as 6G.
        public var value: String

        /// Everything at once.
        public init(section: String, key: String, value: String) {
            self.section = section
            self.key = key
            self.value = value
        }
    }

    /// What goes in to the verbs that set a goal.
    public struct GoalParameters: Codable, Hashable, Sendable {
        /// Names of workers; shell patterns (fnmatch(3)) are allowed.
        public var names: [String]
        /// Whether to answer when the goals are reached or out of reach, rather than at once.
        ///
        /// Yes when left out.
        public var wait: Bool?
        /// How long to wait at most, in milliseconds.
        ///
        /// No limit when left out. The goals stay when it passes.
        public var timeoutMs: Int64?

        /// Everything at once; what may be missing is missing when left out.
        public init(names: [String], wait: Bool? = nil, timeoutMs: Int64? = nil) {
            self.names = names
            self.wait = wait
            self.timeoutMs = timeoutMs
        }
    }

    /// What comes out of the verbs that set a goal.
    public struct GoalReply: Codable, Hashable, Sendable {
        /// One for each worker, ordered by name.
        public var results: [GoalResult]

        /// Everything at once.
        public init(results: [GoalResult]) {
            self.results = results
        }
    }
}
