internal import Budgeting
internal import ConfigurationSyntax
internal import Continuing
internal import Idleness
internal import Interrupting
package import Lifecycle
internal import Notifications
internal import Performing
internal import Pressure
internal import Processing
internal import Scheduling
internal import Transferring
internal import WorkerFile

/// A scenario in virtual time: pure models, simulated programs, and a machine that carries out what the models decide.
///
/// Nothing happens by itself: `next` lets the next event happen, and tells of it. The same scenario makes the same
/// world, to the microsecond.
package struct World: Sendable {
    package let scenario: Scenario
    /// What time it is, from the beginning.
    package private(set) var now = Instant.zero
    /// The models, by the numbers of the workers.
    package internal(set) var lives: [WorkerLifecycle]
    /// What the policy of memory decided between the step before and the one that `next` returned last.
    package private(set) var decisions: [MemoryDecision] = []
    /// What was posted and what became of that between the step before and the one that `next` returned last.
    package private(set) var flushNotes: [FlushNote] = []
    /// What became of activities between the step before and the one that `next` returned last.
    package private(set) var handoffNotes: [HandoffNote] = []
    /// The memory of the machine and the policy for it; nil where it is not counted.
    var memory: SimulatedMemory?
    /// Whether it was given up because it went on and on at no time.
    package private(set) var ranAway = false
    /// When it is over.
    private let end: Instant
    private var coordinator: (any Coordinator)?
    private var agenda = Agenda<Happening>()
    /// What is to be handled now, before anything that is due.
    private var given = EventQueue<(worker: Int, event: Event)>()
    private var steps = 0

    // What the machine knows of each worker.
    var programs: [Program]
    var processes: [SimulatedProcess?]
    /// The launch that is under way for each worker, and how many there have been in all.
    var launches: [UInt32?]
    var lastLaunch: UInt32 = 0
    var armed: [[ArmedTimer]]
    var random: [SplitMix64]
    /// How many uses last, and how often a process took all of them with it.
    var uses: [(count: Int, ended: Int)]
    /// When data came last on a connection of each worker, and what was learnt of its wakes.
    var lastData: [Instant?]
    var naps: [NapPolicy]
    /// What interrupts each worker.
    var interruptions: [InterruptionPlan]
    /// What each worker offers, who is to take what is handed over by its id, and what is on its way by the number of its delivery.
    var givings: [GivingPlan]
    var lastHandoff = 0
    var takers: [String: Int] = [:]
    var carried: [UInt32: CarriedActivity] = [:]
    /// What became of activities since the last step.
    var newHandoffNotes: [HandoffNote] = []
    var fetches = FetchPlan<Int>()
    var transfers = SimulatedTransfers()
    /// How the fetches of each worker are spaced, and those that it performs.
    var paces: [FetchPace]
    var fetchDeliveries: [[UInt32]]
    /// What each worker has used of its wakes.
    var budgets: [WakeBudget]
    var lowPower: LowPowerMode
    /// Whose protected data was available once.
    var wasUnlocked: [Bool]
    /// The version that each worker has saved its state with, where it has one.
    var savedVersions: [String?]
    /// The next moment at which fetches are due, by its number.
    var fetchTick: UInt32 = 0
    var lastInbound: UInt32 = 0
    /// Which worker does its long work when, on what kind of machine, and what was in its way last.
    var processing = ProcessingPlan<Int>()
    var machine = MachineReading()
    var processingDelivery: UInt32?
    var processingObstacles: [Int: ProcessingObstacle] = [:]
    /// What was posted to each worker, and how far it is handed out.
    var flushPlans: [FlushPlan]
    var lastPost = 0
    /// What was posted and what became of that since the last step.
    var newFlushNotes: [FlushNote] = []

    /// More than any sensible world has: one that goes on at no time must end too.
    private let mostSteps: Int

    /// The world of `scenario` before anything has happened; it is given up after `mostSteps`.
    package init(
        _ scenario: Scenario, coordinator: (any Coordinator)? = nil, mostSteps: Int = 20_000_000
    ) {
        self.scenario = scenario
        self.mostSteps = mostSteps
        self.coordinator = coordinator ?? SharedForeground(scenario.workers)
        end = .zero + (scenario.settings.duration ?? .seconds(86_400))
        let count = scenario.workers.count
        lives = scenario.workers.map { WorkerLifecycle(policy: $0.policy) }
        programs = scenario.workers.map(\.program)
        processes = Array(repeating: nil, count: count)
        launches = Array(repeating: nil, count: count)
        lastData = Array(repeating: nil, count: count)
        naps = Array(repeating: NapPolicy(), count: count)
        armed = Array(repeating: [], count: count)
        memory =
            scenario.machine.memory == nil
            ? nil : SimulatedMemory(scenario.machine, PressureSettings(scenario.daemon), workers: count)
        uses = Array(repeating: (0, 0), count: count)
        flushPlans = scenario.workers.map { worker in
            var plan = FlushPlan()
            let topics = worker.definition.notifications.untilForeground
            plan.untilForeground = Set(topics.compactMap { Topic($0.text) })
            return plan
        }
        interruptions = Array(repeating: InterruptionPlan(), count: count)
        paces = Array(repeating: FetchPace(), count: count)
        fetchDeliveries = Array(repeating: [], count: count)
        budgets = Array(repeating: WakeBudget(), count: count)
        savedVersions = Array(repeating: nil, count: count)
        wasUnlocked = Array(repeating: false, count: count)
        lowPower = LowPowerMode(threshold: scenario.daemon.lowPowerBelow.percent)
        givings = Array(repeating: GivingPlan(), count: count)
        let seed = UInt64(scenario.settings.seed)
        random = (0..<count).map { SplitMix64(seed: seed, part: UInt64($0)) }
        for (index, worker) in scenario.workers.enumerated() {
            if let request = Request(atBoot: worker.definition.launch), !holdsBackAtBoot(index, request) {
                give(.requested(request), to: index)
            }
        }
        for (index, worker) in scenario.workers.enumerated()
        where worker.definition.background.modes.contains(.fetch) {
            _ = fetches.set(index, every: worker.definition.background.fetchInterval, at: now)
        }
        enterFetches()
        beginProcessing()
        for (index, event) in scenario.events.enumerated() { plan(index, event, seed: seed) }
    }

    /// Lets the next event happen; nil when the time is over, or nothing is left that could happen.
    package mutating func next() -> Step? {
        // What came of the step before belongs before the next one.
        decisions = takeDecisions()
        flushNotes = takeFlushNotes()
        handoffNotes = takeHandoffNotes()
        while true {
            if let (worker, event) = given.next() { return handle(event, of: worker) }
            guard let due = agenda.next, due <= end else {
                decisions += takeDecisions()
                flushNotes += takeFlushNotes()
                handoffNotes += takeHandoffNotes()
                if scenario.settings.duration != nil { now = max(now, end) }
                return nil
            }
            guard steps < mostSteps else {
                ranAway = true
                return nil
            }
            steps += 1
            guard let (_, happening) = agenda.popFirst() else { return nil }
            // What means nothing any more takes no time either.
            guard isCurrent(happening) else { continue }
            now = max(now, due)
            happen(happening)
        }
    }

    private mutating func takeDecisions() -> [MemoryDecision] {
        defer { memory?.decisions = [] }
        return memory?.decisions ?? []
    }

    private mutating func takeFlushNotes() -> [FlushNote] {
        defer { newFlushNotes = [] }
        return newFlushNotes
    }

    private mutating func takeHandoffNotes() -> [HandoffNote] {
        defer { newHandoffNotes = [] }
        return newHandoffNotes
    }

    private mutating func handle(_ event: Event, of worker: Int) -> Step {
        decisions += takeDecisions()
        flushNotes += takeFlushNotes()
        handoffNotes += takeHandoffNotes()
        if event == .detached { tellPlan(.disconnected, of: worker) }
        let completed = callbackCompleted(by: event, worker)
        let effects = lives[worker].handle(event, at: now)
        for effect in effects { perform(effect, of: worker) }
        if let completed, SnapshotRule.keeps(after: completed, in: lives[worker].state) {
            noteSnapshot(of: worker)
        }
        flushFollows(worker, event)
        fetchesFollow(worker, event)
        processingFollows(worker, event, effects)
        budgetFollows(worker)
        activitiesFollow(worker, event)
        if coordinator != nil {
            let following =
                coordinator?.events(after: event, of: worker, effects, among: lives, at: now) ?? []
            given.follow(with: following)
        }
        policyFollows(worker, event, effects)
        transfersFollow(worker, event, effects)
        return Step(at: now, worker: worker, event: event, effects: effects)
    }

    /// Has the model of a worker handle an event, now and in turn.
    mutating func give(_ event: Event, to worker: Int) {
        if coordinator == nil {
            given.append((worker, event))
        } else {
            for entry in coordinator?.events(for: event, to: worker, among: lives, at: now) ?? [] {
                given.append(entry)
            }
        }
    }

    /// Enters what is going to happen after a while.
    mutating func enter(_ happening: Happening, after span: TimeSpan) {
        agenda.enter(happening, at: now + span)
    }

    /// The same at a moment.
    mutating func enter(_ happening: Happening, at due: Instant) {
        agenda.enter(happening, at: due)
    }

    /// The supervisor does not run for a while: what comes due meanwhile is told after it, and every deadline moves.
    mutating func stall(for span: TimeSpan) {
        let gap = min(span, end - now)
        now = now + gap
        for worker in lives.indices { give(.stalled(gap), to: worker) }
    }
}

/// A timer that a model has armed.
struct ArmedTimer {
    let timer: Timer
    let generation: UInt32
}

/// What can be on the agenda of a world.
enum Happening {
    /// A model's timer runs out.
    case timer(Int, Timer, generation: UInt32)
    /// A line of the scenario, for one worker or for all, so many times before.
    case event(Int, worker: Int?, count: Int)
    /// A process does what it has in mind.
    case intention(Int, process: UInt32, Intention)
    /// The supervisor hears of a process.
    case fact(Int, process: UInt32, Fact)
    /// The machine has frozen a process, or could not.
    case froze(Int, process: UInt32, succeeded: Bool)
    /// The machine has thawed a process and continued what was stopped.
    case thawed(Int, process: UInt32)
    /// A launch has come to something.
    case launched(Int, launch: UInt32, succeeded: Bool)
    /// The machine looks at its memory.
    case memoryTick(UInt32)
    /// A timer of the policy of memory runs out.
    case policyTimer(PressureTimer, generation: UInt32)
    /// What a sleeping worker holds is reclaimed.
    case reclaims(Int, process: UInt32)
    /// Fetches are due, if the plan is still this one.
    case fetches(UInt32)
    /// The machine is looked at for long work, if that is still to be then.
    case looksAtMachine(Instant)
    /// What is kept for a worker until its budget of wakes is full again, if that is still to be then.
    case budgetDue(Int, Instant)
    /// What a worker did not take is handed out again, if that is still to be then.
    case flushDue(Int, Instant)
    /// A transfer ends in this way, unless it has before.
    case transferEnds(UInt32, TransferStatus)
    /// Something about transfers is due, if it is still that.
    case transfersDue(Instant)
    /// A use, an interruption or a debugger's visit is over.
    case over(Int, Interval)

    enum Interval {
        case use(before: Int)
        case interruption(until: Instant)
        case handoff(until: Instant)
        case tracing(process: UInt32)
    }
}

/// What the machine tells of a process.
enum Fact {
    case frozen
    case freezeFailed
    case thawed
    case stoppedOutside
    case continuedOutside
    case inspected(HeldResource?)
    case cpuRead(CPUReading?)
    case usedLast(LastUse)
    case exited(ExitStatus, oomKilled: Bool)
    case hookEnded(UInt32, isTaken: Bool)
    case said(NotifyReport)

    /// What a process says, on its notify socket or its own.
    enum NotifyReport {
        case ready
        case reloading
        case stopping
        case extends(TimeSpan)
        case pinged
        case triggered
        case attached
        case detached
        case completed(id: UInt32, Completion)
        case saved
        case taskBegan(UInt32)
        case taskEnded(UInt32)
        case usedTooMuchCPU
    }
}
