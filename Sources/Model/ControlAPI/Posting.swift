public import Varlink

extension SupervisorInterface {
    /// How several posts of one topic become one while the worker cannot run.
    public enum MergeRule: String, Codable, CaseIterable, Hashable, Sendable {
        /// The newest payload replaces the older.
        case latest
        /// The newest against what the worker knows: equal again, and it vanishes.
        case net
        /// Members that were added and removed: added and removed again, and they vanish.
        case set
        /// One with a count.
        case count
        /// None merged: kept in order.
        case each
    }

    /// Why a post is not taken.
    public enum PostObstacle: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nothing of the worker takes that topic.
        case notWanted
        /// It is about the present process, and there is none.
        case notRunning
        /// The topic has a rule of its own.
        case wrongRule
        /// The payload is too large.
        case tooLarge
        /// Too many topics wait for the worker.
        case tooManyTopics
        /// The set has too many members.
        case tooManyMembers
        /// The worker's queue is full.
        case full
        /// It cannot be written to the disk, and so is not promised.
        case notKept
        /// The time has passed.
        case past
        /// It would repeat too often.
        case tooOften
        /// The worker has as many scheduled posts as it may have.
        case tooManySchedules
    }

    /// What became of a post to one worker.
    public struct PostResult: Codable, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// The number under which it waits; none where it undid what waited, or is scheduled.
        public var sequence: Int64?
        /// The number of the scheduled post.
        public var schedule: Int64?
        /// Why it was not taken.
        public var obstacle: PostObstacle?
        /// The same, in words; without an obstacle, what of the post comes to nothing.
        public var message: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            name: String, sequence: Int64? = nil, schedule: Int64? = nil, obstacle: PostObstacle? = nil,
            message: String? = nil
        ) {
            self.name = name
            self.sequence = sequence
            self.schedule = schedule
            self.obstacle = obstacle
            self.message = message
        }
    }

    /// Something that waits for a worker: a post, or what several have become.
    public struct QueuedNotification: Codable, Hashable, Sendable {
        /// What it is about.
        public var topic: String
        /// Its number, which grows within a topic.
        public var sequence: Int64
        /// How it merges.
        public var rule: MergeRule
        /// How many posts it stands for.
        public var count: Int64
        /// When the first of them came: microseconds since 1970.
        public var first: Int64
        /// When the last of them came: microseconds since 1970.
        public var last: Int64
        /// What was said last.
        public var payload: JSON?
        /// Members that were added.
        public var added: [String]?
        /// Members that were removed.
        public var removed: [String]?
        /// How many were dropped before it because there were too many.
        public var dropped: Int64?
        /// Whether it has been handed to the worker, which has not taken it yet.
        public var inFlight: Bool
        /// Whether it outlives the worker's process and the supervisor.
        public var survives: Bool
        /// How often the worker died while it was being delivered; missing where it did not.
        public var deaths: Int64?
        /// Whether it is set aside, and delivered no more; missing where not.
        public var setAside: Bool?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            topic: String, sequence: Int64, rule: MergeRule, count: Int64 = 1, first: Int64, last: Int64,
            payload: JSON? = nil, added: [String]? = nil, removed: [String]? = nil, dropped: Int64? = nil,
            inFlight: Bool = false, survives: Bool = true, deaths: Int64? = nil, setAside: Bool? = nil
        ) {
            self.topic = topic
            self.sequence = sequence
            self.rule = rule
            self.count = count
            self.first = first
            self.last = last
            self.payload = payload
            self.added = added
            self.removed = removed
            self.dropped = dropped
            self.inFlight = inFlight
            self.survives = survives
            self.deaths = deaths
            self.setAside = setAside
        }
    }

    /// A post that is due at a time.
    public struct ScheduledPost: Codable, Hashable, Sendable {
        /// Its number.
        public var id: Int64
        /// What it is about.
        public var topic: String
        /// How it merges.
        public var rule: MergeRule
        /// What is said.
        public var payload: JSON?
        /// When it is due: microseconds since 1970.
        public var at: Int64
        /// How long it is from one time to the next; none is once.
        public var everyUsec: Int64?
        /// Whether it wakes a worker that sleeps.
        public var wake: Bool
        /// The caller that has scheduled it; none where that was the worker itself.
        public var by: Caller?
        /// That caller's program, where it was known.
        public var program: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            id: Int64, topic: String, rule: MergeRule, payload: JSON? = nil, at: Int64,
            everyUsec: Int64? = nil, wake: Bool = false, by: Caller? = nil, program: String? = nil
        ) {
            self.id = id
            self.topic = topic
            self.rule = rule
            self.payload = payload
            self.at = at
            self.everyUsec = everyUsec
            self.wake = wake
            self.by = by
            self.program = program
        }
    }

    /// Posts to workers, now or at a time; answers when what survives is on the disk.
    public enum Post: Method {
        /// The name, in full `io.torpor.Supervisor.Post`.
        public static let member = "Post"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The workers, or shell patterns (fnmatch(3)).
            public var names: [String]
            /// What it is about.
            public var topic: String
            /// What is said.
            public var payload: JSON?
            /// How it merges; left out, `set` with members and `latest` without, and a system topic's own.
            public var rule: MergeRule?
            /// Members that were added.
            public var added: [String]?
            /// Members that were removed.
            public var removed: [String]?
            /// Whether it wakes a worker that sleeps and has the remote-notification mode.
            public var wake: Bool?
            /// Whether it is for a person: the worker is brought into the foreground, and launched for it.
            public var foreground: Bool?
            /// When it is posted: microseconds since 1970; at once when left out.
            public var at: Int64?
            /// How long it is from one time to the next; once when left out.
            public var everyUsec: Int64?
            /// Whether it may die with the worker's process and the supervisor.
            public var transient: Bool?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                names: [String], topic: String, payload: JSON? = nil, rule: MergeRule? = nil,
                added: [String]? = nil, removed: [String]? = nil, wake: Bool? = nil,
                foreground: Bool? = nil, at: Int64? = nil, everyUsec: Int64? = nil, transient: Bool? = nil
            ) {
                self.names = names
                self.topic = topic
                self.payload = payload
                self.rule = rule
                self.added = added
                self.removed = removed
                self.wake = wake
                self.foreground = foreground
                self.at = at
                self.everyUsec = everyUsec
                self.transient = transient
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// One for each worker, ordered by name.
            public var results: [PostResult]

            /// Everything at once.
            public init(results: [PostResult]) {
                self.results = results
            }
        }
    }

    /// What waits for a worker, and what is scheduled for it.
    public enum Notifications: Method {
        /// The name, in full `io.torpor.Supervisor.Notifications`.
        public static let member = "Notifications"

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
            /// What has been handed to it and not taken, then what waits, oldest topic first.
            public var notifications: [QueuedNotification]
            /// What is scheduled, the soonest first.
            public var scheduled: [ScheduledPost]
            /// How much memory all that waits takes, about.
            public var bytes: Int64
            /// Why it did not take what it was handed last.
            public var problem: String?
            /// When it is handed that again, from now.
            public var retryUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                notifications: [QueuedNotification], scheduled: [ScheduledPost], bytes: Int64,
                problem: String? = nil, retryUsec: Int64? = nil
            ) {
                self.notifications = notifications
                self.scheduled = scheduled
                self.bytes = bytes
                self.problem = problem
                self.retryUsec = retryUsec
            }
        }
    }

    /// Has a notification that is set aside delivered once more.
    public enum RetryNotification: Method {
        /// The name, in full `io.torpor.Supervisor.RetryNotification`.
        public static let member = "RetryNotification"

        /// What goes in.
        public typealias Parameters = NotificationNumber

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }
    }

    /// Removes a notification.
    public enum DropNotification: Method {
        /// The name, in full `io.torpor.Supervisor.DropNotification`.
        public static let member = "DropNotification"

        /// What goes in.
        public typealias Parameters = NotificationNumber

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }
    }

    /// Names one notification of a worker.
    public struct NotificationNumber: Codable, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// The number of the notification.
        public var sequence: Int64

        /// Everything at once.
        public init(name: String, sequence: Int64) {
            self.name = name
            self.sequence = sequence
        }
    }

    /// Takes a scheduled post back.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Supervisor.Cancel`.
        public static let member = "Cancel"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the scheduled post.
            public var id: Int64

            /// Everything at once.
            public init(name: String, id: Int64) {
                self.name = name
                self.id = id
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }
    }

    /// The post was taken by no worker.
    public static func notPosted(name: String, obstacle: PostObstacle, why: String) -> MethodError {
        MethodError(
            "io.torpor.Supervisor.NotPosted",
            ["name": .string(name), "obstacle": .string(obstacle.rawValue), "why": .string(why)])
    }

    /// The worker has no notification of that number, or none that is set aside.
    public static func noSuchNotification(name: String, sequence: Int64) -> MethodError {
        MethodError(
            "io.torpor.Supervisor.NoSuchNotification",
            ["name": .string(name), "sequence": .int(sequence)])
    }

    /// Nothing of that number is scheduled for the worker.
    public static func noSuchSchedule(name: String, id: Int64) -> MethodError {
        MethodError("io.torpor.Supervisor.NoSuchSchedule", ["name": .string(name), "id": .int(id)])
    }
}
