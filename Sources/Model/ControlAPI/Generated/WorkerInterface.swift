// Generated from io.torpor.Worker.varlink by `make generate`: change that file instead of this one.

public import Varlink

/// The interface `io.torpor.Worker`.
///
/// The interface between a worker and the supervisor that runs it, at $TORPOR_SOCKET. Each worker has a
/// socket of its own: only processes of that worker may call. Time spans are in microseconds. A field with a
/// question mark may be missing.
public enum WorkerInterface {
    /// A method: its name, and the types of its parameters and of its reply.
    public protocol Method: Sendable {
        /// The parameters of a call.
        associatedtype Parameters: Codable & JSONConvertible & Hashable & Sendable
        /// The parameters of a reply.
        associatedtype Reply: Codable & JSONConvertible & Hashable & Sendable
        /// The name without that of the interface.
        static var member: String { get }
    }

    /// All methods, in the order of the description.
    public static let methods: [any Method.Type] = [
        Attach.self, Complete.self, BeginBackgroundTask.self, EndBackgroundTask.self,
        BackgroundTimeRemaining.self, GetState.self, SaveState.self, Post.self, Schedule.self, Cancel.self,
        SetInUse.self, Interrupt.self, EndInterruption.self, BeginTransfer.self, CancelTransfer.self,
        OfferActivity.self, WithdrawActivity.self, AnswerActivity.self, RequestActivation.self,
    ]

    /// The methods that must be called with `more`, by their full names.
    public static let requiringMore: Swift.Set<String> = [Attach.name]
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

    /// The callbacks that a worker can get.
    public enum CallbackName: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The process exists; saved state has not been restored yet.
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
        /// Memory pressure has begun, or has ended.
        case didReceiveMemoryWarning
        /// Its background time is nearly over.
        case backgroundTaskWillExpire
        /// It is time for a background fetch.
        case performFetch
        /// It is a good time for long work: it may take timeLimitUsec.
        ///
        /// backgroundTaskWillExpire comes before that is over, or sooner where the system needs its time for
        /// other things; complete it then.
        case performProcessing
        /// Notifications that were posted while it was suspended, or a single one.
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
        /// Asks whether state is to be saved: refuse for no.
        case shouldSaveState
        /// Asks for the state: complete with it.
        case saveState
        /// Restores the saved state.
        case restoreState
    }

    /// The launch that the present process came from.
    public struct Launch: Codable, JSONConvertible, Hashable, Sendable {
        /// What for.
        public var reason: LaunchReason
        /// Whether into the foreground (inactive first), or into the background.
        public var intoForeground: Bool
        /// Whether saved state is restored.
        public var restoresState: Bool
        /// Its details: the URL and the program that opened it, the notification or the scheduled post with
        /// its payload and the caller that posted it, the path or the device.
        public var options: JSON
        /// Whether the previous process was ended to free memory, so that this launch is a restore, whatever
        /// its reason.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            reason = try members.required("reason")
            intoForeground = try members.required("intoForeground")
            restoresState = try members.required("restoresState")
            options = try members.required("options")
            restored = try members.optional("restored")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("reason", reason)
            members.add("intoForeground", intoForeground)
            members.add("restoresState", restoresState)
            members.add("options", options)
            members.add("restored", ifThere: restored)
            return members.json
        }
    }

    /// A post, or several posts of one topic merged by its rule.
    public struct Notification: Codable, JSONConvertible, Hashable, Sendable {
        /// The topic.
        public var topic: String
        /// Its number, which grows within a topic.
        ///
        /// A notification may be delivered twice, with the same number.
        public var sequence: Int64
        /// How many posts it stands for.
        public var count: Int64
        /// When the first of them was posted: microseconds since 1970.
        public var first: Int64
        /// When the last of them was posted: microseconds since 1970.
        public var last: Int64
        /// The payload.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            topic = try members.required("topic")
            sequence = try members.required("sequence")
            count = try members.required("count")
            first = try members.required("first")
            last = try members.required("last")
            payload = try members.optional("payload")
            added = try members.optional("added")
            removed = try members.optional("removed")
            dropped = try members.optional("dropped")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 9)
            members.add("topic", topic)
            members.add("sequence", sequence)
            members.add("count", count)
            members.add("first", first)
            members.add("last", last)
            members.add("payload", ifThere: payload)
            members.add("added", ifThere: added)
            members.add("removed", ifThere: removed)
            members.add("dropped", ifThere: dropped)
            return members.json
        }
    }

    /// A level of memory pressure.
    public enum MemoryLevel: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// There is no memory pressure any more.
        ///
        /// Only workers that got another level before get this one.
        case normal
        /// Memory that can be recreated, as caches, should be freed.
        case warning
        /// Workers are ended one after the other.
        case critical
    }

    /// A callback; it is completed by Complete with its id.
    public struct Callback: Codable, JSONConvertible, Hashable, Sendable {
        /// The id by which it is completed.
        public var id: Int64
        /// The name.
        public var name: CallbackName
        /// How long it may take, where that is limited, in microseconds.
        public var timeLimitUsec: Int64?
        /// The launch: with willFinishLaunching and didFinishLaunching.
        public var launch: Launch?
        /// How long the worker was suspended, in microseconds: with the first callback after that.
        ///
        /// Its clocks have advanced meanwhile.
        public var suspendedForUsec: Int64?
        /// What is left of the background time, where that is limited, in microseconds: with
        /// didEnterBackground and backgroundTaskWillExpire.
        public var backgroundTimeRemainingUsec: Int64?
        /// The level of memory pressure, of the machine or of this worker alone: with
        /// didReceiveMemoryWarning.
        public var memoryLevel: MemoryLevel?
        /// How much more memory the worker may use: with didReceiveMemoryWarning.
        public var memoryAvailableBytes: Int64?
        /// The URL: with openURL.
        public var url: String?
        /// The program that opened it, where that is known: with openURL.
        ///
        /// Its members are uid, pid and, where it can be read, program (the path, or the name).
        public var sourceApplication: JSON?
        /// The activity: with continueActivity.
        public var activity: JSON?
        /// The ends of transfers: with handleTransferEvents.
        ///
        /// Its member transfers is a list of objects, one for each, with the members transfer (the number),
        /// purpose, outcome (completed, failed, cancelled, timeLimit, memoryLimit, shutdown, lost), began and
        /// ended (microseconds since 1970), and, where they are known, exitStatus, signal, done, total,
        /// percent, progress, command, output (the last lines) and leftovers (how many processes it had left
        /// running, which were ended).
        public var transfer: JSON?
        /// The notifications, oldest topic first: with didReceiveNotifications.
        public var notifications: [Notification]?
        /// The saved state: with restoreState.
        public var state: JSON?
        /// The version that saved it (StateVersion=), where that is another one than the version of this
        /// program; empty where it is not known: with restoreState.
        public var stateVersion: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            id: Int64, name: CallbackName, timeLimitUsec: Int64? = nil, launch: Launch? = nil,
            suspendedForUsec: Int64? = nil, backgroundTimeRemainingUsec: Int64? = nil,
            memoryLevel: MemoryLevel? = nil, memoryAvailableBytes: Int64? = nil, url: String? = nil,
            sourceApplication: JSON? = nil, activity: JSON? = nil, transfer: JSON? = nil,
            notifications: [Notification]? = nil, state: JSON? = nil, stateVersion: String? = nil
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
            self.sourceApplication = sourceApplication
            self.activity = activity
            self.transfer = transfer
            self.notifications = notifications
            self.state = state
            self.stateVersion = stateVersion
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            id = try members.required("id")
            name = try members.required("name")
            timeLimitUsec = try members.optional("timeLimitUsec")
            launch = try members.optional("launch")
            suspendedForUsec = try members.optional("suspendedForUsec")
            backgroundTimeRemainingUsec = try members.optional("backgroundTimeRemainingUsec")
            memoryLevel = try members.optional("memoryLevel")
            memoryAvailableBytes = try members.optional("memoryAvailableBytes")
            url = try members.optional("url")
            sourceApplication = try members.optional("sourceApplication")
            activity = try members.optional("activity")
            transfer = try members.optional("transfer")
            notifications = try members.optional("notifications")
            state = try members.optional("state")
            stateVersion = try members.optional("stateVersion")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 15)
            members.add("id", id)
            members.add("name", name)
            members.add("timeLimitUsec", ifThere: timeLimitUsec)
            members.add("launch", ifThere: launch)
            members.add("suspendedForUsec", ifThere: suspendedForUsec)
            members.add("backgroundTimeRemainingUsec", ifThere: backgroundTimeRemainingUsec)
            members.add("memoryLevel", ifThere: memoryLevel)
            members.add("memoryAvailableBytes", ifThere: memoryAvailableBytes)
            members.add("url", ifThere: url)
            members.add("sourceApplication", ifThere: sourceApplication)
            members.add("activity", ifThere: activity)
            members.add("transfer", ifThere: transfer)
            members.add("notifications", ifThere: notifications)
            members.add("state", ifThere: state)
            members.add("stateVersion", ifThere: stateVersion)
            return members.json
        }
    }

    /// What came of a background fetch.
    public typealias FetchResult = SupervisorInterface.FetchResult

    /// The status of a worker that attaches.
    public struct Standing: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name.
        public var worker: String
        /// Its state.
        public var state: State
        /// The launch of the present process.
        public var launch: Launch
        /// Whether low-power mode is on; missing where the supervisor has no such mode.
        public var lowPower: Bool?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(worker: String, state: State, launch: Launch, lowPower: Bool? = nil) {
            self.worker = worker
            self.state = state
            self.launch = launch
            self.lowPower = lowPower
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            worker = try members.required("worker")
            state = try members.required("state")
            launch = try members.required("launch")
            lowPower = try members.optional("lowPower")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("worker", worker)
            members.add("state", state)
            members.add("launch", launch)
            members.add("lowPower", ifThere: lowPower)
            return members.json
        }
    }

    /// A question for the state of an activity that is being handed over; AnswerActivity answers it.
    public struct ActivityQuestion: Codable, JSONConvertible, Hashable, Sendable {
        /// The number by which it is answered.
        public var number: Int64
        /// The type of the activity.
        public var type: String
        /// How long the worker has for its answer, in microseconds.
        public var timeLimitUsec: Int64

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(number: Int64, type: String, timeLimitUsec: Int64) {
            self.number = number
            self.type = type
            self.timeLimitUsec = timeLimitUsec
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            number = try members.required("number")
            type = try members.required("type")
            timeLimitUsec = try members.required("timeLimitUsec")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 3)
            members.add("number", number)
            members.add("type", type)
            members.add("timeLimitUsec", timeLimitUsec)
            return members.json
        }
    }

    /// How several posts of one topic are merged into one while the worker cannot run.
    public typealias MergeRule = SupervisorInterface.MergeRule

    /// Why a post is not accepted.
    public typealias PostObstacle = SupervisorInterface.PostObstacle

    /// No parameters.
    public struct Nothing: Codable, JSONConvertible, Hashable, Sendable {
        /// The only value.
        public init() {}

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            [:]
        }
    }
}

extension WorkerInterface {
    /// Attaches the caller as the receiver of these callbacks, of all when they are left out.
    ///
    /// One connection is attached at a time. Needs more. The first reply is the status of the worker, each
    /// further one is a callback. Callbacks come one at a time and in order; fetches, transfers and
    /// notifications that are handled in the background may come in parallel.
    public enum Attach: Method {
        /// The name, in full `io.torpor.Worker.Attach`.
        public static let member = "Attach"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The callbacks that the caller handles; all others complete at once.
            ///
            /// All when left out.
            public var callbacks: [CallbackName]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(callbacks: [CallbackName]? = nil) {
                self.callbacks = callbacks
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                callbacks = try members.optional("callbacks")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("callbacks", ifThere: callbacks)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The status of the worker; in the first reply only.
            public var standing: Standing?
            /// A callback; in every other reply but the first.
            public var callback: Callback?
            /// A question for the state of an activity; only to a worker that offers one with asks.
            public var question: ActivityQuestion?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                standing: Standing? = nil, callback: Callback? = nil, question: ActivityQuestion? = nil
            ) {
                self.standing = standing
                self.callback = callback
                self.question = question
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                standing = try members.optional("standing")
                callback = try members.optional("callback")
                question = try members.optional("question")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("standing", ifThere: standing)
                members.add("callback", ifThere: callback)
                members.add("question", ifThere: question)
                return members.json
            }
        }
    }

    /// Completes a callback.
    ///
    /// Replies are sent in the order of the calls, and Attach never gets its last one: on the attached
    /// connection, call this oneway; on a second connection it gets a reply.
    public enum Complete: Method {
        /// The name, in full `io.torpor.Worker.Complete`.
        public static let member = "Complete"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The callback's id.
            public var id: Int64
            /// Whether the worker refuses: the launch options, or to save state.
            public var refused: Bool?
            /// Why the callback failed, where it did.
            public var failure: String?
            /// The state: with saveState.
            public var state: JSON?
            /// What came of the fetch: with performFetch.
            ///
            /// New data when left out.
            public var fetched: FetchResult?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                id: Int64, refused: Bool? = nil, failure: String? = nil, state: JSON? = nil,
                fetched: FetchResult? = nil
            ) {
                self.id = id
                self.refused = refused
                self.failure = failure
                self.state = state
                self.fetched = fetched
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                id = try members.required("id")
                refused = try members.optional("refused")
                failure = try members.optional("failure")
                state = try members.optional("state")
                fetched = try members.optional("fetched")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 5)
                members.add("id", id)
                members.add("refused", ifThere: refused)
                members.add("failure", ifThere: failure)
                members.add("state", ifThere: state)
                members.add("fetched", ifThere: fetched)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Begins a background task: until it ends, or the time for all tasks is over, the worker is not
    /// suspended.
    ///
    /// May be called in the foreground, and should be called before the work starts. When the attached
    /// connection closes, all tasks end.
    public enum BeginBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.BeginBackgroundTask`.
        public static let member = "BeginBackgroundTask"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The purpose, in a word or two.
            public var name: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String) {
                self.name = name
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("name", name)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The token by which it is ended.
            public var token: Int64
            /// What is left of the background time, where it is limited and running, in microseconds.
            public var remainingUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(token: Int64, remainingUsec: Int64? = nil) {
                self.token = token
                self.remainingUsec = remainingUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                token = try members.required("token")
                remainingUsec = try members.optional("remainingUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("token", token)
                members.add("remainingUsec", ifThere: remainingUsec)
                return members.json
            }
        }
    }

    /// Ends a background task, once.
    public enum EndBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.EndBackgroundTask`.
        public static let member = "EndBackgroundTask"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The token from BeginBackgroundTask.
            public var token: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(token: Int64) {
                self.token = token
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                token = try members.required("token")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("token", token)
                return members.json
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
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// What is left, in microseconds; missing where it is not limited.
            public var remainingUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(remainingUsec: Int64? = nil) {
                self.remainingUsec = remainingUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                remainingUsec = try members.optional("remainingUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("remainingUsec", ifThere: remainingUsec)
                return members.json
            }
        }
    }

    /// The state of the worker.
    public enum GetState: Method {
        /// The name, in full `io.torpor.Worker.GetState`.
        public static let member = "GetState"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Its state.
            public var state: State
            /// How long it has been in it, in microseconds.
            public var sinceUsec: Int64
            /// What is left of the background time, where it is limited and running, in microseconds.
            public var backgroundTimeRemainingUsec: Int64?
            /// Whether low-power mode is on: the worker should put off what can wait.
            ///
            /// Missing where the supervisor has no such mode.
            public var lowPower: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                state: State, sinceUsec: Int64, backgroundTimeRemainingUsec: Int64? = nil,
                lowPower: Bool? = nil
            ) {
                self.state = state
                self.sinceUsec = sinceUsec
                self.backgroundTimeRemainingUsec = backgroundTimeRemainingUsec
                self.lowPower = lowPower
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                state = try members.required("state")
                sinceUsec = try members.required("sinceUsec")
                backgroundTimeRemainingUsec = try members.optional("backgroundTimeRemainingUsec")
                lowPower = try members.optional("lowPower")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("state", state)
                members.add("sinceUsec", sinceUsec)
                members.add("backgroundTimeRemainingUsec", ifThere: backgroundTimeRemainingUsec)
                members.add("lowPower", ifThere: lowPower)
                return members.json
            }
        }
    }

    /// Saves state, to be restored once at the next launch; an empty object drops the saved state.
    ///
    /// The reply comes when this state is on the disk, or a newer one that was saved before this one was
    /// written.
    public enum SaveState: Method {
        /// The name, in full `io.torpor.Worker.SaveState`.
        public static let member = "SaveState"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The state.
            public var state: JSON

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(state: JSON) {
                self.state = state
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                state = try members.required("state")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("state", state)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Posts to the worker itself; posting to other workers needs the operators' socket.
    ///
    /// The reply comes when the post is on the disk, unless it is transient.
    public enum Post: Method {
        /// The name, in full `io.torpor.Worker.Post`.
        public static let member = "Post"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The topic: a lowercase letter, then letters, digits, dots, dashes and _, at most 128.
            public var topic: String
            /// The payload; at most 64 KiB.
            public var payload: JSON?
            /// How it is merged with queued posts of its topic.
            ///
            /// When left out: set with members, latest without.
            public var rule: MergeRule?
            /// Members that were added, where the rule is set.
            public var added: [String]?
            /// Members that were removed, where the rule is set.
            public var removed: [String]?
            /// Whether it may be lost when the process or the supervisor ends.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                topic = try members.required("topic")
                payload = try members.optional("payload")
                rule = try members.optional("rule")
                added = try members.optional("added")
                removed = try members.optional("removed")
                transient = try members.optional("transient")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 6)
                members.add("topic", topic)
                members.add("payload", ifThere: payload)
                members.add("rule", ifThere: rule)
                members.add("added", ifThere: added)
                members.add("removed", ifThere: removed)
                members.add("transient", ifThere: transient)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Its number in the queue.
            ///
            /// Missing where it cancelled a queued post.
            public var sequence: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(sequence: Int64? = nil) {
                self.sequence = sequence
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                sequence = try members.optional("sequence")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("sequence", ifThere: sequence)
                return members.json
            }
        }
    }

    /// Schedules a post to the worker itself, whether it runs then or not.
    ///
    /// The reply comes when this is on the disk.
    public enum Schedule: Method {
        /// The name, in full `io.torpor.Worker.Schedule`.
        public static let member = "Schedule"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The topic.
            public var topic: String
            /// When: microseconds since 1970, by the clock as it stands then.
            public var at: Int64
            /// The period, in microseconds.
            ///
            /// Once when left out.
            public var everyUsec: Int64?
            /// The payload; at most 64 KiB.
            public var payload: JSON?
            /// How it is merged with queued posts of its topic.
            ///
            /// Latest when left out.
            public var rule: MergeRule?
            /// Whether it resumes the worker, where that has the remote-notification mode.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                topic = try members.required("topic")
                at = try members.required("at")
                everyUsec = try members.optional("everyUsec")
                payload = try members.optional("payload")
                rule = try members.optional("rule")
                wake = try members.optional("wake")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 6)
                members.add("topic", topic)
                members.add("at", at)
                members.add("everyUsec", ifThere: everyUsec)
                members.add("payload", ifThere: payload)
                members.add("rule", ifThere: rule)
                members.add("wake", ifThere: wake)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The number by which it is cancelled.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(id: Int64) {
                self.id = id
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                id = try members.required("id")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("id", id)
                return members.json
            }
        }
    }

    /// Cancels a scheduled post of the worker.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Worker.Cancel`.
        public static let member = "Cancel"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The number from Schedule.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(id: Int64) {
                self.id = id
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                id = try members.required("id")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("id", id)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Says whether the worker is in use, as only it may know: while it is, it is not suspended for idleness,
    /// however long no data has passed.
    ///
    /// It holds until it is taken back or the process ends.
    public enum SetInUse: Method {
        /// The name, in full `io.torpor.Worker.SetInUse`.
        public static let member = "SetInUse"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Whether it is in use.
            public var inUse: Bool

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(inUse: Bool) {
                self.inUse = inUse
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                inUse = try members.required("inUse")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("inUse", inUse)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Interrupts the worker, as by a dialog or a question that must be answered first: while the
    /// interruption lasts, it is inactive where it would be active.
    ///
    /// Interruptions nest. It ends with EndInterruption, when its time is over, or with the process.
    public enum Interrupt: Method {
        /// The name, in full `io.torpor.Worker.Interrupt`.
        public static let member = "Interrupt"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The purpose, in a word or two.
            public var purpose: String
            /// How long at most, in microseconds; without a limit when left out.
            public var limitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(purpose: String, limitUsec: Int64? = nil) {
                self.purpose = purpose
                self.limitUsec = limitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                purpose = try members.required("purpose")
                limitUsec = try members.optional("limitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("purpose", purpose)
                members.add("limitUsec", ifThere: limitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The number by which it is ended.
            public var number: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64) {
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("number", number)
                return members.json
            }
        }
    }

    /// Ends an interruption of the worker's own, once.
    public enum EndInterruption: Method {
        /// The name, in full `io.torpor.Worker.EndInterruption`.
        public static let member = "EndInterruption"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The number from Interrupt.
            public var number: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64) {
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("number", number)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Begins a transfer: a command that runs as the worker's user in a place of its own, and goes on when
    /// the worker sleeps or ends.
    ///
    /// Its end is told by handleTransferEvents; with Modes=transfer the worker is woken or launched for that.
    /// The reply comes when the command's holder runs.
    public enum BeginTransfer: Method {
        /// The name, in full `io.torpor.Worker.BeginTransfer`.
        public static let member = "BeginTransfer"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The command; the first is the program.
            public var command: [String]
            /// What it is for, in a word or two; the name of the program when left out.
            public var purpose: String?
            /// The directory it starts in; that of the worker when left out.
            public var workingDirectory: String?
            /// How long it may take, in microseconds; no longer than TransferLimitSec= allows.
            public var limitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                command: [String], purpose: String? = nil, workingDirectory: String? = nil,
                limitUsec: Int64? = nil
            ) {
                self.command = command
                self.purpose = purpose
                self.workingDirectory = workingDirectory
                self.limitUsec = limitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                command = try members.required("command")
                purpose = try members.optional("purpose")
                workingDirectory = try members.optional("workingDirectory")
                limitUsec = try members.optional("limitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("command", command)
                members.add("purpose", ifThere: purpose)
                members.add("workingDirectory", ifThere: workingDirectory)
                members.add("limitUsec", ifThere: limitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The number by which it is told and cancelled.
            public var number: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64) {
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("number", number)
                return members.json
            }
        }
    }

    /// Has a transfer of the worker end.
    ///
    /// Its end is told as that of any other.
    public enum CancelTransfer: Method {
        /// The name, in full `io.torpor.Worker.CancelTransfer`.
        public static let member = "CancelTransfer"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The number from BeginTransfer.
            public var number: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64) {
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("number", number)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Offers an activity that the worker does now: another worker, here or on another machine, can continue
    /// it.
    ///
    /// Offered again, it replaces what was said of that type before. It is offered until WithdrawActivity,
    /// until it is handed over, or until the process ends.
    public enum OfferActivity: Method {
        /// The name, in full `io.torpor.Worker.OfferActivity`.
        public static let member = "OfferActivity"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The type, such as org.example.editing: a letter, then letters, digits, dots, dashes and _, at
            /// most 128.
            public var type: String
            /// What it is about, for people; at most 256 bytes.
            public var title: String?
            /// Its state: what the other worker needs to continue it; at most 64 KiB.
            public var payload: JSON?
            /// Whether the attached connection is asked for the state when the activity is handed over.
            public var asks: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(type: String, title: String? = nil, payload: JSON? = nil, asks: Bool? = nil) {
                self.type = type
                self.title = title
                self.payload = payload
                self.asks = asks
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                type = try members.required("type")
                title = try members.optional("title")
                payload = try members.optional("payload")
                asks = try members.optional("asks")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("type", type)
                members.add("title", ifThere: title)
                members.add("payload", ifThere: payload)
                members.add("asks", ifThere: asks)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Takes back an offer.
    public enum WithdrawActivity: Method {
        /// The name, in full `io.torpor.Worker.WithdrawActivity`.
        public static let member = "WithdrawActivity"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The type; all that the worker has offered by OfferActivity when left out.
            public var type: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(type: String? = nil) {
                self.type = type
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                type = try members.optional("type")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("type", ifThere: type)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Answers a question for the state of an activity.
    ///
    /// NoSuchQuestion where it is not open any more.
    public enum AnswerActivity: Method {
        /// The name, in full `io.torpor.Worker.AnswerActivity`.
        public static let member = "AnswerActivity"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The number of the question.
            public var number: Int64
            /// The state; at most 64 KiB.
            public var payload: JSON?
            /// Why there is none: the activity stays with the worker then.
            public var failure: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64, payload: JSON? = nil, failure: String? = nil) {
                self.number = number
                self.payload = payload
                self.failure = failure
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
                payload = try members.optional("payload")
                failure = try members.optional("failure")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("number", number)
                members.add("payload", ifThere: payload)
                members.add("failure", ifThere: failure)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Requests the foreground, as an operator's activate does.
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
        /// The worker has no interruption of its own with this number: it is over, or never began.
        case noSuchInterruption = "io.torpor.Worker.NoSuchInterruption"
        /// There are too many interruptions.
        case tooManyInterruptions = "io.torpor.Worker.TooManyInterruptions"
        /// The worker has no transfer with this number that runs.
        case noSuchTransfer = "io.torpor.Worker.NoSuchTransfer"
        /// The activity is not offered.
        case notOffered = "io.torpor.Worker.NotOffered"
        /// No such question is open: it was answered before, or its time is over.
        case noSuchQuestion = "io.torpor.Worker.NoSuchQuestion"
        /// The transfer could not be begun.
        case transferNotBegun = "io.torpor.Worker.TransferNotBegun"
        /// The worker cannot do that now.
        case notNow = "io.torpor.Worker.NotNow"
        /// There are too many background tasks.
        case tooManyTasks = "io.torpor.Worker.TooManyTasks"
        /// The state is too large.
        case stateTooLarge = "io.torpor.Worker.StateTooLarge"
        /// The state cannot be stored.
        case stateNotKept = "io.torpor.Worker.StateNotKept"
        /// The post was not accepted.
        case notPosted = "io.torpor.Worker.NotPosted"
        /// There is no scheduled post of that number.
        case noSuchSchedule = "io.torpor.Worker.NoSuchSchedule"
        /// The worker has too many connections.
        ///
        /// This is the last message on this one.
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

    /// The worker has no interruption of its own with this number: it is over, or never began.
    public static func noSuchInterruption(number: Int64) -> MethodError {
        MethodError(ErrorName.noSuchInterruption.rawValue, ["number": .int(number)])
    }

    /// There are too many interruptions.
    public static func tooManyInterruptions(limit: Int64) -> MethodError {
        MethodError(ErrorName.tooManyInterruptions.rawValue, ["limit": .int(limit)])
    }

    /// The worker has no transfer with this number that runs.
    public static func noSuchTransfer(number: Int64) -> MethodError {
        MethodError(ErrorName.noSuchTransfer.rawValue, ["number": .int(number)])
    }

    /// The activity is not offered.
    public static func notOffered(why: String) -> MethodError {
        MethodError(ErrorName.notOffered.rawValue, ["why": .string(why)])
    }

    /// No such question is open: it was answered before, or its time is over.
    public static func noSuchQuestion(number: Int64) -> MethodError {
        MethodError(ErrorName.noSuchQuestion.rawValue, ["number": .int(number)])
    }

    /// The transfer could not be begun.
    public static func transferNotBegun(tooMany: Bool, why: String) -> MethodError {
        MethodError(ErrorName.transferNotBegun.rawValue, ["tooMany": .bool(tooMany), "why": .string(why)])
    }

    /// The worker cannot do that now.
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

    /// The state cannot be stored.
    public static func stateNotKept(why: String) -> MethodError {
        MethodError(ErrorName.stateNotKept.rawValue, ["why": .string(why)])
    }

    /// The post was not accepted.
    public static func notPosted(obstacle: PostObstacle, why: String) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["obstacle"] = .string(obstacle.rawValue)
        parameters["why"] = .string(why)
        return MethodError(ErrorName.notPosted.rawValue, parameters)
    }

    /// There is no scheduled post of that number.
    public static func noSuchSchedule(id: Int64) -> MethodError {
        MethodError(ErrorName.noSuchSchedule.rawValue, ["id": .int(id)])
    }

    /// The worker has too many connections.
    ///
    /// This is the last message on this one.
    public static func tooManyConnections(limit: Int64) -> MethodError {
        MethodError(ErrorName.tooManyConnections.rawValue, ["limit": .int(limit)])
    }
}
