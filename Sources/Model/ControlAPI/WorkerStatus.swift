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
        /// The kind of contract, as `Type=` says it: simple, exec, oneshot, notify, app.
        public var type: String
        /// What shows that it is ready, as `ReadyWhen=` says it; missing where the type does.
        public var readyWhen: String?
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
        /// How many processes of it run on although another program has stopped its main process; missing where none does.
        public var runningOthers: Int64?
        /// Whether a supervisor before this one has started its process; missing where not.
        public var adopted: Bool?
        /// Why it is in its state, as a clause.
        ///
        /// Operators only.
        public var because: String?
        /// What would change it, in words; what wakes it by itself, and when.
        ///
        /// Operators only.
        public var wouldChange: [String]?
        /// How it is put to sleep here.
        public var freezeMethod: FreezeMethod?
        /// Why it could not be put to sleep, while that is to be tried again; the deadline called `sleep` tells when.
        ///
        /// Operators only.
        public var freezeFailure: String?
        /// What the present process was launched for.
        public var launchReason: LaunchReason?
        /// Whether the process before it had to make room, so that the launch was a restore; missing where not.
        public var restored: Bool?
        /// What woke it from its last sleep, or launched it; missing where only goals did.
        public var lastWake: WakeEvent?
        /// Callbacks that it has failed to take since its launch, and has not taken since; the latest at the end.
        ///
        /// Missing where there is none.
        public var hookFailures: [HookFailure]?
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
        /// Where what it prints goes instead: a path, or `journal:` and the identifier of its lines there.
        ///
        /// Operators only.
        public var outputTo: String?
        /// What is under way of its launch, where that has come to no process yet.
        ///
        /// Operators only.
        public var launching: String?
        /// What is wrong with its file, so that its definition of before is in force; missing where nothing is.
        public var fileProblem: String?
        /// When that definition was read: microseconds since 1970.
        public var definedAt: Int64?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            goalBy: Caller? = nil, reason: NotRunningReason? = nil, type: String,
            readyWhen: String? = nil, user: String? = nil, pid: Int64? = nil, processCount: Int64? = nil,
            memory: Memory? = nil, cpuUsec: Int64? = nil, callback: String? = nil,
            deadlines: [Deadline], backgroundTimeRemainingUsec: Int64? = nil,
            tasks: [BackgroundTask], queueLength: Int64, held: Bool,
            runningOthers: Int64? = nil, adopted: Bool? = nil,
            because: String? = nil, wouldChange: [String]? = nil,
            freezeMethod: FreezeMethod? = nil, freezeFailure: String? = nil,
            launchReason: LaunchReason? = nil,
            restored: Bool? = nil, lastWake: WakeEvent? = nil, launchOptions: JSON.Object? = nil,
            hookFailures: [HookFailure]? = nil, statusText: String? = nil,
            lastTermination: Termination? = nil, restartCount: Int64, files: [String],
            commandLine: [String]? = nil, environment: [String]? = nil,
            lastOutput: [String]? = nil, outputTo: String? = nil, launching: String? = nil,
            fileProblem: String? = nil, definedAt: Int64? = nil
        ) {
            self.name = name
            self.description = description
            self.state = state
            self.since = since
            self.goal = goal
            self.goalBy = goalBy
            self.reason = reason
            self.type = type
            self.readyWhen = readyWhen
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
            self.runningOthers = runningOthers
            self.adopted = adopted
            self.because = because
            self.wouldChange = wouldChange
            self.freezeMethod = freezeMethod
            self.freezeFailure = freezeFailure
            self.launchReason = launchReason
            self.restored = restored
            self.lastWake = lastWake
            self.hookFailures = hookFailures
            self.launchOptions = launchOptions
            self.statusText = statusText
            self.lastTermination = lastTermination
            self.restartCount = restartCount
            self.files = files
            self.commandLine = commandLine
            self.environment = environment
            self.lastOutput = lastOutput
            self.outputTo = outputTo
            self.launching = launching
            self.fileProblem = fileProblem
            self.definedAt = definedAt
        }
    }

    /// A callback that a worker has failed to take.
    public struct HookFailure: Codable, Hashable, Sendable {
        /// The callback.
        public var callback: String
        /// The topic, where the hook is one for notifications.
        ///
        /// Operators only.
        public var topic: String?
        /// What was done, as the worker file has it; missing where the worker's own connection was told.
        ///
        /// Operators only.
        public var action: String?
        /// Why it failed.
        ///
        /// Operators only.
        public var why: String?
        /// When: microseconds since 1970.
        public var at: Int64

        /// Everything at once; what may be missing is missing when left out.
        public init(
            callback: String, topic: String? = nil, action: String? = nil, why: String? = nil, at: Int64
        ) {
            self.callback = callback
            self.topic = topic
            self.action = action
            self.why = why
            self.at = at
        }
    }

    /// What woke a worker, or launched it.
    public struct WakeEvent: Codable, Hashable, Sendable {
        /// When: microseconds since 1970.
        public var at: Int64
        /// The event.
        public var reason: LaunchReason
        /// What it was about: the topic, the path, the URL.
        ///
        /// Operators only.
        public var detail: String?
        /// The caller behind it.
        ///
        /// Operators only.
        public var by: Caller?
        /// The program of that caller.
        ///
        /// Operators only.
        public var program: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            at: Int64, reason: LaunchReason, detail: String? = nil, by: Caller? = nil, program: String? = nil
        ) {
            self.at = at
            self.reason = reason
            self.detail = detail
            self.by = by
            self.program = program
        }
    }
}
