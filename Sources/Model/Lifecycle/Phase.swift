internal import SnapshotCoding

/// Where a worker stands, with the data that is valid there and nowhere else.
enum Phase: Hashable, Sendable {
    /// No process.
    case notRunning(RestReason)
    /// `Effect.launch` is out, its answer is not in.
    ///
    /// `pendingKills` tells why it has been called off meanwhile.
    case spawning(Launch, pendingKills: PendingKill?)
    /// A process exists.
    case running(Process)
}

/// The end of a launch whose process does not exist yet: SIGKILL is on its way to it.
struct PendingKill: Hashable, Sendable {
    /// Why: `.forceQuit`, `.stopped`, or `.watchdog` when the launch has taken too long.
    let cause: TerminationRecord.Cause
    let requester: Requester
    /// Why it is to be started again all the same; nil unless a newer goal wants that.
    var relaunch: LaunchReason?
}

/// One process of the worker.
///
/// Its facts lie in one place that copies share until one of them changes: they are looked at far more often.
@dynamicMemberLookup
struct Process: Hashable, Sendable {
    // Unchecked: it is changed only through its one reference.
    private final class Place: @unchecked Sendable {
        var facts: ProcessFacts

        init(_ facts: ProcessFacts) { self.facts = facts }
    }

    private var place: Place

    init(_ facts: ProcessFacts) { place = Place(facts) }

    @inline(__always)
    subscript<Value>(dynamicMember path: KeyPath<ProcessFacts, Value>) -> Value {
        place.facts[keyPath: path]
    }

    /// All of them, to be changed in place.
    var facts: ProcessFacts {
        _read { yield place.facts }
        _modify {
            if !isKnownUniquelyReferenced(&place) { place = Place(place.facts) }
            yield &place.facts
        }
    }

    var isAwake: Bool { place.facts.isAwake }
    var state: State { place.facts.state }

    static func == (a: Process, b: Process) -> Bool { a.place === b.place || a.place.facts == b.place.facts }

    func hash(into hasher: inout Hasher) { hasher.combine(place.facts) }
}

/// What is known of a process.
struct ProcessFacts: Hashable, Sendable {
    let launch: Launch
    var pid: Int32
    var position: Position
    /// What is left of the launch; nil when didFinishLaunching is complete.
    var launching: LaunchStep?
    /// READY=1 has come.
    var isReady = false
    /// The callback in flight: one at most.
    var slot: InFlight?
    /// The end, once it has begun: it cannot be called off.
    var ending: Ending?
    /// The callbacks that its connection receives, while it is attached.
    var attached: CallbackSet?
    /// Announcements that wait for the slot, merged by kind.
    var announcements: CallbackSet = []
    /// Whether protected data was available when it was told of it last; nil where it was not told.
    var toldDataAvailable: Bool?
    /// Tokens of its own background tasks.
    var tasks: Set<UInt32> = []
    /// Background tasks that others hold, in the order in which they began.
    var holds: [Hold] = []
    /// Fetches, transfers and notifications being handled.
    var activities: [Activity] = []
    /// It has said RELOADING=1 and not READY=1 yet.
    var reloading = false
    /// It has said that it is in use, and not taken that back.
    var saysInUse = false
    /// It refused its launch options: it is given no URL or activity of this launch.
    var refusedLaunch = false
    /// Its CPU use is held down.
    var throttled = false
    /// When the background time is over, while nothing else keeps it in the background.
    var backgroundEnds: Instant?
    /// It has been told that its background time is nearly over.
    var expiryTold = false
    var watchdog: Watchdog?
    /// What it was given to do and will not say when it is done with.
    var unconfirmed: Unconfirmed?
    /// How often in a row it could not be frozen.
    var freezeFailures: UInt8 = 0
    var times: Times

    /// Whether it runs code: the launch is over or not, but it is not frozen.
    var isAwake: Bool { position.isAwake }
    var state: State { position.state }
}

enum Position: Hashable, Sendable {
    case inactive
    case active
    case background(BackgroundStep)
    case suspended(Sleep)

    var state: State {
        switch self {
        case .inactive: .inactive
        case .active: .active
        case .background: .background
        case .suspended: .suspended
        }
    }

    var isAwake: Bool {
        switch self {
        case .inactive, .active, .background(.awake), .background(.inspecting): true
        case .background(.freezing), .suspended: false
        }
    }
}

enum BackgroundStep: Hashable, Sendable {
    /// Runs; `leave` is what is still to be told before it may sleep.
    case awake(leave: LeaveStep)
    /// `Effect.inspectResources` is out.
    case inspecting
    /// `Effect.freeze` is out.
    case freezing
}

/// What follows the change from inactive to background, in order.
enum LeaveStep: Int, CodingKey, SnapshotKind {
    case tell = 0
    case askForState = 1
    case saveState = 2
    /// Nothing is left to tell.
    case done = 3
    /// It came here by a background launch or a wake: whether it is told anything is a setting.
    case woken = 4
    /// It could not be frozen: it stays until that is tried again, or something new is wanted.
    case stuck = 5
    /// What it must not hold in the background is to be looked for, whether it may sleep or not.
    case look = 6
}

struct Sleep: Hashable, Sendable {
    var since: Instant
    /// Another program stopped it: no wake event resumes it.
    var held: Bool
    /// `Effect.thaw` is out.
    var thawing: Bool
}

enum LaunchStep: Int, CodingKey, SnapshotKind {
    /// `Type=app`: it has not attached to its socket yet.
    case attach = 0
    case willFinish = 1
    case restore = 2
    /// `Type=notify`: READY=1 has not come yet.
    case ready = 3
    case didFinish = 4
}

struct InFlight: Hashable, Sendable {
    let id: UInt32
    let callback: Callback
    var since: Instant
    /// The limit that starts afresh after a resume; nil has none, or shares the launch's or the end's.
    let limit: TimeSpan?
    let inbound: Inbound?
    /// What its completion brings; an outside stop takes that away.
    var then: Continuation
}

enum Continuation: Hashable, Sendable {
    /// Nothing but a free slot.
    case none
    /// On to the next step of the launch.
    ///
    /// Nil: the launch is complete.
    case launch(LaunchStep?)
    /// inactive, because of this.
    case resign(Transition.Cause)
    /// inactive, out of the background.
    case enterForeground
    /// The next thing on the way out of the foreground.
    case leave(LeaveStep)
    /// The worker's exit completes it; a failure brings the stop signal.
    case terminate
}

/// Something being handled that keeps the worker in the background and does not hold the slot.
struct Activity: Hashable, Sendable {
    let id: UInt32
    let callback: Callback
    /// What it handles; nil is the queue of notifications.
    let inbound: Inbound?
    let limit: TimeSpan?
    /// It has been told that its time is nearly over.
    var expiryTold = false

    /// Whether it handles the queue of notifications.
    var isFlush: Bool { inbound == nil }
}

/// A background task that another program holds.
struct Hold: Hashable, Sendable {
    let token: UInt32
    /// When it is over; nil is when its holder ends it.
    var until: Instant?
}

/// Something that the worker was given to do without a word to come of when it is done: it does not sleep before it is quiet.
struct Unconfirmed: Hashable, Sendable {
    /// When it counts as done whatever the worker uses; nil is never.
    var until: Instant?
    /// `Effect.readCPU` is out.
    var isReading = false
    /// The last look at what it uses.
    var last: Look?

    struct Look: Hashable, Sendable {
        let used: TimeSpan
        let at: Instant
    }
}

struct Ending: Hashable, Sendable {
    enum Stage: Int, CodingKey, SnapshotKind {
        /// willTerminate is to be told, once it is awake.
        case waking = 0
        /// willTerminate is in flight.
        case notifying = 1
        /// The stop signal has been sent, or it said STOPPING=1.
        case stopping = 2
        /// SIGKILL has been sent.
        case killed = 3
    }

    var cause: TerminationRecord.Cause
    var requester: Requester?
    var stage: Stage
    /// What the pressure allows, if that is less than the worker's own limit.
    var grace: TimeSpan?
    /// Why it is to be started again as soon as it has ended; nil unless a newer goal wants that.
    var relaunch: LaunchReason?
}

struct Watchdog: Hashable, Sendable {
    var period: TimeSpan
    var due: Instant
}

/// How long it has been where, for the termination record.
struct Times: Hashable, Sendable {
    var started: Instant
    var stateSince: Instant
    var inBackground = TimeSpan.zero
    var suspended = TimeSpan.zero

    /// More time has passed since then than the clock has counted.
    mutating func moveBack(by span: TimeSpan) {
        started = started + (.zero - span)
        stateSince = stateSince + (.zero - span)
    }

    mutating func leave(_ state: State, at now: Instant) {
        switch state {
        case .background: inBackground = inBackground + (now - stateSince)
        case .suspended: suspended = suspended + (now - stateSince)
        case .notRunning, .inactive, .active: break
        }
        stateSince = now
    }
}

/// How often it was started lately: systemd's start limit, and the failures in a row that lengthen the delay.
struct StartHistory: Hashable, Sendable {
    var windowBegan = Instant.zero
    var count = 0
    var failures = 0

    /// Counts a start, and says whether the limit allows it.
    mutating func allow(_ policy: RestartPolicy, at now: Instant) -> Bool {
        guard policy.limitBurst > 0, policy.limitInterval > .zero else { return true }
        if count == 0 || now - windowBegan >= policy.limitInterval {
            windowBegan = now
            count = 0
        }
        guard count < policy.limitBurst else { return false }
        count += 1
        return true
    }
}

/// False idleness: wakes that came too soon after it was put to sleep for idleness.
struct Idleness: Hashable, Sendable {
    var falseIdles: UInt8 = 0
    var asleepSince: Instant?
    /// `Effect.inspectUse` is out.
    var isAsking = false
    /// It was woken by its sockets, and nothing but one exchange on an old connection has been seen since.
    var lingers = false

    mutating func woke(at now: Instant, _ policy: IdlePolicy?) {
        guard let since = asleepSince, let policy else { return }
        asleepSince = nil
        if now - since < policy.falseWithin {
            falseIdles = min(falseIdles + 1, 20)
        } else if falseIdles > 0 {
            falseIdles -= 1
        }
    }
}
