// Generated from io.torpor.Worker.varlink by `make generate`: change that file instead of this one.

public import Varlink

/// The interface `io.torpor.Worker`.
///
/// What a worker says to the supervisor that runs it, and hears from it, at $TORPOR_SOCKET. The socket is one
/// worker's own: only processes of that worker may call. Spans are in microseconds. A field with a question
/// mark may be missing.
public enum WorkerInterface {
    /// A method: its name, and the types of its parameters and of its reply.
    public protocol Method: Sendable {
        /// The parameters of a call.
        associatedtype Parameters: Codable & Hashable & Sendable
        /// The parameters of a reply.
        associatedtype Reply: Codable & Hashable & Sendable
        /// The name without that of the interface.
        static var member: String { get }
    }

    /// All methods, in the order of the description.
    public static let methods: [any Method.Type] = [
        Attach.self, Complete.self, BeginBackgroundTask.self, EndBackgroundTask.self,
        BackgroundTimeRemaining.self, GetState.self, SaveState.self, Post.self, Schedule.self, Cancel.self,
        RequestActivation.self,
    ]
}

extension WorkerInterface.Method {
    /// The full name, as `io.torpor.Worker.Attach`.
    public static var name: String { "io.torpor.Worker." + member }
}

extension WorkerInterface {
    /// The five states of a worker (iOS's, and in its words).
    public typealias State = SupervisorInterface.State

    /// What the worker was launched for.
    public typealias LaunchReason = SupervisorInterface.LaunchReason

    /// What a worker can be told, and asked.
    public enum CallbackName: String, Codable, CaseIterable, Hashable, Sendable {
        /// The process exists; saved state has not been handed back yet.
        ///
        /// May be refused.
        case willFinishLaunching
        /// The launch is over when this is complete.
        ///
        /// May be refused.
        case didFinishLaunching
        /// It is in use.
        case didBecomeActive
        /// It is about to be out of use; the state still reads active.
        case willResignActive
        /// It left the foreground; the state already reads background.
        case didEnterBackground
        /// It is about to be in the foreground; the state still reads background.
        case willEnterForeground
        /// It is about to end: its exit completes this.
        case willTerminate
        /// Memory is short, or no longer.
        case didReceiveMemoryWarning
        /// Its background time is nearly over.
        case backgroundTaskWillExpire
        /// Time to fetch what is new.
        case performFetch
        /// What was posted while it slept, or one notification.
        case didReceiveNotifications
        /// A URL to open.
        case openURL
        /// An activity to continue.
        case continueActivity
        /// Transfers that ended.
        case handleTransferEvents
        /// Protected data is about to go away.
        case protectedDataWillBecomeUnavailable
        /// Protected data is back.
        case protectedDataDidBecomeAvailable
        /// Midnight, a zone change, a clock set.
        case significantTimeChange
        /// Asks whether state shall be saved: refuse for no.
        case shouldSaveState
        /// Asks for the state: complete with it.
        case saveState
        /// Hands the saved state back.
        case restoreState
    }

    /// The launch that the present process came from.
    public struct Launch: Codable, Hashable, Sendable {
        /// What for.
        public var reason: LaunchReason
        /// Whether into the foreground (inactive first), or into the background.
        public var intoForeground: Bool
        /// Whether saved state is handed back.
        public var restoresState: Bool
        /// What came with it: the URL and the program that opened it, the notification or the scheduled post
        /// with its payload and the caller that posted it, the path or the device.
        public var options: JSON
        /// Whether the process before it had to make room, so that it is a restore, whatever it is for.
        ///
        /// Missing where not.
        public var restored: Bool?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            reason: LaunchReason, intoForeground: Bool, restoresState: Bool, options: JSON,
            restored: Bool? = nil
        ) {
            self.reason = reason
            self.intoForeground = intoForeground
            self.restoresState = restoresState
            self.options = options
            self.restored = restored
        }
    }

    /// Something that was posted, or several of one topic merged by its rule.
    public struct Notification: Codable, Hashable, Sendable {
        /// The topic.
        public var topic: String
        /// Its number, which grows within a topic.
        ///
        /// A notification may come twice, with the same number.
        public var sequence: Int64
        /// How many posts it stands for.
        public var count: Int64
        /// When the first of them came: microseconds since 1970.
        public var first: Int64
        /// When the last of them came: microseconds since 1970.
        public var last: Int64
        /// What was posted.
        public var payload: JSON?
        /// Members that were added, where the topic is a set.
        public var added: [String]?
        /// Members that were removed, where the topic is a set.
        public var removed: [String]?
        /// How many were dropped before it because there were too many.
        public var dropped: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            topic: String, sequence: Int64, count: Int64, first: Int64, last: Int64, payload: JSON? = nil,
            added: [String]? = nil, removed: [String]? = nil, dropped: Int64? = nil
        ) {
            self.topic = topic
            self.sequence = sequence
            self.count = count
            self.first = first
            self.last = last
            self.payload = payload
            self.added = added
            self.removed = removed
            self.dropped = dropped
        }
    }

    /// How short memory is.
    public enum MemoryLevel: String, Codable, CaseIterable, Hashable, Sendable {
        /// It is not, or no longer: only those hear it that were told otherwise.
        case normal
        /// What can be had again should be given up.
        case warning
        /// One worker after the other has to go.
        case critical
    }

    /// A callback on its way; it is answered by Complete with its id.
    public struct Callback: Codable, Hashable, Sendable {
        /// By this it is completed.
        public var id: Int64
        /// Which one.
        public var name: CallbackName
        /// How long it may take, where that is limited.
        public var timeLimitUsec: Int64?
        /// The launch: with willFinishLaunching and didFinishLaunching.
        public var launch: Launch?
        /// How long the worker slept: with the first callback after that.
        ///
        /// Its clocks have jumped.
        public var suspendedForUsec: Int64?
        /// What is left of the background time, where that is limited: with didEnterBackground and
        /// backgroundTaskWillExpire.
        public var backgroundTimeRemainingUsec: Int64?
        /// How short memory is, for the machine or for this worker alone: with didReceiveMemoryWarning.
        public var memoryLevel: MemoryLevel?
        /// How much memory the worker may still take: with didReceiveMemoryWarning.
        public var memoryAvailableBytes: Int64?
        /// The URL: with openURL.
        public var url: String?
        /// The activity: with continueActivity.
        public var activity: JSON?
        /// The transfers' events: with handleTransferEvents.
        public var transfer: JSON?
        /// The notifications, oldest topic first: with didReceiveNotifications.
        public var notifications: [Notification]?
        /// The saved state: with restoreState.
        public var state: JSON?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            id: Int64, name: CallbackName, timeLimitUsec: Int64? = nil, launch: Launch? = nil,
            suspendedForUsec: Int64? = nil, backgroundTimeRemainingUsec: Int64? = nil,
            memoryLevel: MemoryLevel? = nil, memoryAvailableBytes: Int64? = nil, url: String? = nil,
            activity: JSON? = nil, transfer: JSON? = nil, notifications: [Notification]? = nil,
            state: JSON? = nil
        ) {
            self.id = id
            self.name = name
            self.timeLimitUsec = timeLimitUsec
            self.launch = launch
            self.suspendedForUsec = suspendedForUsec
            self.backgroundTimeRemainingUsec = backgroundTimeRemainingUsec
            self.memoryLevel = memoryLevel
            self.memoryAvailableBytes = memoryAvailableBytes
            self.url = url
            self.activity = activity
            self.transfer = transfer
            self.notifications = notifications
            self.state = state
        }
    }

    /// How a worker stands that attaches.
    public struct Standing: Codable, Hashable, Sendable {
        /// Its name.
        public var worker: String
        /// Its state.
        public var state: State
        /// The launch of the present process.
        public var launch: Launch

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(worker: String, state: State, launch: Launch) {
            self.worker = worker
            self.state = state
            self.launch = launch
        }
    }

    /// How several posts of one topic become one while the worker cannot run.
    public typealias MergeRule = SupervisorInterface.MergeRule

    /// Why a post is not taken.
    public typealias PostObstacle = SupervisorInterface.PostObstacle

    /// No parameters.
    public struct Nothing: Codable, Hashable, Sendable {
        /// The only value.
        public init() {}
    }
}

extension WorkerInterface {
    /// Attaches the caller as the receiver of these callbacks, of all when they are left out.
    ///
    /// One connection is attached at a time. Call with more: the first reply tells how the worker stands,
    /// each further one is a callback. Callbacks come one at a time and in order; fetches, transfers and
    /// notifications that are handled in the background may come besides.
    public enum Attach: Method {
        /// The name, in full `io.torpor.Worker.Attach`.
        public static let member = "Attach"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The callbacks that it wants; others complete at once.
            public var callbacks: [CallbackName]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(callbacks: [CallbackName]? = nil) {
                self.callbacks = callbacks
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// How the worker stands; in the first reply only.
            public var standing: Standing?
            /// A callback; in every reply but the first.
            public var callback: Callback?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(standing: Standing? = nil, callback: Callback? = nil) {
                self.standing = standing
                self.callback = callback
            }
        }
    }

    /// Completes a callback.
    ///
    /// Answers leave in the order of the calls, and Attach is never answered for the last time: on the
    /// attached connection this is for oneway calls, on a second one it is answered.
    public enum Complete: Method {
        /// The name, in full `io.torpor.Worker.Complete`.
        public static let member = "Complete"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The callback's id.
            public var id: Int64
            /// Whether the answer is no: the launch options are refused, there is nothing to save.
            public var refused: Bool?
            /// That it could not be done, and why.
            public var failure: String?
            /// The state: with saveState.
            public var state: JSON?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(id: Int64, refused: Bool? = nil, failure: String? = nil, state: JSON? = nil) {
                self.id = id
                self.refused = refused
                self.failure = failure
                self.state = state
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Begins a background task: until it ends, or the time for all is over, the worker is not suspended.
    ///
    /// May be called in the foreground, and should be before the work starts. When the attached connection
    /// goes away, all tasks end.
    public enum BeginBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.BeginBackgroundTask`.
        public static let member = "BeginBackgroundTask"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What for, in a word or two.
            public var name: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String) {
                self.name = name
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// By this it is ended.
            public var token: Int64
            /// What is left of the background time, where it is limited and runs.
            public var remainingUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(token: Int64, remainingUsec: Int64? = nil) {
                self.token = token
                self.remainingUsec = remainingUsec
            }
        }
    }

    /// Ends a background task, once.
    public enum EndBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.EndBackgroundTask`.
        public static let member = "EndBackgroundTask"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What BeginBackgroundTask answered.
            public var token: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(token: Int64) {
                self.token = token
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// How much background time is left.
    public enum BackgroundTimeRemaining: Method {
        /// The name, in full `io.torpor.Worker.BackgroundTimeRemaining`.
        public static let member = "BackgroundTimeRemaining"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// What is left; missing while nothing limits it.
            public var remainingUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(remainingUsec: Int64? = nil) {
                self.remainingUsec = remainingUsec
            }
        }
    }

    /// How the worker stands.
    public enum GetState: Method {
        /// The name, in full `io.torpor.Worker.GetState`.
        public static let member = "GetState"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// Its state.
            public var state: State
            /// How long it has been in it.
            public var sinceUsec: Int64
            /// What is left of the background time, where it is limited and runs.
            public var backgroundTimeRemainingUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(state: State, sinceUsec: Int64, backgroundTimeRemainingUsec: Int64? = nil) {
                self.state = state
                self.sinceUsec = sinceUsec
                self.backgroundTimeRemainingUsec = backgroundTimeRemainingUsec
            }
        }
    }

    /// Saves state, to be handed back once at the next launch; an empty object drops what was saved.
    ///
    /// The answer comes when this state is on the disk, or a newer one that was saved before this one was
    /// written and that is kept instead.
    public enum SaveState: Method {
        /// The name, in full `io.torpor.Worker.SaveState`.
        public static let member = "SaveState"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The state.
            public var state: JSON

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(state: JSON) {
                self.state = state
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Posts to the worker itself.
    ///
    /// To others posts who may use the operators' socket. The answer comes when what survives is on the disk.
    public enum Post: Method {
        /// The name, in full `io.torpor.Worker.Post`.
        public static let member = "Post"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What it is about: a lowercase letter, then letters, digits, dots, dashes and _, at most 128.
            public var topic: String
            /// What is said; at most 64 KiB.
            public var payload: JSON?
            /// How it merges with others of its topic that wait.
            ///
            /// Left out: set with members, else latest.
            public var rule: MergeRule?
            /// Members that were added, where the rule is set.
            public var added: [String]?
            /// Members that were removed, where the rule is set.
            public var removed: [String]?
            /// Whether it may die with the process and the supervisor.
            public var transient: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
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

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The number under which it waits.
            ///
            /// None where it undid what waited.
            public var sequence: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(sequence: Int64? = nil) {
                self.sequence = sequence
            }
        }
    }

    /// Has something posted to the worker itself at a time, whether it runs then or not.
    public enum Schedule: Method {
        /// The name, in full `io.torpor.Worker.Schedule`.
        public static let member = "Schedule"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What it is about.
            public var topic: String
            /// When: microseconds since 1970, by the clock as it stands then.
            public var at: Int64
            /// How long it is from one time to the next, in microseconds.
            ///
            /// Once when left out.
            public var everyUsec: Int64?
            /// What is said; at most 64 KiB.
            public var payload: JSON?
            /// How it merges with others of its topic that wait.
            ///
            /// Latest when left out.
            public var rule: MergeRule?
            /// Whether it wakes the worker, where that has the remote-notification mode.
            public var wake: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
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

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// By this it is taken back.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(id: Int64) {
                self.id = id
            }
        }
    }

    /// Takes a scheduled post of the worker's back.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Worker.Cancel`.
        public static let member = "Cancel"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What Schedule answered.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(id: Int64) {
                self.id = id
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Asks for the foreground, as an operator's activate would.
    public enum RequestActivation: Method {
        /// The name, in full `io.torpor.Worker.RequestActivation`.
        public static let member = "RequestActivation"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }
}

extension WorkerInterface {
    /// The full names of the errors.
    public enum ErrorName: String, CaseIterable, Hashable, Sendable {
        /// Another connection is attached already.
        case alreadyAttached = "io.torpor.Worker.AlreadyAttached"
        /// No callback in flight has this id: it was completed before, was never delivered, or its time is
        /// over.
        case noSuchCallback = "io.torpor.Worker.NoSuchCallback"
        /// No background task has this token: it ended before or never began.
        case noSuchTask = "io.torpor.Worker.NoSuchTask"
        /// Nothing may begin now.
        case notNow = "io.torpor.Worker.NotNow"
        /// There are too many background tasks.
        case tooManyTasks = "io.torpor.Worker.TooManyTasks"
        /// The state is too large.
        case stateTooLarge = "io.torpor.Worker.StateTooLarge"
        /// The state cannot be kept.
        case stateNotKept = "io.torpor.Worker.StateNotKept"
        /// The post was not taken.
        case notPosted = "io.torpor.Worker.NotPosted"
        /// Nothing of that number is scheduled.
        case noSuchSchedule = "io.torpor.Worker.NoSuchSchedule"
        /// The worker has too many connections.
        ///
        /// The last thing said on this one.
        case tooManyConnections = "io.torpor.Worker.TooManyConnections"
    }

    /// Another connection is attached already.
    public static let alreadyAttached = MethodError(ErrorName.alreadyAttached.rawValue)

    /// No callback in flight has this id: it was completed before, was never delivered, or its time is over.
    public static func noSuchCallback(id: Int64) -> MethodError {
        MethodError(ErrorName.noSuchCallback.rawValue, ["id": .int(id)])
    }

    /// No background task has this token: it ended before or never began.
    public static func noSuchTask(token: Int64) -> MethodError {
        MethodError(ErrorName.noSuchTask.rawValue, ["token": .int(token)])
    }

    /// Nothing may begin now.
    public static func notNow(why: String) -> MethodError {
        MethodError(ErrorName.notNow.rawValue, ["why": .string(why)])
    }

    /// There are too many background tasks.
    public static func tooManyTasks(limit: Int64) -> MethodError {
        MethodError(ErrorName.tooManyTasks.rawValue, ["limit": .int(limit)])
    }

    /// The state is too large.
    public static func stateTooLarge(limit: Int64) -> MethodError {
        MethodError(ErrorName.stateTooLarge.rawValue, ["limit": .int(limit)])
    }

    /// The state cannot be kept.
    public static func stateNotKept(why: String) -> MethodError {
        MethodError(ErrorName.stateNotKept.rawValue, ["why": .string(why)])
    }

    /// The post was not taken.
    public static func notPosted(obstacle: PostObstacle, why: String) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["obstacle"] = .string(obstacle.rawValue)
        parameters["why"] = .string(why)
        return MethodError(ErrorName.notPosted.rawValue, parameters)
    }

    /// Nothing of that number is scheduled.
    public static func noSuchSchedule(id: Int64) -> MethodError {
        MethodError(ErrorName.noSuchSchedule.rawValue, ["id": .int(id)])
    }

    /// The worker has too many connections.
    ///
    /// The last thing said on this one.
    public static func tooManyConnections(limit: Int64) -> MethodError {
        MethodError(ErrorName.tooManyConnections.rawValue, ["limit": .int(limit)])
    }
}
