package import Budgeting
internal import ConfigurationSyntax
package import Continuing
internal import Foreground
package import Idleness
package import Interrupting
package import Launching
package import Lifecycle
package import Linux
package import Notifications
package import Pressure
package import Processing
package import SupervisorPorts
package import Varlink
package import WorkerFile

/// One worker: its configuration, the model of its life, and what is known of it besides.
///
/// Belongs to the supervisor's loop.
package final class Worker {
    package let id: WorkerID
    package var configuration: WorkerConfiguration
    package var life: WorkerLifecycle
    /// When it was in use last; nil has never been.
    package var lastActive: Instant?
    /// Whether its present process has been in use.
    package var wasUsed = false
    /// What woke or launched it last, and when.
    @Apart package var lastWake: (origin: WakeOrigin, at: Instant)?
    /// The other worker for whose sake its goal was set last.
    @Apart package var goalOrigin: GoalOrigin?
    /// The hooks of it that have failed since its launch and have not succeeded since, the one that failed last at the end.
    package var hookFailures: [HookFailure] = []
    /// It was started too often, and has not been started since.
    package var isStartLimited = false
    /// Sockets of it may be open although it does not run.
    package var mayHaveDoors = false
    /// It was woken for something on a socket of its own, and what that was is being looked up.
    package var awaitsWakeReason = false
    /// When it is woken for a fetch next, where it fetches.
    package var fetchDue: Instant?
    /// How its fetches are spaced; nil before the first is over.
    @Apart package var fetchPace: FetchPace?
    /// What it has used of its wakes, and what is kept; nil where there is nothing of either.
    @Apart package var wakeBudget: WakeBudget?
    /// How it stands with its long work; nil where it has none.
    @Apart package var processing: ProcessingStanding?
    /// Its protected data was available once since boot, where it waits for that.
    package var wasUnlocked = false
    /// What is known of why its process ends, in a clause.
    @Apart package var endDetail: EndDetail?
    /// What it said last with STATUS=.
    package var status: String?
    /// When it last changed its state, or a launch of it failed.
    package var since: Instant
    /// When its last launch was begun.
    package var launchBegan: Instant?
    @Apart package var lastRecord: TerminationRecord?
    /// Why the last launch came to no process; nil where one did.
    @Apart package var launchFailure: LaunchError?
    package var waiters: [Waiter] = []
    /// What was refused by the event that was handled last.
    package var refusal: Refusal?
    /// Why it could not be frozen the last time that it could not.
    @Apart package var freezeFailure: String?
    /// What it held asleep the last time that it held something.
    @Apart package var heldDetail: String?
    /// Its own connection, while one is attached.
    package weak var receiver: (any CallbackReceiver)?
    /// Deliveries that are not completed yet.
    package var onItsWay: [Supervisor.OnItsWay] = []
    /// What waits to be given to it, by the names that the model knows.
    package var contents: [UInt32: Content] = [:]
    package var lastInbound: UInt32 = 0
    /// How long it has slept since it became known, and which peers woke it.
    package var sleepTally: SleepTally
    /// How long it has slept, until it is told with the next callback.
    package var suspendedFor: TimeSpan?
    /// What it was told of memory last, or is to be told with the callback that waits; nil where nothing is known of that.
    @Apart package var memoryWarning: MemoryWarning?
    /// Its background tasks by their tokens.
    package var tasks: [UInt32: BackgroundTask] = [:]
    package var lastTask: UInt32 = 0
    /// The callers that wait to hear what came of beginning or ending a task.
    package var taskRequests: [UInt32: (TaskAnswer) -> Void] = [:]
    /// Called when a task that another program holds is over although its holder has not ended it.
    package var holders: [UInt32: (HoldEnd, TerminationRecord?) -> Void] = [:]
    /// What keeps it inactive although it is to be active, and what is called when one of that is over.
    package var interruptions = InterruptionPlan()
    package var interruptionEnds: [UInt32: (Interruption.End) -> Void] = [:]
    /// The activities that it offers, the callers that hand one over, and what it is asked.
    @Usual(GivingPlan.usual) package var giving: GivingPlan
    package var handoffCalls: [String: HandoffCall] = [:]
    @Apart package var asking: ActivityQuestion?
    /// The last lines that it printed before it left the foreground, redacted.
    package var snapshot: [String] = []
    /// What the present process was given with its launch, and what the next one will be.
    package var launchOptions: JSON.Object = [:]
    package var nextLaunch: LaunchDetails {
        get { nextDetails ?? LaunchDetails() }
        set { nextDetails = newValue }
    }
    @Apart private var nextDetails: LaunchDetails?
    /// The version of the program of its process, with which it saves state; nil where none is known.
    @Apart package var programVersion: String?
    /// What becomes of the state that its process was handed; nil where that is not known.
    @Apart package var stateVerdict: StateVersion.Verdict?
    /// A process of it has a file with saved state.
    package var hasStateFile = false
    /// What was reclaimed in its present sleep; nil where nothing was, or is known yet.
    @Apart package var reclaim: MemoryReclaim?
    /// How the policy of memory was told that it stands.
    package var evictionEligibility: EvictionEligibility = []
    /// What was posted to it; nil where nothing was.
    package var inbox: Inbox?
    /// When its main process started, where that is needed to know it again.
    package var startTime: UInt64?
    /// What its topics stood at when it had heard of all that happened.
    package var topicState = TopicState()
    /// What they stood at when a predecessor left it, until that is compared with what is.
    @Apart package var comparison: TopicState?
    /// Something has happened to it since it was recorded last.
    package var isUnrecorded = false
    /// A predecessor has left it with a connection, which it has not made anew.
    package var awaitsReattachment = false
    /// The last token that a predecessor has given out: tasks up to that end when it had time enough to begin them anew.
    package var lastInheritedTask: UInt32 = 0

    /// A hook, or the worker's own connection, that has failed to take a callback.
    package struct HookFailure: Hashable, Sendable {
        package let callback: Callback
        /// The topic that it is for, where its file has a hook for that.
        package let topic: String?
        /// What was done, as its file has it; nil where the worker's own connection was told.
        package let action: String?
        package let problem: String
        package let at: Instant

        /// Whether the callback belongs to a change of state: others come beside one, and may be cut off by it.
        package var isOnTheWay: Bool { Self.onTheWay.contains(callback) }
        private static let onTheWay = CallbackSet([
            .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground, .willEnterForeground, .willTerminate, .shouldSaveState, .saveState,
            .restoreState,
        ])
    }

    /// What is remembered of the failures of one hook: a worker may have hooks for any number of topics.
    private static let mostHookFailures = 32

    /// Remembers that a hook has failed.
    package func hookFailed(_ failure: HookFailure) {
        hookSucceeded(failure.callback, topic: failure.topic)
        if hookFailures.count == Self.mostHookFailures { hookFailures.removeFirst() }
        hookFailures.append(failure)
    }

    /// A hook has succeeded: that it had failed before is told no more.
    package func hookSucceeded(_ callback: Callback, topic: String? = nil) {
        hookFailures.removeAll { $0.callback == callback && $0.topic == topic }
    }

    /// Something that waits to be given to a worker, and the callback that hears what became of it.
    package struct Content {
        package let content: InboundContent
        package let answer: (DeliveryOutcome) -> Void
    }

    package init(id: WorkerID, _ configuration: WorkerConfiguration, at now: Instant) {
        self.id = id
        self.configuration = configuration
        life = WorkerLifecycle(sharing: configuration.sharedPolicy)
        since = now
        sleepTally = SleepTally(since: now)
    }

    /// What woke or launched its present process last; that of a former process explains nothing any more.
    package var presentWake: (origin: WakeOrigin, at: Instant)? {
        lastWake.flatMap { wake in lastRecord.map { wake.at < $0.at } ?? false ? nil : wake }
    }

    /// What comes with the launch that begins now.
    package func takeLaunchDetails(savedState: HandedState?) -> LaunchDetails {
        var details = nextLaunch
        nextDetails = nil
        launchOptions = details.options
        details.savedState = savedState
        return details
    }

    /// Nothing is left of what belonged to the process.
    package func processEnded() {
        status = nil
        endDetail = nil
        suspendedFor = nil
        memoryWarning = nil
        wasUsed = false
        reclaim = nil
        tasks = [:]
        awaitsReattachment = false
        startTime = nil
        topicState = TopicState()
        comparison = nil
    }

    /// Whether a process of it exists, or is being launched, or is about to be launched again.
    package var hasOrAwaitsProcess: Bool {
        life.state != .notRunning || life.currentLaunch != nil || life.restReason == .backingOff
    }

    /// When it is tried again to freeze it, in words; nil where it is not.
    package func nextFreeze(at now: Instant) -> String? {
        life.deadlines.first { $0.timer == .freeze }.map {
            "retry in \(max(.zero, $0.due - now).written(accuracy: .milliseconds(1)))"
        }
    }

    /// What is to be said with a warning besides.
    package func detail(of warning: Warning, at now: Instant, on host: (any Host)? = nil) -> String? {
        switch warning {
        case .freezeFailed: freezeFailure.map { $0 + (nextFreeze(at: now).map { "; \($0)" } ?? "") }
        case .holdsResource: heldDetail
        case .thawFailed: host?.thawObstacle(of: id)
        case .overrun, .cannotBeKilled, .startLimitHit: nil
        }
    }
}

/// What a caller has requested, until the model has heard of it.
package struct PendingRequest {
    package let token: WaitToken
    /// Nil is the goal that the worker has after it.
    package let goal: Goal?
    package var answer: (WaitOutcome) -> Void
}

/// A caller that waits until a worker has reached its goal.
package struct Waiter {
    package let token: WaitToken
    package let goal: Goal
    package let answer: (WaitOutcome) -> Void
}

/// A wait that can be given up.
package struct WaitToken: Hashable, Sendable {
    package let worker: WorkerID
    package let number: UInt64
}

/// A worker as it stands at one moment.
package struct WorkerView: Sendable {
    /// Its number.
    package let id: WorkerID
    /// Its name.
    package let name: String
    /// The model of its life.
    package let life: WorkerLifecycle
    /// When it entered its state.
    package let since: Instant
    /// What it said last with STATUS=.
    package let statusText: String?
    /// How its last process ended.
    package let lastRecord: TerminationRecord?
    /// Its background tasks, the oldest first.
    package let tasks: [BackgroundTask]
    /// What keeps it inactive although it is to be active, the oldest first.
    package let interruptions: [Interruption]
    /// The activities that it offers, and the handoff of one of them.
    package let giving: GivingPlan
    /// How it stands that is to hand one over.
    package let givingStanding: GiverStanding
    /// The last lines that it printed before it left the foreground.
    package let snapshot: [String]
    /// What came with the launch of the present process.
    package let launchOptions: JSON.Object
    /// How many notifications wait for it or are on their way.
    package let queueLength: Int
    /// Whether a predecessor has started its process.
    package let isAdopted: Bool
    /// What was reclaimed in its present sleep.
    package let reclaim: MemoryReclaim?
    /// The frozen group above its own that keeps it asleep; nil where there is none.
    package var frozenGroup: String?
    /// Why its thaw has failed so far, while that is tried again; nil where none is under way, or none has failed.
    package var thawFailure: LinuxError?
    /// How far its launch is, where that has come to no process yet.
    package let launching: LaunchPreparation?
    /// The command that runs before its launch is complete (`ExecStartPost=`).
    package let launchCommand: ServiceCommand?
    /// What woke or launched it last, and when.
    package let lastWake: (origin: WakeOrigin, at: Instant)?
    /// The other worker for whose sake it has its goal; nil where there is none.
    package let goalOrigin: GoalOrigin?
    /// The hooks of it that have failed and not succeeded since, the one that failed last at the end.
    package let hookFailures: [Worker.HookFailure]
    /// Whether it rests since it was started too often.
    package let isStartLimited: Bool
    /// The worker that holds the foreground of its group while it waits for that, and whether that one is being launched.
    package let foregroundHolder: (name: String, isLaunching: Bool)?
    /// Why it could not be frozen, while that is to be tried again.
    package let freezeFailure: String?
    /// What it held the last time that it held what it must not hold asleep.
    package let heldDetail: String?
    /// When it is woken for a fetch next, and how its fetches are spaced.
    package let fetchDue: Instant?
    package let fetchPace: FetchPace?
    /// How it stands with its long work; nil where it has none.
    package let processing: ProcessingStanding?
    /// What it has used of its wakes, and of which allowance.
    package let wakeBudget: WakeBudget?
    package let wakeAllowance: WakeAllowance
    /// Whether it is not launched into the background yet, since its protected data was not available since boot.
    package let isHeldBack: Bool
    /// What is scheduled for it.
    package let schedules: [ScheduleBook.Entry]
    /// How its sockets are watched while it sleeps; nil where they are not.
    package let sight: SleeperSight?
    /// The sockets that the supervisor holds for it.
    package let heldSockets: [HeldSocketStatus]
    /// The sockets of it that have stayed open while it is gone; nil where there are none.
    package let doors: DoorSight?
    /// What it was used for last, as far as that was looked for.
    package let lastUse: Use?
    /// What was seen of it if it is only observed (`Idle=observe`).
    package let gain: SleepGain?
    /// How long it has slept since it became known, and which peers woke it.
    package let sleepTally: SleepTally
    /// What counts as use of it.
    package let useRules: UseRules
    /// What wakes it by its sockets.
    package let wakeRules: WakeRules
}
