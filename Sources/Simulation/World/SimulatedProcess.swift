internal import Lifecycle

/// What a simulated process does by itself, as soon as it runs and the time has come.
enum Intention {
    case completes(id: UInt32, Completion)
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
    /// By SIGSTOP, whoever sent it.
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

    init(number: UInt32) {
        self.number = number
    }

    var runs: Bool { !isFrozen && !isStopped && !hasEnded }
}
