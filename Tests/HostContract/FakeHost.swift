internal import HeapModule
internal import Idleness
package import Launching
package import Lifecycle
package import Linux
package import Pressure
internal import Supervisor
package import SupervisorPorts

// Unchecked: a test uses it on one thread.

/// A machine of virtual time and scripted processes, which keeps the promises of `HostContract` with the manners it is given.
///
/// Nothing happens by itself: `step`, `run` and `advance` let time pass. However bad its manners, a worker's exit is told
/// once, and after it nothing of that process.
package final class FakeHost: Host, @unchecked Sendable {
    /// What was asked of the machine.
    package enum Call: Hashable, Sendable {
        /// A launch, and which process of the worker it was for.
        case launch(WorkerID, UInt32)
        /// A freeze.
        case freeze(WorkerID)
        /// A thaw.
        case thaw(WorkerID)
        /// A signal.
        case signal(WorkerID, Signal)
        /// SIGKILL to all.
        case kill(WorkerID)
        /// MAINPID=.
        case mainProcess(WorkerID, Int32)
        /// A hook, by its callback.
        case hook(WorkerID, Callback)
        /// A hook for a notification, by its topic.
        case notificationHook(WorkerID, String)
        /// A hook given up.
        case cancelHook(WorkerID, UInt32)
        /// A look at what it holds.
        case inspect(WorkerID)
        /// A look at what it has used of the processors.
        case readCPU(WorkerID)
        /// Its CPU use held down, or no longer.
        case throttle(WorkerID, Bool)
        /// Other limits of memory than before; none at first.
        case limitMemory(WorkerID, MemoryLimits)
        /// What it holds asleep given back.
        case reclaim(WorkerID)
        /// A memory warning.
        case warnOfMemory(WorkerID)
    }

    private struct Happening: Comparable {
        let due: Instant
        let number: UInt64
        let body: () -> Void

        static func < (a: Happening, b: Happening) -> Bool { (a.due, a.number) < (b.due, b.number) }
        static func == (a: Happening, b: Happening) -> Bool { a.number == b.number }
    }

    /// The virtual clock.
    package private(set) var now = Instant.zero + .seconds(1)
    /// How long the machine itself has slept.
    package var machineSlept = TimeSpan.zero
    /// What hears of facts and of the alarm.
    package weak var observer: (any HostObserver)?
    /// Everything that was asked, in order.
    package var calls: [Call] = []
    /// Whether that is kept; a walk of a million steps has no use for it.
    package var keepsCalls = true
    /// What each executable is; one that is not here is not found.
    package var programs: [ByteString: FakeProgram]
    /// How it tells its facts.
    package var manners: FakeManners
    /// The workers of which nothing comes of a thaw, and why.
    package var thawFailures: [WorkerID: LinuxError] = [:]
    /// What was asked of it that no supervisor may ask.
    package internal(set) var abuses: [String] = []
    /// What each hook was given, in order.
    package private(set) var hookVariables: [[String: ByteString]] = []
    /// The moment that the alarm is set to.
    package private(set) var alarmAt: Instant?
    /// Hears how a process is to be launched, before it is or fails to be.
    package var whenPrepared: (WorkerID, LaunchRequest) -> Void = { _, _ in }
    /// The program of a worker has begun to run, in the process of this number.
    package var whenStarted: (WorkerID, Int32) -> Void = { _, _ in }
    /// The process of this number has ended; what of that is told comes later.
    package var whenEnded: (WorkerID, Int32) -> Void = { _, _ in }
    /// A process that was frozen or stopped runs again.
    package var whenRunning: (WorkerID) -> Void = { _ in }

    /// Whether sleepers are watched, by eyes that this machine simulates: those of ``Eyes`` and ``SleeperLease``, which the host for Linux
    /// has too.
    package var watchesSleepers = false
    /// For how many sleepers in a hundred something comes after some time.
    package var arrivals = 0
    /// How many duplicates of workers' descriptors are open, as the kernel counts them.
    package var openDuplicates: Int { processes.values.reduce(0) { $0 + ($1.lease.watch?.duplicates ?? 0) } }

    var random: any RandomNumberGenerator
    var processes: [WorkerID: FakeProcess] = [:]
    private var limits: [WorkerID: MemoryLimits] = [:]
    private var happenings = Heap<Happening>()
    private var cancelled: Set<UInt32> = []
    /// How many supervisors have been killed: what was underway to one of them does not reach the next.
    private(set) var lost = 0
    private var lastNumber: UInt64 = 0
    private var lastPid: Int32 = 100

    /// A machine on which these programs are installed.
    ///
    /// What is left to chance by its manners is decided by `random`.
    package init(
        _ programs: [ByteString: FakeProgram] = [:], manners: FakeManners = .prompt,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.programs = programs
        self.manners = manners
        self.random = random
    }

    /// Which way workers are frozen here.
    package var freezing: String { "not really" }

    // MARK: effects

    /// Starts the program that the configuration names.
    package func launch(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ launch: Launch, _ details: LaunchDetails
    ) {
        note(.launch(worker, launch.incarnation))
        if processes[worker] != nil { abuses.append("launched \(worker) while a process of it lives") }
        do throws(LaunchError) {
            let request = try configuration.prepare(launch, details).request
            whenPrepared(worker, request)
            try start(worker, configuration, request)
        } catch {
            inform(worker, .launchFailed(error))
        }
    }

    private func start(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ request: LaunchRequest
    ) throws(LaunchError) {
        guard let program = programs[request.executable], !chance(manners.failingLaunches) else {
            throw LaunchError(stage: .exec, errno: 2, subject: request.executable.description)
        }
        lastPid += 1
        let process = FakeProcess(pid: lastPid, program, leftoverGrace: configuration.leftoverGrace, at: now)
        process.supervisor = lost
        processes[worker] = process
        whenStarted(worker, process.pid)
        for action in process.actions { schedule(at: action.due) { [unowned self] in act(worker, process) } }
        inform(worker, .launched(pid: process.pid))
    }

    /// Freezes; a worker that has ended is not frozen.
    package func freeze(_ worker: WorkerID) {
        note(.freeze(worker))
        guard let process = processes[worker] else { return }
        if chance(manners.failingFreezes) { return tell(worker, process, .freezeFailed("the fake says so")) }
        process.isFrozen = true
        process.isFreezing = true
        process.isSeenAsleep = true
        process.sleeps += 1
        process.lease.slept()
        watchSoon(worker, process)
        tell(worker, process, .frozen)
    }

    /// Why the thaw of a worker fails.
    package func thawFailure(of worker: WorkerID) -> LinuxError? { thawFailures[worker] }

    /// Thaws, and continues what was stopped; nothing comes of it where it is to fail.
    package func thaw(_ worker: WorkerID) {
        note(.thaw(worker))
        guard let process = processes[worker], thawFailures[worker] == nil else { return }
        letGo(of: worker, process, before: .runs)
        process.isFrozen = false
        process.isFreezing = false
        process.isStopped = false
        process.isSeenAsleep = false
        process.sleeps += 1
        process.reclaims += 1
        tell(worker, process, .thawed)
        wake(worker, process)
    }

    /// Sends a signal.
    package func signal(_ worker: WorkerID, _ signal: Signal) {
        note(.signal(worker, signal))
        guard let process = processes[worker], !process.hasEnded else { return }
        switch signal {
        case .stop: stopFromOutside(worker)
        case .resume:
            letGo(of: worker, process, before: .runs)
            continueFromOutside(worker)
        default:
            letGo(of: worker, process, before: .signal)
            take(worker, process, signal)
            watchSoon(worker, process)
        }
    }

    /// Ends everything of the worker, frozen or not.
    package func kill(_ worker: WorkerID) {
        note(.kill(worker))
        guard let process = processes[worker] else { return }
        letGo(of: worker, process, before: .kill)
        end(worker, process, .killed(signal: 9, coreDumped: false), leavesNothing: true)
    }

    /// Carries out a hook, as the program takes it; one that hangs is not answered.
    package func run(_ hook: HookCall, of worker: WorkerID) {
        note(hook.topic.map { .notificationHook(worker, $0) } ?? .hook(worker, hook.callback))
        if keepsCalls { hookVariables.append(hook.variables) }
        guard let process = processes[worker] else { return }
        switch process.program.hooks[hook.callback] ?? .ends(.done, after: .zero) {
        case .hangs: return
        case .ends(let completion, let span):
            let fact = Fact.hookEnded(id: hook.id, completion, HookResult())
            guard span > .zero else { return tell(worker, process, fact) }
            let supervisor = lost
            schedule(at: now + span) { [unowned self] in
                guard !cancelled.contains(hook.id) else { return }
                deliver(worker, process, fact, to: supervisor)
            }
        }
    }

    /// Gives a hook up.
    package func cancelHook(_ id: UInt32, of worker: WorkerID) {
        note(.cancelHook(worker, id))
        cancelled.insert(id)
    }

    /// Answers what the program holds.
    package func inspect(_ worker: WorkerID) {
        note(.inspect(worker))
        guard let process = processes[worker] else { return }
        let held = process.program.holds
        tell(worker, process, .inspected(held, detail: held.map { "a \($0.rawValue)" }))
    }

    /// Answers what the program has worked since it was started.
    package func readCPU(_ worker: WorkerID) {
        note(.readCPU(worker))
        guard let process = processes[worker] else { return }
        let used = min(process.program.busy, now - process.launchedAt)
        tell(worker, process, .cpuRead(CPUReading(used: used)))
    }

    /// Takes note.
    package func throttle(_ worker: WorkerID, _ isHeldDown: Bool) {
        note(.throttle(worker, isHeldDown))
    }

    /// Takes note of limits that are other ones than before.
    package func limitMemory(_ worker: WorkerID, to limits: MemoryLimits) {
        guard self.limits[worker] ?? .none != limits else { return }
        self.limits[worker] = limits
        note(.limitMemory(worker, limits))
    }

    /// Gives back what the program can spare, and says so unless it is thawed before.
    package func reclaim(_ worker: WorkerID) {
        note(.reclaim(worker))
        guard let process = processes[worker], process.isFrozen else { return }
        process.reclaims += 1
        let reclaim = process.reclaims
        schedule(at: now + delay()) { [unowned self] in
            guard processes[worker] === process, process.reclaims == reclaim, !process.hasEnded else {
                return
            }
            let before = process.memory
            let spare = min(before.resident, process.program.spareMemory)
            process.memory = WorkerMemory(resident: before.resident - spare, swapped: before.swapped + spare)
            inform(
                worker,
                .memory(.reclaimed(MemoryReclaim(before: before, after: process.memory, means: .group))))
        }
    }

    /// What the programs hold.
    package func hearsOfMemory(_ worker: WorkerID) -> Bool {
        processes[worker]?.program.onMemoryWarning != nil
    }

    /// What each of these workers holds.
    package func memory(of workers: [WorkerID]) -> [WorkerID: WorkerMemory] {
        var memory: [WorkerID: WorkerMemory] = [:]
        for worker in workers { memory[worker] = processes[worker]?.memory }
        return memory
    }

    /// Tells the program, which does about it what it does as soon as it runs.
    package func warnOfMemory(_ worker: WorkerID) {
        note(.warnOfMemory(worker))
        guard let process = processes[worker], let action = process.program.onMemoryWarning else { return }
        process.actions.append((now + .milliseconds(1), action))
        schedule(at: now + .milliseconds(1)) { [unowned self] in act(worker, process) }
    }

    /// The worker meets a limit of its memory.
    package func meetLimit(_ worker: WorkerID, _ events: MemoryEvents) {
        guard let process = processes[worker] else { return }
        tell(worker, process, .memory(.eventsChanged(events)))
    }

    /// The process of a worker has printed these lines, and no others.
    package func print(_ lines: [String], by worker: WorkerID) {
        processes[worker]?.program.output = lines
    }

    /// What the program says that it printed.
    package func lastOutput(of worker: WorkerID) -> [String] { processes[worker]?.program.output ?? [] }

    /// Whether `setTraced` said so.
    package func isTraced(_ worker: WorkerID) -> Bool { processes[worker]?.isTraced ?? false }

    /// Takes note.
    package func setMainProcess(_ worker: WorkerID, pid: Int32) { note(.mainProcess(worker, pid)) }

    /// Sets the one alarm.
    package func setAlarm(_ moment: Instant?) {
        guard moment != alarmAt else { return }
        alarmAt = moment
        guard let moment else { return }
        schedule(at: max(moment, now)) { [unowned self] in
            guard alarmAt == moment else { return }
            alarmAt = nil
            observer?.alarmWentOff()
        }
    }

    // MARK: one supervisor after another

    /// The supervisor is killed: what was underway to it is lost, and the processes run on.
    package func supervisorGone() {
        lost += 1
        observer = nil
        alarmAt = nil
        cancelled = []
        closeEyes()
    }

    /// Takes over the process of a worker that a supervisor before has launched, as the host for Linux does.
    ///
    /// Of its sleep the fake tells, a moment later, what differs from what the record expects; how it has ended is not known.
    package func adopt(_ worker: WorkerID, _ configuration: WorkerConfiguration, _ record: AdoptionRecord)
        -> Adoption
    {
        let found = processes[worker]
        if let process = found, !process.hasEnded, record.pid ?? process.pid == process.pid {
            process.supervisor = lost
            process.isAdopted = true
            // Nothing is told any more of what its predecessor asked for.
            process.isFreezing = false
            process.isSeenAsleep = !process.runs
            if process.isFrozen, record.sleep != .awake {
                process.lease.slept()
                watchSoon(worker, process)
            }
            takeOverSleep(of: worker, process, record.sleep)
            return .alive(pid: process.pid, isAsleep: !process.runs)
        }
        guard let pid = record.pid else {
            if found?.hasEnded ?? false { processes[worker] = nil }
            return .missing
        }
        if let process = found, !process.hasEnded {
            abuses.append("process \(pid) of \(worker) is taken over, and \(process.pid) runs")
        }
        let rest =
            found ?? FakeProcess(pid: pid, FakeProgram(), leftoverGrace: configuration.leftoverGrace, at: now)
        (rest.hasEnded, rest.isAdopted, rest.supervisor) = (true, true, lost)
        processes[worker] = rest
        schedule(at: now) { [unowned self] in
            guard processes[worker] === rest, rest.supervisor == lost else { return }
            processes[worker] = nil
            inform(worker, .exited(.unknown, oomKilled: false))
        }
        return .ended
    }

    private func takeOverSleep(
        of worker: WorkerID, _ process: FakeProcess, _ expected: AdoptionRecord.Sleep?
    ) {
        let supervisor = lost
        let news: () -> Void
        switch (expected, !process.runs) {
        case (.asleep, true), (nil, true), (.awake, false), (nil, false): return
        case (.fallingAsleep, true): news = { [unowned self] in inform(worker, .frozen) }
        case (.fallingAsleep, false): news = { [unowned self] in freeze(worker) }
        case (.waking, _): news = { [unowned self] in thaw(worker) }
        case (.asleep, false): news = { [unowned self] in inform(worker, .continuedOutside) }
        case (.awake, true):
            news = { [unowned self] in if !process.runs { inform(worker, .stoppedOutside) } }
        }
        schedule(at: now) { [unowned self] in
            if processes[worker] === process, lost == supervisor { news() }
        }
    }

    /// Whether a supervisor before has launched the process of a worker.
    package func isAdopted(_ worker: WorkerID) -> Bool { processes[worker]?.isAdopted ?? false }

    /// The kernel tells of stops by signals the parent alone: of a process that was taken over they are seen here.
    package func look(at worker: WorkerID) {
        guard let process = processes[worker], !process.hasEnded, process.isAdopted, !process.isFreezing,
            process.isSeenAsleep == process.runs
        else { return }
        process.isSeenAsleep = !process.runs
        deliver(worker, process, process.runs ? .continuedOutside : .stoppedOutside)
    }

    // MARK: what others do

    /// Another program stops the worker.
    package func stopFromOutside(_ worker: WorkerID) {
        guard let process = processes[worker], !process.isStopped, !process.hasEnded else { return }
        process.isStopped = true
        notice(worker, process, .stoppedOutside)
    }

    /// Another program continues the worker.
    package func continueFromOutside(_ worker: WorkerID) {
        guard let process = processes[worker], process.isStopped || process.isFrozen else { return }
        process.isStopped = false
        process.isFrozen = false
        // The kernel tells of it a moment later: until then the host cannot know.
        process.runsUnseen = true
        notice(worker, process, .continuedOutside)
        wake(worker, process)
    }

    /// Of its own children a parent is told: of each stop and continue once, in their order, and not when it has been frozen or thawed since.
    private func notice(_ worker: WorkerID, _ process: FakeProcess, _ fact: Fact) {
        guard !process.isAdopted else { return }
        let due = max(now + delay(), process.noticedAt)
        guard due > now || process.notices > 0 else { return deliver(worker, process, fact) }
        process.noticedAt = due
        process.notices += 1
        let (supervisor, sleeps) = (lost, process.sleeps)
        schedule(at: due) { [unowned self] in
            process.notices -= 1
            if process.sleeps == sleeps { deliver(worker, process, fact, to: supervisor) }
        }
    }

    /// The worker ends, whatever it was doing.
    package func end(_ worker: WorkerID, _ status: ExitStatus) {
        guard let process = processes[worker] else { return }
        process.runsUnseen = true
        end(worker, process, status, leavesNothing: false)
    }

    /// The worker says something.
    package func say(_ worker: WorkerID, _ report: NotifyReport) {
        guard let process = processes[worker] else { return }
        tell(worker, process, .said(report))
    }

    /// A debugger attaches to the worker, or lets go of it.
    package func setTraced(_ worker: WorkerID, _ isTraced: Bool) { processes[worker]?.isTraced = isTraced }

    /// Whether a process of the worker exists whose exit has not been told.
    package func lives(_ worker: WorkerID) -> Bool { processes[worker] != nil }

    /// The process of a worker that has not ended.
    package func pid(of worker: WorkerID) -> Int32? {
        processes[worker].flatMap { $0.hasEnded ? nil : $0.pid }
    }

    /// Whether the process of a worker can do anything now.
    package func runs(_ worker: WorkerID) -> Bool { processes[worker]?.runs ?? false }

    /// Whether the process of a worker is stopped by another program.
    package func isStopped(_ worker: WorkerID) -> Bool {
        processes[worker].map { $0.isStopped && !$0.hasEnded } ?? false
    }

    /// Whether the process of a worker is frozen by us.
    package func isFrozen(_ worker: WorkerID) -> Bool { processes[worker]?.isFrozen ?? false }

    // MARK: time

    /// Whether nothing is underway.
    package var isIdle: Bool { happenings.isEmpty }

    /// When the next thing happens; nil where nothing is underway.
    package var nextDue: Instant? { happenings.min?.due }

    /// Has something happen at a moment, whichever supervisor there is then.
    package func schedule(at due: Instant, _ body: @escaping () -> Void) {
        lastNumber += 1
        happenings.insert(Happening(due: due, number: lastNumber, body: body))
    }

    /// Lets the next thing happen, whenever that is; false when there is none.
    @discardableResult
    package func step() -> Bool {
        guard let happening = happenings.popMin() else { return false }
        now = max(now, happening.due)
        happening.body()
        return true
    }

    /// Lets things happen until it is so; false when nothing is left that could bring it about.
    @discardableResult
    package func run(until isSo: () -> Bool = { false }) -> Bool {
        var steps = 0
        while !isSo() {
            guard step(), steps < 100_000 else { return false }
            steps += 1
        }
        return true
    }

    /// Lets this much time pass, with all that happens in it.
    package func advance(by span: TimeSpan) {
        let end = now + span
        while let next = nextDue, next <= end { step() }
        now = end
    }

    /// Lets this much time pass in which no process runs: the whole machine stalls.
    package func stall(for span: TimeSpan) { now = now + span }

    /// Lets time pass until a moment before which nothing happens.
    package func stallQuietly(until moment: Instant) { now = max(now, moment) }

    // MARK: inside

    func note(_ call: Call) { if keepsCalls { calls.append(call) } }

    func chance(_ percent: Int) -> Bool {
        percent > 0 && Int.random(in: 0..<100, using: &random) < percent
    }

    func delay() -> TimeSpan {
        guard manners.longestDelay > .zero else { return .zero }
        return TimeSpan(microseconds: Int64.random(in: 0...manners.longestDelay.microseconds, using: &random))
    }

    /// Tells a fact of a process, now or later, perhaps twice; never after its exit has been told.
    private func tell(_ worker: WorkerID, _ process: FakeProcess, _ fact: Fact) {
        let times = chance(manners.doubled) ? 2 : 1
        for _ in 0..<times {
            let delay = delay()
            if delay == .zero {
                deliver(worker, process, fact)
            } else {
                let supervisor = lost
                schedule(at: now + delay) { [unowned self] in
                    deliver(worker, process, fact, to: supervisor)
                }
            }
        }
    }

    private func deliver(
        _ worker: WorkerID, _ process: FakeProcess, _ fact: Fact, to supervisor: Int? = nil
    ) {
        guard processes[worker] === process, supervisor ?? lost == lost, process.supervisor == lost else {
            return
        }
        if fact == .continuedOutside { letGo(of: worker, process, before: .runs) }
        if fact == .frozen, process.isFreezing {
            process.isFreezing = false
            // Of one that is not its child the host sees that it was continued when it looks.
            if process.runs, process.isAdopted {
                inform(worker, fact)
                return look(at: worker)
            }
            if process.runs {
                process.isSeenAsleep = false
                letGo(of: worker, process, before: .runs)
                return inform(worker, .freezeFailed("another program has continued it"))
            }
        }
        inform(worker, fact)
    }

    private func take(_ worker: WorkerID, _ process: FakeProcess, _ signal: Signal) {
        switch process.program.reactions[signal] {
        case .dies, nil:
            // A frozen process dies of it, a stopped one when it is continued: spec 4, Freezer.
            let death = FakeProgram.ScenarioAction.ends(.killed(signal: signal.rawValue, coreDumped: false))
            if process.isStopped { process.pending.append(death) } else { perform(worker, process, death) }
        case .ignores:
            break
        case .handles(let action, let after):
            guard process.runs else {
                process.pending.append(action)
                return
            }
            process.actions.append((now + after, action))
            schedule(at: now + after) { [unowned self] in act(worker, process) }
        }
    }

    /// It runs again: what was pending happens now, what it had in mind as soon as it is due.
    private func wake(_ worker: WorkerID, _ process: FakeProcess) {
        guard process.runs else { return }
        checkEyes(of: worker, process, "runs")
        schedule(at: now) { [unowned self] in
            guard process.runs else { return }
            let pending = process.pending
            process.pending = []
            for action in pending { perform(worker, process, action) }
            act(worker, process)
            if process.runs { whenRunning(worker) }
        }
    }

    /// Does what is due.
    private func act(_ worker: WorkerID, _ process: FakeProcess) {
        while process.runs, let index = process.actions.firstIndex(where: { $0.due <= now }) {
            let action = process.actions.remove(at: index).action
            perform(worker, process, action)
        }
    }

    private func perform(_ worker: WorkerID, _ process: FakeProcess, _ action: FakeProgram.ScenarioAction) {
        guard !process.hasEnded else { return }
        switch action {
        case .says(let report): tell(worker, process, .said(report))
        case .ends(let status): end(worker, process, status, leavesNothing: false)
        }
    }

    private func end(_ worker: WorkerID, _ process: FakeProcess, _ status: ExitStatus, leavesNothing: Bool) {
        guard !process.hasEnded else { return }
        checkEyes(of: worker, process, "ends")
        process.hasEnded = true
        whenEnded(worker, process.pid)
        var delay = delay()
        if !leavesNothing, let life = process.program.leftoverLife {
            delay = delay + min(life, process.leftoverGrace)
        }
        // An exit is never reported while the call that caused it still runs: the process has to be reaped first.
        schedule(at: now + delay) { [unowned self] in
            guard processes[worker] === process else { return }
            // Another supervisor than the one that looked after it has not taken it over, or there is none.
            guard process.supervisor == lost else {
                processes[worker] = nil
                return
            }
            letGo(of: worker, process, before: .ended)
            inform(worker, .memory(.released))
            processes[worker] = nil
            limits[worker] = nil
            inform(worker, .exited(process.isAdopted ? .unknown : status, oomKilled: false))
        }
    }
}
