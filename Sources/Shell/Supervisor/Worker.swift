public import Lifecycle
internal import Linux
internal import Notifications
internal import Pressure
public import Varlink
internal import WorkerFile

/// One worker: its blueprint, the model of its life, and what is known of it besides.
///
/// Belongs to the supervisor's loop.
final class Worker {
    let id: WorkerID
    var blueprint: Blueprint
    var life: WorkerLifecycle
    /// When it was in use last; nil has never been.
    var lastActive: Instant?
    /// Whether its present process has been in use.
    var wasUsed = false
    /// What woke or launched it last, and when.
    @Apart var lastWake: (origin: WakeOrigin, at: Instant)?
    /// The other worker for whose sake its goal was set last.
    @Apart var goalOrigin: GoalOrigin?
    /// The hooks of it that have failed since its launch and have not succeeded since, the one that failed last at the end.
    var hookFailures: [HookFailure] = []
    /// It was started too often, and has not been started since.
    var isStartLimited = false
    /// When it is woken for a fetch next, where it fetches.
    var fetchDue: Instant?
    /// What is known of why its process ends, in a clause.
    @Apart var endDetail: EndDetail?
    /// What it said last with STATUS=.
    var status: String?
    /// When it last changed its state, or a launch of it failed.
    var since: Instant
    /// When its last launch was begun.
    var launchBegan: Instant?
    @Apart var lastRecord: TerminationRecord?
    /// Why the last launch came to no process; nil where one did.
    @Apart var launchFailure: LaunchError?
    var waiters: [Waiter] = []
    /// What was refused by the event that was handled last.
    var refusal: Refusal?
    /// Why it could not be frozen the last time that it could not.
    @Apart var freezeFailure: String?
    /// What it held asleep the last time that it held something.
    @Apart var heldDetail: String?
    /// Its own connection, while one is attached.
    weak var receiver: (any CallbackReceiver)?
    /// Deliveries that are not completed yet.
    var onItsWay: [Supervisor.OnItsWay] = []
    /// What waits to be given to it, by the names that the model knows.
    var contents: [UInt32: Content] = [:]
    var lastInbound: UInt32 = 0
    /// How long it has slept, until it is told with the next callback.
    var suspendedFor: TimeSpan?
    /// What it was told of memory last, or is to be told with the callback that waits; nil where nothing is known of that.
    @Apart var memoryWarning: MemoryWarning?
    /// Its background tasks by their tokens.
    var tasks: [UInt32: BackgroundTask] = [:]
    var lastTask: UInt32 = 0
    /// Who waits to hear what came of beginning or ending a task.
    var taskWishes: [UInt32: (TaskAnswer) -> Void] = [:]
    /// Called when a task that another program holds is over although its holder has not ended it.
    var holders: [UInt32: (HoldEnd, TerminationRecord?) -> Void] = [:]
    /// The last lines that it printed before it left the foreground, redacted.
    var snapshot: [String] = []
    /// What the present process was given with its launch, and what the next one will be.
    var launchOptions: JSON.Object = [:]
    var nextLaunch: LaunchDetails {
        get { nextDetails ?? LaunchDetails() }
        set { nextDetails = newValue }
    }
    @Apart private var nextDetails: LaunchDetails?
    /// A process of it has a file with saved state.
    var hasStateFile = false
    /// The group in which one worker is in the foreground at most, and how it stood there last.
    var foregroundGroup: String?
    var foregroundStanding: ForegroundStanding?
    /// What its present sleep has given back; nil where nothing was, or is known yet.
    @Apart var reclaim: MemoryReclaim?
    /// It is in the queue of those whose memory is given back.
    var awaitsReclaim = false
    /// How the policy of memory was told that it stands.
    var pressureStanding: Supervisor.PressureStanding = []
    /// What was posted to it; nil where nothing was.
    var letterbox: Letterbox?
    /// When its main process started, where that is needed to know it again.
    var startTime: UInt64?
    /// What its topics stood at when it had heard of all that happened.
    var standing = TopicStanding()
    /// What they stood at when a predecessor left it, until that is compared with what is.
    @Apart var comparison: TopicStanding?
    /// Something has happened to it since it was recorded last.
    var isUnrecorded = false
    /// A predecessor has left it with a connection, which it has not made anew.
    var awaitsReattachment = false
    /// The last token that a predecessor has given out: tasks up to that end when it had time enough to begin them anew.
    var lastInheritedTask: UInt32 = 0

    /// A hook, or the worker's own connection, that has failed to take a callback.
    struct HookFailure: Hashable, Sendable {
        let callback: Callback
        /// The topic that it is for, where its file has a hook for that.
        let topic: String?
        /// What was done, as its file has it; nil where the worker's own connection was told.
        let action: String?
        let problem: String
        let at: Instant
    }

    /// What is remembered of the failures of one hook: a worker may have hooks for any number of topics.
    private static let mostHookFailures = 32

    /// Remembers that a hook has failed.
    func hookFailed(_ failure: HookFailure) {
        hookSucceeded(failure.callback, topic: failure.topic)
        if hookFailures.count == Self.mostHookFailures { hookFailures.removeFirst() }
        hookFailures.append(failure)
    }

    /// A hook has succeeded: that it had failed before is told no more.
    func hookSucceeded(_ callback: Callback, topic: String? = nil) {
        hookFailures.removeAll { $0.callback == callback && $0.topic == topic }
    }

    /// Something that waits to be given to a worker, and who wants to know what became of it.
    struct Content {
        let content: InboundContent
        let answer: (DeliveryOutcome) -> Void
    }

    init(id: WorkerID, _ blueprint: Blueprint, at now: Instant) {
        self.id = id
        self.blueprint = blueprint
        life = WorkerLifecycle(sharing: blueprint.sharedPolicy)
        since = now
    }

    /// What comes with the launch that begins now.
    func takeLaunchDetails(savedState: String?) -> LaunchDetails {
        var details = nextLaunch
        nextDetails = nil
        launchOptions = details.options
        details.savedState = savedState
        return details
    }

    /// Nothing is left of what belonged to the process.
    func processEnded() {
        status = nil
        endDetail = nil
        suspendedFor = nil
        memoryWarning = nil
        wasUsed = false
        reclaim = nil
        tasks = [:]
        awaitsReattachment = false
        startTime = nil
        standing = TopicStanding()
        comparison = nil
    }

    /// Whether a process of it exists, or is being launched, or is about to be launched again.
    var hasOrAwaitsProcess: Bool {
        life.state != .notRunning || life.currentLaunch != nil || life.restReason == .backingOff
    }

    /// When it is tried again to freeze it, in words; nil where it is not.
    func nextFreeze(at now: Instant) -> String? {
        life.deadlines.first { $0.timer == .freeze }.map {
            "it will be tried again in \(max(.zero, $0.due - now).written(accuracy: .milliseconds(1)))"
        }
    }

    /// What is to be said with a warning besides.
    func detail(of warning: Warning, at now: Instant) -> String? {
        switch warning {
        case .freezeFailed: freezeFailure.map { $0 + (nextFreeze(at: now).map { "; \($0)" } ?? "") }
        case .holdsResource: heldDetail
        case .overrun, .cannotBeKilled, .startLimitHit: nil
        }
    }
}

/// What somebody wants, until the model has heard of it.
struct Wish {
    let token: WaitToken
    /// Nil is the goal that the worker has after it.
    let goal: Goal?
    let answer: (WaitOutcome) -> Void
}

/// Somebody who waits until a worker is where it was wanted.
struct Waiter {
    let token: WaitToken
    let goal: Goal
    let answer: (WaitOutcome) -> Void
}

/// What came of waiting for a goal.
public enum WaitOutcome: Hashable, Sendable {
    /// It is there.
    case reached
    /// Its process ended before it was there, and nothing brings it back.
    case ended(TerminationRecord)
    /// Somebody wanted it elsewhere meanwhile.
    case replaced(by: Goal)
    /// Somebody else has stopped it: SIGCONT or an operator's resume ends that.
    case held
    /// A group that its own is in is frozen: thawing that one ends it.
    case heldAbove(group: String)
    /// It cannot be put to sleep and stays in the background.
    case stuck
    /// An interruption keeps it inactive; it becomes active when that is over.
    case interrupted
    /// It is there, and these that ended with it are not.
    case followersMissing([String])
    /// It will not be done.
    case refused(Refusal)
}

/// A wait that can be given up.
public struct WaitToken: Hashable, Sendable {
    let worker: WorkerID
    let number: UInt64
}

/// A worker as it stands at one moment.
public struct WorkerView: Sendable {
    /// Its number.
    public let id: WorkerID
    /// Its name.
    public let name: String
    /// The model of its life.
    public let life: WorkerLifecycle
    /// When it entered its state.
    public let since: Instant
    /// What it said last with STATUS=.
    public let statusText: String?
    /// How its last process ended.
    public let lastRecord: TerminationRecord?
    /// Its background tasks, the oldest first.
    public let tasks: [BackgroundTask]
    /// The last lines that it printed before it left the foreground.
    public let snapshot: [String]
    /// What came with the launch of the present process.
    public let launchOptions: JSON.Object
    /// How many notifications wait for it or are on their way.
    public let queueLength: Int
    /// Whether a predecessor of ours has started its process.
    public let isAdopted: Bool
    /// What its present sleep has given back.
    public let reclaim: MemoryReclaim?
    /// The frozen group above its own that keeps it asleep; nil where there is none.
    public var frozenGroup: String?
    /// How far its launch is, where that has come to no process yet.
    let launching: LaunchPreparation?
    /// The command that runs before its launch is complete (`ExecStartPost=`).
    let launchCommand: ServiceCommand?
    /// What woke or launched it last, and when.
    let lastWake: (origin: WakeOrigin, at: Instant)?
    /// The other worker for whose sake it has its goal; nil where there is none.
    let goalOrigin: GoalOrigin?
    /// The hooks of it that have failed and not succeeded since, the one that failed last at the end.
    let hookFailures: [Worker.HookFailure]
    /// Whether it rests since it was started too often.
    let isStartLimited: Bool
    /// The worker that holds the foreground of its group while it waits for that, and whether that one is being launched.
    let foregroundHolder: (name: String, isLaunching: Bool)?
    /// Why it could not be frozen, while that is to be tried again.
    let freezeFailure: String?
    /// What it held the last time that it held what it must not hold asleep.
    let heldDetail: String?
    /// When it is woken for a fetch next.
    let fetchDue: Instant?
    /// What is scheduled for it.
    let schedules: [ScheduleBook.Entry]
}

/// How far a launch is that has come to no process yet.
public struct LaunchPreparation: Hashable, Sendable {
    /// When it was begun.
    public let since: Instant
    /// The command that runs before the main process.
    public let command: ServiceCommand?
    /// The workers that it waits for, by name.
    public let awaited: [String]

    /// What is under way, in a clause.
    public var words: String {
        if let command { return "\(command) runs" }
        return awaited.isEmpty
            ? "its process is being made" : "it waits for \(awaited.joined(separator: ", "))"
    }
}

/// A background task that keeps a worker awake (1.4).
public struct BackgroundTask: Hashable, Sendable {
    /// As it was named.
    public let name: String
    /// When it began.
    public let since: Instant
    /// Who holds it.
    public let requester: Requester
}
