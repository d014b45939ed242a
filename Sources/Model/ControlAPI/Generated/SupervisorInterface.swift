// Generated from io.torpor.Supervisor.varlink by `make generate`: change that file instead of this one.

public import Varlink

/// The interface `io.torpor.Supervisor`.
///
/// The control interface of the Torpor supervisor, for operators. Anybody may call List, Describe, Why,
/// Watch, Report, History, Pressure, Doctor, GetLogLevel and Ping; Describe then leaves out command line,
/// environment, payloads, output and the names of background tasks, Report and History what commands printed
/// or were, and all of them which caller asked for something. Everything else is for root, the supervisor's
/// own user and the operators' group, LaunchTransient for the definers' group alone; others get
/// org.varlink.service.PermissionDenied. A caller that is no operator may name 32 workers or patterns in a
/// call, and what it is told of memory and of this place may be some seconds old. Times are in microseconds.
/// A field with a question mark may be missing.
public enum SupervisorInterface {
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
        List.self, Describe.self, Why.self, Open.self, Hold.self, Post.self, Notifications.self,
        RetryNotification.self, DropNotification.self, Cancel.self, Cat.self, Logs.self, Send.self,
        Watch.self, Report.self, History.self, Launch.self, LaunchTransient.self, Activate.self, Resign.self,
        Background.self, Suspend.self, Resume.self, Restart.self, Terminate.self, Kill.self, Shutdown.self,
        Pressure.self, Doctor.self, Reload.self, ReloadWorker.self, Reexec.self, SetLogLevel.self,
        GetLogLevel.self, Ping.self,
    ]
}

extension SupervisorInterface.Method {
    /// The full name, as `io.torpor.Supervisor.List`.
    public static var name: String { "io.torpor.Supervisor." + member }
}

extension SupervisorInterface {
    /// The five states of a worker (iOS's, and in its words).
    public enum State: String, Codable, CaseIterable, Hashable, Sendable {
        /// No process.
        ///
        /// Why not, says the reason.
        case notRunning
        /// Runs, but gets no input: every change passes through it.
        case inactive
        /// Runs and gets input.
        case active
        /// Runs on a budget, without input.
        case background
        /// Does not run; its memory is kept.
        case suspended
    }

    /// What a worker is steered to; it walks the legal steps, one at a time.
    public enum Goal: String, Codable, CaseIterable, Hashable, Sendable {
        /// Runs in the foreground.
        case active
        /// Runs, without input, until it is activated.
        case inactive
        /// Stays in the background.
        case background
        /// Sleeps.
        case suspended
        /// Ends.
        case notRunning
    }

    /// Why a worker has no process.
    ///
    /// Only failed is a failure.
    public enum NotRunningReason: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nobody has wanted it yet.
        case neverLaunched
        /// It ended by itself, successfully.
        case exited
        /// It had to make room; the next event brings it back.
        case evicted
        /// An operator killed it; only an operator brings it back.
        case forceQuit
        /// It crashed, or broke a time rule.
        case failed
        /// It failed and waits to be restarted.
        case backingOff
        /// Its file does not hold, and nothing that held has been read of it: a mended file and Reload define
        /// it.
        case badSetting
    }

    /// Who or what a worker was launched for.
    public enum LaunchReason: String, Codable, CaseIterable, Hashable, Sendable {
        /// A command.
        case `operator`
        /// The start of the supervisor.
        case boot
        /// A connection on a held socket.
        case socket
        /// A URL was opened.
        case url
        /// A notification for the user, into the foreground.
        case notification
        /// A notification handled in the background.
        case silentNotification
        /// A scheduled notification.
        case schedule
        /// A background fetch.
        case fetch
        /// A watched path.
        case path
        /// A device.
        case device
        /// An activity handed on.
        case activity
        /// The end of a transfer.
        case transfer
        /// A crash before.
        case restart
        /// An eviction before.
        case restore
        /// Kept warm.
        case prelaunch
        /// The failure of another worker, which names it in OnFailure=.
        case failure
    }

    /// How a worker is put to sleep.
    public enum FreezeMethod: String, Codable, CaseIterable, Hashable, Sendable {
        /// By the freezer of its control group.
        case cgroup
        /// By SIGSTOP to each of its processes, where no control group can be used.
        case signal
    }

    /// How much is logged: this and everything more urgent (syslog(3)).
    public enum LogLevel: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nothing works any more.
        case emerg
        /// Somebody must act now.
        case alert
        /// Critical.
        case crit
        /// Errors.
        case err
        /// Warnings.
        case warning
        /// Normal, but worth a look.
        case notice
        /// Every change.
        case info
        /// Everything.
        case debug
    }

    /// Who asked for something, as the kernel says (SO_PEERCRED).
    public struct Caller: Codable, Hashable, Sendable {
        /// The user.
        public var uid: Int64
        /// The process; it may be gone.
        public var pid: Int64

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(uid: Int64, pid: Int64) {
            self.uid = uid
            self.pid = pid
        }
    }

    /// One worker in one line.
    public struct WorkerSummary: Codable, Hashable, Sendable {
        /// Its name; of a template with the instance, as web@42.
        public var name: String
        /// What its definition says it is.
        public var description: String?
        /// Its state.
        public var state: State
        /// When it entered the state: microseconds since 1970.
        public var since: Int64
        /// Where it is going.
        public var goal: Goal
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The main process, when there is one.
        public var pid: Int64?
        /// The memory it holds now, where that can be known.
        public var memoryBytes: Int64?
        /// Whether somebody outside stopped it, so that no event of ours resumes it.
        public var held: Bool
        /// Whether a supervisor before this one has started its process; missing where not.
        public var adopted: Bool?
        /// Whether it is being launched and has no process yet; missing where not.
        ///
        /// Since is then when that was begun.
        public var launching: Bool?
        /// What is wrong with its file, so that its definition of before is in force; missing where nothing
        /// is.
        public var fileProblem: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            reason: NotRunningReason? = nil, pid: Int64? = nil, memoryBytes: Int64? = nil, held: Bool,
            adopted: Bool? = nil, launching: Bool? = nil, fileProblem: String? = nil
        ) {
            self.name = name
            self.description = description
            self.state = state
            self.since = since
            self.goal = goal
            self.reason = reason
            self.pid = pid
            self.memoryBytes = memoryBytes
            self.held = held
            self.adopted = adopted
            self.launching = launching
            self.fileProblem = fileProblem
        }
    }

    /// A deadline that runs now.
    public struct Deadline: Codable, Hashable, Sendable {
        /// What must be done by then: a callback's name, launch, stop, backgroundTasks, watchdog, restart.
        public var name: String
        /// When it passes: microseconds of the monotonic clock.
        public var at: Int64
        /// How long that is from now, in microseconds.
        public var remainingUsec: Int64
        /// What happens past it, in words.
        public var then: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(name: String, at: Int64, remainingUsec: Int64, then: String) {
            self.name = name
            self.at = at
            self.remainingUsec = remainingUsec
            self.then = then
        }
    }

    /// A background task that keeps a worker awake.
    public struct BackgroundTask: Codable, Hashable, Sendable {
        /// As it was named when it began.
        ///
        /// Empty for a caller that is no operator.
        public var name: String
        /// When it began: microseconds since 1970.
        public var since: Int64
        /// Who holds it, when that is not the worker itself.
        public var by: Caller?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(name: String, since: Int64, by: Caller? = nil) {
            self.name = name
            self.since = since
            self.by = by
        }
    }

    /// What a worker holds.
    public struct Memory: Codable, Hashable, Sendable {
        /// Now.
        public var currentBytes: Int64
        /// At most so far.
        public var peakBytes: Int64?
        /// The limit in force.
        public var limitBytes: Int64?
        /// What its present sleep gave back.
        public var givenBackBytes: Int64?
        /// How often it has stood still at a limit of its own since it was launched; missing where the kernel
        /// does not count that.
        public var throttleCount: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            currentBytes: Int64, peakBytes: Int64? = nil, limitBytes: Int64? = nil,
            givenBackBytes: Int64? = nil, throttleCount: Int64? = nil
        ) {
            self.currentBytes = currentBytes
            self.peakBytes = peakBytes
            self.limitBytes = limitBytes
            self.givenBackBytes = givenBackBytes
            self.throttleCount = throttleCount
        }
    }

    /// How a process ended.
    public struct Termination: Codable, Hashable, Sendable {
        /// When: microseconds since 1970.
        public var at: Int64
        /// The process.
        public var pid: Int64
        /// The kind of end: exited, failed, crashed, stopped, watchdog, backgroundTask, transfer, fetch,
        /// backgroundCPU, heldResource, forceQuit, evicted, memory-limit, kernel-oom, launchFailed.
        public var cause: String
        /// The code of a broken rule, as 0x8badf00d.
        public var code: String?
        /// The exit status of a process that exited.
        public var exitStatus: Int64?
        /// The signal that ended it, as SIGSEGV.
        public var signal: String?
        /// The same in a sentence.
        ///
        /// For callers that are no operators without what commands it names.
        public var sentence: String
        /// The state it was in.
        public var state: State
        /// Where it was going.
        public var goal: Goal
        /// What it had been launched for.
        public var launchReason: LaunchReason?
        /// The caller that asked for the end.
        ///
        /// Operators only.
        public var requestedBy: Caller?
        /// How long it ran in all, in microseconds.
        public var runUsec: Int64
        /// How much of that in the background.
        public var backgroundUsec: Int64
        /// How long it was suspended.
        public var suspendedUsec: Int64
        /// The most memory it held.
        public var peakMemoryBytes: Int64?
        /// Memory pressure at the time, some, percent.
        public var pressureSome: Double?
        /// Memory pressure at the time, full, percent.
        public var pressureFull: Double?
        /// What its end gave back, where it was ended for memory.
        public var freedBytes: Int64?
        /// What its sleep had given back before.
        public var givenBackBytes: Int64?
        /// The callback that was in flight.
        public var callback: String?
        /// For how long.
        public var callbackUsec: Int64?
        /// Notifications that were kept.
        public var queueLength: Int64
        /// The last lines it printed, where they pass through us; of launchFailed, why no process came to be.
        ///
        /// Operators only.
        public var lastOutput: [String]?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            at: Int64, pid: Int64, cause: String, code: String? = nil, exitStatus: Int64? = nil,
            signal: String? = nil, sentence: String, state: State, goal: Goal,
            launchReason: LaunchReason? = nil, requestedBy: Caller? = nil, runUsec: Int64,
            backgroundUsec: Int64, suspendedUsec: Int64, peakMemoryBytes: Int64? = nil,
            pressureSome: Double? = nil, pressureFull: Double? = nil, freedBytes: Int64? = nil,
            givenBackBytes: Int64? = nil, callback: String? = nil, callbackUsec: Int64? = nil,
            queueLength: Int64, lastOutput: [String]? = nil
        ) {
            self.at = at
            self.pid = pid
            self.cause = cause
            self.code = code
            self.exitStatus = exitStatus
            self.signal = signal
            self.sentence = sentence
            self.state = state
            self.goal = goal
            self.launchReason = launchReason
            self.requestedBy = requestedBy
            self.runUsec = runUsec
            self.backgroundUsec = backgroundUsec
            self.suspendedUsec = suspendedUsec
            self.peakMemoryBytes = peakMemoryBytes
            self.pressureSome = pressureSome
            self.pressureFull = pressureFull
            self.freedBytes = freedBytes
            self.givenBackBytes = givenBackBytes
            self.callback = callback
            self.callbackUsec = callbackUsec
            self.queueLength = queueLength
            self.lastOutput = lastOutput
        }
    }

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
        /// The caller that set the goal; missing where a rule did.
        ///
        /// Operators only.
        public var goalBy: Caller?
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The kind of contract, as Type= says it: simple, exec, oneshot, notify, app.
        public var type: String
        /// What shows that it is ready, as ReadyWhen= says it; missing where the type does.
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
        /// How many processes of it run on although another program has stopped its main process.
        ///
        /// Missing where none does.
        public var runningOthers: Int64?
        /// Whether a supervisor before this one has started its process; missing where not.
        public var adopted: Bool?
        /// Why it is in its state, as a clause.
        ///
        /// Of an operator and a hook it says which for operators only.
        public var because: String?
        /// What would change it, in words; what wakes it by itself, and when.
        public var wouldChange: [String]?
        /// How it is put to sleep here.
        public var freezeMethod: FreezeMethod?
        /// Why it could not be put to sleep, while that is to be tried again; the deadline called sleep tells
        /// when.
        ///
        /// Operators only.
        public var freezeFailure: String?
        /// What the present process was launched for.
        public var launchReason: LaunchReason?
        /// Whether the process before it had to make room, so that the launch was a restore.
        ///
        /// Missing where not.
        public var restored: Bool?
        /// What woke it from its last sleep, or launched it.
        ///
        /// Missing where only goals did.
        public var lastWake: WakeEvent?
        /// Callbacks that it has failed to take since its launch, and has not taken since; the latest at the
        /// end.
        ///
        /// Missing where there is none.
        public var hookFailures: [HookFailure]?
        /// What came with the launch.
        ///
        /// Operators only.
        public var launchOptions: JSON?
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
        /// Where what it prints goes instead: a path, or journal: and the identifier of its lines there.
        ///
        /// Operators only.
        public var outputTo: String?
        /// What is under way of its launch, where that has come to no process yet.
        ///
        /// Operators only.
        public var launching: String?
        /// What is wrong with its file, so that its definition of before is in force; missing where nothing
        /// is.
        public var fileProblem: String?
        /// When that definition was read: microseconds since 1970.
        public var definedAt: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            goalBy: Caller? = nil, reason: NotRunningReason? = nil, type: String, readyWhen: String? = nil,
            user: String? = nil, pid: Int64? = nil, processCount: Int64? = nil, memory: Memory? = nil,
            cpuUsec: Int64? = nil, callback: String? = nil, deadlines: [Deadline],
            backgroundTimeRemainingUsec: Int64? = nil, tasks: [BackgroundTask], queueLength: Int64,
            held: Bool, runningOthers: Int64? = nil, adopted: Bool? = nil, because: String? = nil,
            wouldChange: [String]? = nil, freezeMethod: FreezeMethod? = nil, freezeFailure: String? = nil,
            launchReason: LaunchReason? = nil, restored: Bool? = nil, lastWake: WakeEvent? = nil,
            hookFailures: [HookFailure]? = nil, launchOptions: JSON? = nil, statusText: String? = nil,
            lastTermination: Termination? = nil, restartCount: Int64, files: [String],
            commandLine: [String]? = nil, environment: [String]? = nil, lastOutput: [String]? = nil,
            outputTo: String? = nil, launching: String? = nil, fileProblem: String? = nil,
            definedAt: Int64? = nil
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

        /// A value of these members; one that may be missing is `nil` unless it is given.
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

        /// A value of these members; one that may be missing is `nil` unless it is given.
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

    /// What became of a goal for one worker.
    public struct GoalResult: Codable, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// Its state now.
        public var state: State
        /// Its goal now.
        public var goal: Goal
        /// Where it was asked to be, when another goal has replaced that.
        ///
        /// Missing otherwise.
        public var wanted: Goal?
        /// Whether the goal is reached.
        public var reached: Bool
        /// The name of the error, as io.torpor.Supervisor.Refused, when it cannot be reached.
        public var error: String?
        /// What is in the way, in a sentence.
        public var message: String?
        /// The last lines it printed, where it has ended instead.
        public var lastOutput: [String]?

        /// A value of these members; one that may be missing is `nil` unless it is given.
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

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(section: String, key: String, value: String) {
            self.section = section
            self.key = key
            self.value = value
        }
    }

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
        /// The user that asked, where a caller did.
        ///
        /// Operators only.
        public var uid: Int64?
        /// The process that asked.
        ///
        /// Operators only.
        public var pid: Int64?
        /// Callbacks that the change would have had but that were skipped.
        public var notTold: [String]

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            worker: String, from: State? = nil, to: State? = nil, goal: Goal, reason: String, at: Int64,
            monotonic: Int64, uid: Int64? = nil, pid: Int64? = nil, notTold: [String]
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

    /// How a process ended, as it is kept: it outlives the process, the supervisor and the boot.
    public struct TerminationReport: Codable, Hashable, Sendable {
        /// Its number: what ended later has a greater one.
        public var id: Int64
        /// The worker.
        public var worker: String
        /// The boot in which it ended (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// What is known of it.
        ///
        /// Who asked and the output are for operators only.
        public var termination: Termination

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(id: Int64, worker: String, bootId: String, termination: Termination) {
            self.id = id
            self.worker = worker
            self.bootId = bootId
            self.termination = termination
        }
    }

    /// What kind of thing the history tells of.
    public enum HistoryKind: String, Codable, CaseIterable, Hashable, Sendable {
        /// The state changed.
        case changed
        /// A launch was complete.
        case launched
        /// A launch did not happen.
        case launchFailed
        /// A process ended.
        case ended
        /// Something went wrong that supervision went on without.
        case warned
        /// An event woke or launched it: which, says the reason.
        case woken
        /// A caller opened a URL with it.
        case opened
        /// The supervisor began or ended, or took a worker over.
        case supervisor
        /// Memory was short, or is no longer, and what was done about it.
        case memory
        /// Entries before this one could not be written in time, and are missing.
        case lost
    }

    /// One thing that happened, as it is kept.
    public struct HistoryEntry: Codable, Hashable, Sendable {
        /// Its number: what happened later has a greater one.
        public var id: Int64
        /// The worker; none when it concerns them all.
        public var worker: String?
        /// The boot in which it happened (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// When: microseconds since 1970.
        public var at: Int64
        /// What kind of thing it is.
        public var kind: HistoryKind
        /// The state before.
        public var from: State?
        /// The state after.
        public var to: State?
        /// Why, in a word: operator, idle, socket, exited, watchdog and so on.
        public var reason: String
        /// Who asked, when somebody did.
        ///
        /// Operators only.
        public var requestedBy: Caller?
        /// How long it had been asleep, in microseconds, on the way out of suspended.
        public var suspendedForUsec: Int64?
        /// Callbacks that the change would have had but that were skipped.
        public var notTold: [String]
        /// What there is to say besides.
        ///
        /// Of ends, warnings, failed launches, wakes, URLs and the supervisor for operators only.
        public var message: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            id: Int64, worker: String? = nil, bootId: String, at: Int64, kind: HistoryKind,
            from: State? = nil, to: State? = nil, reason: String, requestedBy: Caller? = nil,
            suspendedForUsec: Int64? = nil, notTold: [String], message: String? = nil
        ) {
            self.id = id
            self.worker = worker
            self.bootId = bootId
            self.at = at
            self.kind = kind
            self.from = from
            self.to = to
            self.reason = reason
            self.requestedBy = requestedBy
            self.suspendedForUsec = suspendedForUsec
            self.notTold = notTold
            self.message = message
        }
    }

    /// How short the machine is of memory.
    public enum PressureLevel: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nobody has to do anything.
        case normal
        /// Running workers are told.
        case warning
        /// One worker after the other has to go.
        case critical
    }

    /// One thing that this place allows or not.
    public struct Finding: Codable, Hashable, Sendable {
        /// What it is, as freezer, pressure, reclaim, journal.
        public var capability: String
        /// Whether it is there.
        public var available: Bool
        /// What was found, in a sentence.
        public var detail: String
        /// The one line that mends it.
        public var remedy: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(capability: String, available: Bool, detail: String, remedy: String? = nil) {
            self.capability = capability
            self.available = available
            self.detail = detail
            self.remedy = remedy
        }
    }

    /// A file as it is on disk.
    public struct File: Codable, Hashable, Sendable {
        /// Where.
        public var path: String
        /// What it says.
        public var content: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(path: String, content: String) {
            self.path = path
            self.content = content
        }
    }

    /// A complaint about a definition.
    public struct Diagnostic: Codable, Hashable, Sendable {
        /// The worker it concerns.
        public var worker: String?
        /// The file.
        public var file: String
        /// The line, from 1.
        public var line: Int64?
        /// The key.
        public var key: String?
        /// What was expected.
        public var message: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            worker: String? = nil, file: String, line: Int64? = nil, key: String? = nil, message: String
        ) {
            self.worker = worker
            self.file = file
            self.line = line
            self.key = key
            self.message = message
        }
    }

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
        /// None merged: kept in order, bounded; past that the oldest are counted.
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
        /// The payload is larger than 64 KiB.
        case tooLarge
        /// Too many topics wait for the worker.
        case tooManyTopics
        /// The set has too many members.
        case tooManyMembers
        /// The worker's queue is full.
        case full
        /// It cannot be written to the disk, and so is not promised.
        ///
        /// It may be delivered all the same.
        case notKept
        /// The time has passed.
        case past
        /// It would repeat more often than once a second.
        case tooOften
        /// The worker has 64 scheduled posts, which is the most.
        case tooManySchedules
    }

    /// What became of a post to one worker.
    public struct PostResult: Codable, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// The number under which it waits.
        ///
        /// None where it undid what waited, or is scheduled.
        public var sequence: Int64?
        /// The number of the scheduled post.
        public var schedule: Int64?
        /// Why it was not taken.
        public var obstacle: PostObstacle?
        /// The same, in words; without an obstacle, what of the post comes to nothing.
        public var message: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
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

    /// Something that waits for a worker: a post, or what several of one topic have become.
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
        /// Members that were added, where the rule is set.
        public var added: [String]?
        /// Members that were removed, where the rule is set.
        public var removed: [String]?
        /// How many were dropped before it because there were too many.
        public var dropped: Int64?
        /// Whether it has been handed to the worker, which has not taken it yet.
        public var inFlight: Bool
        /// Whether it outlives the worker's process and the supervisor.
        public var survives: Bool
        /// How often the worker died while it was being delivered.
        ///
        /// Missing where it did not.
        public var deaths: Int64?
        /// Whether it is set aside, since the worker died twice of it, and is delivered no more until
        /// RetryNotification.
        ///
        /// Missing where not.
        public var setAside: Bool?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            topic: String, sequence: Int64, rule: MergeRule, count: Int64, first: Int64, last: Int64,
            payload: JSON? = nil, added: [String]? = nil, removed: [String]? = nil, dropped: Int64? = nil,
            inFlight: Bool, survives: Bool, deaths: Int64? = nil, setAside: Bool? = nil
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
        /// When it is due: microseconds since 1970, by the clock as it stands then.
        public var at: Int64
        /// How long it is from one time to the next, in microseconds.
        ///
        /// Once where it is missing.
        public var everyUsec: Int64?
        /// Whether it wakes a worker that sleeps.
        public var wake: Bool
        /// The caller that has scheduled it.
        ///
        /// Missing where that was the worker itself.
        public var by: Caller?
        /// That caller's program, where it was known.
        public var program: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            id: Int64, topic: String, rule: MergeRule, payload: JSON? = nil, at: Int64,
            everyUsec: Int64? = nil, wake: Bool, by: Caller? = nil, program: String? = nil
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

    /// Why a worker is no longer held although the connection is open.
    public enum HoldEnd: String, Codable, CaseIterable, Hashable, Sendable {
        /// The limit that the caller has set has passed; the worker lives on.
        case limit
        /// The worker has ended all the same.
        case workerEnded
    }

    /// No parameters.
    public struct Nothing: Codable, Hashable, Sendable {
        /// The only value.
        public init() {}
    }
}

extension SupervisorInterface {
    /// All workers in one answer, ordered by name.
    ///
    /// A pattern that matches nothing is no error here.
    public enum List: Method {
        /// The name, in full `io.torpor.Supervisor.List`.
        public static let member = "List"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out.
            public var names: [String]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String]? = nil) {
                self.names = names
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The workers.
            public var workers: [WorkerSummary]
            /// How many of all workers sleep.
            public var asleepCount: Int64
            /// What their sleep has given back.
            public var givenBackBytes: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
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

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String) {
                self.name = name
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// What there is to know; less for a caller who is no operator.
            public var worker: WorkerStatus

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: WorkerStatus) {
                self.worker = worker
            }
        }
    }

    /// Why a worker is in its state and what would change it.
    public enum Why: Method {
        /// The name, in full `io.torpor.Supervisor.Why`.
        public static let member = "Why"

        /// The parameters of a call.
        public typealias Parameters = Describe.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// All of the following in one sentence.
            public var sentence: String
            /// Its state.
            public var state: State
            /// Its goal.
            public var goal: Goal
            /// What brought it here, in a word.
            public var cause: String
            /// The caller that asked for it.
            ///
            /// Operators only.
            public var requestedBy: Caller?
            /// What would change it, in words; what wakes it by itself, and when.
            public var wouldChange: [String]
            /// The next deadline.
            public var deadline: Deadline?
            /// The last lines that a worker printed that has failed.
            ///
            /// Operators only.
            public var lastOutput: [String]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                sentence: String, state: State, goal: Goal, cause: String, requestedBy: Caller? = nil,
                wouldChange: [String], deadline: Deadline? = nil, lastOutput: [String]? = nil
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

    /// Opens a URL with the worker that says so in URLSchemes=: in the foreground, launched for it where it
    /// does not run.
    ///
    /// Answers when the worker has taken it.
    public enum Open: Method {
        /// The name, in full `io.torpor.Supervisor.Open`.
        public static let member = "Open"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The URL.
            public var url: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(url: String) {
                self.url = url
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The worker that took it.
            public var worker: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: String) {
                self.worker = worker
            }
        }
    }

    /// Holds a worker awake: a background task that lasts until the call ends, by the connection being
    /// closed.
    ///
    /// It takes none of the worker's background time, and never costs the worker's life. Call with more; the
    /// first reply tells that it is held, and a second one comes when it is held no longer although the
    /// connection is open.
    public enum Hold: Method {
        /// The name, in full `io.torpor.Supervisor.Hold`.
        public static let member = "Hold"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// What for, in a word or two.
            public var purpose: String?
            /// How long at the most, in microseconds; as long as the call when left out.
            public var limitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, purpose: String? = nil, limitUsec: Int64? = nil) {
                self.name = name
                self.purpose = purpose
                self.limitUsec = limitUsec
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// What is left of the background time, where it is limited and runs, in microseconds.
            public var remainingUsec: Int64?
            /// Why it is no longer held; missing in the first reply.
            public var over: HoldEnd?
            /// What became of the worker, in words, where it has ended.
            public var reason: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(remainingUsec: Int64? = nil, over: HoldEnd? = nil, reason: String? = nil) {
                self.remainingUsec = remainingUsec
                self.over = over
                self.reason = reason
            }
        }
    }

    /// Posts to workers.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then takes it or not for itself; if none does, the answer is NotPosted. The
    /// answer comes when what survives is on the disk: from then on it is delivered at least once, whatever
    /// becomes of the supervisor.
    public enum Post: Method {
        /// The name, in full `io.torpor.Supervisor.Post`.
        public static let member = "Post"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            public var names: [String]
            /// What it is about: a lowercase letter, then letters, digits, dots, dashes and _, at most 128.
            public var topic: String
            /// What is said; at most 64 KiB.
            public var payload: JSON?
            /// How it merges with others of its topic that wait.
            ///
            /// Left out: set with members, else latest; for a system topic its own.
            public var rule: MergeRule?
            /// Members that were added, where the rule is set.
            public var added: [String]?
            /// Members that were removed, where the rule is set.
            public var removed: [String]?
            /// Whether it wakes a worker that sleeps, to take it in the background; only one that has the
            /// remote-notification mode.
            public var wake: Bool?
            /// Whether it is for a person: the worker is brought into the foreground, and launched where it
            /// does not run, and hears of it first.
            ///
            /// Not with at, and not with wake.
            public var foreground: Bool?
            /// When it is posted: microseconds since 1970.
            ///
            /// At once when left out.
            public var at: Int64?
            /// How long it is from one time to the next, in microseconds; with at only.
            public var everyUsec: Int64?
            /// Whether it may die with the worker's process and the supervisor.
            public var transient: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                names: [String], topic: String, payload: JSON? = nil, rule: MergeRule? = nil,
                added: [String]? = nil, removed: [String]? = nil, wake: Bool? = nil, foreground: Bool? = nil,
                at: Int64? = nil, everyUsec: Int64? = nil, transient: Bool? = nil
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

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// One for each worker, ordered by name.
            public var results: [PostResult]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(results: [PostResult]) {
                self.results = results
            }
        }
    }

    /// What waits for a worker, and what is scheduled for it.
    public enum Notifications: Method {
        /// The name, in full `io.torpor.Supervisor.Notifications`.
        public static let member = "Notifications"

        /// The parameters of a call.
        public typealias Parameters = Describe.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// What has been handed to it and not taken, then what waits, oldest topic first, then what is
            /// set aside.
            public var notifications: [QueuedNotification]
            /// What is scheduled, the soonest first.
            public var scheduled: [ScheduledPost]
            /// How much memory all that waits takes, about.
            public var bytes: Int64
            /// Why it did not take what it was handed last.
            public var problem: String?
            /// When it is handed that again: microseconds from now.
            public var retryUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
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

    /// Delivers a notification that is set aside once more: it waits again, in its place.
    ///
    /// One more death of the worker sets it aside again. NoSuchNotification where none of that number is set
    /// aside. Answers when that is on the disk.
    public enum RetryNotification: Method {
        /// The name, in full `io.torpor.Supervisor.RetryNotification`.
        public static let member = "RetryNotification"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the notification.
            public var sequence: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, sequence: Int64) {
                self.name = name
                self.sequence = sequence
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Removes a notification, whether it is set aside, waits or is being delivered.
    ///
    /// Answers when that is on the disk.
    public enum DropNotification: Method {
        /// The name, in full `io.torpor.Supervisor.DropNotification`.
        public static let member = "DropNotification"

        /// The parameters of a call.
        public typealias Parameters = RetryNotification.Parameters

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Takes a scheduled post back.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Supervisor.Cancel`.
        public static let member = "Cancel"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the scheduled post.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, id: Int64) {
                self.name = name
                self.id = id
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// The files that define a worker, as they are on disk.
    ///
    /// Operators only.
    public enum Cat: Method {
        /// The name, in full `io.torpor.Supervisor.Cat`.
        public static let member = "Cat"

        /// The parameters of a call.
        public typealias Parameters = Describe.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The definition, then its drop-ins, in the order in which they count.
            public var files: [File]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(files: [File]) {
                self.files = files
            }
        }
    }

    /// What a worker printed: the last lines that are kept, at once; with more, then all that it prints from
    /// there on, in replies of one line or several.
    ///
    /// A caller that does not read is cut off with SlowReader. Operators only.
    public enum Logs: Method {
        /// The name, in full `io.torpor.Supervisor.Logs`.
        public static let member = "Logs"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// How many lines of what is kept at most: 10 when left out.
            ///
            /// So many are kept as fit into 16 KiB.
            public var lines: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, lines: Int64? = nil) {
                self.name = name
                self.lines = lines
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The lines, oldest first.
            public var lines: [String]
            /// Where what it prints goes instead: a path, or journal: and the identifier of its lines there.
            ///
            /// In the first reply only.
            public var outputTo: String?
            /// Whether Send can write to it: in the first reply only.
            public var hasInput: Bool?
            /// How its process ended, in a reply of its own when that has happened; lines of a later process
            /// may follow.
            public var ended: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                lines: [String], outputTo: String? = nil, hasInput: Bool? = nil, ended: String? = nil
            ) {
                self.lines = lines
                self.outputTo = outputTo
                self.hasInput = hasInput
                self.ended = ended
            }
        }
    }

    /// Writes a line to a worker's standard input, where the supervisor holds that (StandardInput=pipe, or a
    /// hook with stdin:).
    ///
    /// It is Refused where it does not. A worker that sleeps reads it when it wakes. Operators only.
    public enum Send: Method {
        /// The name, in full `io.torpor.Supervisor.Send`.
        public static let member = "Send"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The line, without its end.
            public var text: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, text: String) {
                self.name = name
                self.text = text
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// The present state, then every change, so that nothing falls between.
    ///
    /// Needs more. It ends only when the caller goes; one that does not read is cut off with SlowReader. A
    /// user that is no operator may watch sixteen times at once; past that the answer is TooManyConnections.
    public enum Watch: Method {
        /// The name, in full `io.torpor.Supervisor.Watch`.
        public static let member = "Watch"

        /// The parameters of a call.
        public typealias Parameters = List.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// All workers concerned; in the first reply only.
            public var present: [WorkerSummary]?
            /// What changed; in every reply but the first.
            public var change: Change?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(present: [WorkerSummary]? = nil, change: Change? = nil) {
                self.present = present
                self.change = change
            }
        }
    }

    /// How processes ended: the newest that fit, oldest first.
    ///
    /// It answers when all that happened before is written, or cannot be. The last moments before a power cut
    /// may be missing. MethodNotImplemented where nothing is kept, as with torpor run; NoSuchWorker for a
    /// name of which nothing is known; TryAgain where several questions of the caller's user wait already.
    public enum Report: Method {
        /// The name, in full `io.torpor.Supervisor.Report`.
        public static let member = "Report"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out. At most 64.
            public var names: [String]?
            /// Only those with a smaller number, to read on from an earlier answer.
            public var before: Int64?
            /// How many at most: 10 when left out, and never more than 50.
            public var limit: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String]? = nil, before: Int64? = nil, limit: Int64? = nil) {
                self.names = names
                self.before = before
                self.limit = limit
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The ends.
            public var reports: [TerminationReport]
            /// Whether there are older ones.
            public var hasOlder: Bool
            /// Why those on the disk are not among them, when it cannot be read.
            public var incomplete: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(reports: [TerminationReport], hasOlder: Bool, incomplete: String? = nil) {
                self.reports = reports
                self.hasOlder = hasOlder
                self.incomplete = incomplete
            }
        }
    }

    /// What happened: the newest that fits, oldest first.
    ///
    /// It answers when all that happened before is written, or cannot be. The last moments before a power cut
    /// may be missing. MethodNotImplemented where nothing is kept, as with torpor run; NoSuchWorker for a
    /// name of which nothing is known; TryAgain where several questions of the caller's user wait already.
    public enum History: Method {
        /// The name, in full `io.torpor.Supervisor.History`.
        public static let member = "History"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out. At most 64.
            public var names: [String]?
            /// Only what happened then or later: microseconds since 1970.
            public var since: Int64?
            /// Only entries with a smaller number, to read on from an earlier answer.
            public var before: Int64?
            /// How many at most: 100 when left out, and never more than 1000; 200 for a caller that is no
            /// operator.
            public var limit: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                names: [String]? = nil, since: Int64? = nil, before: Int64? = nil, limit: Int64? = nil
            ) {
                self.names = names
                self.since = since
                self.before = before
                self.limit = limit
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The entries.
            public var entries: [HistoryEntry]
            /// Whether there are older ones.
            public var hasOlder: Bool
            /// Why those on the disk are not among them, when it cannot be read.
            public var incomplete: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(entries: [HistoryEntry], hasOlder: Bool, incomplete: String? = nil) {
                self.entries = entries
                self.hasOlder = hasOlder
                self.incomplete = incomplete
            }
        }
    }

    /// Starts workers that do not run, into the foreground or the background; those that run go there.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the results so
    /// far may come before the last one.
    public enum Launch: Method {
        /// The name, in full `io.torpor.Supervisor.Launch`.
        public static let member = "Launch"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            public var names: [String]
            /// Into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                names: [String], background: Bool? = nil, wait: Bool? = nil, timeoutMs: Int64? = nil
            ) {
                self.names = names
                self.background = background
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// One for each worker, ordered by name.
            public var results: [GoalResult]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(results: [GoalResult]) {
                self.results = results
            }
        }
    }

    /// Defines a worker without a file, and starts it.
    ///
    /// It is forgotten when it ends. AlreadyExists if the name is taken, BadDefinition if a property does not
    /// hold. For root, the supervisor's own user and the definers' group alone: what it starts may have any
    /// user.
    public enum LaunchTransient: Method {
        /// The name, in full `io.torpor.Supervisor.LaunchTransient`.
        public static let member = "LaunchTransient"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Its name.
            ///
            /// One is made up when left out.
            public var name: String?
            /// The command; the first is the program.
            public var arguments: [String]
            /// Further settings.
            public var properties: [Property]?
            /// The environment, as NAME=VALUE.
            public var environment: [String]?
            /// Where it runs.
            ///
            /// The root when left out.
            public var workingDirectory: String?
            /// Into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                name: String? = nil, arguments: [String], properties: [Property]? = nil,
                environment: [String]? = nil, workingDirectory: String? = nil, background: Bool? = nil,
                wait: Bool? = nil, timeoutMs: Int64? = nil
            ) {
                self.name = name
                self.arguments = arguments
                self.properties = properties
                self.environment = environment
                self.workingDirectory = workingDirectory
                self.background = background
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// What became of it, and its name.
            public var result: GoalResult

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(result: GoalResult) {
                self.result = result
            }
        }
    }

    /// Brings workers into the foreground; like Launch for one that does not run.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the results so
    /// far may come before the last one.
    public enum Activate: Method {
        /// The name, in full `io.torpor.Supervisor.Activate`.
        public static let member = "Activate"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
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

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String], wait: Bool? = nil, timeoutMs: Int64? = nil) {
                self.names = names
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Makes active workers inactive until they are activated.
    ///
    /// Refused for others. All names are looked up first: if one matches no worker, nothing is done and the
    /// answer is NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the
    /// results so far may come before the last one.
    public enum Resign: Method {
        /// The name, in full `io.torpor.Supervisor.Resign`.
        public static let member = "Resign"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Sends workers to the background, and keeps them there.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the results so
    /// far may come before the last one.
    public enum Background: Method {
        /// The name, in full `io.torpor.Supervisor.Background`.
        public static let member = "Background"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Sends workers to sleep, through the background.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the results so
    /// far may come before the last one.
    public enum Suspend: Method {
        /// The name, in full `io.torpor.Supervisor.Suspend`.
        public static let member = "Suspend"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Wakes workers and restores the goal they had before they slept.
    ///
    /// Ends a stop from outside too. All names are looked up first: if one matches no worker, nothing is done
    /// and the answer is NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with
    /// the results so far may come before the last one.
    public enum Resume: Method {
        /// The name, in full `io.torpor.Supervisor.Resume`.
        public static let member = "Resume"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers the graceful way and launches them again: each is led to the goal that it has.
    ///
    /// One that does not run is launched into the foreground; an unknown one that fits a template is made.
    /// Those that require a worker end before it and are launched again after it, and its result tells of
    /// them too. The supervisor sees to it: a caller that goes away, or whose time is over, leaves no worker
    /// ended. All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. With more, replies with the results so far may come before the last one.
    public enum Restart: Method {
        /// The name, in full `io.torpor.Supervisor.Restart`.
        public static let member = "Restart"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers the graceful way.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with the results so
    /// far may come before the last one.
    public enum Terminate: Method {
        /// The name, in full `io.torpor.Supervisor.Terminate`.
        public static let member = "Terminate"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers at once, and for good: a force-quit.
    ///
    /// No event brings them back until an operator does, and their saved state is dropped. All names are
    /// looked up first: if one matches no worker, nothing is done and the answer is NoSuchWorker. Each worker
    /// then succeeds or fails for itself. With more, replies with the results so far may come before the last
    /// one.
    public enum Kill: Method {
        /// The name, in full `io.torpor.Supervisor.Kill`.
        public static let member = "Kill"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends all workers the graceful way.
    public enum Shutdown: Method {
        /// The name, in full `io.torpor.Supervisor.Shutdown`.
        public static let member = "Shutdown"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(wait: Bool? = nil, timeoutMs: Int64? = nil) {
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// How short the machine is of memory, and what has been done about it.
    public enum Pressure: Method {
        /// The name, in full `io.torpor.Supervisor.Pressure`.
        public static let member = "Pressure"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// How short it is.
            public var level: PressureLevel
            /// What of the kernel's accounting works here: unified, hybrid, machine, none.
            public var support: String
            /// The same in a sentence.
            public var detail: String
            /// Whether it is only said what would be done.
            public var observesOnly: Bool
            /// All the memory of the machine.
            public var totalBytes: Int64?
            /// What of it a new program could have.
            public var availableBytes: Int64?
            /// All of the swap.
            public var swapTotalBytes: Int64?
            /// What of it is free.
            public var swapFreeBytes: Int64?
            /// Percent of the last ten seconds in which some waited for memory.
            public var someStallPercent: Double?
            /// Percent of the last ten seconds in which all did.
            public var fullStallPercent: Double?
            /// Warnings that were told since the supervisor began.
            public var warningCount: Int64
            /// Workers that were ended for memory.
            public var evictionCount: Int64
            /// What their ends have brought.
            public var freedByKillBytes: Int64
            /// What sleepers have given back.
            public var freedByReclaimBytes: Int64
            /// Processes of workers that the kernel's OOM killer ended.
            public var kernelKillCount: Int64
            /// Who is being ended for memory now.
            public var victim: String?
            /// Why nobody is although it is critical, in words.
            public var helpless: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                level: PressureLevel, support: String, detail: String, observesOnly: Bool,
                totalBytes: Int64? = nil, availableBytes: Int64? = nil, swapTotalBytes: Int64? = nil,
                swapFreeBytes: Int64? = nil, someStallPercent: Double? = nil, fullStallPercent: Double? = nil,
                warningCount: Int64, evictionCount: Int64, freedByKillBytes: Int64,
                freedByReclaimBytes: Int64, kernelKillCount: Int64, victim: String? = nil,
                helpless: String? = nil
            ) {
                self.level = level
                self.support = support
                self.detail = detail
                self.observesOnly = observesOnly
                self.totalBytes = totalBytes
                self.availableBytes = availableBytes
                self.swapTotalBytes = swapTotalBytes
                self.swapFreeBytes = swapFreeBytes
                self.someStallPercent = someStallPercent
                self.fullStallPercent = fullStallPercent
                self.warningCount = warningCount
                self.evictionCount = evictionCount
                self.freedByKillBytes = freedByKillBytes
                self.freedByReclaimBytes = freedByReclaimBytes
                self.kernelKillCount = kernelKillCount
                self.victim = victim
                self.helpless = helpless
            }
        }
    }

    /// What this place allows, and what would mend each gap.
    public enum Doctor: Method {
        /// The name, in full `io.torpor.Supervisor.Doctor`.
        public static let member = "Doctor"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// One for each capability.
            public var findings: [Finding]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(findings: [Finding]) {
                self.findings = findings
            }
        }
    }

    /// Reads all definitions anew.
    ///
    /// Only what changed is touched; a file that does not hold leaves its worker as it was.
    public enum Reload: Method {
        /// The name, in full `io.torpor.Supervisor.Reload`.
        public static let member = "Reload"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// Workers with another definition than before.
            public var changed: [String]
            /// Workers that are new.
            public var added: [String]
            /// Workers that are no longer defined; those that run are forgotten when they end.
            public var removed: [String]
            /// What was not taken over, and why.
            public var failed: [Diagnostic]
            /// What was ignored, and why.
            public var warnings: [Diagnostic]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                changed: [String], added: [String], removed: [String], failed: [Diagnostic],
                warnings: [Diagnostic]
            ) {
                self.changed = changed
                self.added = added
                self.removed = removed
                self.failed = failed
                self.warnings = warnings
            }
        }
    }

    /// Has workers read their own configuration anew, by the commands of ExecReload= in their files.
    ///
    /// A worker that sleeps is woken for it. A result is reached when all commands of the worker have
    /// succeeded; the goal stays as it is, and the commands go on when the time to wait is over. All names
    /// are looked up first: if one matches no worker, nothing is done and the answer is NoSuchWorker. Each
    /// worker then succeeds or fails for itself. With more, replies with the results so far may come before
    /// the last one.
    public enum ReloadWorker: Method {
        /// The name, in full `io.torpor.Supervisor.ReloadWorker`.
        public static let member = "ReloadWorker"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Replaces the supervisor by its program as it is installed now.
    ///
    /// The process stays the same, and so do its workers, sockets, timers, queues, and the connections and
    /// subscriptions of its clients. Nothing is given up before the new program has said that it can take
    /// over.
    public enum Reexec: Method {
        /// The name, in full `io.torpor.Supervisor.Reexec`.
        public static let member = "Reexec"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// The version that runs now.
            public var version: String
            /// How long nothing was served meanwhile, in microseconds.
            public var interruptedUsec: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(pid: Int64, version: String, interruptedUsec: Int64) {
                self.pid = pid
                self.version = version
                self.interruptedUsec = interruptedUsec
            }
        }
    }

    /// Sets how much is logged, until the next start.
    public enum SetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.SetLogLevel`.
        public static let member = "SetLogLevel"

        /// The parameters of a call.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(level: LogLevel) {
                self.level = level
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// How much is logged.
    public enum GetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.GetLogLevel`.
        public static let member = "GetLogLevel"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(level: LogLevel) {
                self.level = level
            }
        }
    }

    /// Whether anybody is there, and who.
    public enum Ping: Method {
        /// The name, in full `io.torpor.Supervisor.Ping`.
        public static let member = "Ping"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// Its version.
            public var version: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(pid: Int64, version: String) {
                self.pid = pid
                self.version = version
            }
        }
    }
}

extension SupervisorInterface {
    /// The full names of the errors.
    public enum ErrorName: String, CaseIterable, Hashable, Sendable {
        /// No worker has that name, or matches that pattern.
        case noSuchWorker = "io.torpor.Supervisor.NoSuchWorker"
        /// That cannot be the name of a worker.
        case invalidName = "io.torpor.Supervisor.InvalidName"
        /// The worker is masked: its file is a link to /dev/null.
        case workerMasked = "io.torpor.Supervisor.WorkerMasked"
        /// The definition does not hold.
        case badDefinition = "io.torpor.Supervisor.BadDefinition"
        /// The goal was not reached in time, or became unreachable.
        case goalNotReached = "io.torpor.Supervisor.GoalNotReached"
        /// No process came to be, and none will until what is in the way is mended: a command that is not
        /// there, a user that is unknown.
        case launchFailed = "io.torpor.Supervisor.LaunchFailed"
        /// The worker cannot do that as it is now.
        case refused = "io.torpor.Supervisor.Refused"
        /// The worker cannot do that, and will not be able to as long as its definition is what it is.
        case unsupported = "io.torpor.Supervisor.Unsupported"
        /// The goal is reached, but a hook of the worker failed on the way.
        case hookFailed = "io.torpor.Supervisor.HookFailed"
        /// There is a worker of that name.
        case alreadyExists = "io.torpor.Supervisor.AlreadyExists"
        /// No worker opens URLs of that kind.
        case noSuchScheme = "io.torpor.Supervisor.NoSuchScheme"
        /// The post was taken by no worker; this is the first of them.
        case notPosted = "io.torpor.Supervisor.NotPosted"
        /// The supervisor has enough of this kind to do for the caller's user already.
        ///
        /// The call may be made again when that is done.
        case tryAgain = "io.torpor.Supervisor.TryAgain"
        /// The worker has no notification of that number, or none that is set aside.
        case noSuchNotification = "io.torpor.Supervisor.NoSuchNotification"
        /// Nothing of that number is scheduled for the worker.
        case noSuchSchedule = "io.torpor.Supervisor.NoSuchSchedule"
        /// The supervisor is about to end, and starts nothing any more.
        case shuttingDown = "io.torpor.Supervisor.ShuttingDown"
        /// The supervisor was not replaced, and goes on as it is.
        case notReplaced = "io.torpor.Supervisor.NotReplaced"
        /// The caller has too many connections, which is the last thing said on this one, or too many
        /// subscriptions.
        case tooManyConnections = "io.torpor.Supervisor.TooManyConnections"
        /// The caller does not read, and too much waits for it.
        ///
        /// The last thing said on this connection.
        case slowReader = "io.torpor.Supervisor.SlowReader"
    }

    /// No worker has that name, or matches that pattern.
    public static func noSuchWorker(name: String) -> MethodError {
        MethodError(ErrorName.noSuchWorker.rawValue, ["name": .string(name)])
    }

    /// That cannot be the name of a worker.
    public static func invalidName(name: String, why: String) -> MethodError {
        MethodError(ErrorName.invalidName.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker is masked: its file is a link to /dev/null.
    public static func workerMasked(name: String, file: String) -> MethodError {
        MethodError(ErrorName.workerMasked.rawValue, ["name": .string(name), "file": .string(file)])
    }

    /// The definition does not hold.
    public static func badDefinition(
        name: String, message: String, file: String? = nil, line: Int64? = nil, key: String? = nil
    ) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["message"] = .string(message)
        parameters["file"] = file.map { .string($0) }
        parameters["line"] = line.map { .int($0) }
        parameters["key"] = key.map { .string($0) }
        return MethodError(ErrorName.badDefinition.rawValue, parameters)
    }

    /// The goal was not reached in time, or became unreachable.
    public static func goalNotReached(name: String, goal: Goal, state: State, why: String) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["goal"] = .string(goal.rawValue)
        parameters["state"] = .string(state.rawValue)
        parameters["why"] = .string(why)
        return MethodError(ErrorName.goalNotReached.rawValue, parameters)
    }

    /// No process came to be, and none will until what is in the way is mended: a command that is not there,
    /// a user that is unknown.
    public static func launchFailed(name: String, why: String) -> MethodError {
        MethodError(ErrorName.launchFailed.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that as it is now.
    public static func refused(name: String, why: String) -> MethodError {
        MethodError(ErrorName.refused.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that, and will not be able to as long as its definition is what it is.
    public static func unsupported(name: String, why: String) -> MethodError {
        MethodError(ErrorName.unsupported.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The goal is reached, but a hook of the worker failed on the way.
    public static func hookFailed(name: String, why: String) -> MethodError {
        MethodError(ErrorName.hookFailed.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// There is a worker of that name.
    public static func alreadyExists(name: String) -> MethodError {
        MethodError(ErrorName.alreadyExists.rawValue, ["name": .string(name)])
    }

    /// No worker opens URLs of that kind.
    public static func noSuchScheme(scheme: String) -> MethodError {
        MethodError(ErrorName.noSuchScheme.rawValue, ["scheme": .string(scheme)])
    }

    /// The post was taken by no worker; this is the first of them.
    public static func notPosted(name: String, obstacle: PostObstacle, why: String) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["obstacle"] = .string(obstacle.rawValue)
        parameters["why"] = .string(why)
        return MethodError(ErrorName.notPosted.rawValue, parameters)
    }

    /// The supervisor has enough of this kind to do for the caller's user already.
    ///
    /// The call may be made again when that is done.
    public static func tryAgain(why: String) -> MethodError {
        MethodError(ErrorName.tryAgain.rawValue, ["why": .string(why)])
    }

    /// The worker has no notification of that number, or none that is set aside.
    public static func noSuchNotification(name: String, sequence: Int64) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["sequence"] = .int(sequence)
        return MethodError(ErrorName.noSuchNotification.rawValue, parameters)
    }

    /// Nothing of that number is scheduled for the worker.
    public static func noSuchSchedule(name: String, id: Int64) -> MethodError {
        MethodError(ErrorName.noSuchSchedule.rawValue, ["name": .string(name), "id": .int(id)])
    }

    /// The supervisor is about to end, and starts nothing any more.
    public static let shuttingDown = MethodError(ErrorName.shuttingDown.rawValue)

    /// The supervisor was not replaced, and goes on as it is.
    public static func notReplaced(why: String) -> MethodError {
        MethodError(ErrorName.notReplaced.rawValue, ["why": .string(why)])
    }

    /// The caller has too many connections, which is the last thing said on this one, or too many
    /// subscriptions.
    public static func tooManyConnections(limit: Int64) -> MethodError {
        MethodError(ErrorName.tooManyConnections.rawValue, ["limit": .int(limit)])
    }

    /// The caller does not read, and too much waits for it.
    ///
    /// The last thing said on this connection.
    public static func slowReader(limit: Int64) -> MethodError {
        MethodError(ErrorName.slowReader.rawValue, ["limit": .int(limit)])
    }
}
