public import Lifecycle
public import Varlink

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
    /// When it is woken for a fetch next, where it fetches.
    var fetchDue: Instant?
    /// What it said last with STATUS=.
    var status: String?
    /// When it last changed its state.
    var since: Instant
    var lastRecord: TerminationRecord?
    var waiters: [Waiter] = []
    /// What was refused by the event that was handled last.
    var refusal: Refusal?
    /// Why it could not be frozen the last time that it could not.
    var freezeFailure: String?
    /// What it held asleep the last time that it held something.
    var heldDetail: String?
    /// Its own connection, while one is attached.
    weak var receiver: (any CallbackReceiver)?
    /// Deliveries that are not completed yet.
    var onItsWay: [Supervisor.OnItsWay] = []
    /// What waits to be given to it, by the names that the model knows.
    var contents: [UInt32: Content] = [:]
    var lastInbound: UInt32 = 0
    /// How long it has slept, until it is told with the next callback.
    var suspendedFor: TimeSpan?
    /// Its background tasks by their tokens.
    var tasks: [UInt32: BackgroundTask] = [:]
    var lastTask: UInt32 = 0
    /// Who waits to hear what came of beginning or ending a task.
    var taskWishes: [UInt32: (TaskAnswer) -> Void] = [:]
    /// The last lines that it printed before it left the foreground, redacted.
    var snapshot: [String] = []
    /// What the present process was given with its launch, and what the next one will be.
    var launchOptions: JSON.Object = [:]
    var nextLaunch = LaunchDetails()
    /// A process of it has a file with saved state.
    var hasStateFile = false
    /// The group in which one worker is in the foreground at most, and how it stood there last.
    var foregroundGroup: String?
    var foregroundStanding: ForegroundStanding?
    /// What its present sleep has given back; nil where nothing was, or is known yet.
    var reclaim: MemoryReclaim?
    /// It is in the queue of those whose memory is given back.
    var awaitsReclaim = false
    /// How the policy of memory was told that it stands.
    var pressureStanding: Supervisor.PressureStanding = []
    /// What was posted to it; nil where nothing was.
    var letterbox: Letterbox?
    /// When its main process started, where that is needed to know it again.
    var startTime: UInt64?
    /// Something has happened to it since it was recorded last.
    var isUnrecorded = false
    /// A predecessor has left it with a connection, which it has not made anew.
    var awaitsReattachment = false
    /// The last token that a predecessor has given out: tasks up to that end when it had time enough to begin them anew.
    var lastInheritedTask: UInt32 = 0

    /// Something that waits to be given to a worker, and who wants to know what became of it.
    struct Content {
        let content: InboundContent
        let answer: (DeliveryOutcome) -> Void
    }

    init(id: WorkerID, _ blueprint: Blueprint, at now: Instant) {
        self.id = id
        self.blueprint = blueprint
        life = WorkerLifecycle(policy: blueprint.policy)
        since = now
    }

    /// What comes with the launch that begins now.
    func takeLaunchDetails(savedState: String?) -> LaunchDetails {
        defer { nextLaunch = LaunchDetails() }
        launchOptions = nextLaunch.options
        nextLaunch.savedState = savedState
        return nextLaunch
    }

    /// Nothing is left of what belonged to the process.
    func processEnded() {
        status = nil
        suspendedFor = nil
        wasUsed = false
        reclaim = nil
        tasks = [:]
        awaitsReattachment = false
        startTime = nil
    }

    /// What is to be said with a warning besides.
    func detail(of warning: Warning) -> String? {
        switch warning {
        case .freezeFailed: freezeFailure
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
    /// It cannot be put to sleep and stays in the background.
    case stuck
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
