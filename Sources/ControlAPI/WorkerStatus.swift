public import Varlink

extension SupervisorInterface {
    /// Everything about one worker.
    public struct WorkerStatus: Codable, Hashable, Sendable {
        /// Its name.
        public var name: String
        /// What its definition says it is.
        public var description: String?
        /// Its state.
        public var state: State
        /// When it entered the state: microseconds since 1970.
        public var since: Int64
        /// Where it is going.
        public var goal: Goal
        /// Who set the goal; nobody when a rule did.
        public var goalBy: Caller?
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The kind of contract: simple, notify, app.
        public var type: String
        /// The user it runs as.
        public var user: String?
        /// The main process, when there is one.
        public var pid: Int64?
        /// How many processes it has, descendants included.
        public var processCount: Int64?
        /// What it holds.
        public var memory: Memory?
        /// Processor time so far, in microseconds.
        public var cpuUsec: Int64?
        /// The callback in flight.
        public var callback: String?
        /// The deadlines that run, the next first.
        public var deadlines: [Deadline]
        /// How long it may stay in the background, when that is limited, in microseconds.
        public var backgroundTimeRemainingUsec: Int64?
        /// The background tasks that keep it awake.
        public var tasks: [BackgroundTask]
        /// Notifications that wait for it.
        public var queueLength: Int64
        /// Whether somebody outside stopped it, so that no event of ours resumes it.
        public var held: Bool
        /// Whether a supervisor before this one has started its process; missing where not.
        public var adopted: Bool?
        /// How it is put to sleep here.
        public var freezeMethod: FreezeMethod?
        /// What the present process was launched for.
        public var launchReason: LaunchReason?
        /// What came with the launch.
        ///
        /// Operators only.
        public var launchOptions: JSON.Object?
        /// What it says about itself (STATUS= of sd_notify).
        public var statusText: String?
        /// How its last process ended.
        public var lastTermination: Termination?
        /// Restarts in a row.
        public var restartCount: Int64
        /// The files that define it, in the order in which they were read; none for a transient worker.
        public var files: [String]
        /// The command.
        ///
        /// Operators only.
        public var commandLine: [String]?
        /// The environment, as NAME=VALUE.
        ///
        /// Operators only.
        public var environment: [String]?
        /// The last lines it printed, where they pass through us.
        ///
        /// Operators only.
        public var lastOutput: [String]?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            goalBy: Caller? = nil, reason: NotRunningReason? = nil, type: String,
            user: String? = nil, pid: Int64? = nil, processCount: Int64? = nil,
            memory: Memory? = nil, cpuUsec: Int64? = nil, callback: String? = nil,
            deadlines: [Deadline], backgroundTimeRemainingUsec: Int64? = nil,
            tasks: [BackgroundTask], queueLength: Int64, held: Bool, adopted: Bool? = nil,
            freezeMethod: FreezeMethod? = nil, launchReason: LaunchReason? = nil,
            launchOptions: JSON.Object? = nil, statusText: String? = nil,
            lastTermination: Termination? = nil, restartCount: Int64, files: [String],
            commandLine: [String]? = nil, environment: [String]? = nil,
            lastOutput: [String]? = nil
        ) {
            self.name = name
            self.description = description
            self.state = state
            self.since = since
            self.goal = goal
            self.goalBy = goalBy
            self.reason = reason
            self.type = type
            self.user = user
            self.pid = pid
            self.processCount = processCount
            self.memory = memory
            self.cpuUsec = cpuUsec
            self.callback = callback
            self.deadlines = deadlines
            self.backgroundTimeRemainingUsec = backgroundTimeRemainingUsec
            self.tasks = tasks
            self.queueLength = queueLength
            self.held = held
            self.adopted = adopted
            self.freezeMethod = freezeMethod
            self.launchReason = launchReason
            self.launchOptions = launchOptions
            self.statusText = statusText
            self.lastTermination = lastTermination
            self.restartCount = restartCount
            self.files = files
            self.commandLine = commandLine
            self.environment = environment
            self.lastOutput = lastOutput
        }
    }
}
