public import Varlink

extension WorkerInterface {
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
        /// What came with it, as the URL.
        public var options: JSON
        /// Whether the process before it had to make room; missing where not.
        public var restored: Bool?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            reason: LaunchReason, intoForeground: Bool, restoresState: Bool, options: JSON = .object([:]),
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

        /// Everything at once; what may be missing is missing when left out.
        public init(
            topic: String, sequence: Int64, count: Int64 = 1, first: Int64, last: Int64, payload: JSON? = nil,
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

        /// A callback of this id and name; the rest is missing until it is set.
        public init(id: Int64, name: CallbackName) {
            self.id = id
            self.name = name
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

        /// Everything at once.
        public init(worker: String, state: State, launch: Launch) {
            self.worker = worker
            self.state = state
            self.launch = launch
        }
    }
}
