internal import Cgroups
internal import ControlAPI
internal import ControlServer
internal import Idleness
internal import Lifecycle
internal import Linux
internal import MetricsShell
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Varlink
internal import WorkerIO

/// What was read last of the memory of many workers, and the callers that wait for it to be read anew.
struct ManyMemories {
    /// In bytes, by the numbers of workers.
    var known: [UInt32: Int64] = [:]
    /// Until when that is told without another look.
    var until: Instant?
    var waiting: [() -> Void] = []
    let reader = MemoryOfMany()
    let queue: DiskQueue

    init(on loop: EventLoop) { queue = DiskQueue(on: loop, mostThreads: 1) }
}

/// What a line says of a worker's life.
private struct Standing {
    let state: State
    let goal: Goal
    let restReason: RestReason?
    let pid: Int32?
    let isHeld: Bool
    let isLaunching: Bool

    /// Reads `life`, and changes nothing of it: what is lent to be changed is not copied, and a copy would take longer than all the rest.
    init(_ life: inout WorkerLifecycle) {
        state = life.state
        goal = life.goal
        restReason = life.restReason
        pid = life.pid
        isHeld = life.isHeld
        isLaunching = state == .notRunning && life.currentLaunch != nil
    }
}

/// The lines of a list: what they need is read where it stands, since a list of a thousand workers is to take a millisecond.
extension OperatorService {
    /// A line for each of them that is known, in their order, as `peer` may see it.
    func summaries(_ entries: [RegisteredWorker], for peer: Peer) -> [API.WorkerSummary] {
        var all: [API.WorkerSummary] = []
        all.reserveCapacity(entries.count)
        forEachSummary(of: entries, for: peer) { all.append($0) }
        return all
    }

    /// Calls `body` with the line of each of them that is known, in their order, as `peer` may see it.
    func forEachSummary(
        of entries: [RegisteredWorker], for peer: Peer, _ body: (borrowing API.WorkerSummary) -> Void
    ) {
        let areMany = entries.count > Self.mostWithUsage
        let (start, isOperator) = (KernelClock.wall - now.microseconds, peer.isOperator)
        // Once: each look through the supervisor would count references to it.
        let (workers, host, known) = (supervisor.workers, supervisor.host, manyMemories.known)
        for entry in entries {
            guard let worker = workers[entry.id] else { continue }
            let memory = areMany ? known[entry.id.rawValue] : usage(of: entry.id, for: peer)?.memory
            let summary = summary(of: entry, worker, host, memory: memory, start: start)
            body(isOperator ? summary : summary.redacted)
        }
    }

    /// One line; `start` is what the loop's clock began at, in microseconds since 1970.
    private func summary(
        of entry: RegisteredWorker, _ worker: Worker, _ host: any Host, memory: Int64?, start: Int64
    ) -> API.WorkerSummary {
        let life = Standing(&worker.life)
        // Of one that is being launched, when that was begun.
        let since = life.isLaunching ? worker.launchBegan ?? worker.since : worker.since
        return API.WorkerSummary(
            name: entry.name, description: entry.description, state: .init(life.state),
            since: start + since.microseconds, goal: .init(life.goal),
            reason: life.restReason.map { .init($0) }, pid: life.pid.map(Int64.init), memoryBytes: memory,
            held: life.isHeld,
            adopted: host.isAdopted(entry.id) ? true : nil, launching: life.isLaunching ? true : nil,
            fileProblem: entry.fileProblem, wakesBy: wakesBy(entry, worker, host, life))
    }

    /// By which sockets a worker wakes, or is launched, in a word; nil while it runs, or before that is known.
    private func wakesBy(
        _ entry: RegisteredWorker, _ worker: Worker, _ host: any Host, _ life: Standing
    ) -> String? {
        if let word = host.heldSockets(of: entry.id).word { return word }
        guard life.state == .suspended, !life.isHeld else {
            return host.doors(of: entry.id).flatMap { $0.isEmpty ? nil : $0.word }
        }
        let isUnwatched = worker.configuration.wakeRules.watching == .no
        let word = host.watching(entry.id).map(\.word) ?? (isUnwatched ? SleeperSight.nothing : nil)
        guard word == SleeperSight.nothing, let rendering = rendering(entry) else { return word }
        return Explanation(rendering, isForOperator: false).wakes.isEmpty ? word : "events"
    }

    // MARK: memory

    /// Each is looked at by itself up to here, on the loop; of more it is read on a thread.
    static let mostWithUsage = 256
    /// How long the memory of many workers is read for one answer, in microseconds: those that are left keep what they had.
    private static let budget: Int64 = 50_000

    /// Has `then` called when it is known what these workers use of the memory: at once where they are few, or it was read a moment ago,
    /// and otherwise when it was read.
    func withMemory(of entries: [RegisteredWorker], then: @escaping () -> Void) {
        let isKnown = manyMemories.until.map { now < $0 } ?? false
        guard entries.count > Self.mostWithUsage, !isKnown else { return then() }
        manyMemories.waiting.append(then)
        guard manyMemories.waiting.count == 1 else { return }
        let subjects = registry.all.compactMap { entry in
            supervisor.workers[entry.id]?.life.pid.map {
                MemoryOfMany.Subject(
                    number: entry.id.rawValue, group: meters.group(entry.id), process: $0)
            }
        }
        let (begin, reader) = (now, manyMemories.reader)
        manyMemories.queue.perform {
            reader.read(subjects, budget: Self.budget)
        } then: { [weak self] known in
            guard let self else { return }
            let end = now
            manyMemories.known = known
            // As long as other answers that cost something: see TimedCache.
            manyMemories.until =
                end + max(.seconds(1), TimeSpan(microseconds: 20 * (end - begin).microseconds))
            let waiting = manyMemories.waiting
            manyMemories.waiting = []
            for answer in waiting { answer() }
        }
    }
}
