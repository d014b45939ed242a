import ControlServer
import Glibc
import History
import HostContract
import Lifecycle
import Linux
import Notifications
import OperatorService
import Records
import Simulation
import Supervisor
package import SupervisorPorts

/// The whole shell on a simulated machine, from one seed, in virtual time and on one thread; README.md beside this file tells of it.
///
/// Real supervisors, one after another, with all that they keep, on ports that delay, double, reorder and fail, and that may be the last
/// thing that a supervisor uses.
package final class Walk: NoticeObserver {
    /// What went wrong, and when.
    package struct Failure: Error, CustomStringConvertible {
        package let seed: UInt64
        package let step: Int
        package let problems: [String]
        /// The last lines of the trace; none unless it was kept.
        package let trace: [String]

        package var description: String {
            (trace + ["seed \(seed), step \(step):"] + problems.map { "  " + $0 }).joined(separator: "\n")
        }
    }

    /// What a walk has seen.
    package struct Figures: Sendable {
        package var steps = 0
        package var happenings = 0
        package var launches = 0
        package var kills = 0
        package var killsInCalls = 0
        package var handovers = 0
        package var ends = 0
        package var posts = 0
        package var kept = 0
        package var taken = 0
        package var takenAgain = 0
        package var requests = 0
        package var calls = 0
        package var calms = 0
        package var reloads = 0

        package init() {}

        /// Adds those of another walk.
        package static func += (a: inout Figures, b: Figures) {
            a.steps += b.steps
            a.happenings += b.happenings
            a.launches += b.launches
            a.kills += b.kills
            a.killsInCalls += b.killsInCalls
            a.handovers += b.handovers
            a.ends += b.ends
            a.posts += b.posts
            a.kept += b.kept
            a.taken += b.taken
            a.takenAgain += b.takenAgain
            a.requests += b.requests
            a.calls += b.calls
            a.calms += b.calms
            a.reloads += b.reloads
        }
    }

    /// A request of a client, and what has come of it.
    final class Ask {
        let worker: WalkWorker
        let goal: Goal?
        var token: WaitToken?
        var answers = 0
        /// Its caller went away, or its supervisor was killed.
        var isDropped = false
        /// Others are asked with it.
        var isOfMany = false

        init(_ worker: WalkWorker, _ goal: Goal?) { (self.worker, self.goal) = (worker, goal) }
    }

    package let seed: UInt64
    let directory: String
    let machine: FakeHost
    let disk: WalkDisk
    let states: WalkStates
    /// The files of the workers.
    let files = WalkFiles()
    /// The supervisor reads all of them now.
    var isReading = false
    var random: SplitMix64
    var workers: [WalkWorker] = []
    var byName: [String: WalkWorker] = [:]
    var byKey: [WorkerID: WalkWorker] = [:]
    /// The supervisor that runs; nil between two.
    var life: SupervisorLife?
    var lives = 0
    var ledger = PostLedger()
    var lastPost = 0
    var asks: [Ask] = []
    var clients: [WalkClient] = []
    /// Nothing goes wrong any more: what follows has to end well.
    var isCalm = false
    /// How many calls of a port out of so many are the last; 0 is none.
    var deadlyCalls = 0
    var problems: [String] = []
    /// Ends that were told in this step: they have to be recorded in it.
    var exits: [(worker: WalkWorker, pid: Int32)] = []
    /// Interruptions that last.
    var interruptions: [UInt32] = []
    /// The values of topics whose posts replace each other.
    var histories: [PostLedger.Place: PostHistory] = [:]
    /// What workers know of them.
    var known: [PostLedger.Place: String] = [:]
    /// What the history has to say.
    var history = HistoryLedger()
    /// When the machine stalled last.
    var lastStall = Instant.zero
    package internal(set) var figures = Figures()
    private(set) var step = 0

    /// A walk from `seed`, with the live records of its supervisors in `directory`, which is empty.
    ///
    /// So many lines of what happened last are kept.
    package init(seed: UInt64, directory: String, lines: Int = 0) {
        self.seed = seed
        self.directory = directory
        keptLines = lines
        random = SplitMix64(seed: seed)
        machine = FakeHost(random: SplitMix64(seed: seed ^ 0x5eed_0f_a_3a_c4_11_e5))
        machine.keepsCalls = false
        disk = WalkDisk(machine, in: directory + "/state")
        states = WalkStates(machine)
        setUp()
    }

    deinit {
        for descriptor in [hole, holeEnd] where descriptor >= 0 { close(descriptor) }
    }

    /// What a program that was replaced still writes goes here.
    var hole: Int32 = -1
    var holeEnd: Int32 = -1

    /// What the control server tells its log.
    func heard(_ event: ControlEvent) {
        switch event {
        case .badAnswer, .watchFailed, .acceptFailed: problems.append("the control server: \(event)")
        default: trace(65, 0, 0, "the control server: \(event)")
        }
    }

    // MARK: the trace

    private let keptLines: Int
    private var lines: [String] = []
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    /// What happened, of the kind `kind`, into the hash, and as a line where lines are kept.
    func trace(_ kind: UInt64, _ a: Int = 0, _ b: Int = 0, _ line: @autoclosure () -> String) {
        for value in [
            kind, UInt64(bitPattern: Int64(a)), UInt64(bitPattern: Int64(b)),
            UInt64(bitPattern: machine.now.microseconds),
        ] {
            hash = (hash ^ value) &* 0x0000_0100_0000_01b3
            hash ^= hash >> 29
        }
        guard keptLines > 0 else { return }
        if lines.count >= 2 * keptLines { lines.removeFirst(keptLines) }
        lines.append("\(step) \(machine.now.microseconds) \(line())")
    }

    /// A number that is the same for the same trace, and for no other in practice.
    package var traceHash: UInt64 { hash }

    // MARK: the walk

    /// Takes so many steps, and then sees that all ends well.
    package func run(_ steps: Int) throws(Failure) {
        defer {
            life?.dismantle()
            life = nil
            clients = []
        }
        startSupervisor()
        while step < steps {
            step += 1
            progress.step = step
            takeStep()
            if step & 31 == 0 { checkPosts() }
            if step % 4000 == 0 { calm() }
            try check()
        }
        calm()
        try check()
        end()
        try check()
        figures.steps = step
        figures.kept = ledger.acknowledged
        figures.taken = ledger.taken
        figures.takenAgain = ledger.twice
    }

    private func check() throws(Failure) {
        checkStep()
        problems += ledger.violations + machine.abuses
        guard !problems.isEmpty else { return }
        throw Failure(seed: seed, step: step, problems: problems, trace: lines.suffix(keptLines))
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// Up to so much time.
    func span(_ most: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: Int64.random(in: 0...most.microseconds, using: &random))
    }

    func worker(_ id: WorkerID) -> WalkWorker? { life?.workers[id] }

    /// Whether there is no supervisor, or one that is dead and does not know it.
    var isKilled: Bool { life?.port.isCut ?? true }

    // MARK: what supervisors tell

    package func hear(_ notice: Notice, of id: WorkerID) {
        guard !isKilled, let worker = worker(id) else { return }
        if let entry = HistoryEntry(notice, of: worker.name, at: machine.now, now: machine.now) {
            history.happens(entry, at: machine.now)
        }
        let number = Int(worker.key.rawValue)
        switch notice {
        case .changed(let transition):
            trace(
                1, number, transition.from.number * 8 + transition.to.number,
                "\(worker.name): \(transition.from) → \(transition.to)")
            if let life, life.service.registry[id]?.isOrphaned ?? false { life.departed.append(id) }
            if !Transition.isLegal(from: transition.from, to: transition.to) {
                problems.append("\(worker.name) went from \(transition.from) to \(transition.to)")
            }
        case .ended(let record):
            figures.ends += 1
            history.ends(worker.name, pid: Int64(record.pid))
            trace(2, number, Int(record.pid), "\(worker.name): pid \(record.pid) ended, \(record.cause)")
            guard record.pid > 0 else { return }
            if !worker.recorded.insert(record.pid).inserted {
                problems.append("the end of pid \(record.pid) of \(worker.name) was recorded twice")
            }
            if worker.recorded.count > 64, let oldest = worker.recorded.min() {
                worker.recorded.remove(oldest)
            }
            if record.ran < .zero || record.suspended < .zero || record.inBackground < .zero {
                problems.append("the record of pid \(record.pid) of \(worker.name) has a negative span")
            }
            if worker.launched == record.pid { worker.launched = nil }
        case .launchFailed: trace(3, number, 0, "\(worker.name): launch failed")
        case .warned(let warning, _): trace(4, number, 0, "\(worker.name): warned of \(warning)")
        case .refused(let refusal, _): trace(5, number, 0, "\(worker.name): refused, \(refusal)")
        case .surprised(let surprise): trace(6, number, 0, "\(worker.name): surprised, \(surprise)")
        case .completed(let callback, let completion, _):
            trace(7, number, 0, "\(worker.name): \(callback) \(completion)")
        case .woken(let origin): trace(8, number, 0, "\(worker.name): woken, \(origin.reason)")
        case .ignored(let reason) where reason.hasPrefix("a scheduled post"):
            trace(28, number, 0, "\(worker.name): \(reason)")
            ledger.letGoScheduled(of: worker.name)
        case .notificationSetAside(let topic, let sequence):
            trace(29, number, Int(clamping: sequence), "\(worker.name): \(topic) \(sequence) is set aside")
            // What is tried again later is older than what has come since.
            histories[PostLedger.Place(worker: worker.name, topic: topic), default: PostHistory()]
                .isOutOfOrder = true
        case .notificationRemoved(_, let sequence): ledger.removed(sequence, of: worker.name)
        default: trace(9, number, 0, "\(worker.name): \(notice)")
        }
    }
}

extension State {
    fileprivate var number: Int { State.allCases.firstIndex(of: self) ?? 0 }
}

/// Where the walk of this thread stands, for a trap's last words.
package struct Progress {
    package var seed: UInt64
    package var step: Int

    /// At a step of the walk from `seed`.
    package init(seed: UInt64, step: Int = 0) { (self.seed, self.step) = (seed, step) }
}

/// The walk that runs, and where it stands: one thread alone walks.
package nonisolated(unsafe) var progress = Progress(seed: 0)
