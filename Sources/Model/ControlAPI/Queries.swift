extension SupervisorInterface {
    /// All workers in one answer, ordered by name.
    public enum List: Method {
        /// The name, in full `io.torpor.Supervisor.List`.
        public static let member = "List"

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
            /// The workers.
            public var workers: [WorkerSummary]
            /// How many of all workers sleep.
            public var asleepCount: Int64
            /// What their sleep has given back.
            public var givenBackBytes: Int64

            /// Everything at once.
            public init(workers: [WorkerSummary], asleepCount: Int64, givenBackBytes: Int64) {
                self.workers = workers
                self.asleepCount = asleepCount
                self.givenBackBytes = givenBackBytes
            }
        }
    }

    /// Everything about one worker.
    public enum Describe: Method {
        /// The name, in full `io.torpor.Supervisor.Describe`.
        public static let member = "Describe"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String

            /// Everything at once.
            public init(name: String) {
                self.name = name
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// What there is to know; less for a caller who is no operator.
            public var worker: WorkerStatus

            /// Everything at once.
            public init(worker: WorkerStatus) {
                self.worker = worker
            }
        }
    }

    /// Why a worker is in its state and what would change it.
    public enum Why: Method {
        /// The name, in full `io.torpor.Supervisor.Why`.
        public static let member = "Why"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String

            /// Everything at once.
            public init(name: String) {
                self.name = name
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// All of the following in one sentence.
            public var sentence: String
            /// Its state.
            public var state: State
            /// Its goal.
            public var goal: Goal
            /// What brought it here, in a word.
            public var cause: String
            /// Who asked for it.
            public var requestedBy: Caller?
            /// What would change it, in words.
            public var wouldChange: [String]
            /// The next deadline.
            public var deadline: Deadline?
            /// The last lines that a worker printed that has failed.
            ///
            /// Operators only.
            public var lastOutput: [String]?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                sentence: String, state: State, goal: Goal, cause: String,
                requestedBy: Caller? = nil, wouldChange: [String],
                deadline: Deadline? = nil, lastOutput: [String]? = nil
            ) {
                self.sentence = sentence
                self.state = state
                self.goal = goal
                self.cause = cause
                self.requestedBy = requestedBy
                self.wouldChange = wouldChange
                self.deadline = deadline
                self.lastOutput = lastOutput
            }
        }
    }

    /// The files that define a worker, as they are on disk.
    public enum Cat: Method {
        /// The name, in full `io.torpor.Supervisor.Cat`.
        public static let member = "Cat"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String

            /// Everything at once.
            public init(name: String) {
                self.name = name
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The definition, then its drop-ins, in the order in which they count.
            public var files: [File]

            /// Everything at once.
            public init(files: [File]) {
                self.files = files
            }
        }
    }
}
