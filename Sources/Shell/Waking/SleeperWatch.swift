package import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
internal import Systemd
internal import WorkerIO

/// Watches the sockets of one sleeper, so that it wakes when something comes for it (section 7 of the spec's `5-waking`).
///
/// Nothing of the worker's is open any more when ``drop()`` has returned, which is before the worker runs: while a duplicate of a connection
/// is open, its end reaches no peer.
package final class SleeperWatch {
    /// What is told of the sleeper.
    package enum News {
        /// It is to wake.
        case wanted(WakeFilter.Reason)
        /// How it is watched has become known.
        case settled
    }

    /// What is watched.
    package struct Subject {
        /// Its processes now.
        package var processes: [Int32]
        /// The id of its cgroup, where it has one of its own.
        package var cgroup: UInt64?
        /// The inodes of sockets that the supervisor holds for it, which show its own cgroup.
        package var held: Set<UInt64>
        package var rules: WakeRules
        /// Whether a new connection is looked at before it wakes the worker, also one from this machine.
        package var looksFirst: Bool
        /// What was found when it slept the last time.
        package var survey: Survey

        /// A sleeper of these processes.
        package init(
            processes: [Int32], cgroup: UInt64?, held: Set<UInt64> = [], rules: WakeRules, looksFirst: Bool,
            since survey: Survey
        ) {
            self.held = held
            self.processes = processes
            self.cgroup = cgroup
            self.rules = rules
            self.looksFirst = looksFirst
            self.survey = survey
        }
    }

    /// The sockets of a sleeper, by their inodes, and which of them are none of TCP.
    package struct Survey: Sendable {
        var inodes: Set<UInt64> = []
        var others: Set<UInt64> = []

        /// Nothing is known.
        package init() {}
    }

    let tools: WakingTools
    /// Where its sockets show.
    private(set) var tables: [SocketTable] = []
    let subject: Subject
    private let tell: (News) -> Void
    private(set) var eyes = Eyes()
    var filter: WakeFilter
    var owner = SocketOwner()
    /// What is borrowed of it, in the order of the set.
    private var borrowed: [EyePlan.Borrowed.Kind] = []
    private let set = SetBox()
    private let source = SourceBox<IOSource>()
    private let again = SourceBox<TimeSource>()
    /// Where it listens, and how many connections it had open when that was counted.
    private var listening: [Endpoint] = []
    /// Its listening sockets that only programs of this machine reach, and where they are.
    private var doors: [UInt64: String] = [:]
    /// Of epoll instances that may be asked for their members, by where they are to be borrowed and by their place in the set.
    private var polled: [Inventory.Place: PolledMembers] = [:]
    private var polledPlaces: [Int: (process: PidfdBox, members: PolledMembers)] = [:]
    /// What was found of its sockets.
    package private(set) var survey = Survey()
    private var connections: Int?

    /// A watch of a sleeper whose sleep is confirmed.
    package init(_ subject: Subject, with tools: WakingTools, tell: @escaping (News) -> Void) {
        self.subject = subject
        self.tools = tools
        self.tell = tell
        filter = WakeFilter(subject.rules)
    }

    /// Begins to watch; news may come while the call is running.
    package func begin() { perform(eyes.handle(.slept)) }

    deinit { close() }

    /// What wakes it.
    package var rules: WakeRules { subject.rules }

    /// How it is watched.
    package var state: Eyes.State { eyes.state }

    /// How it is watched, and what wakes it there.
    package var sight: SleeperSight {
        let rules = subject.rules
        return SleeperSight(
            state, listening: rules.hearsConnections ? listening : [],
            connections: rules.hears(.data) ? connections : nil,
            each: tools.sampleInterval)
    }

    /// Whether data may come for it on a connection that it has.
    package var mayHaveConnections: Bool { connections != 0 }
    /// Whether it may have sockets that are none of TCP.
    private(set) var mayHaveOthers = false

    /// Has `then` called with what woke it without a look since `span` ago; nil where that cannot be told.
    package func explain(within span: TimeSpan, then: @escaping (WakeFilter.Reason?) -> Void) {
        tools.explain(owner, subject.processes, within: span, in: subject.cgroup, then: then)
    }

    /// Closes every duplicate; the worker may run when this has returned.
    package func drop() { perform(eyes.handle(.waking)) }

    private func perform(_ actions: [Eyes.Action]) {
        for action in actions {
            switch action {
            case .plan(let number): plan(number)
            case .fetch(let wanted): fetch(wanted)
            case .drop: close()
            case .sample: tools.sample(self)
            case .lookAgain(let span): lookAgain(after: span)
            case .wake(let reason): tell(.wanted(reason))
            case .tell: tell(.settled)
            }
        }
    }

    // MARK: what it has open

    /// How many descriptors of a process are listed on the loop: some 1 ms.
    static let mostOnLoop = 256

    private func plan(_ number: UInt32) {
        guard subject.rules.watching == .auto || subject.rules.watching == .listen else {
            return perform(eyes.handle(.planned(number, .none(.notWanted))))
        }
        if let quick = Self.quickInventory(of: subject.processes) { return planned(number, quick) }
        let processes = subject.processes
        let most = tools.mostDescriptors * 32
        tools.inventories.perform {
            Self.inventory(of: processes, atMost: most)
        } then: { [weak self] inventory in
            self?.planned(number, inventory)
        }
    }

    /// What these have open, listed on the loop; nil where that is more than ``mostOnLoop``.
    static func quickInventory(of processes: [Int32]) -> Inventory? {
        // Told by the kernel, nothing is listed twice, nor the loop kept for what a thread does.
        let told = processes.reduce(0) { $0 + (OpenDescriptors.count(of: $1) ?? 0) }
        guard told <= mostOnLoop else { return nil }
        let quick = inventory(of: processes, atMost: mostOnLoop)
        return quick.isComplete ? quick : nil
    }

    static func inventory(of processes: [Int32], atMost most: Int) -> Inventory {
        var left = most
        var found: [Inventory.Descriptors] = []
        for process in processes.sorted() {
            guard let descriptors = OpenDescriptors.read(of: process, atMost: max(left, 0)) else { continue }
            left -= descriptors.kinds.count
            found.append(descriptors)
        }
        return Inventory(found)
    }

    private func planned(_ number: UInt32, _ inventory: Inventory) {
        (polled, polledPlaces) = ([:], [:])
        owner = SocketOwner(of: inventory, cgroup: subject.cgroup, held: subject.held)
        tables = tools.tables(of: subject.processes)
        let listeners = tables.flatMap { $0.listeners() ?? [] }
        let listening = Set(listeners.map { UInt64($0.inode) })
        self.listening = owner.listening(among: listeners)
        for socket in listeners where socket.local.address.isLoopback && owner.owns(socket) {
            doors[UInt64(socket.inode)] = "\(socket.local)"
        }
        let others = lookAtOthers(listening, inventory)
        mayHaveOthers = owner.cgroup != nil || !survey.others.isEmpty
        if owner.cgroup == nil {
            connections = owner.inodes.subtracting(listening).subtracting(survey.others).count
        }
        var plan = EyePlan.sampled(.refused)
        if let systems = tools.systems {
            plan = EyePlan(
                of: inventory, subject.rules, listening: listening, leavingOut: others,
                on: systems, limit: tools.mostDescriptors)
        }
        if case .sampled = plan, !tables.allSatisfy(\.canLook) { plan = .none(.unreadable) }
        if case .borrowed(let wanted) = plan, let sockets = tools.systems?.sockets {
            let instances = Set(wanted.filter { $0.kind == .eventPoll }.map(\.place))
            for process in inventory.processes {
                for case (let descriptor, let members?) in process.members {
                    let place = Inventory.Place(process: process.process, descriptor: descriptor)
                    guard instances.contains(place) else { continue }
                    polled[place] = PolledMembers(members, listening: listening, sockets: sockets)
                }
            }
        }
        perform(eyes.handle(.planned(number, plan)))
    }

    /// Finds out which of its sockets are none of TCP, where it has others than it had: those of them at which nothing counts.
    private func lookAtOthers(_ listening: Set<UInt64>, _ inventory: Inventory) -> Set<UInt64> {
        survey.inodes = owner.inodes.subtracting(listening)
        survey.others = subject.survey.others.intersection(survey.inodes)
        let areKnown = owner.cgroup == nil && survey.inodes.isSubset(of: subject.survey.inodes)
        // The other ends of those that it had may be gone by now.
        guard !areKnown || !survey.others.isEmpty else { return [] }
        var others = OtherSockets()
        for table in tables { others.add(table.others()) }
        learnPeers(of: &others, inventory)
        survey.others = survey.inodes.intersection(others.all)
        // What could not all be listed, or told, is not known the next time.
        if owner.cgroup != nil || others.all.isEmpty { survey = Survey() }
        return others.left
    }

    // MARK: duplicates

    private func fetch(_ wanted: [EyePlan.Borrowed]) {
        do throws(LinuxError) {
            var set = try BorrowedSet()
            var process: (number: Int32, box: PidfdBox?) = (0, nil)
            for item in wanted {
                if item.place.process != process.number {
                    process = (item.place.process, try? PidfdBox(item.place.process))
                }
                guard let box = process.box else { continue }
                do throws(LinuxError) {
                    guard
                        let descriptor = try BorrowedDescriptor(
                            item.place.descriptor, of: box.pidfd, expecting: item.kind.expected)
                    else { continue }
                    try set.add(descriptor)
                    if let members = polled[item.place] {
                        polledPlaces[borrowed.count] = (box, members)
                    }
                    borrowed.append(item.kind)
                } catch {
                    // What is gone, or whose process is, is for others to tell.
                    if !error.isOfGoneDescriptor { throw error }
                }
            }
            let descriptor = set.rawValue
            self.set.value = consume set
            source.handle = try? IOSource(
                on: tools.loop, descriptor: descriptor, events: .readable, priority: .notifications
            ) { [unowned self] _ in becameReady() }
            guard source.handle != nil else { return refused(.noDescriptors) }
            perform(
                eyes.handle(.fetched(count: borrowed.count, hasEventPoll: borrowed.contains(.eventPoll))))
        } catch {
            refused(error.isOfFullTable ? .noDescriptors : .refused)
        }
    }

    private func refused(_ shortfall: EyePlan.Shortfall) {
        perform(eyes.handle(.refused(shortfall, canSample: tables.allSatisfy(\.canLook))))
    }

    private func close() {
        source.handle = nil
        set.value = nil
        // What is known of a thousand connections takes as long to forget as all else here: the next plan, or the end of the watch, does that,
        // and lets the process go too.
        borrowed = []
        again.handle?.disarm()
        tools.stopSampling(self)
    }

    // MARK: what comes

    private func becameReady() {
        let rules = subject.rules
        var came = Arrivals()
        for place in set.value?.ready() ?? [] where place < borrowed.count {
            set.value?.tell(of: place, borrowed[place], polledPlaces[place], to: &came, rules)
        }
        if let reason = came.other { return judge(.wake(reason)) }
        if case .wake(let reason) = filter.judge(own: came.connections) { return judge(.wake(reason)) }
        if came.isUnknown {
            guard subject.looksFirst || doors.count < listening.count else { return judge(.wake(.unnamed)) }
            return look(wasEvent: true, mayBeOther: true)
        }
        guard !came.listeners.isEmpty else { return }
        // A scan or a probe from elsewhere is not to wake it once; from this machine it may, since a look would double the time of the wake.
        if !subject.looksFirst, let door = came.listeners.lazy.compactMap({ self.doors[$0] }).first {
            return judge(.wake(.connection(to: door, from: nil)))
        }
        look(wasEvent: true, mayBeOther: false)
    }

    private func judge(_ verdict: WakeFilter.Verdict) { perform(eyes.handle(.judged(verdict))) }

    private func look(wasEvent: Bool, mayBeOther: Bool) {
        var facts = WakeFacts()
        facts.mayBeOther = mayBeOther
        look(at: tables[...], facts, wasEvent: wasEvent)
    }

    /// Looks at one table after the other, and judges what waits in all of them.
    private func look(at rest: ArraySlice<SocketTable>, _ facts: WakeFacts, wasEvent: Bool) {
        guard let table = rest.first else { return judge(filter.judge(facts, wasEvent: wasEvent)) }
        table.look { [weak self] sockets in
            guard let self else { return }
            // What cannot be looked at counts.
            guard let sockets else { return judge(.wake(.unnamed)) }
            var facts = facts
            facts.add(sockets, of: owner)
            look(at: rest.dropFirst(), facts, wasEvent: wasEvent)
        }
    }

    private func lookAgain(after span: TimeSpan) {
        if again.handle == nil {
            again.handle = try? TimeSource(on: tools.loop) { [unowned self] _ in
                look(wasEvent: false, mayBeOther: false)
            }
        }
        again.handle?.arm(at: KernelClock.monotonic + span.microseconds)
    }

    /// Something waits at these sockets of one of its tables, or these listeners, as a sample has them.
    func sampled(_ sockets: [InetSocket], isWhole: Bool) {
        guard case .sampling = eyes.state else { return }
        var facts = WakeFacts()
        facts.add(sockets, of: owner)
        if isWhole, tables.count == 1 { return judge(filter.judge(facts, wasEvent: false)) }
        guard !facts.listeners.isEmpty || !facts.connections.isEmpty else { return }
        look(wasEvent: false, mayBeOther: false)
    }

    /// The sockets that are none of TCP, as a sample has them.
    func sampled(_ others: OtherSockets) {
        guard case .sampling = eyes.state, let arrival = others.arrival(for: owner, subject.rules) else {
            return
        }
        judge(.wake(arrival.reason))
    }
}

extension EyePlan.Borrowed.Kind {
    /// What a duplicate must be: a number may stand for another file by now.
    fileprivate var expected: Inventory.Kind {
        switch self {
        case .eventPoll: .eventPoll
        case .timer: .timer
        case .socket(let inode): .socket(inode: inode)
        case .pipe(let inode): .pipe(inode: inode)
        }
    }
}

extension BorrowedSet {
    /// Has `came` take what the one at `place` has.
    fileprivate borrowing func tell(
        of place: Int, _ kind: EyePlan.Borrowed.Kind, _ polled: (process: PidfdBox, members: PolledMembers)?,
        to came: inout Arrivals, _ rules: WakeRules
    ) {
        if let polled {
            came.take(polled, at: place, of: self, rules)
        } else {
            came.take(kind, at: place, of: self, rules)
        }
    }
}

final class PidfdBox {
    let pidfd: Pidfd
    init(_ process: Int32) throws(LinuxError) { pidfd = try Pidfd(pid: process) }
}

private final class SetBox {
    var value: BorrowedSet?
}
