package import Cgroups
internal import Idleness
package import Lifecycle
internal import Linux
internal import Relaying
package import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// The relays of workers whose clients do not come to them directly (`ForwardTo=`), or see a page while they are launched (`Placeholder=`).
///
/// Each has a torpor-relay of its own while it is launched or runs. A relay that ends before its worker is started again. One whose worker
/// has ended, and one whose supervisor has, serves the connections that it has to their end.
package final class WorkerRelays: NoticeObserver {
    /// How a worker stands, and what is told of it.
    package struct Facts: Hashable, Sendable {
        /// Why it has no process, and whether its sockets are closed; nil where it has one, or is being launched.
        package var rest: RestReason?
        package var isClosed = false
        package var isLaunching = false
        package var isAsleep = false
        /// What its launch is doing, as a clause.
        package var activity = ""
        /// Whether only sockets that are held for it wake it (`Wake=held`).
        package var isBlind = false

        /// A worker that runs.
        package init() {}
    }

    /// What they ask of the supervisor that they are part of.
    package struct Ports {
        /// How a worker stands; nil of one that is not known.
        package var facts: (WorkerID) -> Facts?
        /// The listening sockets that are held for a worker: those of TCP alone, or Unix ones too.
        package var listeners: (WorkerID, _ withUnix: Bool) -> [Int32]
        /// Tells a fact of a worker.
        package var inform: (WorkerID, Fact) -> Void
        /// Counts a worker that runs as used at this moment, for what these words say.
        package var passed: (WorkerID, String) -> Void

        /// These.
        package init(
            facts: @escaping (WorkerID) -> Facts?,
            listeners: @escaping (WorkerID, _ withUnix: Bool) -> [Int32],
            inform: @escaping (WorkerID, Fact) -> Void, passed: @escaping (WorkerID, String) -> Void
        ) {
            (self.facts, self.listeners, self.inform, self.passed) = (facts, listeners, inform, passed)
        }
    }

    /// The operator's page, as far as it is known.
    enum Template: Hashable {
        /// It is read again for each launch.
        case unread
        /// A thread reads it since then, by the monotonic clock.
        case read(since: Int64)
        /// These bytes; nil where it cannot be read, and the page of Torpor is shown.
        case known([UInt8]?)
    }

    /// A worker that has a relay at times.
    final class Served {
        let name: String
        let group: String
        var terms: RelayTerms
        /// What is held for it.
        var sockets: [HeldSocket]
        var relay: RelayProcess?
        var stand = RelayStand.none(isClosed: false)
        /// Since when it is launched, by the monotonic clock, and that as text.
        var launchedSince: Int64?
        var launchedAt = ""
        /// The operator's page.
        var template = Template.unread
        var hasWarnedOfPage = false
        /// How often its relay has ended before it was to, one time soon after the other.
        var failures = 0
        /// When a relay may be started again.
        var startsAfter: Int64 = 0

        init(_ configuration: WorkerConfiguration) {
            (name, group, terms) = (configuration.name, configuration.groupName, configuration.relay)
            sockets = configuration.held.sockets
        }
    }

    let tools: WakingTools
    let ports: Ports
    /// Where relays are started: the program may be on a file system that does not answer.
    private let threads: DiskQueue
    private let program: String
    private let tree: CgroupTree?
    var workers: [WorkerID: Served] = [:]
    /// Relays that serve their last connections, with the workers whose they were.
    private var leaving: [ObjectIdentifier: (relay: RelayProcess, worker: WorkerID)] = [:]
    private let timer = SourceBox<TimeSource>()
    /// The supervisor is about to end.
    private var isClosed = false

    /// None yet; relays are made of `program`, in groups of `tree` where there are groups.
    package init(with tools: WakingTools, program: String, in tree: CgroupTree?, _ ports: Ports) {
        self.tools = tools
        self.ports = ports
        self.program = program
        self.tree = tree
        threads = DiskQueue(on: tools.loop)
        // What relays of a predecessor have left that have ended meanwhile.
        for group in tree?.base.children() ?? [] where group.name.hasPrefix(Self.groupPrefix) {
            // Ignoring a failure: it is one that serves its last connections still.
            try? group.remove(patience: 0)
        }
    }

    // MARK: definitions

    /// Relays for a worker as its definition has it from now on.
    package func define(_ id: WorkerID, _ configuration: WorkerConfiguration) {
        guard let worker = workers[id] else {
            guard configuration.relay.isNeeded else { return }
            workers[id] = Served(configuration)
            return stand(id)
        }
        let (before, sockets) = (worker.terms, worker.sockets)
        (worker.terms, worker.sockets) = (configuration.relay, configuration.held.sockets)
        (worker.template, worker.hasWarnedOfPage) = (.unread, false)
        if sockets != worker.sockets || !worker.terms.isNeeded {
            letGo(worker, id)
        } else if before.route != worker.terms.route {
            worker.relay?.route(worker.terms.route)
        }
        worker.stand = .none(isClosed: false)
        stand(id)
        if !worker.terms.isNeeded { workers[id] = nil }
    }

    /// The worker is not defined any more.
    package func forget(_ id: WorkerID) {
        guard let worker = workers.removeValue(forKey: id) else { return }
        letGo(worker, id)
    }

    /// The supervisor ends, and its workers with it.
    package func close() {
        isClosed = true
        let groups = workers.values.map(\.group)
        for id in Array(workers.keys) { forget(id) }
        // They end at once, and their groups are to be gone with the supervisor's own.
        let deadline = KernelClock.monotonic + Self.farewell
        for entry in leaving.values { entry.relay.drain(milliseconds: 0) }
        for entry in leaving.values { entry.relay.awaitEnd(until: deadline) }
        for group in groups { removeGroup(named: group, patience: 10_000) }
    }

    /// How long the supervisor's end may wait for its relays, in microseconds.
    private static let farewell: Int64 = 1_000_000

    // MARK: how a worker stands

    package var interest: NoticeKinds { [.changes, .ends, .wakes, .others] }

    package func hear(_ notice: Notice, of id: WorkerID) {
        guard workers[id] != nil else { return }
        switch notice {
        case .changed, .ended, .launchFailed, .launchCompleted, .woken, .watched, .warned(.startLimitHit, _):
            stand(id)
        case .warned, .said, .refused, .surprised, .hookFailed, .hookPrinted, .opened,
            .notificationSetAside, .notificationRemoved, .commandFailed, .commandPrinted, .ignored, .remarked,
            .interrupted, .interruptionOver, .completed, .budget, .processing, .handoff:
            break
        }
    }

    /// The same for all: they were taken over as they stood.
    package func standAll() {
        for id in workers.keys.sorted() { stand(id) }
    }

    /// Does with the relay of a worker what is right as it stands now.
    package func stand(_ id: WorkerID) {
        guard let worker = workers[id], !isClosed, let facts = ports.facts(id) else { return }
        let now = KernelClock.monotonic
        let life = life(facts, worker, now)
        let stand = RelayStand(life, worker.terms)
        let isSame = stand == worker.stand && worker.relay != nil
        worker.stand = stand
        switch stand {
        case .none(let isClosed):
            if isClosed { worker.relay?.shut() }
            letGo(worker, id)
        case .soon(let left):
            worker.relay?.shut()
            if left != .max { wake(at: now + left) }
        case .shows:
            relay(of: worker, id)?.shut()
            showPage(worker, facts)
            wake(at: now + Self.pageInterval)
        case .forwards:
            guard let relay = relay(of: worker, id), !isSame || !relay.isOpen else { return }
            relay.show(nil)
            relay.open()
        case .holds: relay(of: worker, id)?.shut()
        case .leaves:
            worker.relay?.show(nil)
            worker.relay?.open()
            letGo(worker, id)
        }
    }

    private func life(_ facts: Facts, _ worker: Served, _ now: Int64) -> RelayStand.Life {
        guard facts.isLaunching || facts.rest == .backingOff else {
            worker.launchedSince = nil
            if facts.rest != nil { return .resting(isClosed: facts.isClosed) }
            return facts.isAsleep ? .sleeping(isBlind: facts.isBlind) : .running
        }
        if worker.launchedSince == nil {
            worker.launchedSince = now
            worker.launchedAt = LocalZone.timeOfDay
            worker.template = .unread
        }
        return .launching(now - (worker.launchedSince ?? now))
    }

    /// What becomes of the clients of a worker, as operators are told; nil where they go to the worker itself.
    package func words(of id: WorkerID) -> String? {
        workers[id].flatMap { $0.stand.words($0.terms, $0.relay?.counts ?? RelayCounts()) }
    }

    // MARK: its relay

    /// How long connections of a worker that has ended may last, in milliseconds: what waits is tried for as long.
    private static let drainTime: UInt32 = 30_000

    /// The relay that a worker has from now on; nil where it cannot have one now.
    private func relay(of worker: Served, _ id: WorkerID) -> RelayProcess? {
        if let relay = worker.relay { return relay }
        let now = KernelClock.monotonic
        guard worker.startsAfter <= now else {
            wake(at: worker.startsAfter)
            return nil
        }
        let listeners = ports.listeners(id, worker.terms.target != nil)
        guard !listeners.isEmpty else { return nil }
        do {
            let relay = try RelayProcess(
                RelayProcess.Setting(program: program, group: group(of: worker), limit: worker.terms.limit),
                on: threads, loop: tools.loop
            ) { [weak self] news in self?.hear(news, of: id) }
            worker.relay = relay
            relay.route(worker.terms.route)
            relay.accept(from: listeners)
            return relay
        } catch {
            ports.inform(id, .remarked("no relay can be started: \(error)"))
            failed(worker)
            return nil
        }
    }

    private func group(of worker: Served) -> Cgroup? {
        guard let tree, let name = CgroupName(Self.groupPrefix + worker.group) else { return nil }
        // Ignoring why there is none: it is in the supervisor's own then, and ends with that.
        return try? tree.base.makeChild(name)
    }

    /// Lets a relay serve what it has, and end.
    private func letGo(_ worker: Served, _ id: WorkerID) {
        guard let relay = worker.relay else { return }
        worker.relay = nil
        relay.drain(milliseconds: isClosed ? 0 : Self.drainTime)
        leaving[ObjectIdentifier(relay)] = (relay, id)
    }

    private func failed(_ worker: Served) {
        worker.failures += 1
        worker.startsAfter =
            KernelClock.monotonic + min(Self.longestRetry, Self.firstRetry << min(Int64(worker.failures), 10))
        wake(at: worker.startsAfter)
    }

    private static let firstRetry: Int64 = 50_000
    private static let longestRetry: Int64 = 10_000_000
    /// A relay that has run for so long did not fail to start.
    private static let healthy: Int64 = 30_000_000

    private func hear(_ news: RelayProcess.News, of id: WorkerID) {
        // Which relay it is of shows by what has ended.
        switch news {
        case .ended(let why): ended(why, id)
        case .report(let report): hear(report, of: id)
        }
    }

    private func ended(_ why: String, _ id: WorkerID) {
        for (key, entry) in leaving where entry.worker == id && entry.relay.hasEnded { leaving[key] = nil }
        guard let worker = workers[id] else { return }
        removeGroup(named: worker.group)
        guard let relay = worker.relay, relay.hasEnded else { return }
        worker.relay = nil
        // One that fails again and again is told of once. How many connections it had when it last counted, it had not always when it ended.
        if relay.counts.open + relay.counts.waiting > 0 || worker.failures == 0 {
            ports.inform(
                id,
                .remarked(
                    "torpor-relay: \(why); the connections that it forwarded were lost, and it is started again"
                ))
        }
        if KernelClock.monotonic - relay.startedAt > Self.healthy { worker.failures = 0 }
        failed(worker)
    }

    private func removeGroup(named group: String, patience: Int64 = 0) {
        guard let tree, let name = CgroupName(Self.groupPrefix + group) else { return }
        // Ignoring a failure: another relay of the worker may live in it.
        try? tree.base.child(name).remove(patience: patience)
    }

    private static let groupPrefix = "relay-"

    private func hear(_ report: RelayReport, of id: WorkerID) {
        guard let worker = workers[id] else { return }
        switch report {
        case .ready(let unfiltered):
            if let unfiltered {
                ports.inform(
                    id, .remarked("torpor-relay runs without a filter of system calls: \(unfiltered)"))
            }
        case .knocked(let peer):
            if worker.stand == .holds { knock(id, "a connection from \(peer)") }
        case .counts(let counts):
            if counts.waiting > 0 { waits(worker, id) }
        case .gaveUp(let count, let errno):
            let target = worker.terms.target?.description ?? "its sockets"
            ports.inform(
                id,
                .remarked(
                    "\(count) connection\(count == 1 ? " was" : "s were") closed: the worker does not accept at \(target): \(errorText(errno))"
                ))
        case .failed(let problem): ports.inform(id, .remarked("torpor-relay: \(problem)"))
        case .released: break
        }
    }

    /// A relay of the worker has accepted connections that it cannot forward.
    private func waits(_ worker: Served, _ id: WorkerID) {
        switch worker.stand {
        case .none(isClosed: false) where worker.relay == nil:
            // It came while the worker ended: the relay has it, and nothing waits at the door.
            knock(id, "a connection that came while it ended")
        case .forwards, .holds:
            // It does not listen yet, or was suspended before it took what waits.
            let what = "a connection that waits to be forwarded"
            if ports.facts(id)?.isAsleep == true { knock(id, what) } else { ports.passed(id, what) }
        case .none, .soon, .shows, .leaves: break
        }
    }

    private func knock(_ id: WorkerID, _ what: String) { ports.inform(id, .knocked(.ready(what))) }

    // MARK: time

    /// How often what the page says is renewed, in microseconds.
    static let pageInterval: Int64 = 1_000_000

    private func wake(at moment: Int64) {
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: tools.loop, accuracy: 1000, priority: .clients) {
                [unowned self] _ in
                due = nil
                standAll()
            }
        }
        guard due.map({ moment < $0 }) ?? true else { return }
        due = moment
        timer.handle?.arm(at: moment)
    }

    private var due: Int64?
}
