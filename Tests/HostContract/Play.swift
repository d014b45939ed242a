import Lifecycle
import Supervisor
package import SupervisorPorts

/// One promise being tried on a stage: what was launched, and what was told of it.
package final class Play: HostObserver {
    /// A worker of the play.
    struct Worker {
        let id: WorkerID
        let pid: Int32
        /// How many facts of it there were before this process.
        let first: Int
    }

    let stage: any Stage
    var alarms: [Instant] = []
    /// Called by each alarm.
    var whenAlarmed: () -> Void = {}
    private var told: [WorkerID: [Fact]] = [:]
    private var known: Set<WorkerID> = []
    private var lastID: UInt32

    /// A play on `stage`; `number` keeps its workers apart from those of other plays there.
    package init(on stage: any Stage, number: Int) {
        self.stage = stage
        lastID = UInt32(number) * 100
        stage.host.observer = self
    }

    package func receive(_ fact: Fact, of worker: WorkerID) {
        // How a sleeper is watched is told at any time, and only where there is a kernel to watch by.
        if case .watched = fact { return }
        told[worker, default: []].append(fact)
    }

    package func alarmWentOff() {
        alarms.append(host.now)
        whenAlarmed()
    }

    var host: any Host { stage.host }

    /// Plays one promise; what it left behind is killed.
    package func perform(_ promise: HostContract.Promise) async throws {
        defer { for worker in known { host.kill(worker) } }
        try await promise.check(self)
    }

    // MARK: acting

    let anyLaunch: Launch = {
        var life = WorkerLifecycle(policy: Policy())
        for case .launch(let launch) in life.handle(.requested(Request(.active, by: .supervisor)), at: .zero)
        {
            return launch
        }
        preconditionFailure("a worker that is wanted is launched")
    }()

    func nextID() -> WorkerID {
        lastID += 1
        return WorkerID(lastID)
    }

    /// Launches, and waits until the program is executed; that fact is not among those of the worker.
    func launch(_ program: ContractProgram, as id: WorkerID? = nil) async throws -> Worker {
        let id = id ?? nextID()
        let before = told[id]?.count ?? 0
        known.insert(id)
        let configuration = stage.configuration(program, name: "\(program.rawValue)-\(id.rawValue)")
        host.launch(id, configuration, anyLaunch, LaunchDetails())
        try await wait(for: "the launch of \(program)") { (told[id]?.count ?? 0) > before }
        guard case .launched(let pid)? = told[id]?[before] else {
            throw HostContract.Broken(description: "not launched: \(told[id] ?? [])")
        }
        return Worker(id: id, pid: pid, first: before + 1)
    }

    /// Launches, and waits until the program has said that it is ready.
    func launchReady(_ program: ContractProgram, as id: WorkerID? = nil) async throws -> Worker {
        let worker = try await launch(program, as: id)
        try await wait(for: "\(program) to be ready") { facts(worker).contains { $0.isReady } }
        return worker
    }

    func end(_ worker: Worker) async throws {
        host.kill(worker.id)
        try await waitForEnd(of: worker, .killed(signal: 9, coreDumped: false))
    }

    // MARK: looking

    func facts(_ worker: Worker) -> [Fact] { Array((told[worker.id] ?? []).dropFirst(worker.first)) }

    /// Of what was told, that it fell asleep and woke.
    func sleeps(_ worker: Worker) -> [Fact] { facts(worker).filter { $0 == .frozen || $0 == .thawed } }

    func hasEnded(_ worker: Worker) -> Bool {
        facts(worker).contains { if case .exited = $0 { true } else { false } }
    }

    /// All facts of a worker that was not launched by ``launch(_:as:)``.
    func allFacts(_ id: WorkerID) -> [Fact] { told[id] ?? [] }

    /// The facts of workers that were never launched.
    var strays: Int { told.filter { !known.contains($0.key) }.values.reduce(0) { $0 + $1.count } }

    func expect(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws {
        if !isSo { throw HostContract.Broken(description: otherwise()) }
    }

    func expect(_ facts: [Fact], _ expected: [Fact]) throws {
        try expect(facts == expected, "told \(facts), expected \(expected)")
    }

    // MARK: waiting

    func wait(for what: String, until isSo: () -> Bool) async throws {
        try expect(await stage.wait(until: isSo), "waited in vain for \(what); told \(told)")
    }

    func wait(for fact: Fact, of worker: Worker, times: Int = 1) async throws {
        try await wait(for: "\(fact) of \(worker.pid)") {
            facts(worker).count { $0 == fact } >= times
        }
    }

    /// Waits for the exit, and sees that it is the only one and the last thing told.
    func waitForEnd(of worker: Worker, _ status: ExitStatus) async throws {
        try await wait(for: "the end of \(worker.pid)") { hasEnded(worker) }
        try await settle()
        let exits = facts(worker).filter { if case .exited = $0 { true } else { false } }
        try expect(exits, [.exited(status, oomKilled: false)])
        try expect(facts(worker).last == exits.last, "told of it after its end: \(facts(worker))")
    }

    /// Lets whatever is underway arrive: another worker lives its whole life meanwhile.
    func settle() async throws {
        for _ in 0..<2 {
            let witness = try await launch(.failing)
            try await wait(for: "the end of a witness") { hasEnded(witness) }
        }
    }
}

extension Fact {
    var isReady: Bool {
        if case .said(let report) = self { report.phase == .ready } else { false }
    }
}
