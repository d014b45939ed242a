public import Varlink

extension WorkerInterface {
    /// How several posts of one topic become one, the same as the operators'.
    public typealias MergeRule = SupervisorInterface.MergeRule

    /// Why a post is not taken, the same as the operators'.
    public typealias PostObstacle = SupervisorInterface.PostObstacle

    /// Posts to the worker itself; answers when what survives is on the disk.
    public enum Post: Method {
        /// The name, in full `io.torpor.Worker.Post`.
        public static let member = "Post"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What it is about.
            public var topic: String
            /// What is said.
            public var payload: JSON?
            /// How it merges.
            public var rule: MergeRule?
            /// Members that were added.
            public var added: [String]?
            /// Members that were removed.
            public var removed: [String]?
            /// Whether it may die with the process and the supervisor.
            public var transient: Bool?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                topic: String, payload: JSON? = nil, rule: MergeRule? = nil, added: [String]? = nil,
                removed: [String]? = nil, transient: Bool? = nil
            ) {
                self.topic = topic
                self.payload = payload
                self.rule = rule
                self.added = added
                self.removed = removed
                self.transient = transient
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The number under which it waits; none where it undid what waited.
            public var sequence: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(sequence: Int64? = nil) {
                self.sequence = sequence
            }
        }
    }

    /// Has something posted to the worker itself at a time; answers when that is on the disk.
    public enum Schedule: Method {
        /// The name, in full `io.torpor.Worker.Schedule`.
        public static let member = "Schedule"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What it is about.
            public var topic: String
            /// When: microseconds since 1970.
            public var at: Int64
            /// How long it is from one time to the next; once when left out.
            public var everyUsec: Int64?
            /// What is said.
            public var payload: JSON?
            /// How it merges.
            public var rule: MergeRule?
            /// Whether it wakes the worker where it has the remote-notification mode.
            public var wake: Bool?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                topic: String, at: Int64, everyUsec: Int64? = nil, payload: JSON? = nil,
                rule: MergeRule? = nil, wake: Bool? = nil
            ) {
                self.topic = topic
                self.at = at
                self.everyUsec = everyUsec
                self.payload = payload
                self.rule = rule
                self.wake = wake
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// By this it is taken back.
            public var id: Int64

            /// Everything at once.
            public init(id: Int64) {
                self.id = id
            }
        }
    }

    /// Takes a scheduled post of the worker's back.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Worker.Cancel`.
        public static let member = "Cancel"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What Schedule answered.
            public var id: Int64

            /// Everything at once.
            public init(id: Int64) {
                self.id = id
            }
        }

        /// Nothing comes out.
        public typealias Reply = Nothing
    }

    /// The post was not taken.
    public static func notPosted(obstacle: PostObstacle, why: String) -> MethodError {
        MethodError(
            "io.torpor.Worker.NotPosted", ["obstacle": .string(obstacle.rawValue), "why": .string(why)])
    }

    /// Nothing of that number is scheduled.
    public static func noSuchSchedule(id: Int64) -> MethodError {
        MethodError("io.torpor.Worker.NoSuchSchedule", ["id": .int(id)])
    }
}
