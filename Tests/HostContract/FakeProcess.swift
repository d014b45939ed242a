import Idleness
import Lifecycle
import Linux
import Pressure

/// One process of the fake machine, from its launch until its exit has been told.
final class FakeProcess {
    let pid: Int32
    var program: FakeProgram
    let leftoverGrace: TimeSpan
    /// By our freezer.
    var isFrozen = false
    /// Nothing has been told yet of the freeze that was asked for last.
    var isFreezing = false
    /// By SIGSTOP, from any sender.
    var isStopped = false
    /// It has ended; the fact may be underway.
    var hasEnded = false
    var isTraced = false
    /// Which supervisor has launched it or taken it over.
    var supervisor = 0
    /// Launched by another supervisor than that.
    var isAdopted = false
    /// How often it has been frozen and thawed by us.
    var sleeps = 0
    /// How many stops and continues are underway.
    var notices = 0
    /// When the last stop or continue is told.
    var noticedAt = Instant.zero
    /// Whether it was asleep when that was asked for or looked at last.
    var isSeenAsleep = false
    /// What it holds.
    var memory: WorkerMemory
    /// How often something has begun or ended that gives its memory back.
    var reclaims = 0
    /// Handled signals that it has not run to take yet.
    var pending: [FakeProgram.ScenarioAction] = []
    /// What it still does by itself.
    var actions: [(due: Instant, action: FakeProgram.ScenarioAction)] = []

    /// What watches it while it sleeps by our freezer.
    var lease = SleeperLease<FakeWatch>()
    /// Another program lets it run, or ends it, which the host has not seen yet.
    var runsUnseen = false

    let launchedAt: Instant

    init(pid: Int32, _ program: FakeProgram, leftoverGrace: TimeSpan, at now: Instant) {
        self.pid = pid
        self.program = program
        self.leftoverGrace = leftoverGrace
        launchedAt = now
        memory = program.memory
        actions = program.actions.map { (now + $0.after, $0.action) }
    }

    var runs: Bool { !isFrozen && !isStopped && !hasEnded }
}
