// Generated from io.torpor.Supervisor.varlink by `make generate`: change that file instead of this one.

public import Varlink

/// The interface `io.torpor.Supervisor`.
///
/// The control interface of the Torpor supervisor. Every caller may call a method that is described as open
/// to every caller. A method for definers only is for root, the supervisor's own user and the definers'
/// group; all others are for the operators' group too. Other callers get
/// org.varlink.service.PermissionDenied. For a caller that is not an operator, Describe leaves out command
/// line, environment, payloads, output and the names of background tasks, Report and History leave out
/// command lines and output, and all of them leave out the caller that made a request. A caller that is not
/// an operator may name 32 workers or patterns in a call, and the figures about memory and about the machine
/// that it gets may be some seconds old. Times are in microseconds. A field with a question mark may be
/// missing.
public enum SupervisorInterface {
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
        List.self, Figures.self, Describe.self, Why.self, CanOpen.self, Open.self, Activities.self,
        GiveActivity.self, EndHandoff.self, TakeActivity.self, Hold.self, Interrupt.self,
        EndInterruption.self, Answer.self, BeginTransfer.self, CancelTransfer.self, Transfers.self, Post.self,
        Notifications.self, RetryNotification.self, DropNotification.self, Cancel.self, Cat.self, Logs.self,
        Send.self, Watch.self, Report.self, History.self, Launch.self, LaunchTransient.self, Activate.self,
        Resign.self, Background.self, Suspend.self, Resume.self, Restart.self, Terminate.self, Kill.self,
        Shutdown.self, Pressure.self, Doctor.self, Gain.self, Metrics.self, Cost.self, Reload.self,
        ReloadWorker.self, Reexec.self, SetLogLevel.self, GetLogLevel.self, GetLowPower.self,
        SetLowPower.self, Ping.self,
    ]

    /// The methods that every caller may call, by their full names.
    public static let open: Swift.Set<String> = [
        List.name, Describe.name, Why.name, CanOpen.name, Transfers.name, Watch.name, Report.name,
        History.name, Pressure.name, Doctor.name, GetLogLevel.name, GetLowPower.name, Ping.name,
    ]

    /// The methods that say what runs, and so as which user, by their full names.
    ///
    /// They are for the definers' group, not for every operator.
    public static let defining: Swift.Set<String> = [BeginTransfer.name, LaunchTransient.name]

    /// The methods that must be called with `more`, by their full names.
    public static let requiringMore: Swift.Set<String> = [GiveActivity.name, Hold.name, Watch.name]
}

extension SupervisorInterface.Method {
    /// The full name, as `io.torpor.Supervisor.List`.
    public static var name: String { "io.torpor.Supervisor." + member }
}

extension SupervisorInterface {
    /// The five states of a worker (iOS's, and in its words).
    public enum State: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// No process.
        ///
        /// The reason says why.
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
    public enum Goal: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// Runs in the foreground.
        case active
        /// Runs, without input, until it is activated.
        case inactive
        /// Stays in the background.
        case background
        /// Is suspended.
        case suspended
        /// Ends.
        case notRunning
    }

    /// Why a worker has no process.
    ///
    /// Only failed is a failure.
    public enum NotRunningReason: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// It has not been launched yet.
        case neverLaunched
        /// It ended by itself, successfully.
        case exited
        /// It was ended to free memory; the next event launches it again.
        case evicted
        /// An operator killed it; only an operator launches it again.
        case forceQuit
        /// It crashed, or exceeded a time limit.
        case failed
        /// It failed and is waiting to be restarted.
        case backingOff
        /// Its file is invalid, and no valid version of it has been read: correct the file and call Reload.
        case badSetting
    }

    /// What a worker was launched for.
    public enum LaunchReason: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
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
        /// An activity that was handed over.
        case activity
        /// The end of a transfer.
        case transfer
        /// A crash before.
        case restart
        /// An eviction before.
        case restore
        /// Launched ahead of use.
        case prelaunch
        /// The failure of another worker, which names it in OnFailure=.
        case failure
        /// A good time for long work.
        case processing
    }

    /// How a worker is suspended.
    public enum FreezeMethod: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// By the cgroup freezer.
        case cgroup
        /// By SIGSTOP to each of its processes, where no cgroup can be used.
        case signal
    }

    /// How much is logged: this and everything more urgent (syslog(3)).
    public enum LogLevel: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The system is unusable.
        case emerg
        /// Action must be taken immediately.
        case alert
        /// Critical conditions.
        case crit
        /// Errors.
        case err
        /// Warnings.
        case warning
        /// Normal but significant.
        case notice
        /// Every change.
        case info
        /// Everything.
        case debug
    }

    /// The caller that made a request, as reported by the kernel (SO_PEERCRED).
    public struct Caller: Codable, JSONConvertible, Hashable, Sendable {
        /// The user.
        public var uid: Int64
        /// The process, which may have ended since.
        public var pid: Int64

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(uid: Int64, pid: Int64) {
            self.uid = uid
            self.pid = pid
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            uid = try members.required("uid")
            pid = try members.required("pid")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 2)
            members.add("uid", uid)
            members.add("pid", pid)
            return members.json
        }
    }

    /// One worker in one line.
    public struct WorkerSummary: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name; of a template with the instance, as web@42.
        public var name: String
        /// Its description, as in Description=.
        public var description: String?
        /// Its state.
        public var state: State
        /// When it entered the state: microseconds since 1970.
        public var since: Int64
        /// The state that it is led to.
        public var goal: Goal
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The main process, when there is one.
        public var pid: Int64?
        /// The memory it holds now, where that can be known.
        public var memoryBytes: Int64?
        /// Whether another program has stopped it (SIGSTOP); no event then resumes it.
        public var held: Bool
        /// Whether a previous supervisor started its process; missing where not.
        public var adopted: Bool?
        /// Whether it is being launched and has no process yet; missing where not.
        ///
        /// In that case since is when the launch began.
        public var launching: Bool?
        /// What is wrong with its file; the previous definition stays in force.
        ///
        /// Missing where the file is valid.
        public var fileProblem: String?
        /// What wakes it while it is suspended, in a word: its TCP ports (tcp 80,443); sockets, where it
        /// listens at none; sampled, where its sockets are only looked at from time to time; events, where no
        /// socket wakes it, but a post, a fetch or the like does; nothing.
        ///
        /// Missing while it runs.
        public var wakesBy: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            reason: NotRunningReason? = nil, pid: Int64? = nil, memoryBytes: Int64? = nil, held: Bool,
            adopted: Bool? = nil, launching: Bool? = nil, fileProblem: String? = nil, wakesBy: String? = nil
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
            self.wakesBy = wakesBy
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            description = try members.optional("description")
            state = try members.required("state")
            since = try members.required("since")
            goal = try members.required("goal")
            reason = try members.optional("reason")
            pid = try members.optional("pid")
            memoryBytes = try members.optional("memoryBytes")
            held = try members.required("held")
            adopted = try members.optional("adopted")
            launching = try members.optional("launching")
            fileProblem = try members.optional("fileProblem")
            wakesBy = try members.optional("wakesBy")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 13)
            members.add("name", name)
            members.add("description", ifThere: description)
            members.add("state", state)
            members.add("since", since)
            members.add("goal", goal)
            members.add("reason", ifThere: reason)
            members.add("pid", ifThere: pid)
            members.add("memoryBytes", ifThere: memoryBytes)
            members.add("held", held)
            members.add("adopted", ifThere: adopted)
            members.add("launching", ifThere: launching)
            members.add("fileProblem", ifThere: fileProblem)
            members.add("wakesBy", ifThere: wakesBy)
            return members.json
        }
    }

    /// What changes of one worker without a change of its state.
    public struct WorkerFigures: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name.
        public var name: String
        /// The state that it is led to.
        public var goal: Goal
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The main process, when there is one.
        public var pid: Int64?
        /// Whether another program has stopped it; missing where not.
        public var held: Bool?
        /// The memory it holds now, in bytes, where that can be known.
        public var memoryBytes: Int64?
        /// What was reclaimed from it in its present suspension; missing where nothing was.
        public var givenBackBytes: Int64?
        /// The CPU time of its processes so far, in microseconds.
        public var cpuUsec: Int64?
        /// The number of notifications that are queued for it; missing where there is none.
        public var queueLength: Int64?
        /// The next deadline; missing where none is running.
        public var deadline: Deadline?
        /// ForegroundGroup= of its file.
        public var foregroundGroup: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, goal: Goal, reason: NotRunningReason? = nil, pid: Int64? = nil, held: Bool? = nil,
            memoryBytes: Int64? = nil, givenBackBytes: Int64? = nil, cpuUsec: Int64? = nil,
            queueLength: Int64? = nil, deadline: Deadline? = nil, foregroundGroup: String? = nil
        ) {
            self.name = name
            self.goal = goal
            self.reason = reason
            self.pid = pid
            self.held = held
            self.memoryBytes = memoryBytes
            self.givenBackBytes = givenBackBytes
            self.cpuUsec = cpuUsec
            self.queueLength = queueLength
            self.deadline = deadline
            self.foregroundGroup = foregroundGroup
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            goal = try members.required("goal")
            reason = try members.optional("reason")
            pid = try members.optional("pid")
            held = try members.optional("held")
            memoryBytes = try members.optional("memoryBytes")
            givenBackBytes = try members.optional("givenBackBytes")
            cpuUsec = try members.optional("cpuUsec")
            queueLength = try members.optional("queueLength")
            deadline = try members.optional("deadline")
            foregroundGroup = try members.optional("foregroundGroup")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 11)
            members.add("name", name)
            members.add("goal", goal)
            members.add("reason", ifThere: reason)
            members.add("pid", ifThere: pid)
            members.add("held", ifThere: held)
            members.add("memoryBytes", ifThere: memoryBytes)
            members.add("givenBackBytes", ifThere: givenBackBytes)
            members.add("cpuUsec", ifThere: cpuUsec)
            members.add("queueLength", ifThere: queueLength)
            members.add("deadline", ifThere: deadline)
            members.add("foregroundGroup", ifThere: foregroundGroup)
            return members.json
        }
    }

    /// A deadline that is running.
    public struct Deadline: Codable, JSONConvertible, Hashable, Sendable {
        /// What must be complete by then: a callback's name, launch, stop, backgroundTasks, watchdog,
        /// restart.
        public var name: String
        /// When it passes: microseconds of the monotonic clock.
        public var at: Int64
        /// How long that is from now, in microseconds.
        public var remainingUsec: Int64
        /// What happens when it passes, in words.
        public var then: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(name: String, at: Int64, remainingUsec: Int64, then: String) {
            self.name = name
            self.at = at
            self.remainingUsec = remainingUsec
            self.then = then
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            at = try members.required("at")
            remainingUsec = try members.required("remainingUsec")
            then = try members.required("then")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("name", name)
            members.add("at", at)
            members.add("remainingUsec", remainingUsec)
            members.add("then", then)
            return members.json
        }
    }

    /// A background task that keeps a worker awake.
    public struct BackgroundTask: Codable, JSONConvertible, Hashable, Sendable {
        /// The name that was given when it began.
        ///
        /// Empty for a caller that is not an operator.
        public var name: String
        /// When it began: microseconds since 1970.
        public var since: Int64
        /// The caller that holds it, where that is not the worker itself.
        public var by: Caller?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(name: String, since: Int64, by: Caller? = nil) {
            self.name = name
            self.since = since
            self.by = by
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            since = try members.required("since")
            by = try members.optional("by")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 3)
            members.add("name", name)
            members.add("since", since)
            members.add("by", ifThere: by)
            return members.json
        }
    }

    /// The memory of a worker, in bytes.
    public struct Memory: Codable, JSONConvertible, Hashable, Sendable {
        /// What it uses now.
        public var currentBytes: Int64
        /// The most that it has used.
        public var peakBytes: Int64?
        /// The limit in force.
        public var limitBytes: Int64?
        /// What was reclaimed from it in its present suspension.
        public var givenBackBytes: Int64?
        /// How often it was throttled at its own limit since it was launched; missing where the kernel does
        /// not count that.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            currentBytes = try members.required("currentBytes")
            peakBytes = try members.optional("peakBytes")
            limitBytes = try members.optional("limitBytes")
            givenBackBytes = try members.optional("givenBackBytes")
            throttleCount = try members.optional("throttleCount")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("currentBytes", currentBytes)
            members.add("peakBytes", ifThere: peakBytes)
            members.add("limitBytes", ifThere: limitBytes)
            members.add("givenBackBytes", ifThere: givenBackBytes)
            members.add("throttleCount", ifThere: throttleCount)
            return members.json
        }
    }

    /// How a process ended.
    public struct Termination: Codable, JSONConvertible, Hashable, Sendable {
        /// When: microseconds since 1970.
        public var at: Int64
        /// The process.
        public var pid: Int64
        /// The cause: exited, failed, crashed, stopped, watchdog, backgroundTask, transfer, fetch,
        /// backgroundCPU, heldResource, forceQuit, evicted, memory-limit, kernel-oom, launchFailed.
        public var cause: String
        /// The code of an exceeded limit, as 0x8badf00d.
        public var code: String?
        /// The exit status of a process that exited.
        public var exitStatus: Int64?
        /// The signal that ended it, as SIGSEGV.
        public var signal: String?
        /// The same in a sentence.
        ///
        /// For callers that are not operators, without command lines.
        public var sentence: String
        /// The state it was in.
        public var state: State
        /// The goal that it had.
        public var goal: Goal
        /// What it had been launched for.
        public var launchReason: LaunchReason?
        /// The caller that requested the end.
        ///
        /// Operators only.
        public var requestedBy: Caller?
        /// How long it ran in all, in microseconds.
        public var runUsec: Int64
        /// How much of that in the background, in microseconds.
        public var backgroundUsec: Int64
        /// How long it was suspended, in microseconds.
        public var suspendedUsec: Int64
        /// The most memory it used.
        public var peakMemoryBytes: Int64?
        /// Memory pressure at the time (PSI some), in percent.
        public var pressureSome: Double?
        /// Memory pressure at the time (PSI full), in percent.
        public var pressureFull: Double?
        /// The memory that its end freed, where it was ended for memory.
        public var freedBytes: Int64?
        /// The memory that was reclaimed from it before, while it was suspended.
        public var givenBackBytes: Int64?
        /// The callback that was in flight.
        public var callback: String?
        /// How long it had been in flight, in microseconds.
        public var callbackUsec: Int64?
        /// The number of notifications that were queued.
        public var queueLength: Int64
        /// The last lines of its output, where the supervisor captures it; for launchFailed, why no process
        /// was started.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            at = try members.required("at")
            pid = try members.required("pid")
            cause = try members.required("cause")
            code = try members.optional("code")
            exitStatus = try members.optional("exitStatus")
            signal = try members.optional("signal")
            sentence = try members.required("sentence")
            state = try members.required("state")
            goal = try members.required("goal")
            launchReason = try members.optional("launchReason")
            requestedBy = try members.optional("requestedBy")
            runUsec = try members.required("runUsec")
            backgroundUsec = try members.required("backgroundUsec")
            suspendedUsec = try members.required("suspendedUsec")
            peakMemoryBytes = try members.optional("peakMemoryBytes")
            pressureSome = try members.optional("pressureSome")
            pressureFull = try members.optional("pressureFull")
            freedBytes = try members.optional("freedBytes")
            givenBackBytes = try members.optional("givenBackBytes")
            callback = try members.optional("callback")
            callbackUsec = try members.optional("callbackUsec")
            queueLength = try members.required("queueLength")
            lastOutput = try members.optional("lastOutput")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 23)
            members.add("at", at)
            members.add("pid", pid)
            members.add("cause", cause)
            members.add("code", ifThere: code)
            members.add("exitStatus", ifThere: exitStatus)
            members.add("signal", ifThere: signal)
            members.add("sentence", sentence)
            members.add("state", state)
            members.add("goal", goal)
            members.add("launchReason", ifThere: launchReason)
            members.add("requestedBy", ifThere: requestedBy)
            members.add("runUsec", runUsec)
            members.add("backgroundUsec", backgroundUsec)
            members.add("suspendedUsec", suspendedUsec)
            members.add("peakMemoryBytes", ifThere: peakMemoryBytes)
            members.add("pressureSome", ifThere: pressureSome)
            members.add("pressureFull", ifThere: pressureFull)
            members.add("freedBytes", ifThere: freedBytes)
            members.add("givenBackBytes", ifThere: givenBackBytes)
            members.add("callback", ifThere: callback)
            members.add("callbackUsec", ifThere: callbackUsec)
            members.add("queueLength", queueLength)
            members.add("lastOutput", ifThere: lastOutput)
            return members.json
        }
    }

    /// What interrupts a worker.
    public enum InterruptionKind: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The lock of a session of its user, until that is unlocked or ends.
        case sessionLock
        /// A caller, as long as its call lasts.
        case call
        /// A caller, until EndInterruption is called.
        case request
        /// The worker itself, until it ends it or its process ends.
        case worker
        /// An alert, until it is answered or the worker's process ends.
        case alert
    }

    /// Why an interruption is over.
    public enum InterruptionEnd: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// What began it ended it.
        case ended
        /// The session was unlocked, or has ended.
        case unlocked
        /// The alert was answered.
        case answered
        /// Its time is over.
        case limit
        /// The worker's process has ended.
        case workerEnded
        /// The call that it was a part of ended with a supervisor.
        case callLost
    }

    /// What keeps a worker inactive for a time although it is to be active.
    public struct Interruption: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number.
        public var number: Int64
        /// What interrupts.
        public var kind: InterruptionKind
        /// The id of the session, the topic of the alert, or the purpose.
        ///
        /// Operators only.
        public var subject: String?
        /// When it began: microseconds since 1970.
        public var since: Int64
        /// How long it lasts at most from now, where that is limited, in microseconds.
        public var remainingUsec: Int64?
        /// The caller that began it.
        ///
        /// Operators only.
        public var by: Caller?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            number: Int64, kind: InterruptionKind, subject: String? = nil, since: Int64,
            remainingUsec: Int64? = nil, by: Caller? = nil
        ) {
            self.number = number
            self.kind = kind
            self.subject = subject
            self.since = since
            self.remainingUsec = remainingUsec
            self.by = by
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            number = try members.required("number")
            kind = try members.required("kind")
            subject = try members.optional("subject")
            since = try members.required("since")
            remainingUsec = try members.optional("remainingUsec")
            by = try members.optional("by")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("number", number)
            members.add("kind", kind)
            members.add("subject", ifThere: subject)
            members.add("since", since)
            members.add("remainingUsec", ifThere: remainingUsec)
            members.add("by", ifThere: by)
            return members.json
        }
    }

    /// How far a transfer is.
    public enum TransferStage: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// Its process is being started.
        case starting
        /// It runs.
        case running
        /// It was asked to end.
        case stopping
        /// It is over, and the worker has not taken that yet.
        case ended
    }

    /// What came of a transfer.
    public enum TransferOutcome: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// Its main process exited with status 0.
        case completed
        /// It ended otherwise.
        case failed
        /// It was cancelled.
        case cancelled
        /// Its time was over (TransferLimitSec=).
        case timeLimit
        /// It needed more memory than it may have (TransferMemoryMax=).
        case memoryLimit
        /// It was ended with all workers.
        case shutdown
        /// The process that watched over it was killed: how it ended is not known.
        case lost
    }

    /// A command that runs beside a worker and outlives it.
    public struct Transfer: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number.
        public var number: Int64
        /// The worker.
        public var worker: String
        /// What it is for, in a word or two.
        ///
        /// Operators only.
        public var purpose: String?
        /// The command.
        ///
        /// Operators only.
        public var command: [String]?
        /// How far it is.
        public var stage: TransferStage
        /// When it began: microseconds since 1970.
        public var began: Int64
        /// How long it may still take, where that is limited, in microseconds.
        public var remainingUsec: Int64?
        /// Its main process, while it runs.
        public var pid: Int64?
        /// How much is done, in a unit of the command's own, where it tells that.
        public var done: Int64?
        /// How much there is in all, where it tells that.
        public var total: Int64?
        /// How much of it is done, from 0 to 100, where it tells that.
        public var percent: Int64?
        /// What it does, in its own words.
        ///
        /// Operators only.
        public var text: String?
        /// How many bytes it has printed.
        public var printedBytes: Int64?
        /// What came of it, once it has ended.
        public var outcome: TransferOutcome?
        /// When it ended: microseconds since 1970.
        public var ended: Int64?
        /// The exit status of its main process, where that exited.
        public var exitStatus: Int64?
        /// The signal that ended its main process, as SIGTERM.
        public var signal: String?
        /// The last lines that it printed.
        ///
        /// Operators only.
        public var output: [String]?
        /// The caller that began it, where that was not the worker itself.
        ///
        /// Operators only.
        public var by: Caller?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            number: Int64, worker: String, purpose: String? = nil, command: [String]? = nil,
            stage: TransferStage, began: Int64, remainingUsec: Int64? = nil, pid: Int64? = nil,
            done: Int64? = nil, total: Int64? = nil, percent: Int64? = nil, text: String? = nil,
            printedBytes: Int64? = nil, outcome: TransferOutcome? = nil, ended: Int64? = nil,
            exitStatus: Int64? = nil, signal: String? = nil, output: [String]? = nil, by: Caller? = nil
        ) {
            self.number = number
            self.worker = worker
            self.purpose = purpose
            self.command = command
            self.stage = stage
            self.began = began
            self.remainingUsec = remainingUsec
            self.pid = pid
            self.done = done
            self.total = total
            self.percent = percent
            self.text = text
            self.printedBytes = printedBytes
            self.outcome = outcome
            self.ended = ended
            self.exitStatus = exitStatus
            self.signal = signal
            self.output = output
            self.by = by
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            number = try members.required("number")
            worker = try members.required("worker")
            purpose = try members.optional("purpose")
            command = try members.optional("command")
            stage = try members.required("stage")
            began = try members.required("began")
            remainingUsec = try members.optional("remainingUsec")
            pid = try members.optional("pid")
            done = try members.optional("done")
            total = try members.optional("total")
            percent = try members.optional("percent")
            text = try members.optional("text")
            printedBytes = try members.optional("printedBytes")
            outcome = try members.optional("outcome")
            ended = try members.optional("ended")
            exitStatus = try members.optional("exitStatus")
            signal = try members.optional("signal")
            output = try members.optional("output")
            by = try members.optional("by")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 19)
            members.add("number", number)
            members.add("worker", worker)
            members.add("purpose", ifThere: purpose)
            members.add("command", ifThere: command)
            members.add("stage", stage)
            members.add("began", began)
            members.add("remainingUsec", ifThere: remainingUsec)
            members.add("pid", ifThere: pid)
            members.add("done", ifThere: done)
            members.add("total", ifThere: total)
            members.add("percent", ifThere: percent)
            members.add("text", ifThere: text)
            members.add("printedBytes", ifThere: printedBytes)
            members.add("outcome", ifThere: outcome)
            members.add("ended", ifThere: ended)
            members.add("exitStatus", ifThere: exitStatus)
            members.add("signal", ifThere: signal)
            members.add("output", ifThere: output)
            members.add("by", ifThere: by)
            return members.json
        }
    }

    /// How an activity is offered.
    public enum ActivitySource: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// By the worker's connection.
        case connection
        /// By a notify message.
        case notification
        /// By the worker's file: a hook tells the state.
        case file
    }

    /// An activity that a worker does now and that another one can continue.
    public struct ActivityOffer: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var worker: String
        /// The type, such as org.example.editing.
        public var type: String
        /// What it is about.
        ///
        /// Operators only.
        public var title: String?
        /// How it is offered.
        public var source: ActivitySource
        /// When it was offered first: microseconds since 1970; missing where the file offers it.
        public var since: Int64?
        /// Whether it is being handed over now.
        public var inHandoff: Bool

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            worker: String, type: String, title: String? = nil, source: ActivitySource, since: Int64? = nil,
            inHandoff: Bool
        ) {
            self.worker = worker
            self.type = type
            self.title = title
            self.source = source
            self.since = since
            self.inHandoff = inHandoff
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            worker = try members.required("worker")
            type = try members.required("type")
            title = try members.optional("title")
            source = try members.required("source")
            since = try members.optional("since")
            inHandoff = try members.required("inHandoff")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("worker", worker)
            members.add("type", type)
            members.add("title", ifThere: title)
            members.add("source", source)
            members.add("since", ifThere: since)
            members.add("inHandoff", inHandoff)
            return members.json
        }
    }

    /// A worker that continues activities of a type.
    public struct ActivityTaker: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var worker: String
        /// The type.
        public var type: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(worker: String, type: String) {
            self.worker = worker
            self.type = type
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            worker = try members.required("worker")
            type = try members.required("type")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 2)
            members.add("worker", worker)
            members.add("type", type)
            return members.json
        }
    }

    /// Everything about one worker.
    public struct WorkerStatus: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its description, as in Description=.
        public var description: String?
        /// Its state.
        public var state: State
        /// When it entered the state: microseconds since 1970.
        public var since: Int64
        /// The state that it is led to.
        public var goal: Goal
        /// The caller that set the goal; missing where the supervisor did.
        ///
        /// Operators only.
        public var goalBy: Caller?
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The type, as in Type=: simple, exec, oneshot, notify, app.
        public var type: String
        /// What shows that it is ready, as in ReadyWhen=; missing where the type does.
        public var readyWhen: String?
        /// The user it runs as.
        public var user: String?
        /// The main process, when there is one.
        public var pid: Int64?
        /// How many processes it has, descendants included.
        public var processCount: Int64?
        /// The memory that it uses.
        public var memory: Memory?
        /// The CPU time so far, in microseconds.
        public var cpuUsec: Int64?
        /// The callback in flight.
        public var callback: String?
        /// The deadlines that are running, the next one first.
        public var deadlines: [Deadline]
        /// How long it may stay in the background, when that is limited, in microseconds.
        public var backgroundTimeRemainingUsec: Int64?
        /// The background tasks that keep it awake.
        public var tasks: [BackgroundTask]
        /// The number of notifications that are queued for it.
        public var queueLength: Int64
        /// Whether another program has stopped it (SIGSTOP); no event then resumes it.
        public var held: Bool
        /// How many of its processes still run although another program has stopped its main process.
        ///
        /// Missing where none does.
        public var runningOthers: Int64?
        /// Whether a previous supervisor started its process; missing where not.
        public var adopted: Bool?
        /// Why it is in its state, as a clause.
        ///
        /// Which operator or which hook it was is for operators only.
        public var because: String?
        /// What would change it, in words: which events resume it, and when.
        public var wouldChange: [String]?
        /// How it is suspended on this machine.
        public var freezeMethod: FreezeMethod?
        /// Why suspending it failed, while another attempt is due; the deadline called sleep says when.
        ///
        /// Operators only.
        public var freezeFailure: String?
        /// What the present process was launched for.
        public var launchReason: LaunchReason?
        /// Whether the previous process was ended to free memory, so that the launch was a restore.
        ///
        /// Missing where not.
        public var restored: Bool?
        /// What resumed it from its last suspension, or launched it.
        ///
        /// Missing where only goals did.
        public var lastWake: WakeEvent?
        /// Callbacks that failed since its launch and have not succeeded since, the latest one last.
        ///
        /// Missing where there is none.
        public var hookFailures: [HookFailure]?
        /// What came with the launch.
        ///
        /// Operators only.
        public var launchOptions: JSON?
        /// The status text that it reports (STATUS= of sd_notify).
        public var statusText: String?
        /// How its last process ended.
        public var lastTermination: Termination?
        /// The number of restarts in a row.
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
        /// The last lines of its output, where the supervisor captures it.
        ///
        /// Operators only.
        public var lastOutput: [String]?
        /// Where its output goes instead: a path, or journal: and the identifier of its lines there.
        ///
        /// Operators only.
        public var outputTo: String?
        /// What its launch is doing, where there is no process yet.
        ///
        /// Operators only.
        public var launching: String?
        /// What is wrong with its file; the previous definition stays in force.
        ///
        /// Missing where the file is valid.
        public var fileProblem: String?
        /// When the definition in force was read, where the file is invalid: microseconds since 1970.
        public var definedAt: Int64?
        /// By which sockets of its own it wakes while it is suspended, and how they are watched, in words.
        ///
        /// Missing while it runs.
        public var wakesBy: String?
        /// What counts of what comes there, in words, with the settings that say so (WakeOn=, WakeFrom=,
        /// WakeNotFrom=); missing where all of it does.
        ///
        /// Operators only.
        public var wakeLimits: String?
        /// What it was used for last, as far as that was looked for when its idle time (IdleSec=) had run
        /// out.
        ///
        /// Operators only.
        public var lastUse: LastUse?
        /// What suspending it would have brought, where it is only observed (Idle=observe).
        ///
        /// Operators only.
        public var sleepGain: SleepGain?
        /// The sockets and FIFOs that the supervisor holds for it (ListenStream= and the like), in the order
        /// in which they are passed; missing where there are none.
        public var sockets: [HeldSocket]?
        /// What keeps it inactive although it is to be active, the oldest first; missing where nothing does.
        public var interruptions: [Interruption]?
        /// Its transfers that run, and those whose end it has not taken yet; missing where there are none.
        public var transfers: [Transfer]?
        /// What it has used of its budget of wakes (WakeBudget=) in the present hour; missing where nothing
        /// was used.
        public var wakeBudget: WakeBudget?
        /// How its background fetches are spaced; missing where it has no mode fetch.
        public var fetch: FetchStatus?
        /// Why low-power mode is on: fetches wait, and budgets of wakes are reduced.
        ///
        /// Missing while it is off.
        public var lowPower: String?
        /// The activities that it offers, the oldest first; missing where there are none.
        public var activities: [ActivityOffer]?
        /// How it stands with its long work; missing where it has no mode processing.
        public var processing: ProcessingStatus?
        /// Its processes, the first 64 by number, as they are now.
        ///
        /// Missing where it has none. Operators only.
        public var processes: [WorkerProcess]?

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
            definedAt: Int64? = nil, wakesBy: String? = nil, wakeLimits: String? = nil,
            lastUse: LastUse? = nil, sleepGain: SleepGain? = nil, sockets: [HeldSocket]? = nil,
            interruptions: [Interruption]? = nil, transfers: [Transfer]? = nil, wakeBudget: WakeBudget? = nil,
            fetch: FetchStatus? = nil, lowPower: String? = nil, activities: [ActivityOffer]? = nil,
            processing: ProcessingStatus? = nil, processes: [WorkerProcess]? = nil
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
            self.wakesBy = wakesBy
            self.wakeLimits = wakeLimits
            self.lastUse = lastUse
            self.sleepGain = sleepGain
            self.sockets = sockets
            self.interruptions = interruptions
            self.transfers = transfers
            self.wakeBudget = wakeBudget
            self.fetch = fetch
            self.lowPower = lowPower
            self.activities = activities
            self.processing = processing
            self.processes = processes
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            description = try members.optional("description")
            state = try members.required("state")
            since = try members.required("since")
            goal = try members.required("goal")
            goalBy = try members.optional("goalBy")
            reason = try members.optional("reason")
            type = try members.required("type")
            readyWhen = try members.optional("readyWhen")
            user = try members.optional("user")
            pid = try members.optional("pid")
            processCount = try members.optional("processCount")
            memory = try members.optional("memory")
            cpuUsec = try members.optional("cpuUsec")
            callback = try members.optional("callback")
            deadlines = try members.required("deadlines")
            backgroundTimeRemainingUsec = try members.optional("backgroundTimeRemainingUsec")
            tasks = try members.required("tasks")
            queueLength = try members.required("queueLength")
            held = try members.required("held")
            runningOthers = try members.optional("runningOthers")
            adopted = try members.optional("adopted")
            because = try members.optional("because")
            wouldChange = try members.optional("wouldChange")
            freezeMethod = try members.optional("freezeMethod")
            freezeFailure = try members.optional("freezeFailure")
            launchReason = try members.optional("launchReason")
            restored = try members.optional("restored")
            lastWake = try members.optional("lastWake")
            hookFailures = try members.optional("hookFailures")
            launchOptions = try members.optional("launchOptions")
            statusText = try members.optional("statusText")
            lastTermination = try members.optional("lastTermination")
            restartCount = try members.required("restartCount")
            files = try members.required("files")
            commandLine = try members.optional("commandLine")
            environment = try members.optional("environment")
            lastOutput = try members.optional("lastOutput")
            outputTo = try members.optional("outputTo")
            launching = try members.optional("launching")
            fileProblem = try members.optional("fileProblem")
            definedAt = try members.optional("definedAt")
            wakesBy = try members.optional("wakesBy")
            wakeLimits = try members.optional("wakeLimits")
            lastUse = try members.optional("lastUse")
            sleepGain = try members.optional("sleepGain")
            sockets = try members.optional("sockets")
            interruptions = try members.optional("interruptions")
            transfers = try members.optional("transfers")
            wakeBudget = try members.optional("wakeBudget")
            fetch = try members.optional("fetch")
            lowPower = try members.optional("lowPower")
            activities = try members.optional("activities")
            processing = try members.optional("processing")
            processes = try members.optional("processes")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 55)
            members.add("name", name)
            members.add("description", ifThere: description)
            members.add("state", state)
            members.add("since", since)
            members.add("goal", goal)
            members.add("goalBy", ifThere: goalBy)
            members.add("reason", ifThere: reason)
            members.add("type", type)
            members.add("readyWhen", ifThere: readyWhen)
            members.add("user", ifThere: user)
            members.add("pid", ifThere: pid)
            members.add("processCount", ifThere: processCount)
            members.add("memory", ifThere: memory)
            members.add("cpuUsec", ifThere: cpuUsec)
            members.add("callback", ifThere: callback)
            members.add("deadlines", deadlines)
            members.add("backgroundTimeRemainingUsec", ifThere: backgroundTimeRemainingUsec)
            members.add("tasks", tasks)
            members.add("queueLength", queueLength)
            members.add("held", held)
            members.add("runningOthers", ifThere: runningOthers)
            members.add("adopted", ifThere: adopted)
            members.add("because", ifThere: because)
            members.add("wouldChange", ifThere: wouldChange)
            members.add("freezeMethod", ifThere: freezeMethod)
            members.add("freezeFailure", ifThere: freezeFailure)
            members.add("launchReason", ifThere: launchReason)
            members.add("restored", ifThere: restored)
            members.add("lastWake", ifThere: lastWake)
            members.add("hookFailures", ifThere: hookFailures)
            members.add("launchOptions", ifThere: launchOptions)
            members.add("statusText", ifThere: statusText)
            members.add("lastTermination", ifThere: lastTermination)
            members.add("restartCount", restartCount)
            members.add("files", files)
            members.add("commandLine", ifThere: commandLine)
            members.add("environment", ifThere: environment)
            members.add("lastOutput", ifThere: lastOutput)
            members.add("outputTo", ifThere: outputTo)
            members.add("launching", ifThere: launching)
            members.add("fileProblem", ifThere: fileProblem)
            members.add("definedAt", ifThere: definedAt)
            members.add("wakesBy", ifThere: wakesBy)
            members.add("wakeLimits", ifThere: wakeLimits)
            members.add("lastUse", ifThere: lastUse)
            members.add("sleepGain", ifThere: sleepGain)
            members.add("sockets", ifThere: sockets)
            members.add("interruptions", ifThere: interruptions)
            members.add("transfers", ifThere: transfers)
            members.add("wakeBudget", ifThere: wakeBudget)
            members.add("fetch", ifThere: fetch)
            members.add("lowPower", ifThere: lowPower)
            members.add("activities", ifThere: activities)
            members.add("processing", ifThere: processing)
            members.add("processes", ifThere: processes)
            return members.json
        }
    }

    /// A process of a worker.
    public struct WorkerProcess: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number.
        public var pid: Int64
        /// That of its parent.
        public var parent: Int64
        /// Its short name, as ps(1) shows it in the column COMM.
        public var name: String
        /// Its memory that is in RAM, in bytes, as in VmRSS.
        ///
        /// Missing where it has just ended.
        public var residentBytes: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(pid: Int64, parent: Int64, name: String, residentBytes: Int64? = nil) {
            self.pid = pid
            self.parent = parent
            self.name = name
            self.residentBytes = residentBytes
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            pid = try members.required("pid")
            parent = try members.required("parent")
            name = try members.required("name")
            residentBytes = try members.optional("residentBytes")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("pid", pid)
            members.add("parent", parent)
            members.add("name", name)
            members.add("residentBytes", ifThere: residentBytes)
            return members.json
        }
    }

    /// A time in which the supervisor served one event, and no other.
    public struct LoopPause: Codable, JSONConvertible, Hashable, Sendable {
        /// How long it was, in microseconds.
        public var lengthUsec: Int64
        /// When it ended: microseconds since 1970.
        public var at: Int64
        /// Where in the supervisor's source the event is served, for a report of a defect: MODULE/FILE:LINE.
        public var place: String
        /// The method, where the event was a call.
        ///
        /// Missing otherwise.
        public var method: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(lengthUsec: Int64, at: Int64, place: String, method: String? = nil) {
            self.lengthUsec = lengthUsec
            self.at = at
            self.place = place
            self.method = method
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            lengthUsec = try members.required("lengthUsec")
            at = try members.required("at")
            place = try members.required("place")
            method = try members.optional("method")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("lengthUsec", lengthUsec)
            members.add("at", at)
            members.add("place", place)
            members.add("method", ifThere: method)
            return members.json
        }
    }

    /// What an operator has chosen for low-power mode.
    public enum LowPowerChoice: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// It is on while the machine is on battery and the charge is low.
        case auto
        /// It is on.
        case on
        /// It is off.
        case off
    }

    /// A wake that waits until the budget of wakes is full again: all wakes of one reason.
    public struct KeptWake: Codable, JSONConvertible, Hashable, Sendable {
        /// The reason.
        public var reason: LaunchReason
        /// How many they are.
        public var count: Int64
        /// When the first of them came: microseconds since 1970.
        public var since: Int64
        /// What the last of them was about: the topic, the path, the device.
        ///
        /// Operators only.
        public var detail: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(reason: LaunchReason, count: Int64, since: Int64, detail: String? = nil) {
            self.reason = reason
            self.count = count
            self.since = since
            self.detail = detail
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            reason = try members.required("reason")
            count = try members.required("count")
            since = try members.required("since")
            detail = try members.optional("detail")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("reason", reason)
            members.add("count", count)
            members.add("since", since)
            members.add("detail", ifThere: detail)
            return members.json
        }
    }

    /// How often a worker was woken in the present hour without a request, by silent posts, fetches, paths
    /// and devices, and how long it was awake for that.
    public struct WakeBudget: Codable, JSONConvertible, Hashable, Sendable {
        /// The number of wakes that were used.
        public var wakeCount: Int64
        /// How many there may be in an hour; missing where that is not limited.
        public var wakeLimit: Int64?
        /// How long it was awake for them, in microseconds.
        public var awakeUsec: Int64
        /// From which time awake on no further wake is let through, in microseconds; missing where that is
        /// not limited.
        public var awakeLimitUsec: Int64?
        /// In which time all of it is there again, in microseconds.
        public var fullInUsec: Int64?
        /// What is kept until then; missing where nothing is.
        public var kept: [KeptWake]?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            wakeCount: Int64, wakeLimit: Int64? = nil, awakeUsec: Int64, awakeLimitUsec: Int64? = nil,
            fullInUsec: Int64? = nil, kept: [KeptWake]? = nil
        ) {
            self.wakeCount = wakeCount
            self.wakeLimit = wakeLimit
            self.awakeUsec = awakeUsec
            self.awakeLimitUsec = awakeLimitUsec
            self.fullInUsec = fullInUsec
            self.kept = kept
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            wakeCount = try members.required("wakeCount")
            wakeLimit = try members.optional("wakeLimit")
            awakeUsec = try members.required("awakeUsec")
            awakeLimitUsec = try members.optional("awakeLimitUsec")
            fullInUsec = try members.optional("fullInUsec")
            kept = try members.optional("kept")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("wakeCount", wakeCount)
            members.add("wakeLimit", ifThere: wakeLimit)
            members.add("awakeUsec", awakeUsec)
            members.add("awakeLimitUsec", ifThere: awakeLimitUsec)
            members.add("fullInUsec", ifThere: fullInUsec)
            members.add("kept", ifThere: kept)
            return members.json
        }
    }

    /// What came of a background fetch.
    public enum FetchResult: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// There was something new.
        case newData
        /// There was nothing new.
        case noData
        /// It failed, or was not completed in time.
        case failed
    }

    /// How a worker stands with its long work.
    public struct ProcessingStatus: Codable, JSONConvertible, Hashable, Sendable {
        /// In which time it is due, in microseconds: 0 where it is, and waits for a good time.
        public var dueInUsec: Int64
        /// How long it has been under way, in microseconds; missing while it is not.
        public var runningUsec: Int64?
        /// What is in its way, in a clause; missing where nothing is known to be.
        public var obstacle: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(dueInUsec: Int64, runningUsec: Int64? = nil, obstacle: String? = nil) {
            self.dueInUsec = dueInUsec
            self.runningUsec = runningUsec
            self.obstacle = obstacle
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            dueInUsec = try members.required("dueInUsec")
            runningUsec = try members.optional("runningUsec")
            obstacle = try members.optional("obstacle")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 3)
            members.add("dueInUsec", dueInUsec)
            members.add("runningUsec", ifThere: runningUsec)
            members.add("obstacle", ifThere: obstacle)
            return members.json
        }
    }

    /// How the background fetches of a worker are spaced.
    public struct FetchStatus: Codable, JSONConvertible, Hashable, Sendable {
        /// The present interval, in microseconds: it adapts between FetchIntervalSec= and eight times that.
        public var intervalUsec: Int64
        /// FetchIntervalSec=, in microseconds.
        public var baseUsec: Int64
        /// In which time the next fetch is due, in microseconds.
        public var nextInUsec: Int64?
        /// What came of the last fetch; missing before the first.
        public var lastResult: FetchResult?
        /// When that was over: microseconds since 1970.
        public var lastAt: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            intervalUsec: Int64, baseUsec: Int64, nextInUsec: Int64? = nil, lastResult: FetchResult? = nil,
            lastAt: Int64? = nil
        ) {
            self.intervalUsec = intervalUsec
            self.baseUsec = baseUsec
            self.nextInUsec = nextInUsec
            self.lastResult = lastResult
            self.lastAt = lastAt
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            intervalUsec = try members.required("intervalUsec")
            baseUsec = try members.required("baseUsec")
            nextInUsec = try members.optional("nextInUsec")
            lastResult = try members.optional("lastResult")
            lastAt = try members.optional("lastAt")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("intervalUsec", intervalUsec)
            members.add("baseUsec", baseUsec)
            members.add("nextInUsec", ifThere: nextInUsec)
            members.add("lastResult", ifThere: lastResult)
            members.add("lastAt", ifThere: lastAt)
            return members.json
        }
    }

    /// A socket or FIFO that the supervisor holds for a worker.
    public struct HeldSocket: Codable, JSONConvertible, Hashable, Sendable {
        /// The directive that asks for it: ListenStream, ListenDatagram, ListenSequentialPacket, ListenFIFO.
        public var directive: String
        /// Its address, as the directive has it.
        public var address: String
        /// Whether it is open.
        public var open: Bool
        /// How it is: open, and how many connections wait; or why it is closed.
        public var detail: String
        /// How many connections wait to be accepted; missing where that is not known.
        public var waitingCount: Int64?
        /// How many connections may wait.
        public var queueLimit: Int64?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            directive: String, address: String, open: Bool, detail: String, waitingCount: Int64? = nil,
            queueLimit: Int64? = nil
        ) {
            self.directive = directive
            self.address = address
            self.open = open
            self.detail = detail
            self.waitingCount = waitingCount
            self.queueLimit = queueLimit
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            directive = try members.required("directive")
            address = try members.required("address")
            open = try members.required("open")
            detail = try members.required("detail")
            waitingCount = try members.optional("waitingCount")
            queueLimit = try members.optional("queueLimit")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("directive", directive)
            members.add("address", address)
            members.add("open", open)
            members.add("detail", detail)
            members.add("waitingCount", ifThere: waitingCount)
            members.add("queueLimit", ifThere: queueLimit)
            return members.json
        }
    }

    /// What a worker was used for last.
    public struct LastUse: Codable, JSONConvertible, Hashable, Sendable {
        /// When: microseconds since 1970.
        public var at: Int64
        /// What it was, in words.
        public var what: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(at: Int64, what: String) {
            self.at = at
            self.what = what
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            at = try members.required("at")
            what = try members.required("what")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 2)
            members.add("at", at)
            members.add("what", what)
            return members.json
        }
    }

    /// How often a peer woke a worker, or would have.
    public struct PeerWakes: Codable, JSONConvertible, Hashable, Sendable {
        /// The address of the peer, without its port.
        public var peer: String
        /// How often.
        public var count: Int64

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(peer: String, count: Int64) {
            self.peer = peer
            self.count = count
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            peer = try members.required("peer")
            count = try members.required("count")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 2)
            members.add("peer", peer)
            members.add("count", count)
            return members.json
        }
    }

    /// What sleep has brought of a worker, or would have.
    public struct SleepGain: Codable, JSONConvertible, Hashable, Sendable {
        /// Whether it is only observed (Idle=observe): it has not slept, but would have.
        public var observed: Bool
        /// How long it has been watched for this, in microseconds.
        public var watchedUsec: Int64
        /// How long of that it was suspended, or would have been.
        public var asleepUsec: Int64
        /// How often it was resumed, or would have been.
        public var wakeCount: Int64
        /// By which peers, the most frequent first: 16 at most.
        public var peers: [PeerWakes]

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            observed: Bool, watchedUsec: Int64, asleepUsec: Int64, wakeCount: Int64, peers: [PeerWakes]
        ) {
            self.observed = observed
            self.watchedUsec = watchedUsec
            self.asleepUsec = asleepUsec
            self.wakeCount = wakeCount
            self.peers = peers
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            observed = try members.required("observed")
            watchedUsec = try members.required("watchedUsec")
            asleepUsec = try members.required("asleepUsec")
            wakeCount = try members.required("wakeCount")
            peers = try members.required("peers")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("observed", observed)
            members.add("watchedUsec", watchedUsec)
            members.add("asleepUsec", asleepUsec)
            members.add("wakeCount", wakeCount)
            members.add("peers", peers)
            return members.json
        }
    }

    /// How metrics are written.
    public enum MetricsFormat: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// OpenMetrics 1.0.
        case openmetrics
        /// The text format 0.0.4 of Prometheus.
        case prometheus
    }

    /// What sleep has brought of one worker, or would have.
    public struct WorkerGain: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Its state.
        public var state: State
        /// The memory that it holds now, where that can be known: what could be reclaimed at most.
        public var memoryBytes: Int64?
        /// How much memory was reclaimed in its present sleep.
        public var givenBackBytes: Int64?
        /// When it was used last, where that was looked for: microseconds since 1970.
        public var lastUseAt: Int64?
        /// The sleep.
        public var gain: SleepGain

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, state: State, memoryBytes: Int64? = nil, givenBackBytes: Int64? = nil,
            lastUseAt: Int64? = nil, gain: SleepGain
        ) {
            self.name = name
            self.state = state
            self.memoryBytes = memoryBytes
            self.givenBackBytes = givenBackBytes
            self.lastUseAt = lastUseAt
            self.gain = gain
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            state = try members.required("state")
            memoryBytes = try members.optional("memoryBytes")
            givenBackBytes = try members.optional("givenBackBytes")
            lastUseAt = try members.optional("lastUseAt")
            gain = try members.required("gain")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("name", name)
            members.add("state", state)
            members.add("memoryBytes", ifThere: memoryBytes)
            members.add("givenBackBytes", ifThere: givenBackBytes)
            members.add("lastUseAt", ifThere: lastUseAt)
            members.add("gain", gain)
            return members.json
        }
    }

    /// A callback of a worker that failed.
    public struct HookFailure: Codable, JSONConvertible, Hashable, Sendable {
        /// The callback.
        public var callback: String
        /// The topic, where the hook is one for notifications.
        ///
        /// Operators only.
        public var topic: String?
        /// The action, as in the worker file; missing where the callback went to the worker's own connection.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            callback = try members.required("callback")
            topic = try members.optional("topic")
            action = try members.optional("action")
            why = try members.optional("why")
            at = try members.required("at")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("callback", callback)
            members.add("topic", ifThere: topic)
            members.add("action", ifThere: action)
            members.add("why", ifThere: why)
            members.add("at", at)
            return members.json
        }
    }

    /// What resumed a worker, or launched it.
    public struct WakeEvent: Codable, JSONConvertible, Hashable, Sendable {
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            at = try members.required("at")
            reason = try members.required("reason")
            detail = try members.optional("detail")
            by = try members.optional("by")
            program = try members.optional("program")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("at", at)
            members.add("reason", reason)
            members.add("detail", ifThere: detail)
            members.add("by", ifThere: by)
            members.add("program", ifThere: program)
            return members.json
        }
    }

    /// The result of setting a goal, for one worker.
    public struct GoalResult: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// Its state now.
        public var state: State
        /// Its goal now.
        public var goal: Goal
        /// The goal that was requested, where another one has replaced it.
        ///
        /// Missing otherwise.
        public var wanted: Goal?
        /// Whether the goal is reached.
        public var reached: Bool
        /// The name of the error, as io.torpor.Supervisor.Refused, when it cannot be reached.
        public var error: String?
        /// Why it cannot be reached, in a sentence.
        public var message: String?
        /// The last lines of its output, where it has ended instead.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            state = try members.required("state")
            goal = try members.required("goal")
            wanted = try members.optional("wanted")
            reached = try members.required("reached")
            error = try members.optional("error")
            message = try members.optional("message")
            lastOutput = try members.optional("lastOutput")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 8)
            members.add("name", name)
            members.add("state", state)
            members.add("goal", goal)
            members.add("wanted", ifThere: wanted)
            members.add("reached", reached)
            members.add("error", ifThere: error)
            members.add("message", ifThere: message)
            members.add("lastOutput", ifThere: lastOutput)
            return members.json
        }
    }

    /// What a worker is waited for whose goal is not reached yet.
    public struct GoalWaiting: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// Its state now.
        public var state: State
        /// What holds it up, in words: its launch, a callback in flight, its background tasks.
        ///
        /// Missing where nothing is known.
        public var on: String?
        /// The deadline that comes first.
        ///
        /// Missing where there is none.
        public var deadline: Deadline?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(name: String, state: State, on: String? = nil, deadline: Deadline? = nil) {
            self.name = name
            self.state = state
            self.on = on
            self.deadline = deadline
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            state = try members.required("state")
            on = try members.optional("on")
            deadline = try members.optional("deadline")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("name", name)
            members.add("state", state)
            members.add("on", ifThere: on)
            members.add("deadline", ifThere: deadline)
            return members.json
        }
    }

    /// A setting of a transient worker, as in a worker file.
    public struct Property: Codable, JSONConvertible, Hashable, Sendable {
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            section = try members.required("section")
            key = try members.required("key")
            value = try members.required("value")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 3)
            members.add("section", section)
            members.add("key", key)
            members.add("value", value)
            return members.json
        }
    }

    /// A change of state, or of the set of defined workers.
    public struct Change: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var worker: String
        /// The state before; missing when the worker has just been defined.
        public var from: State?
        /// The state after; missing when the worker is no longer defined.
        public var to: State?
        /// Its goal at the time.
        public var goal: Goal
        /// The reason, in a word: operator, idle, socket, exited, watchdog and so on.
        public var reason: String
        /// When: microseconds since 1970.
        public var at: Int64
        /// When: microseconds of the monotonic clock.
        public var monotonic: Int64
        /// The user that requested it, where a caller did.
        ///
        /// Operators only.
        public var uid: Int64?
        /// The process that requested it.
        ///
        /// Operators only.
        public var pid: Int64?
        /// Callbacks that belong to the change but were skipped.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            worker = try members.required("worker")
            from = try members.optional("from")
            to = try members.optional("to")
            goal = try members.required("goal")
            reason = try members.required("reason")
            at = try members.required("at")
            monotonic = try members.required("monotonic")
            uid = try members.optional("uid")
            pid = try members.optional("pid")
            notTold = try members.required("notTold")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 10)
            members.add("worker", worker)
            members.add("from", ifThere: from)
            members.add("to", ifThere: to)
            members.add("goal", goal)
            members.add("reason", reason)
            members.add("at", at)
            members.add("monotonic", monotonic)
            members.add("uid", ifThere: uid)
            members.add("pid", ifThere: pid)
            members.add("notTold", notTold)
            return members.json
        }
    }

    /// How a process ended, as stored: the record outlives the process, the supervisor and the boot.
    public struct TerminationReport: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number: what ended later has a greater one.
        public var id: Int64
        /// The worker.
        public var worker: String
        /// The boot in which it ended (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// The record itself.
        ///
        /// The caller and the output are for operators only.
        public var termination: Termination

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(id: Int64, worker: String, bootId: String, termination: Termination) {
            self.id = id
            self.worker = worker
            self.bootId = bootId
            self.termination = termination
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            id = try members.required("id")
            worker = try members.required("worker")
            bootId = try members.required("bootId")
            termination = try members.required("termination")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("id", id)
            members.add("worker", worker)
            members.add("bootId", bootId)
            members.add("termination", termination)
            return members.json
        }
    }

    /// The kinds of entries in the history.
    public enum HistoryKind: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The state changed.
        case changed
        /// A launch was complete.
        case launched
        /// A launch failed.
        case launchFailed
        /// A process ended.
        case ended
        /// A problem that did not stop supervision.
        case warned
        /// An event resumed or launched the worker; the reason says which.
        case woken
        /// A caller opened a URL with the worker.
        case opened
        /// A wake was kept, since the budget of wakes (WakeBudget=) is used, or what was kept was let
        /// through.
        case kept
        /// It was given time for its long work, or that is over.
        case processed
        /// The supervisor started or ended, or adopted a worker.
        case supervisor
        /// Memory pressure began or ended, and what was done about it.
        case memory
        /// Entries before this one could not be written in time and are missing.
        case lost
    }

    /// An entry of the history, as stored.
    public struct HistoryEntry: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number: what happened later has a greater one.
        public var id: Int64
        /// The worker; missing where the entry concerns all of them.
        public var worker: String?
        /// The boot in which it happened (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// When: microseconds since 1970.
        public var at: Int64
        /// The kind.
        public var kind: HistoryKind
        /// The state before.
        public var from: State?
        /// The state after.
        public var to: State?
        /// The reason, in a word: operator, idle, socket, exited, watchdog and so on.
        public var reason: String
        /// The caller that requested it, where a caller did.
        ///
        /// Operators only.
        public var requestedBy: Caller?
        /// How long it had been suspended, in microseconds, when it leaves suspended.
        public var suspendedForUsec: Int64?
        /// Callbacks that belong to the change but were skipped.
        public var notTold: [String]
        /// Further details; of a change, the callbacks answered before it and how long that took.
        ///
        /// Those of ends, warnings, failed launches, wakes, URLs and the supervisor are for operators only.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            id = try members.required("id")
            worker = try members.optional("worker")
            bootId = try members.required("bootId")
            at = try members.required("at")
            kind = try members.required("kind")
            from = try members.optional("from")
            to = try members.optional("to")
            reason = try members.required("reason")
            requestedBy = try members.optional("requestedBy")
            suspendedForUsec = try members.optional("suspendedForUsec")
            notTold = try members.required("notTold")
            message = try members.optional("message")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 12)
            members.add("id", id)
            members.add("worker", ifThere: worker)
            members.add("bootId", bootId)
            members.add("at", at)
            members.add("kind", kind)
            members.add("from", ifThere: from)
            members.add("to", ifThere: to)
            members.add("reason", reason)
            members.add("requestedBy", ifThere: requestedBy)
            members.add("suspendedForUsec", ifThere: suspendedForUsec)
            members.add("notTold", notTold)
            members.add("message", ifThere: message)
            return members.json
        }
    }

    /// The level of memory pressure of the machine.
    public enum PressureLevel: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// No action is needed.
        case normal
        /// Running workers are warned.
        case warning
        /// Workers are ended one after the other.
        case critical
    }

    /// A capability of this machine.
    public struct Finding: Codable, JSONConvertible, Hashable, Sendable {
        /// Its name, as freezer, pressure, reclaim, journal.
        public var capability: String
        /// Whether it is available.
        public var available: Bool
        /// What was found, in a sentence.
        public var detail: String
        /// The one line that makes it available.
        public var remedy: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(capability: String, available: Bool, detail: String, remedy: String? = nil) {
            self.capability = capability
            self.available = available
            self.detail = detail
            self.remedy = remedy
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            capability = try members.required("capability")
            available = try members.required("available")
            detail = try members.required("detail")
            remedy = try members.optional("remedy")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 4)
            members.add("capability", capability)
            members.add("available", available)
            members.add("detail", detail)
            members.add("remedy", ifThere: remedy)
            return members.json
        }
    }

    /// A file, as it is on disk.
    public struct File: Codable, JSONConvertible, Hashable, Sendable {
        /// The path.
        public var path: String
        /// The content.
        public var content: String

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(path: String, content: String) {
            self.path = path
            self.content = content
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            path = try members.required("path")
            content = try members.required("content")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 2)
            members.add("path", path)
            members.add("content", content)
            return members.json
        }
    }

    /// A problem in a definition.
    public struct Diagnostic: Codable, JSONConvertible, Hashable, Sendable {
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            worker = try members.optional("worker")
            file = try members.required("file")
            line = try members.optional("line")
            key = try members.optional("key")
            message = try members.required("message")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 5)
            members.add("worker", ifThere: worker)
            members.add("file", file)
            members.add("line", ifThere: line)
            members.add("key", ifThere: key)
            members.add("message", message)
            return members.json
        }
    }

    /// How several posts of one topic are merged into one while the worker cannot run.
    public enum MergeRule: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The newest payload replaces the older.
        case latest
        /// The newest payload is compared with the one that the worker has: where they are equal, nothing is
        /// delivered.
        case net
        /// Added and removed members: one that is added and removed again is not delivered.
        case set
        /// One post with a count.
        case count
        /// Not merged: kept in order up to a limit; the oldest past that are dropped and counted.
        case each
    }

    /// Why a post is not accepted.
    public enum PostObstacle: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The worker does not handle that topic.
        case notWanted
        /// It concerns the present process, and there is none.
        case notRunning
        /// The topic has a rule of its own.
        case wrongRule
        /// The payload is larger than 64 KiB.
        case tooLarge
        /// Too many topics are queued for the worker.
        case tooManyTopics
        /// The set has too many members.
        case tooManyMembers
        /// The worker's queue is full.
        case full
        /// It cannot be written to the disk, so its delivery is not guaranteed.
        ///
        /// It may be delivered all the same.
        case notKept
        /// The time has passed.
        case past
        /// It would repeat more often than once a second.
        case tooOften
        /// The worker has 64 scheduled posts, which is the most.
        case tooManySchedules
        /// It is an alert, and the worker's file allows none about that topic (Alerts=).
        case notAllowed
    }

    /// The result of a post, for one worker.
    public struct PostResult: Codable, JSONConvertible, Hashable, Sendable {
        /// The worker.
        public var name: String
        /// Its number in the queue.
        ///
        /// Missing where it cancelled a queued post, or is scheduled.
        public var sequence: Int64?
        /// The number of the scheduled post.
        public var schedule: Int64?
        /// The number of the alert.
        public var alert: Int64?
        /// Why it was not accepted.
        public var obstacle: PostObstacle?
        /// The same, in words; without an obstacle, which part of the post has no effect.
        public var message: String?

        /// A value of these members; one that may be missing is `nil` unless it is given.
        public init(
            name: String, sequence: Int64? = nil, schedule: Int64? = nil, alert: Int64? = nil,
            obstacle: PostObstacle? = nil, message: String? = nil
        ) {
            self.name = name
            self.sequence = sequence
            self.schedule = schedule
            self.alert = alert
            self.obstacle = obstacle
            self.message = message
        }

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            name = try members.required("name")
            sequence = try members.optional("sequence")
            schedule = try members.optional("schedule")
            alert = try members.optional("alert")
            obstacle = try members.optional("obstacle")
            message = try members.optional("message")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 6)
            members.add("name", name)
            members.add("sequence", ifThere: sequence)
            members.add("schedule", ifThere: schedule)
            members.add("alert", ifThere: alert)
            members.add("obstacle", ifThere: obstacle)
            members.add("message", ifThere: message)
            return members.json
        }
    }

    /// A queued notification: a post, or several of one topic merged into one.
    public struct QueuedNotification: Codable, JSONConvertible, Hashable, Sendable {
        /// The topic.
        public var topic: String
        /// Its number, which grows within a topic.
        public var sequence: Int64
        /// How it is merged.
        public var rule: MergeRule
        /// How many posts it stands for.
        public var count: Int64
        /// When the first of them was posted: microseconds since 1970.
        public var first: Int64
        /// When the last of them was posted: microseconds since 1970.
        public var last: Int64
        /// The payload of the last of them.
        public var payload: JSON?
        /// Members that were added, where the rule is set.
        public var added: [String]?
        /// Members that were removed, where the rule is set.
        public var removed: [String]?
        /// How many were dropped before it because there were too many.
        public var dropped: Int64?
        /// Whether it is being delivered: the worker has it and has not acknowledged it yet.
        public var inFlight: Bool
        /// Whether it survives the end of the worker's process and of the supervisor.
        public var survives: Bool
        /// How often the worker crashed while it was being delivered.
        ///
        /// Missing where it did not.
        public var deaths: Int64?
        /// Whether it is set aside because the worker crashed twice during its delivery: it is not delivered
        /// until RetryNotification is called.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            topic = try members.required("topic")
            sequence = try members.required("sequence")
            rule = try members.required("rule")
            count = try members.required("count")
            first = try members.required("first")
            last = try members.required("last")
            payload = try members.optional("payload")
            added = try members.optional("added")
            removed = try members.optional("removed")
            dropped = try members.optional("dropped")
            inFlight = try members.required("inFlight")
            survives = try members.required("survives")
            deaths = try members.optional("deaths")
            setAside = try members.optional("setAside")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 14)
            members.add("topic", topic)
            members.add("sequence", sequence)
            members.add("rule", rule)
            members.add("count", count)
            members.add("first", first)
            members.add("last", last)
            members.add("payload", ifThere: payload)
            members.add("added", ifThere: added)
            members.add("removed", ifThere: removed)
            members.add("dropped", ifThere: dropped)
            members.add("inFlight", inFlight)
            members.add("survives", survives)
            members.add("deaths", ifThere: deaths)
            members.add("setAside", ifThere: setAside)
            return members.json
        }
    }

    /// A post that is due at a time.
    public struct ScheduledPost: Codable, JSONConvertible, Hashable, Sendable {
        /// Its number.
        public var id: Int64
        /// The topic.
        public var topic: String
        /// How it is merged.
        public var rule: MergeRule
        /// The payload.
        public var payload: JSON?
        /// When it is due: microseconds since 1970, by the clock as it stands then.
        public var at: Int64
        /// The period, in microseconds.
        ///
        /// Missing for a post that is due once.
        public var everyUsec: Int64?
        /// Whether it resumes a suspended worker.
        public var wake: Bool
        /// The caller that scheduled it.
        ///
        /// Missing where that was the worker itself.
        public var by: Caller?
        /// The program of that caller, where it was known.
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

        /// The value that `json` says, an object.
        public init(json: JSON) throws(JSON.Mismatch) {
            var members = try JSONMembers(json)
            id = try members.required("id")
            topic = try members.required("topic")
            rule = try members.required("rule")
            payload = try members.optional("payload")
            at = try members.required("at")
            everyUsec = try members.optional("everyUsec")
            wake = try members.required("wake")
            by = try members.optional("by")
            program = try members.optional("program")
        }

        /// The value as JSON, an object with its members in their order.
        public var asJSON: JSON {
            var members = JSONMembersMade(capacity: 9)
            members.add("id", id)
            members.add("topic", topic)
            members.add("rule", rule)
            members.add("payload", ifThere: payload)
            members.add("at", at)
            members.add("everyUsec", ifThere: everyUsec)
            members.add("wake", wake)
            members.add("by", ifThere: by)
            members.add("program", ifThere: program)
            return members.json
        }
    }

    /// Why a worker is no longer held although the connection is still open.
    public enum HoldEnd: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
        /// The limit that the caller set has passed; the worker continues.
        case limit
        /// The worker has ended.
        case workerEnded
    }

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

extension SupervisorInterface {
    /// All workers in one reply, ordered by name.
    ///
    /// A pattern that matches no worker is not an error here. Open to every caller.
    public enum List: Method {
        /// The name, in full `io.torpor.Supervisor.List`.
        public static let member = "List"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out.
            public var names: [String]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String]? = nil) {
                self.names = names
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.optional("names")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("names", ifThere: names)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The workers.
            public var workers: [WorkerSummary]
            /// How many of all workers are suspended.
            public var asleepCount: Int64
            /// How much memory was reclaimed from them.
            public var givenBackBytes: Int64
            /// Why low-power mode is on; missing while it is off.
            public var lowPower: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                workers: [WorkerSummary], asleepCount: Int64, givenBackBytes: Int64, lowPower: String? = nil
            ) {
                self.workers = workers
                self.asleepCount = asleepCount
                self.givenBackBytes = givenBackBytes
                self.lowPower = lowPower
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                workers = try members.required("workers")
                asleepCount = try members.required("asleepCount")
                givenBackBytes = try members.required("givenBackBytes")
                lowPower = try members.optional("lowPower")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("workers", workers)
                members.add("asleepCount", asleepCount)
                members.add("givenBackBytes", givenBackBytes)
                members.add("lowPower", ifThere: lowPower)
                return members.json
            }
        }
    }

    /// The figures of workers that Watch does not tell, for a caller that shows them while it watches.
    ///
    /// A name of no worker is left out of the reply. Operators only.
    public enum Figures: Method {
        /// The name, in full `io.torpor.Supervisor.Figures`.
        public static let member = "Figures"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers, without patterns; at most 256, and more are left out.
            public var names: [String]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String]) {
                self.names = names
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.required("names")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("names", names)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The workers, in the order of the names.
            public var workers: [WorkerFigures]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(workers: [WorkerFigures]) {
                self.workers = workers
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                workers = try members.required("workers")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("workers", workers)
                return members.json
            }
        }
    }

    /// Everything about one worker.
    ///
    /// Open to every caller.
    public enum Describe: Method {
        /// The name, in full `io.torpor.Supervisor.Describe`.
        public static let member = "Describe"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
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
            /// The worker; with fewer fields for a caller that is not an operator.
            public var worker: WorkerStatus

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: WorkerStatus) {
                self.worker = worker
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                worker = try members.required("worker")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("worker", worker)
                return members.json
            }
        }
    }

    /// Why a worker is in its state and what would change it.
    ///
    /// Open to every caller.
    public enum Why: Method {
        /// The name, in full `io.torpor.Supervisor.Why`.
        public static let member = "Why"

        /// The parameters of a call.
        public typealias Parameters = Describe.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// All of the following, in one sentence.
            public var sentence: String
            /// Its state.
            public var state: State
            /// Its goal.
            public var goal: Goal
            /// The cause of the state, in a word.
            public var cause: String
            /// The caller that requested it.
            ///
            /// Operators only.
            public var requestedBy: Caller?
            /// What would change it, in words: which events resume it, and when.
            public var wouldChange: [String]
            /// The next deadline.
            public var deadline: Deadline?
            /// The last lines of the output of a worker that has failed.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                sentence = try members.required("sentence")
                state = try members.required("state")
                goal = try members.required("goal")
                cause = try members.required("cause")
                requestedBy = try members.optional("requestedBy")
                wouldChange = try members.required("wouldChange")
                deadline = try members.optional("deadline")
                lastOutput = try members.optional("lastOutput")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 8)
                members.add("sentence", sentence)
                members.add("state", state)
                members.add("goal", goal)
                members.add("cause", cause)
                members.add("requestedBy", ifThere: requestedBy)
                members.add("wouldChange", wouldChange)
                members.add("deadline", ifThere: deadline)
                members.add("lastOutput", ifThere: lastOutput)
                return members.json
            }
        }
    }

    /// The workers that would be asked to open a URL, in the order in which they are asked: nothing is
    /// launched, and each may still refuse.
    ///
    /// Open to every caller.
    public enum CanOpen: Method {
        /// The name, in full `io.torpor.Supervisor.CanOpen`.
        public static let member = "CanOpen"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The URL.
            public var url: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(url: String) {
                self.url = url
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                url = try members.required("url")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("url", url)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The names of the workers whose URLSchemes= has its scheme; at least one.
            public var workers: [String]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(workers: [String]) {
                self.workers = workers
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                workers = try members.required("workers")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("workers", workers)
                return members.json
            }
        }
    }

    /// Opens a URL with the worker whose URLSchemes= has its scheme: in the foreground, launched for it where
    /// it does not run.
    ///
    /// Of several workers with the scheme the next is asked where one refuses or cannot take it, in the order
    /// of their names. The reply comes when a worker has accepted it; the error is that of the first.
    public enum Open: Method {
        /// The name, in full `io.torpor.Supervisor.Open`.
        public static let member = "Open"

        /// The parameters of a call.
        public typealias Parameters = CanOpen.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker that accepted it.
            public var worker: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: String) {
                self.worker = worker
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                worker = try members.required("worker")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("worker", worker)
                return members.json
            }
        }
    }

    /// The activities that workers offer, and the workers that continue activities of others.
    ///
    /// Operators only.
    public enum Activities: Method {
        /// The name, in full `io.torpor.Supervisor.Activities`.
        public static let member = "Activities"

        /// The parameters of a call.
        public typealias Parameters = List.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// What is offered, ordered by worker.
            public var offers: [ActivityOffer]
            /// What is continued, ordered by worker.
            public var takers: [ActivityTaker]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(offers: [ActivityOffer], takers: [ActivityTaker]) {
                self.offers = offers
                self.takers = takers
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                offers = try members.required("offers")
                takers = try members.required("takers")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("offers", offers)
                members.add("takers", takers)
                return members.json
            }
        }
    }

    /// Begins to hand over an activity of a worker: asks the worker for its state.
    ///
    /// The first reply brings that. The caller brings it to another worker by TakeActivity, of this
    /// supervisor or of another one, and then calls EndHandoff on a second connection. Until EndHandoff says
    /// that the other worker has taken the activity, this worker keeps it: also when the connection is closed
    /// before, or five minutes have passed. Needs more. Refused where the worker does not offer it, or cannot
    /// be asked; HookFailed where the worker does not tell the state.
    public enum GiveActivity: Method {
        /// The name, in full `io.torpor.Supervisor.GiveActivity`.
        public static let member = "GiveActivity"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The type; may be left out where the worker offers one activity.
            public var type: String?
            /// The state, in the place of that of the worker, which is not asked then; at most 64 KiB.
            public var payload: JSON?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, type: String? = nil, payload: JSON? = nil) {
                self.name = name
                self.type = type
                self.payload = payload
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                type = try members.optional("type")
                payload = try members.optional("payload")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("name", name)
                members.add("type", ifThere: type)
                members.add("payload", ifThere: payload)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The id of the handoff.
            public var handoff: String
            /// The type.
            public var type: String
            /// What it is about.
            public var title: String?
            /// The state: in the first reply only.
            public var payload: JSON?
            /// How it is over, in a clause: in the last reply only.
            public var over: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                handoff: String, type: String, title: String? = nil, payload: JSON? = nil, over: String? = nil
            ) {
                self.handoff = handoff
                self.type = type
                self.title = title
                self.payload = payload
                self.over = over
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                handoff = try members.required("handoff")
                type = try members.required("type")
                title = try members.optional("title")
                payload = try members.optional("payload")
                over = try members.optional("over")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 5)
                members.add("handoff", handoff)
                members.add("type", type)
                members.add("title", ifThere: title)
                members.add("payload", ifThere: payload)
                members.add("over", ifThere: over)
                return members.json
            }
        }
    }

    /// Ends a handoff that GiveActivity began.
    ///
    /// With taken, the worker leaves the foreground and does not offer the activity any more; otherwise it
    /// keeps the activity. NoSuchHandoff where it is over.
    public enum EndHandoff: Method {
        /// The name, in full `io.torpor.Supervisor.EndHandoff`.
        public static let member = "EndHandoff"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The id from GiveActivity.
            public var handoff: String
            /// The worker that has taken the activity, and where; left out when none has.
            public var taken: String?
            /// Why none has, in a clause.
            public var why: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(handoff: String, taken: String? = nil, why: String? = nil) {
                self.handoff = handoff
                self.taken = taken
                self.why = why
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                handoff = try members.required("handoff")
                taken = try members.optional("taken")
                why = try members.optional("why")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("handoff", handoff)
                members.add("taken", ifThere: taken)
                members.add("why", ifThere: why)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker that has handed it over, or keeps it.
            public var worker: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: String) {
                self.worker = worker
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                worker = try members.required("worker")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("worker", worker)
                return members.json
            }
        }
    }

    /// Brings an activity to a worker that continues it: in the foreground, launched for it where it does not
    /// run.
    ///
    /// The reply comes when the worker has taken it. A second call with the same id is not brought to the
    /// worker again; it has the answer of the first. NoTaker where no worker continues activities of that
    /// type; Refused where the worker does not take it.
    public enum TakeActivity: Method {
        /// The name, in full `io.torpor.Supervisor.TakeActivity`.
        public static let member = "TakeActivity"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The id of the handoff, which no other one has; letters, digits and dashes, at most 64.
            public var handoff: String
            /// The type.
            public var type: String
            /// What it is about.
            public var title: String?
            /// The state; at most 64 KiB.
            public var payload: JSON?
            /// The worker that is to continue it; the first by name that continues the type when left out.
            public var name: String?
            /// The worker that had it, and where.
            public var from: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                handoff: String, type: String, title: String? = nil, payload: JSON? = nil,
                name: String? = nil, from: String? = nil
            ) {
                self.handoff = handoff
                self.type = type
                self.title = title
                self.payload = payload
                self.name = name
                self.from = from
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                handoff = try members.required("handoff")
                type = try members.required("type")
                title = try members.optional("title")
                payload = try members.optional("payload")
                name = try members.optional("name")
                from = try members.optional("from")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 6)
                members.add("handoff", handoff)
                members.add("type", type)
                members.add("title", ifThere: title)
                members.add("payload", ifThere: payload)
                members.add("name", ifThere: name)
                members.add("from", ifThere: from)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker that has taken it.
            public var worker: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(worker: String) {
                self.worker = worker
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                worker = try members.required("worker")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("worker", worker)
                return members.json
            }
        }
    }

    /// Keeps a worker from being suspended: a background task that lasts until the caller closes the
    /// connection.
    ///
    /// It uses none of the worker's background time, and the worker is never ended because of it. Needs more.
    /// The first reply says that the worker is held, and a second one comes when it is no longer held
    /// although the connection is still open.
    public enum Hold: Method {
        /// The name, in full `io.torpor.Supervisor.Hold`.
        public static let member = "Hold"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The purpose, in a word or two.
            public var purpose: String?
            /// How long at most, in microseconds; as long as the call when left out.
            public var limitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, purpose: String? = nil, limitUsec: Int64? = nil) {
                self.name = name
                self.purpose = purpose
                self.limitUsec = limitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                purpose = try members.optional("purpose")
                limitUsec = try members.optional("limitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("name", name)
                members.add("purpose", ifThere: purpose)
                members.add("limitUsec", ifThere: limitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// What is left of the background time, where it is limited and running, in microseconds.
            public var remainingUsec: Int64?
            /// Why the worker is no longer held; missing in the first reply.
            public var over: HoldEnd?
            /// How the worker ended, in words, where it has ended.
            public var reason: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(remainingUsec: Int64? = nil, over: HoldEnd? = nil, reason: String? = nil) {
                self.remainingUsec = remainingUsec
                self.over = over
                self.reason = reason
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                remainingUsec = try members.optional("remainingUsec")
                over = try members.optional("over")
                reason = try members.optional("reason")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("remainingUsec", ifThere: remainingUsec)
                members.add("over", ifThere: over)
                members.add("reason", ifThere: reason)
                return members.json
            }
        }
    }

    /// Interrupts a worker: while an interruption lasts, an active worker is inactive.
    ///
    /// A worker that is suspended is not woken, and one that is launched or activated meanwhile stays
    /// inactive. Interruptions nest: the worker is active again when the last one is over. With more, it
    /// lasts until the caller closes the connection; the first reply says that it has begun, and a second one
    /// comes when it is over although the connection is still open. Called once, it lasts until
    /// EndInterruption is called.
    public enum Interrupt: Method {
        /// The name, in full `io.torpor.Supervisor.Interrupt`.
        public static let member = "Interrupt"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The purpose, in a word or two.
            public var purpose: String?
            /// How long at most, in microseconds.
            public var limitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, purpose: String? = nil, limitUsec: Int64? = nil) {
                self.name = name
                self.purpose = purpose
                self.limitUsec = limitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                purpose = try members.optional("purpose")
                limitUsec = try members.optional("limitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("name", name)
                members.add("purpose", ifThere: purpose)
                members.add("limitUsec", ifThere: limitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Its number.
            public var number: Int64
            /// Why it is over; missing in the first reply.
            public var over: InterruptionEnd?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64, over: InterruptionEnd? = nil) {
                self.number = number
                self.over = over
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
                over = try members.optional("over")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("number", number)
                members.add("over", ifThere: over)
                return members.json
            }
        }
    }

    /// Ends an interruption that was begun by Interrupt, called once.
    ///
    /// NoSuchInterruption where there is none.
    public enum EndInterruption: Method {
        /// The name, in full `io.torpor.Supervisor.EndInterruption`.
        public static let member = "EndInterruption"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// Its number; the one that began last when left out.
            public var number: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, number: Int64? = nil) {
                self.name = name
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                number = try members.optional("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("number", ifThere: number)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Its number.
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

    /// Answers an alert of a worker, which ends its interruption.
    ///
    /// NoSuchInterruption where there is none.
    public enum Answer: Method {
        /// The name, in full `io.torpor.Supervisor.Answer`.
        public static let member = "Answer"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the alert; the one that began first when left out.
            public var number: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, number: Int64? = nil) {
                self.name = name
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                number = try members.optional("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("number", ifThere: number)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Its number.
            public var number: Int64
            /// Its topic.
            public var topic: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(number: Int64, topic: String) {
                self.number = number
                self.topic = topic
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                number = try members.required("number")
                topic = try members.required("topic")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("number", number)
                members.add("topic", topic)
                return members.json
            }
        }
    }

    /// Begins a transfer: a command that runs as the worker's user in a place of its own, with the worker's
    /// environment, and goes on when the worker sleeps, is evicted or ends, and when the supervisor does.
    ///
    /// The worker is told of its end by handleTransferEvents; one with Modes=transfer is woken or launched
    /// for that. The reply comes when the command's holder runs. Refused where there are too many. For
    /// definers only.
    public enum BeginTransfer: Method {
        /// The name, in full `io.torpor.Supervisor.BeginTransfer`.
        public static let member = "BeginTransfer"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
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
                name: String, command: [String], purpose: String? = nil, workingDirectory: String? = nil,
                limitUsec: Int64? = nil
            ) {
                self.name = name
                self.command = command
                self.purpose = purpose
                self.workingDirectory = workingDirectory
                self.limitUsec = limitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                command = try members.required("command")
                purpose = try members.optional("purpose")
                workingDirectory = try members.optional("workingDirectory")
                limitUsec = try members.optional("limitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 5)
                members.add("name", name)
                members.add("command", command)
                members.add("purpose", ifThere: purpose)
                members.add("workingDirectory", ifThere: workingDirectory)
                members.add("limitUsec", ifThere: limitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = EndInterruption.Reply
    }

    /// Has a transfer end: SIGTERM, and SIGKILL where that does not suffice.
    ///
    /// The worker is told of its end as of any other. One that has ended and that the worker has not taken is
    /// forgotten. NoSuchTransfer where there is none.
    public enum CancelTransfer: Method {
        /// The name, in full `io.torpor.Supervisor.CancelTransfer`.
        public static let member = "CancelTransfer"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the transfer.
            public var number: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, number: Int64) {
                self.name = name
                self.number = number
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                number = try members.required("number")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("number", number)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// The transfers that run, and those whose end their workers have not taken yet, in the order in which
    /// they began; those of workers that are no longer defined too.
    ///
    /// Open to every caller.
    public enum Transfers: Method {
        /// The name, in full `io.torpor.Supervisor.Transfers`.
        public static let member = "Transfers"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker; all when left out.
            public var name: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String? = nil) {
                self.name = name
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.optional("name")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("name", ifThere: name)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The transfers.
            public var transfers: [Transfer]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(transfers: [Transfer]) {
                self.transfers = transfers
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                transfers = try members.required("transfers")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("transfers", transfers)
                return members.json
            }
        }
    }

    /// Posts to workers.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then accepts the post or not; if none does, the answer is NotPosted. The
    /// reply comes when the post is on the disk, unless it is transient: from then on it is delivered at
    /// least once, even if the supervisor crashes.
    public enum Post: Method {
        /// The name, in full `io.torpor.Supervisor.Post`.
        public static let member = "Post"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            public var names: [String]
            /// The topic: a lowercase letter, then letters, digits, dots, dashes and _, at most 128.
            public var topic: String
            /// The payload; at most 64 KiB.
            public var payload: JSON?
            /// How it is merged with queued posts of its topic.
            ///
            /// When left out: set with members, latest without; a system topic has its own rule.
            public var rule: MergeRule?
            /// Members that were added, where the rule is set.
            public var added: [String]?
            /// Members that were removed, where the rule is set.
            public var removed: [String]?
            /// Whether it resumes a suspended worker, which then handles it in the background; only one that
            /// has the remote-notification mode.
            public var wake: Bool?
            /// Whether it is for the user: the worker is brought into the foreground, and launched where it
            /// does not run, and gets this notification first.
            ///
            /// Not with at, and not with wake.
            public var foreground: Bool?
            /// When it is posted: microseconds since 1970.
            ///
            /// At once when left out.
            public var at: Int64?
            /// The period, in microseconds; only with at.
            ///
            /// Once when left out.
            public var everyUsec: Int64?
            /// Whether it may be lost when the worker's process or the supervisor ends.
            public var transient: Bool?
            /// Whether it is an alert, which interrupts the worker until it is answered or its time is over;
            /// only about a topic that Alerts= of its file names, and only for a worker that runs or sleeps.
            ///
            /// Not with at, wake and foreground.
            public var alert: Bool?
            /// How long the alert interrupts at most, in microseconds; only with alert.
            ///
            /// Five minutes when left out.
            public var alertLimitUsec: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                names: [String], topic: String, payload: JSON? = nil, rule: MergeRule? = nil,
                added: [String]? = nil, removed: [String]? = nil, wake: Bool? = nil, foreground: Bool? = nil,
                at: Int64? = nil, everyUsec: Int64? = nil, transient: Bool? = nil, alert: Bool? = nil,
                alertLimitUsec: Int64? = nil
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
                self.alert = alert
                self.alertLimitUsec = alertLimitUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.required("names")
                topic = try members.required("topic")
                payload = try members.optional("payload")
                rule = try members.optional("rule")
                added = try members.optional("added")
                removed = try members.optional("removed")
                wake = try members.optional("wake")
                foreground = try members.optional("foreground")
                at = try members.optional("at")
                everyUsec = try members.optional("everyUsec")
                transient = try members.optional("transient")
                alert = try members.optional("alert")
                alertLimitUsec = try members.optional("alertLimitUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 13)
                members.add("names", names)
                members.add("topic", topic)
                members.add("payload", ifThere: payload)
                members.add("rule", ifThere: rule)
                members.add("added", ifThere: added)
                members.add("removed", ifThere: removed)
                members.add("wake", ifThere: wake)
                members.add("foreground", ifThere: foreground)
                members.add("at", ifThere: at)
                members.add("everyUsec", ifThere: everyUsec)
                members.add("transient", ifThere: transient)
                members.add("alert", ifThere: alert)
                members.add("alertLimitUsec", ifThere: alertLimitUsec)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// One for each worker, ordered by name.
            public var results: [PostResult]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(results: [PostResult]) {
                self.results = results
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                results = try members.required("results")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("results", results)
                return members.json
            }
        }
    }

    /// The queued notifications and the scheduled posts of a worker.
    public enum Notifications: Method {
        /// The name, in full `io.torpor.Supervisor.Notifications`.
        public static let member = "Notifications"

        /// The parameters of a call.
        public typealias Parameters = Describe.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Those that are being delivered, then those that are queued, the oldest topic first, then those
            /// that are set aside.
            public var notifications: [QueuedNotification]
            /// The scheduled posts, the soonest first.
            public var scheduled: [ScheduledPost]
            /// How many bytes of memory the queue takes, approximately.
            public var bytes: Int64
            /// Why the last delivery failed.
            public var problem: String?
            /// When the delivery is tried again: microseconds from now.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                notifications = try members.required("notifications")
                scheduled = try members.required("scheduled")
                bytes = try members.required("bytes")
                problem = try members.optional("problem")
                retryUsec = try members.optional("retryUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 5)
                members.add("notifications", notifications)
                members.add("scheduled", scheduled)
                members.add("bytes", bytes)
                members.add("problem", ifThere: problem)
                members.add("retryUsec", ifThere: retryUsec)
                return members.json
            }
        }
    }

    /// Delivers a notification that is set aside once more: it is queued again, in its place.
    ///
    /// One more crash of the worker sets it aside again. NoSuchNotification where none of that number is set
    /// aside. The reply comes when this is on the disk.
    public enum RetryNotification: Method {
        /// The name, in full `io.torpor.Supervisor.RetryNotification`.
        public static let member = "RetryNotification"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the notification.
            public var sequence: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, sequence: Int64) {
                self.name = name
                self.sequence = sequence
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                sequence = try members.required("sequence")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("sequence", sequence)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Removes a notification, whether it is set aside, queued or being delivered.
    ///
    /// The reply comes when this is on the disk.
    public enum DropNotification: Method {
        /// The name, in full `io.torpor.Supervisor.DropNotification`.
        public static let member = "DropNotification"

        /// The parameters of a call.
        public typealias Parameters = RetryNotification.Parameters

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// Cancels a scheduled post.
    public enum Cancel: Method {
        /// The name, in full `io.torpor.Supervisor.Cancel`.
        public static let member = "Cancel"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The number of the scheduled post.
            public var id: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, id: Int64) {
                self.name = name
                self.id = id
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                id = try members.required("id")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("id", id)
                return members.json
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
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The definition, then its drop-ins, in the order in which they are applied.
            public var files: [File]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(files: [File]) {
                self.files = files
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                files = try members.required("files")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("files", files)
                return members.json
            }
        }
    }

    /// The output of a worker: the last lines that are kept, at once; with more, then all further output, in
    /// replies of one or more lines.
    ///
    /// A caller that does not read is disconnected with SlowReader. Operators only.
    public enum Logs: Method {
        /// The name, in full `io.torpor.Supervisor.Logs`.
        public static let member = "Logs"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// How many of the lines that are kept, at most: 10 when left out.
            ///
            /// The last 16 KiB are kept.
            public var lines: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, lines: Int64? = nil) {
                self.name = name
                self.lines = lines
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                lines = try members.optional("lines")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("lines", ifThere: lines)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The lines, oldest first.
            public var lines: [String]
            /// Where its output goes instead: a path, or journal: and the identifier of its lines there.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                lines = try members.required("lines")
                outputTo = try members.optional("outputTo")
                hasInput = try members.optional("hasInput")
                ended = try members.optional("ended")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("lines", lines)
                members.add("outputTo", ifThere: outputTo)
                members.add("hasInput", ifThere: hasInput)
                members.add("ended", ifThere: ended)
                return members.json
            }
        }
    }

    /// Writes a line to a worker's standard input, where the supervisor holds it (StandardInput=pipe, or a
    /// hook with stdin:).
    ///
    /// Refused where it does not. A suspended worker reads it when it is resumed. Operators only.
    public enum Send: Method {
        /// The name, in full `io.torpor.Supervisor.Send`.
        public static let member = "Send"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The line, without its end.
            public var text: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(name: String, text: String) {
                self.name = name
                self.text = text
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.required("name")
                text = try members.required("text")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("name", name)
                members.add("text", text)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// The present state, then every change, without a gap.
    ///
    /// Needs more. It ends only when the caller disconnects; one that does not read is disconnected with
    /// SlowReader. A user that is not an operator may have sixteen such calls at once; past that the answer
    /// is TooManyConnections. Open to every caller.
    public enum Watch: Method {
        /// The name, in full `io.torpor.Supervisor.Watch`.
        public static let member = "Watch"

        /// The parameters of a call.
        public typealias Parameters = List.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The workers; in the first reply only.
            public var present: [WorkerSummary]?
            /// The change; in every reply but the first.
            public var change: Change?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(present: [WorkerSummary]? = nil, change: Change? = nil) {
                self.present = present
                self.change = change
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                present = try members.optional("present")
                change = try members.optional("change")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("present", ifThere: present)
                members.add("change", ifThere: change)
                return members.json
            }
        }
    }

    /// How processes ended: the newest that match, the oldest of them first.
    ///
    /// The reply comes when everything that happened before the call is written, or cannot be. The last
    /// moments before a power failure may be missing. MethodNotImplemented where nothing is stored, as with
    /// torpor run; NoSuchWorker for a name without any record; TryAgain where several such calls of the
    /// caller's user are waiting already. Open to every caller.
    public enum Report: Method {
        /// The name, in full `io.torpor.Supervisor.Report`.
        public static let member = "Report"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out. At most 64.
            public var names: [String]?
            /// Only those with a smaller number, to continue from an earlier reply.
            public var before: Int64?
            /// How many at most: 10 when left out, and never more than 50.
            public var limit: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(names: [String]? = nil, before: Int64? = nil, limit: Int64? = nil) {
                self.names = names
                self.before = before
                self.limit = limit
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.optional("names")
                before = try members.optional("before")
                limit = try members.optional("limit")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("names", ifThere: names)
                members.add("before", ifThere: before)
                members.add("limit", ifThere: limit)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The records.
            public var reports: [TerminationReport]
            /// Whether there are older ones.
            public var hasOlder: Bool
            /// Why those on the disk are missing, where it cannot be read.
            public var incomplete: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(reports: [TerminationReport], hasOlder: Bool, incomplete: String? = nil) {
                self.reports = reports
                self.hasOlder = hasOlder
                self.incomplete = incomplete
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                reports = try members.required("reports")
                hasOlder = try members.required("hasOlder")
                incomplete = try members.optional("incomplete")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("reports", reports)
                members.add("hasOlder", hasOlder)
                members.add("incomplete", ifThere: incomplete)
                return members.json
            }
        }
    }

    /// The history: the newest entries that match, the oldest of them first.
    ///
    /// The reply comes when everything that happened before the call is written, or cannot be. The last
    /// moments before a power failure may be missing. MethodNotImplemented where nothing is stored, as with
    /// torpor run; NoSuchWorker for a name without any record; TryAgain where several such calls of the
    /// caller's user are waiting already. Open to every caller.
    public enum History: Method {
        /// The name, in full `io.torpor.Supervisor.History`.
        public static let member = "History"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out. At most 64.
            public var names: [String]?
            /// Only what happened then or later: microseconds since 1970.
            public var since: Int64?
            /// Only what happened then or before: microseconds since 1970.
            public var until: Int64?
            /// Only entries of these kinds.
            ///
            /// All when left out.
            public var kinds: [HistoryKind]?
            /// Only entries with these reasons.
            ///
            /// All when left out. At most 64.
            public var reasons: [String]?
            /// Only entries with a smaller number, to continue from an earlier reply.
            public var before: Int64?
            /// How many at most: 100 when left out, and never more than 1000; 200 for a caller that is not an
            /// operator.
            public var limit: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                names: [String]? = nil, since: Int64? = nil, until: Int64? = nil, kinds: [HistoryKind]? = nil,
                reasons: [String]? = nil, before: Int64? = nil, limit: Int64? = nil
            ) {
                self.names = names
                self.since = since
                self.until = until
                self.kinds = kinds
                self.reasons = reasons
                self.before = before
                self.limit = limit
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.optional("names")
                since = try members.optional("since")
                until = try members.optional("until")
                kinds = try members.optional("kinds")
                reasons = try members.optional("reasons")
                before = try members.optional("before")
                limit = try members.optional("limit")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 7)
                members.add("names", ifThere: names)
                members.add("since", ifThere: since)
                members.add("until", ifThere: until)
                members.add("kinds", ifThere: kinds)
                members.add("reasons", ifThere: reasons)
                members.add("before", ifThere: before)
                members.add("limit", ifThere: limit)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The entries.
            public var entries: [HistoryEntry]
            /// Whether there are older ones, or may be.
            public var hasOlder: Bool
            /// The number to continue from, where that is not the one of the first entry: with until, kinds
            /// or reasons, 100000 numbers are searched at once.
            public var nextBefore: Int64?
            /// Why those on the disk are missing, where it cannot be read.
            public var incomplete: String?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                entries: [HistoryEntry], hasOlder: Bool, nextBefore: Int64? = nil, incomplete: String? = nil
            ) {
                self.entries = entries
                self.hasOlder = hasOlder
                self.nextBefore = nextBefore
                self.incomplete = incomplete
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                entries = try members.required("entries")
                hasOlder = try members.required("hasOlder")
                nextBefore = try members.optional("nextBefore")
                incomplete = try members.optional("incomplete")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("entries", entries)
                members.add("hasOlder", hasOlder)
                members.add("nextBefore", ifThere: nextBefore)
                members.add("incomplete", ifThere: incomplete)
                return members.json
            }
        }
    }

    /// Launches workers that do not run, into the foreground or the background; those that run go there.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new results may
    /// come before the last one.
    public enum Launch: Method {
        /// The name, in full `io.torpor.Supervisor.Launch`.
        public static let member = "Launch"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            public var names: [String]
            /// Whether into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// What the launch brings for the worker, at most 32 KiB as text: it is the object in
            /// TORPOR_LAUNCH_OPTIONS and of willFinishLaunching.
            ///
            /// A worker that has a process is left as it is then, and its result is Refused.
            public var options: JSON?
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
                names: [String], background: Bool? = nil, options: JSON? = nil, wait: Bool? = nil,
                timeoutMs: Int64? = nil
            ) {
                self.names = names
                self.background = background
                self.options = options
                self.wait = wait
                self.timeoutMs = timeoutMs
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.required("names")
                background = try members.optional("background")
                options = try members.optional("options")
                wait = try members.optional("wait")
                timeoutMs = try members.optional("timeoutMs")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 5)
                members.add("names", names)
                members.add("background", ifThere: background)
                members.add("options", ifThere: options)
                members.add("wait", ifThere: wait)
                members.add("timeoutMs", ifThere: timeoutMs)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// One for each worker, ordered by name; in a reply before the last one, those that are new.
            public var results: [GoalResult]
            /// With more, about once a second: what those are waited for that are not settled yet.
            ///
            /// Missing in the last reply.
            public var waiting: [GoalWaiting]?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(results: [GoalResult], waiting: [GoalWaiting]? = nil) {
                self.results = results
                self.waiting = waiting
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                results = try members.required("results")
                waiting = try members.optional("waiting")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("results", results)
                members.add("waiting", ifThere: waiting)
                return members.json
            }
        }
    }

    /// Defines a worker without a file, and launches it.
    ///
    /// It is forgotten when it ends. AlreadyExists if the name is taken, BadDefinition if a property is
    /// invalid. The worker may run as any user. For definers only.
    public enum LaunchTransient: Method {
        /// The name, in full `io.torpor.Supervisor.LaunchTransient`.
        public static let member = "LaunchTransient"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// Its name.
            ///
            /// One is generated when left out.
            public var name: String?
            /// The command; the first is the program.
            public var arguments: [String]
            /// Further settings.
            public var properties: [Property]?
            /// The environment, as NAME=VALUE.
            public var environment: [String]?
            /// The working directory.
            ///
            /// The root directory when left out.
            public var workingDirectory: String?
            /// Whether into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// What the launch brings for the worker, at most 32 KiB as text: it is the object in
            /// TORPOR_LAUNCH_OPTIONS and of willFinishLaunching.
            public var options: JSON?
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
                options: JSON? = nil, wait: Bool? = nil, timeoutMs: Int64? = nil
            ) {
                self.name = name
                self.arguments = arguments
                self.properties = properties
                self.environment = environment
                self.workingDirectory = workingDirectory
                self.background = background
                self.options = options
                self.wait = wait
                self.timeoutMs = timeoutMs
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                name = try members.optional("name")
                arguments = try members.required("arguments")
                properties = try members.optional("properties")
                environment = try members.optional("environment")
                workingDirectory = try members.optional("workingDirectory")
                background = try members.optional("background")
                options = try members.optional("options")
                wait = try members.optional("wait")
                timeoutMs = try members.optional("timeoutMs")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 9)
                members.add("name", ifThere: name)
                members.add("arguments", arguments)
                members.add("properties", ifThere: properties)
                members.add("environment", ifThere: environment)
                members.add("workingDirectory", ifThere: workingDirectory)
                members.add("background", ifThere: background)
                members.add("options", ifThere: options)
                members.add("wait", ifThere: wait)
                members.add("timeoutMs", ifThere: timeoutMs)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The result, with the name.
            public var result: GoalResult

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(result: GoalResult) {
                self.result = result
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                result = try members.required("result")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("result", result)
                return members.json
            }
        }
    }

    /// Brings workers into the foreground; like Launch for one that does not run.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new results may
    /// come before the last one.
    public enum Activate: Method {
        /// The name, in full `io.torpor.Supervisor.Activate`.
        public static let member = "Activate"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                names = try members.required("names")
                wait = try members.optional("wait")
                timeoutMs = try members.optional("timeoutMs")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("names", names)
                members.add("wait", ifThere: wait)
                members.add("timeoutMs", ifThere: timeoutMs)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Makes active workers inactive until they are activated.
    ///
    /// Refused for others. All names are looked up first: if one matches no worker, nothing is done and the
    /// answer is NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new
    /// results may come before the last one.
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
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new results may
    /// come before the last one.
    public enum Background: Method {
        /// The name, in full `io.torpor.Supervisor.Background`.
        public static let member = "Background"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Suspends workers, through the background.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new results may
    /// come before the last one.
    public enum Suspend: Method {
        /// The name, in full `io.torpor.Supervisor.Suspend`.
        public static let member = "Suspend"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Resumes workers and restores the goal that they had before they were suspended.
    ///
    /// It also continues a worker that another program has stopped. All names are looked up first: if one
    /// matches no worker, nothing is done and the answer is NoSuchWorker. Each worker then succeeds or fails
    /// for itself. With more, replies with new results may come before the last one.
    public enum Resume: Method {
        /// The name, in full `io.torpor.Supervisor.Resume`.
        public static let member = "Resume"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers gracefully and launches them again: each is led to the goal that it has.
    ///
    /// One that does not run is launched into the foreground; an unknown name that matches a template makes
    /// an instance of it. Workers that require a worker end before it and are launched again after it, and
    /// its result includes them. The supervisor completes the restart even if the caller disconnects or its
    /// time is over. All names are looked up first: if one matches no worker, nothing is done and the answer
    /// is NoSuchWorker. With more, replies with new results may come before the last one.
    public enum Restart: Method {
        /// The name, in full `io.torpor.Supervisor.Restart`.
        public static let member = "Restart"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers gracefully.
    ///
    /// All names are looked up first: if one matches no worker, nothing is done and the answer is
    /// NoSuchWorker. Each worker then succeeds or fails for itself. With more, replies with new results may
    /// come before the last one.
    public enum Terminate: Method {
        /// The name, in full `io.torpor.Supervisor.Terminate`.
        public static let member = "Terminate"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends workers at once: a force-quit.
    ///
    /// No event launches them again until an operator does, and their saved state is dropped. All names are
    /// looked up first: if one matches no worker, nothing is done and the answer is NoSuchWorker. Each worker
    /// then succeeds or fails for itself. With more, replies with new results may come before the last one.
    public enum Kill: Method {
        /// The name, in full `io.torpor.Supervisor.Kill`.
        public static let member = "Kill"

        /// The parameters of a call.
        public typealias Parameters = Activate.Parameters

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// Ends all workers gracefully.
    public enum Shutdown: Method {
        /// The name, in full `io.torpor.Supervisor.Shutdown`.
        public static let member = "Shutdown"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                wait = try members.optional("wait")
                timeoutMs = try members.optional("timeoutMs")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("wait", ifThere: wait)
                members.add("timeoutMs", ifThere: timeoutMs)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Launch.Reply
    }

    /// The memory pressure of the machine, and what has been done about it.
    ///
    /// Open to every caller.
    public enum Pressure: Method {
        /// The name, in full `io.torpor.Supervisor.Pressure`.
        public static let member = "Pressure"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The level.
            public var level: PressureLevel
            /// Which of the kernel's accounting is available: unified, hybrid, machine, none.
            public var support: String
            /// The same in a sentence.
            public var detail: String
            /// Whether actions are only reported and not carried out.
            public var observesOnly: Bool
            /// The memory of the machine.
            public var totalBytes: Int64?
            /// How much of it is available to a new program.
            public var availableBytes: Int64?
            /// The swap of the machine.
            public var swapTotalBytes: Int64?
            /// How much of it is free.
            public var swapFreeBytes: Int64?
            /// Percent of the last ten seconds in which some tasks waited for memory (PSI some).
            public var someStallPercent: Double?
            /// Percent of the last ten seconds in which all tasks waited for memory (PSI full).
            public var fullStallPercent: Double?
            /// The number of warnings since the supervisor started.
            public var warningCount: Int64
            /// The number of workers that were ended for memory.
            public var evictionCount: Int64
            /// How much memory their ends freed.
            public var freedByKillBytes: Int64
            /// How much memory was reclaimed from suspended workers.
            public var freedByReclaimBytes: Int64
            /// The number of processes of workers that the kernel's OOM killer ended.
            public var kernelKillCount: Int64
            /// The worker that is being ended for memory now.
            public var victim: String?
            /// Why no worker is being ended although the level is critical, in words.
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

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                level = try members.required("level")
                support = try members.required("support")
                detail = try members.required("detail")
                observesOnly = try members.required("observesOnly")
                totalBytes = try members.optional("totalBytes")
                availableBytes = try members.optional("availableBytes")
                swapTotalBytes = try members.optional("swapTotalBytes")
                swapFreeBytes = try members.optional("swapFreeBytes")
                someStallPercent = try members.optional("someStallPercent")
                fullStallPercent = try members.optional("fullStallPercent")
                warningCount = try members.required("warningCount")
                evictionCount = try members.required("evictionCount")
                freedByKillBytes = try members.required("freedByKillBytes")
                freedByReclaimBytes = try members.required("freedByReclaimBytes")
                kernelKillCount = try members.required("kernelKillCount")
                victim = try members.optional("victim")
                helpless = try members.optional("helpless")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 17)
                members.add("level", level)
                members.add("support", support)
                members.add("detail", detail)
                members.add("observesOnly", observesOnly)
                members.add("totalBytes", ifThere: totalBytes)
                members.add("availableBytes", ifThere: availableBytes)
                members.add("swapTotalBytes", ifThere: swapTotalBytes)
                members.add("swapFreeBytes", ifThere: swapFreeBytes)
                members.add("someStallPercent", ifThere: someStallPercent)
                members.add("fullStallPercent", ifThere: fullStallPercent)
                members.add("warningCount", warningCount)
                members.add("evictionCount", evictionCount)
                members.add("freedByKillBytes", freedByKillBytes)
                members.add("freedByReclaimBytes", freedByReclaimBytes)
                members.add("kernelKillCount", kernelKillCount)
                members.add("victim", ifThere: victim)
                members.add("helpless", ifThere: helpless)
                return members.json
            }
        }
    }

    /// The capabilities of this machine, and how to provide the missing ones.
    ///
    /// Open to every caller.
    public enum Doctor: Method {
        /// The name, in full `io.torpor.Supervisor.Doctor`.
        public static let member = "Doctor"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// One for each capability.
            public var findings: [Finding]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(findings: [Finding]) {
                self.findings = findings
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                findings = try members.required("findings")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("findings", findings)
                return members.json
            }
        }
    }

    /// What sleep has brought of each worker since the supervisor knows it, or would have brought of those
    /// that are only observed, ordered by name.
    ///
    /// Workers that have no process are left out. A pattern that matches no worker is not an error here.
    /// Operators only.
    public enum Gain: Method {
        /// The name, in full `io.torpor.Supervisor.Gain`.
        public static let member = "Gain"

        /// The parameters of a call.
        public typealias Parameters = List.Parameters

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The workers.
            public var workers: [WorkerGain]

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(workers: [WorkerGain]) {
                self.workers = workers
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                workers = try members.required("workers")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("workers", workers)
                return members.json
            }
        }
    }

    /// What was counted and measured of all workers and of the supervisor itself since it started, or since
    /// it was replaced.
    ///
    /// Operators only.
    public enum Metrics: Method {
        /// The name, in full `io.torpor.Supervisor.Metrics`.
        public static let member = "Metrics"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// openmetrics, which is OpenMetrics 1.0, by default; prometheus is the older text format 0.0.4.
            public var format: MetricsFormat?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(format: MetricsFormat? = nil) {
                self.format = format
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                format = try members.optional("format")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("format", ifThere: format)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The text.
            public var text: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(text: String) {
                self.text = text
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                text = try members.required("text")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("text", text)
                return members.json
            }
        }
    }

    /// What the supervisor itself costs.
    ///
    /// Operators only.
    public enum Cost: Method {
        /// The name, in full `io.torpor.Supervisor.Cost`.
        public static let member = "Cost"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The processor time that its process has used, in microseconds.
            public var cpuUsec: Int64
            /// Its memory that is in RAM, in bytes.
            ///
            /// Missing where that cannot be read.
            public var residentBytes: Int64?
            /// The longest pause of its event loop since its process started.
            ///
            /// Missing while there was none.
            public var longestPause: LoopPause?
            /// The longest of the last ten to twenty minutes.
            ///
            /// Missing where there was none.
            public var recentPause: LoopPause?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                cpuUsec: Int64, residentBytes: Int64? = nil, longestPause: LoopPause? = nil,
                recentPause: LoopPause? = nil
            ) {
                self.cpuUsec = cpuUsec
                self.residentBytes = residentBytes
                self.longestPause = longestPause
                self.recentPause = recentPause
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                cpuUsec = try members.required("cpuUsec")
                residentBytes = try members.optional("residentBytes")
                longestPause = try members.optional("longestPause")
                recentPause = try members.optional("recentPause")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 4)
                members.add("cpuUsec", cpuUsec)
                members.add("residentBytes", ifThere: residentBytes)
                members.add("longestPause", ifThere: longestPause)
                members.add("recentPause", ifThere: recentPause)
                return members.json
            }
        }
    }

    /// Reads all definitions again.
    ///
    /// Only what changed is applied; an invalid file leaves its worker as it was.
    public enum Reload: Method {
        /// The name, in full `io.torpor.Supervisor.Reload`.
        public static let member = "Reload"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Workers whose definition has changed.
            public var changed: [String]
            /// Workers that are new.
            public var added: [String]
            /// Workers that are no longer defined; those that run are forgotten when they end.
            public var removed: [String]
            /// What was not applied, and why.
            public var failed: [Diagnostic]
            /// What was ignored, and why.
            public var warnings: [Diagnostic]
            /// Whether settings of torpord.conf have changed.
            ///
            /// No when missing.
            public var settingsChanged: Bool?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                changed: [String], added: [String], removed: [String], failed: [Diagnostic],
                warnings: [Diagnostic], settingsChanged: Bool? = nil
            ) {
                self.changed = changed
                self.added = added
                self.removed = removed
                self.failed = failed
                self.warnings = warnings
                self.settingsChanged = settingsChanged
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                changed = try members.required("changed")
                added = try members.required("added")
                removed = try members.required("removed")
                failed = try members.required("failed")
                warnings = try members.required("warnings")
                settingsChanged = try members.optional("settingsChanged")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 6)
                members.add("changed", changed)
                members.add("added", added)
                members.add("removed", removed)
                members.add("failed", failed)
                members.add("warnings", warnings)
                members.add("settingsChanged", ifThere: settingsChanged)
                return members.json
            }
        }
    }

    /// Tells workers to read their own configuration again, by the commands of ExecReload= in their files.
    ///
    /// A suspended worker is resumed for it. A result is reached when all commands of the worker have
    /// succeeded; the goal does not change, and the commands continue when the time to wait is over. All
    /// names are looked up first: if one matches no worker, nothing is done and the answer is NoSuchWorker.
    /// Each worker then succeeds or fails for itself. With more, replies with new results may come before the
    /// last one.
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
    /// subscriptions of its clients. The old program stops only after the new one has confirmed that it can
    /// take over.
    public enum Reexec: Method {
        /// The name, in full `io.torpor.Supervisor.Reexec`.
        public static let member = "Reexec"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// The version that runs now.
            public var version: String
            /// How long no call was served meanwhile, in microseconds.
            public var interruptedUsec: Int64

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(pid: Int64, version: String, interruptedUsec: Int64) {
                self.pid = pid
                self.version = version
                self.interruptedUsec = interruptedUsec
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                pid = try members.required("pid")
                version = try members.required("version")
                interruptedUsec = try members.required("interruptedUsec")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 3)
                members.add("pid", pid)
                members.add("version", version)
                members.add("interruptedUsec", interruptedUsec)
                return members.json
            }
        }
    }

    /// Sets how much is logged, until the next start.
    public enum SetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.SetLogLevel`.
        public static let member = "SetLogLevel"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(level: LogLevel) {
                self.level = level
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                level = try members.required("level")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("level", level)
                return members.json
            }
        }

        /// The parameters of a reply.
        public typealias Reply = Nothing
    }

    /// How much is logged.
    ///
    /// Open to every caller.
    public enum GetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.GetLogLevel`.
        public static let member = "GetLogLevel"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(level: LogLevel) {
                self.level = level
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                level = try members.required("level")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("level", level)
                return members.json
            }
        }
    }

    /// Low-power mode, and by what the machine is powered.
    ///
    /// Open to every caller.
    public enum GetLowPower: Method {
        /// The name, in full `io.torpor.Supervisor.GetLowPower`.
        public static let member = "GetLowPower"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// What an operator has chosen.
            public var choice: LowPowerChoice
            /// Whether it is on: fetches wait, and budgets of wakes are reduced.
            public var on: Bool
            /// Why, in a clause.
            public var because: String
            /// The charge at and below which it is on by itself, in percent; 0 for never (LowPowerBelow=).
            public var threshold: Int64
            /// Whether the machine is on battery; missing where that is not known yet.
            public var onBattery: Bool?
            /// The mean charge of its batteries, in percent; missing where it has none, or none tells.
            public var chargePercent: Int64?

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(
                choice: LowPowerChoice, on: Bool, because: String, threshold: Int64, onBattery: Bool? = nil,
                chargePercent: Int64? = nil
            ) {
                self.choice = choice
                self.on = on
                self.because = because
                self.threshold = threshold
                self.onBattery = onBattery
                self.chargePercent = chargePercent
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                choice = try members.required("choice")
                on = try members.required("on")
                because = try members.required("because")
                threshold = try members.required("threshold")
                onBattery = try members.optional("onBattery")
                chargePercent = try members.optional("chargePercent")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 6)
                members.add("choice", choice)
                members.add("on", on)
                members.add("because", because)
                members.add("threshold", threshold)
                members.add("onBattery", ifThere: onBattery)
                members.add("chargePercent", ifThere: chargePercent)
                return members.json
            }
        }
    }

    /// Chooses low-power mode, until it is chosen again or the machine ends.
    public enum SetLowPower: Method {
        /// The name, in full `io.torpor.Supervisor.SetLowPower`.
        public static let member = "SetLowPower"

        /// The parameters of a call.
        public struct Parameters: Codable, JSONConvertible, Hashable, Sendable {
            /// The choice.
            public var choice: LowPowerChoice

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(choice: LowPowerChoice) {
                self.choice = choice
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                choice = try members.required("choice")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 1)
                members.add("choice", choice)
                return members.json
            }
        }

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// Whether it is on now.
            public var on: Bool
            /// Why, in a clause.
            public var because: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(on: Bool, because: String) {
                self.on = on
                self.because = because
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                on = try members.required("on")
                because = try members.required("because")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("on", on)
                members.add("because", because)
                return members.json
            }
        }
    }

    /// Whether the supervisor answers, and its process and version.
    ///
    /// Open to every caller.
    public enum Ping: Method {
        /// The name, in full `io.torpor.Supervisor.Ping`.
        public static let member = "Ping"

        /// The parameters of a call.
        public typealias Parameters = Nothing

        /// The parameters of a reply.
        public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// Its version.
            public var version: String

            /// A value of these members; one that may be missing is `nil` unless it is given.
            public init(pid: Int64, version: String) {
                self.pid = pid
                self.version = version
            }

            /// The value that `json` says, an object.
            public init(json: JSON) throws(JSON.Mismatch) {
                var members = try JSONMembers(json)
                pid = try members.required("pid")
                version = try members.required("version")
            }

            /// The value as JSON, an object with its members in their order.
            public var asJSON: JSON {
                var members = JSONMembersMade(capacity: 2)
                members.add("pid", pid)
                members.add("version", version)
                return members.json
            }
        }
    }
}

extension SupervisorInterface {
    /// The full names of the errors.
    public enum ErrorName: String, CaseIterable, Hashable, Sendable {
        /// No worker has that name, or matches that pattern.
        case noSuchWorker = "io.torpor.Supervisor.NoSuchWorker"
        /// The name is not a valid name of a worker.
        case invalidName = "io.torpor.Supervisor.InvalidName"
        /// The worker is masked: its file is a link to /dev/null.
        case workerMasked = "io.torpor.Supervisor.WorkerMasked"
        /// The definition is invalid.
        case badDefinition = "io.torpor.Supervisor.BadDefinition"
        /// The goal was not reached in time, or became unreachable.
        case goalNotReached = "io.torpor.Supervisor.GoalNotReached"
        /// No process was started, and none will be until the cause is removed, as a missing command or an
        /// unknown user.
        case launchFailed = "io.torpor.Supervisor.LaunchFailed"
        /// The worker cannot do that in its present state.
        case refused = "io.torpor.Supervisor.Refused"
        /// The worker cannot do that with its present definition.
        case unsupported = "io.torpor.Supervisor.Unsupported"
        /// The goal is reached, but a hook of the worker failed on the way.
        case hookFailed = "io.torpor.Supervisor.HookFailed"
        /// A worker of that name exists already.
        case alreadyExists = "io.torpor.Supervisor.AlreadyExists"
        /// No worker opens URLs of that kind.
        case noSuchScheme = "io.torpor.Supervisor.NoSuchScheme"
        /// No worker accepted the post; this is the first of them.
        case notPosted = "io.torpor.Supervisor.NotPosted"
        /// Too many calls of this kind by the caller's user are under way, or the supervisor can create no
        /// thread for this one.
        ///
        /// The call may be made again a little later.
        case tryAgain = "io.torpor.Supervisor.TryAgain"
        /// The worker has no such interruption.
        case noSuchInterruption = "io.torpor.Supervisor.NoSuchInterruption"
        /// The worker has no such transfer.
        case noSuchTransfer = "io.torpor.Supervisor.NoSuchTransfer"
        /// The transfer could not be begun.
        case transferNotBegun = "io.torpor.Supervisor.TransferNotBegun"
        /// No worker continues activities of that type.
        case noTaker = "io.torpor.Supervisor.NoTaker"
        /// No such handoff is under way.
        case noSuchHandoff = "io.torpor.Supervisor.NoSuchHandoff"
        /// The worker has no notification of that number, or none that is set aside.
        case noSuchNotification = "io.torpor.Supervisor.NoSuchNotification"
        /// The worker has no scheduled post of that number.
        case noSuchSchedule = "io.torpor.Supervisor.NoSuchSchedule"
        /// The supervisor is shutting down and launches no more workers.
        case shuttingDown = "io.torpor.Supervisor.ShuttingDown"
        /// The supervisor was not replaced and continues as it is.
        case notReplaced = "io.torpor.Supervisor.NotReplaced"
        /// The caller has too many connections, in which case this is the last message on this one, or too
        /// many subscriptions.
        case tooManyConnections = "io.torpor.Supervisor.TooManyConnections"
        /// The caller does not read, and too many bytes are waiting for it.
        ///
        /// This is the last message on this connection.
        case slowReader = "io.torpor.Supervisor.SlowReader"
    }

    /// No worker has that name, or matches that pattern.
    public static func noSuchWorker(name: String) -> MethodError {
        MethodError(ErrorName.noSuchWorker.rawValue, ["name": .string(name)])
    }

    /// The name is not a valid name of a worker.
    public static func invalidName(name: String, why: String) -> MethodError {
        MethodError(ErrorName.invalidName.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker is masked: its file is a link to /dev/null.
    public static func workerMasked(name: String, file: String) -> MethodError {
        MethodError(ErrorName.workerMasked.rawValue, ["name": .string(name), "file": .string(file)])
    }

    /// The definition is invalid.
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

    /// No process was started, and none will be until the cause is removed, as a missing command or an
    /// unknown user.
    public static func launchFailed(name: String, why: String) -> MethodError {
        MethodError(ErrorName.launchFailed.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that in its present state.
    public static func refused(name: String, why: String) -> MethodError {
        MethodError(ErrorName.refused.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that with its present definition.
    public static func unsupported(name: String, why: String) -> MethodError {
        MethodError(ErrorName.unsupported.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The goal is reached, but a hook of the worker failed on the way.
    public static func hookFailed(name: String, why: String) -> MethodError {
        MethodError(ErrorName.hookFailed.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// A worker of that name exists already.
    public static func alreadyExists(name: String) -> MethodError {
        MethodError(ErrorName.alreadyExists.rawValue, ["name": .string(name)])
    }

    /// No worker opens URLs of that kind.
    public static func noSuchScheme(scheme: String) -> MethodError {
        MethodError(ErrorName.noSuchScheme.rawValue, ["scheme": .string(scheme)])
    }

    /// No worker accepted the post; this is the first of them.
    public static func notPosted(name: String, obstacle: PostObstacle, why: String) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["obstacle"] = .string(obstacle.rawValue)
        parameters["why"] = .string(why)
        return MethodError(ErrorName.notPosted.rawValue, parameters)
    }

    /// Too many calls of this kind by the caller's user are under way, or the supervisor can create no thread
    /// for this one.
    ///
    /// The call may be made again a little later.
    public static func tryAgain(why: String) -> MethodError {
        MethodError(ErrorName.tryAgain.rawValue, ["why": .string(why)])
    }

    /// The worker has no such interruption.
    public static func noSuchInterruption(name: String, why: String) -> MethodError {
        MethodError(ErrorName.noSuchInterruption.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The worker has no such transfer.
    public static func noSuchTransfer(name: String, why: String) -> MethodError {
        MethodError(ErrorName.noSuchTransfer.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// The transfer could not be begun.
    public static func transferNotBegun(name: String, why: String) -> MethodError {
        MethodError(ErrorName.transferNotBegun.rawValue, ["name": .string(name), "why": .string(why)])
    }

    /// No worker continues activities of that type.
    public static func noTaker(type: String) -> MethodError {
        MethodError(ErrorName.noTaker.rawValue, ["type": .string(type)])
    }

    /// No such handoff is under way.
    public static func noSuchHandoff(handoff: String) -> MethodError {
        MethodError(ErrorName.noSuchHandoff.rawValue, ["handoff": .string(handoff)])
    }

    /// The worker has no notification of that number, or none that is set aside.
    public static func noSuchNotification(name: String, sequence: Int64) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["name"] = .string(name)
        parameters["sequence"] = .int(sequence)
        return MethodError(ErrorName.noSuchNotification.rawValue, parameters)
    }

    /// The worker has no scheduled post of that number.
    public static func noSuchSchedule(name: String, id: Int64) -> MethodError {
        MethodError(ErrorName.noSuchSchedule.rawValue, ["name": .string(name), "id": .int(id)])
    }

    /// The supervisor is shutting down and launches no more workers.
    public static let shuttingDown = MethodError(ErrorName.shuttingDown.rawValue)

    /// The supervisor was not replaced and continues as it is.
    public static func notReplaced(why: String) -> MethodError {
        MethodError(ErrorName.notReplaced.rawValue, ["why": .string(why)])
    }

    /// The caller has too many connections, in which case this is the last message on this one, or too many
    /// subscriptions.
    public static func tooManyConnections(limit: Int64, why: String? = nil) -> MethodError {
        var parameters: JSON.Object = [:]
        parameters["limit"] = .int(limit)
        parameters["why"] = why.map { .string($0) }
        return MethodError(ErrorName.tooManyConnections.rawValue, parameters)
    }

    /// The caller does not read, and too many bytes are waiting for it.
    ///
    /// This is the last message on this connection.
    public static func slowReader(limit: Int64) -> MethodError {
        MethodError(ErrorName.slowReader.rawValue, ["limit": .int(limit)])
    }
}
