package import Idleness
internal import Lifecycle
package import SupervisorPorts

/// What watches one sleeper of the fake machine: real ``Eyes``, and duplicates that are only counted.
final class FakeWatch {
    var eyes = Eyes()
    /// How many duplicates of the worker's descriptors are open.
    var duplicates = 0
    /// The program that it was in is gone: the kernel has closed them.
    var isGone = false { didSet { duplicates = 0 } }
}

/// The eyes of sleepers: opened a moment after a freeze, and closed before anything lets a process of the worker run or end.
///
/// When that is, ``SleeperLease`` decides here as it does in the host for Linux; what the kernel would find open is checked here.
extension FakeHost {
    func watchSoon(_ worker: WorkerID, _ process: FakeProcess) {
        guard watchesSleepers, process.lease.isFree, !process.hasEnded else { return }
        let supervisor = lost
        schedule(at: now + delay()) { [unowned self] in
            guard processes[worker] === process, lost == supervisor, process.supervisor == lost,
                !process.hasEnded
            else { return }
            let watch = FakeWatch()
            if process.lease.begin(watch) { perform(watch.eyes.handle(.slept), worker, process, watch) }
        }
    }

    /// Lets go of all that is open of a worker before `turn`, as the host for Linux does.
    func letGo(of worker: WorkerID, _ process: FakeProcess, before turn: SleeperLease<FakeWatch>.Turn) {
        if turn == .runs || turn == .ended { process.runsUnseen = false }
        guard let watch = process.lease.release(before: turn) else { return }
        perform(watch.eyes.handle(.waking), worker, process, watch)
        if watch.duplicates > 0 { abuses.append("\(watch.duplicates) duplicates of \(worker) stay open") }
    }

    /// The kernel closes what a supervisor has open that is gone, or replaced.
    func closeEyes() {
        for process in processes.values {
            if let watch = process.lease.release(before: .runs) { watch.isGone = true }
        }
    }

    /// Another program goes on in the place of the supervisor: sleepers are watched anew.
    package func replaced() {
        guard watchesSleepers else { return }
        for (worker, process) in processes.sorted(by: { $0.key < $1.key }) {
            if let watch = process.lease.release(before: .signal) { watch.isGone = true }
            watchSoon(worker, process)
        }
    }

    /// Sees that no duplicate is open when a process runs or ends, unless that came from outside.
    func checkEyes(of worker: WorkerID, _ process: FakeProcess, _ what: String) {
        guard let watch = process.lease.watch, watch.duplicates > 0, !process.runsUnseen,
            process.supervisor == lost
        else { return }
        abuses.append("\(worker) \(what) while \(watch.duplicates) duplicates of its descriptors are open")
    }

    /// What is wrong with the eyes of workers when nothing is underway: a sleeper without eyes or a reason, and eyes of one that runs.
    package var wrongEyes: [String] {
        guard watchesSleepers else { return [] }
        return processes.sorted { $0.key < $1.key }.compactMap { worker, process in
            guard !process.hasEnded, process.supervisor == lost else { return nil }
            if process.runs, process.lease.watch != nil { return "\(worker) runs, and is watched" }
            guard process.lease.isAsleep else { return nil }
            switch process.lease.watch?.eyes.state {
            case nil, .closed: return "\(worker) sleeps, and is neither watched nor is it said why not"
            case .planning, .watching, .sampling, .blind: return nil
            }
        }
    }

    /// How a sleeper is watched.
    package func watching(_ worker: WorkerID) -> SleeperSight? {
        guard let watch = processes[worker]?.lease.watch else { return nil }
        return SleeperSight(watch.eyes.state, each: .milliseconds(250))
    }

    // MARK: inside

    private func perform(
        _ actions: [Eyes.Action], _ worker: WorkerID, _ process: FakeProcess, _ watch: FakeWatch
    ) {
        for action in actions {
            switch action {
            case .plan(let number):
                let plan = plan()
                later(worker, process, watch) { .planned(number, plan) }
            case .fetch(let wanted):
                // Some are gone meanwhile; some of them are open when the rest is refused.
                watch.duplicates = Int.random(in: 0...wanted.count, using: &random)
                let event =
                    chance(10)
                    ? Eyes.Event.refused(.noDescriptors, canSample: chance(50))
                    : .fetched(count: watch.duplicates, hasEventPoll: false)
                perform(watch.eyes.handle(event), worker, process, watch)
            case .drop: watch.duplicates = 0
            case .tell:
                inform(worker, .watched("eyes"))
                if chance(arrivals) { arrive(worker, process, watch) }
            case .wake(let reason): wake(worker, reason)
            case .sample: break
            case .lookAgain(let span):
                schedule(at: now + span) { [unowned self] in
                    guard process.lease.watch === watch else { return }
                    perform(watch.eyes.handle(.judged(.leave)), worker, process, watch)
                }
            }
        }
    }

    private func plan() -> EyePlan {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .none(.nothingToWatch)
        case 1: .sampled(.refused)
        default:
            .borrowed(
                (0..<Int32.random(in: 1...5, using: &random)).map {
                    EyePlan.Borrowed(.init(process: 1, descriptor: $0), .socket(inode: UInt64($0)))
                })
        }
    }

    private func later(
        _ worker: WorkerID, _ process: FakeProcess, _ watch: FakeWatch, _ event: @escaping () -> Eyes.Event
    ) {
        schedule(at: now + delay()) { [unowned self] in
            // A look-up that comes when the sleep is over reaches eyes that are closed, and nothing is fetched.
            guard processes[worker] === process, !process.hasEnded, !watch.isGone else { return }
            let actions = watch.eyes.handle(event())
            if process.lease.watch !== watch, !actions.isEmpty, actions != [.drop] {
                abuses.append("\(worker) is watched after its sleep: \(actions)")
            }
            perform(actions, worker, process, watch)
        }
    }

    /// Something comes for the sleeper, some time later, twice.
    private func arrive(_ worker: WorkerID, _ process: FakeProcess, _ watch: FakeWatch) {
        for _ in 0..<2 {
            let verdict: WakeFilter.Verdict = chance(80) ? .wake(.unnamed) : .lookAgain(.milliseconds(50))
            let span = TimeSpan(microseconds: Int64.random(in: 0...5_000_000, using: &random))
            schedule(at: now + span) { [unowned self] in
                guard processes[worker] === process, !process.hasEnded, !watch.isGone else { return }
                perform(watch.eyes.handle(.judged(verdict)), worker, process, watch)
            }
        }
    }

    private func wake(_ worker: WorkerID, _ reason: WakeFilter.Reason) {
        guard chance(50) else { return inform(worker, .wanted(reason, isExplained: true)) }
        inform(worker, .wanted(reason, isExplained: false))
        let supervisor = lost
        schedule(at: now + delay()) { [unowned self] in
            if lost == supervisor { inform(worker, .wanted(reason, isExplained: true)) }
        }
    }
}
