internal import ConfigurationSyntax
internal import Lifecycle
internal import WorkerFile

/// What a simulated process does by itself, as soon as it runs and the time has come.
enum Intention {
    case completes(id: UInt32, Completion)
    /// A hook for a notification is over.
    case endsHook(UInt32, isTaken: Bool)
    case savesState
    /// Drops what it can do without.
    case shrinks
    case says(Word)
    case beginsTask(lasting: TimeSpan?)
    case endsTask(UInt32)
    case endsAllTasks
    case pings
    case ends(ProgramEnd)

    /// What it says without an argument.
    enum Word {
        case ready
        case attached
    }
}

/// One process of a simulated worker, from its start until its end has been told.
struct SimulatedProcess {
    /// Which process of the worker it is: what comes of an earlier one means nothing.
    let number: UInt32
    /// By our freezer.
    var isFrozen = false
    /// By SIGSTOP, from any sender.
    var isStopped = false
    /// It has ended; the fact may be underway.
    var hasEnded = false
    /// A debugger is attached.
    var isTraced = false
    /// What it would have done while it did not run.
    var missed: [Intention] = []
    var lastTask: UInt32 = 0
    /// The background tasks that it has begun and not ended.
    var tasks: [UInt32] = []

    /// The processor time that it had used when it began to work the last time, and when that was.
    private var workedBefore = TimeSpan.zero
    private var worksSince: Instant

    init(number: UInt32, at now: Instant) {
        self.number = number
        worksSince = now
    }

    /// The processor time that it has used, where it works for so long each time that it runs again.
    func worked(by now: Instant, _ busy: TimeLimit) -> TimeSpan {
        let passed = now - worksSince
        return workedBefore + (busy.span.map { min($0, passed) } ?? passed)
    }

    /// It runs again, and has something to do.
    mutating func workAgain(at now: Instant, _ busy: TimeLimit) {
        workedBefore = worked(by: now, busy)
        worksSince = now
    }

    var runs: Bool { !isFrozen && !isStopped && !hasEnded }
}
