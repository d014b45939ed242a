public import SnapshotCoding

// Cases that carry something are objects: their kind, and the fields of that kind. The numbers are for good.

extension Requester: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case `operator` = 0, worker = 1, idle = 2, handOver = 3, machine = 4, memoryPressure = 5
        case memoryLimit = 6, wakeSource = 7, supervisor = 8, dependency = 9
    }

    private var parts: (kind: Kind, uid: UInt32?, pid: Int32?) {
        switch self {
        case .operator(let uid, let pid): (.operator, uid, pid)
        case .worker: (.worker, nil, nil)
        case .idle: (.idle, nil, nil)
        case .handOver: (.handOver, nil, nil)
        case .dependency: (.dependency, nil, nil)
        case .machine: (.machine, nil, nil)
        case .memoryPressure: (.memoryPressure, nil, nil)
        case .memoryLimit: (.memoryLimit, nil, nil)
        case .wakeSource: (.wakeSource, nil, nil)
        case .supervisor: (.supervisor, nil, nil)
        }
    }

    /// Writes or reads it.
    public init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Requester?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("kind", 1, parts?.kind) {
        case .operator:
            let uid = try c.required("uid", 2, parts?.uid)
            self = .operator(uid: uid, pid: try c.required("pid", 3, parts?.pid))
        case .worker: self = .worker
        case .idle: self = .idle
        case .handOver: self = .handOver
        case .dependency: self = .dependency
        case .machine: self = .machine
        case .memoryPressure: self = .memoryPressure
        case .memoryLimit: self = .memoryLimit
        case .wakeSource: self = .wakeSource
        case .supervisor: self = .supervisor
        }
    }
}

extension Timer {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case launch = 0, callback = 1, backgroundTasks = 2, grace = 3, activity = 4, watchdog = 5, idle = 6
        case ending = 7, backoff = 8, quiet = 9, hold = 10, freeze = 11
    }

    private var parts: (kind: Kind, id: UInt32?) {
        switch self {
        case .launch: (.launch, nil)
        case .callback: (.callback, nil)
        case .backgroundTasks: (.backgroundTasks, nil)
        case .grace: (.grace, nil)
        case .activity(let id): (.activity, id)
        case .watchdog: (.watchdog, nil)
        case .idle: (.idle, nil)
        case .ending: (.ending, nil)
        case .backoff: (.backoff, nil)
        case .quiet: (.quiet, nil)
        case .hold(let token): (.hold, token)
        case .freeze: (.freeze, nil)
        }
    }

    /// Among the fields of the object that it is part of.
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Timer?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("timer", 1, parts?.kind) {
        case .launch: self = .launch
        case .callback: self = .callback
        case .backgroundTasks: self = .backgroundTasks
        case .grace: self = .grace
        case .activity: self = .activity(try c.required("id", 2, parts?.id))
        case .watchdog: self = .watchdog
        case .idle: self = .idle
        case .ending: self = .ending
        case .backoff: self = .backoff
        case .quiet: self = .quiet
        case .hold: self = .hold(try c.required("id", 2, parts?.id))
        case .freeze: self = .freeze
        }
    }
}

extension Transition.Cause: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case launched = 0, goal = 1, woken = 2, interruption = 3, reload = 4, outside = 5, ended = 6
    }

    private var parts:
        (kind: Kind, reason: LaunchReason?, requester: Requester?, end: TerminationRecord.Cause?)
    {
        switch self {
        case .launched(let reason): (.launched, reason, nil, nil)
        case .goal(let requester): (.goal, nil, requester, nil)
        case .woken: (.woken, nil, nil, nil)
        case .interruption: (.interruption, nil, nil, nil)
        case .reload: (.reload, nil, nil, nil)
        case .outside: (.outside, nil, nil, nil)
        case .ended(let end): (.ended, nil, nil, end)
        }
    }

    /// Writes or reads it.
    public init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Transition.Cause?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("kind", 1, parts?.kind) {
        case .launched: self = .launched(try c.required("reason", 2, parts?.reason))
        case .goal: self = .goal(try c.required("requester", 3, parts?.requester))
        case .woken: self = .woken
        case .interruption: self = .interruption
        case .reload: self = .reload
        case .outside: self = .outside
        case .ended: self = .ended(try c.required("end", 4, parts?.end))
        }
    }
}

extension Continuation: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case none = 0, launch = 1, resign = 2, enterForeground = 3, leave = 4, terminate = 5
    }

    private var parts: (kind: Kind, launch: LaunchStep?, cause: Transition.Cause?, leave: LeaveStep?) {
        switch self {
        case .none: (.none, nil, nil, nil)
        case .launch(let step): (.launch, step, nil, nil)
        case .resign(let cause): (.resign, nil, cause, nil)
        case .enterForeground: (.enterForeground, nil, nil, nil)
        case .leave(let step): (.leave, nil, nil, step)
        case .terminate: (.terminate, nil, nil, nil)
        }
    }

    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Continuation?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("kind", 1, parts?.kind) {
        case .none: self = .none
        case .launch: self = .launch(try c.optional("step", 2, parts?.launch))
        case .resign: self = .resign(try c.required("cause", 3, parts?.cause))
        case .enterForeground: self = .enterForeground
        case .leave: self = .leave(try c.required("leave", 4, parts?.leave))
        case .terminate: self = .terminate
        }
    }
}

extension Position: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case inactive = 0, active = 1, awake = 2, inspecting = 3, freezing = 4, suspended = 5
    }

    private var parts: (kind: Kind, leave: LeaveStep?, sleep: Sleep?) {
        switch self {
        case .inactive: (.inactive, nil, nil)
        case .active: (.active, nil, nil)
        case .background(.awake(let leave)): (.awake, leave, nil)
        case .background(.inspecting): (.inspecting, nil, nil)
        case .background(.freezing): (.freezing, nil, nil)
        case .suspended(let sleep): (.suspended, nil, sleep)
        }
    }

    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Position?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("kind", 1, parts?.kind) {
        case .inactive: self = .inactive
        case .active: self = .active
        case .awake: self = .background(.awake(leave: try c.required("leave", 2, parts?.leave)))
        case .inspecting: self = .background(.inspecting)
        case .freezing: self = .background(.freezing)
        case .suspended:
            let since = try c.past("since", 3, parts?.sleep?.since)
            let held = try c.flag("held", 4, parts?.sleep?.held)
            self = .suspended(
                Sleep(since: since, held: held, thawing: try c.flag("thawing", 5, parts?.sleep?.thawing)))
        }
    }
}

extension Phase: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case notRunning = 0, spawning = 1, running = 2
    }

    private var parts:
        (kind: Kind, reason: RestReason?, launch: Launch?, end: PendingKill?, process: Process?)
    {
        switch self {
        case .notRunning(let reason): (.notRunning, reason, nil, nil, nil)
        case .spawning(let launch, let end): (.spawning, nil, launch, end, nil)
        case .running(let process): (.running, nil, nil, nil, process)
        }
    }

    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Phase?) throws(C.Failure) {
        let parts = value?.parts
        switch try c.required("kind", 1, parts?.kind) {
        case .notRunning: self = .notRunning(try c.required("reason", 2, parts?.reason))
        case .spawning:
            let launch = try c.required("launch", 3, parts?.launch)
            self = .spawning(launch, pendingKills: try c.optional("pendingKill", 4, parts?.end))
        case .running: self = .running(try c.required("process", 5, parts?.process))
        }
    }
}
