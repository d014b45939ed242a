package import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
internal import Systemd
package import WorkerIO

/// The sockets of one worker that is gone, kept open until it has its own again (section 5 of the spec's `5-waking`).
///
/// What is done, and in which order, ``KeptDoors`` decides; this carries it out. What the worker left is closed with the last reference.
package final class EvictedDoors {
    /// What is told of them.
    package enum News {
        /// A client waits: the worker is to be launched.
        case wanted(WakeFilter.Reason)
        /// Something that an operator should know.
        case remarked(String)
        /// None is left: they are to be let go.
        case over
    }

    /// How they are kept.
    package struct Settings {
        package var rules: WakeRules
        package var handOver: HandOver
        /// The name of the worker's group, by which they are stored.
        package var group: String
        /// The user that the worker ran as; nil is that of the supervisor, or not known.
        package var user: UInt32?

        /// Settings of a worker.
        package init(rules: WakeRules, handOver: HandOver, group: String, user: UInt32?) {
            (self.rules, self.handOver, self.group, self.user) = (rules, handOver, group, user)
        }
    }

    /// A launch of the worker.
    package struct Launch {
        /// The path of its cgroup; nil where it has none.
        package var group: String?
        package var groupID: UInt64?
        package var user: UInt32?
        package var waitsForReady: Bool
        /// How long it may take until it listens.
        package var limit: TimeSpan
        /// Its processes, when they are asked for.
        package var processes: () -> [Int32]

        /// A launch, by its parts.
        package init(
            group: String?, groupID: UInt64?, user: UInt32?, waitsForReady: Bool, limit: TimeSpan,
            processes: @escaping () -> [Int32]
        ) {
            (self.group, self.groupID, self.user) = (group, groupID, user)
            (self.waitsForReady, self.limit, self.processes) = (waitsForReady, limit, processes)
        }
    }

    let tools: WakingTools
    let stock: DoorStock
    private var settings: Settings
    private let store: (any DescriptorStoring)?
    private let tell: (News) -> Void
    /// Why the worker cannot be given what it binds; nil where it can.
    private let lendingGap: () -> String?
    /// What it was offered: from then on it may have it, whatever else becomes of the duplicate.
    private var offered: Set<Int> = []
    var model: KeptDoors
    private var watch: DoorWatch?
    /// The present launch.
    var launch: Launch?
    /// Has what the worker binds share the ports.
    private var sharing: SharingBox?
    private var relay: (any DoorRelay)?
    private var accepted = 0
    let sampler = SourceBox<TimeSource>()
    /// The doors that the worker is to listen at, since when, and what was found there: by their places.
    var listened: [Int] = []
    var listensSince = Instant.zero
    var heard: [Int: UInt64] = [:]
    /// Sockets that listen there and are none of the worker's.
    var strangers: Set<UInt64> = []
    private var isRunning = false
    private var queue: [KeptDoors.Event] = []
    /// A client that is to be told of as soon as no event is under way.
    private var untold: WakeFilter.Reason?

    private final class SharingBox {
        let value: PortSharing
        init(_ value: consuming PortSharing) { self.value = value }
    }

    /// The doors of `stock`; news come from the loop, and while calls of this run.
    package init(
        _ stock: DoorStock, _ settings: Settings, with tools: WakingTools,
        storedIn store: (any DescriptorStoring)?, lendingGap: @escaping () -> String?,
        tell: @escaping (News) -> Void
    ) {
        (self.stock, self.settings, self.tools, self.store) = (stock, settings, tools, store)
        (self.lendingGap, self.tell) = (lendingGap, tell)
        model = KeptDoors(count: stock.boxes.count)
    }

    deinit {
        watch?.close()
        for place in stock.boxes.indices { forget(place) }
    }

    /// Begins to wait for clients: the worker has ended.
    ///
    /// What `isStored` may be in the store already.
    func begin(isStored: Bool) {
        for box in stock.boxes {
            guard let number = box.number else { continue }
            let name = name(of: box)
            if isStored {
                store?.keepOn(number, as: name, polled: false)
            } else {
                store?.keep(number, as: name, polled: false)
            }
        }
        perform(model.first)
    }

    /// The launch of the worker begins: nothing of it has run yet, and what is in its way is closed when this returns.
    package func launching(_ launch: Launch, _ handOver: HandOver) {
        self.launch = launch
        settings.handOver = handOver
        handle(.launching(choices.map(\.way), waitsForReady: launch.waitsForReady))
    }

    /// Duplicates of those that the worker may be given where it binds their addresses.
    func offer() -> [BindService.Door] {
        let places = model.doors.indices.filter { model.doors[$0].isLending }
        offered.formUnion(places)
        return places.compactMap { stock.boxes[$0].lendable(at: $0) }
    }

    /// The worker has this one.
    func given(_ place: Int) { handle(.lent(place)) }

    /// The worker binds something that these exclude, or for a `problem` cannot have: they are closed when this returns.
    func yield(_ places: [Int], to problem: String?) {
        if let problem {
            let names = places.map { stock.boxes[$0].place.words }.joined(separator: ", ")
            tell(.remarked("connections that waited at \(names) were closed: \(problem)"))
        }
        handle(.inTheWay(places))
    }

    /// It cannot be given any, as turns out now.
    func lendingFailed() { handle(.cannotLend(choices.map(\.way))) }

    /// The worker has said that it is ready.
    package func becameReady() { handle(.ready) }

    /// No process of it has come to be, or it has ended.
    package func launchEnded(hadProcess: Bool) { handle(hadProcess ? .ended : .launchFailed) }

    /// Hands over where the worker listens, and refuses the clients of the rest.
    func giveUp() { handle(.expired); handle(.close) }

    /// Refuses clients from now on, those that wait too.
    package func close() { handle(.close) }

    /// As operators are told.
    package var sight: DoorSight {
        let sockets = tools.own.listeners() ?? []
        let entries = zip(stock.boxes, zip(choices, model.doors)).compactMap {
            box, rest -> DoorSight.Entry? in
            guard !rest.1.isOver else { return nil }
            let socket = rest.1.isOpen ? sockets.first { UInt64($0.inode) == box.inode } : nil
            return DoorSight.Entry(
                box.place, rest.0,
                backlog: socket.map { .init(waiting: $0.receiveQueue, limit: $0.sendQueue) })
        }
        return DoorSight(entries, accepted: model.doors.contains(.taken) ? accepted : 0)
    }

    /// The descriptors that are open, borrowed.
    package var descriptors: [Int32] { stock.descriptors }

    /// What has the sockets that the worker binds share their ports, as descriptors, borrowed.
    package var sharingDescriptors: [Int32] { sharing?.value.descriptors ?? [] }

    /// Whether the worker is being launched, or does not listen everywhere yet.
    package var isLaunching: Bool { model.isLaunching }

    // MARK: the model

    /// One after the other: what is told may have another one handled.
    ///
    /// That the worker is wanted is told when none is under way: it may be launched at once, on a thread, and the ways of its doors are to
    /// be gone by then (``launching(_:_:)``).
    func handle(_ event: KeptDoors.Event) {
        queue.append(event)
        guard !isRunning else { return }
        isRunning = true
        while !queue.isEmpty { perform(model.handle(queue.removeFirst())) }
        isRunning = false
        let client = untold
        untold = nil
        if model.phase == .over { return tell(.over) }
        if let client { tell(.wanted(client)) }
    }

    /// Tells that connections wait since a launch that came to nothing, once its end was told: before that it is taken for one that runs.
    private func askAgain() {
        tools.loop.callSoon { [weak self] in
            guard let self, model.phase == .knocked else { return }
            tell(.wanted(.ready("connections that wait since its last launch")))
        }
    }

    private var choices: [DoorChoice] {
        let facts = facts
        return stock.boxes.map {
            DoorChoice(
                $0.place, sharesPort: $0.sharesPort && !model.mayNotShare, settings.handOver, facts)
        }
    }

    private var facts: HandOverFacts {
        var facts = HandOverFacts(
            migrationGap: tools.doorProspect.gap, relayGap: tools.relayGap,
            lendingGap: settings.handOver == .handover ? lendingGap() : nil)
        if facts.migrationGap == nil, let launch {
            if launch.group == nil {
                facts.migrationGap = "the worker has no cgroup of version 2"
            } else if let user = settings.user, user != launch.user {
                facts.migrationGap = "User= has changed"
            }
        }
        if facts.migrationGap == nil, model.mayNotShare {
            facts.migrationGap = "the last process of the worker ended before it listened"
        }
        return facts
    }

    private func perform(_ actions: [KeptDoors.Action]) {
        for action in actions {
            switch action {
            case .watch: beginWatching()
            case .unwatch: stopWatching()
            // By a client, or by the end of a launch.
            case .wake: if let wanted { untold = wanted } else { askAgain() }
            case .close(let place):
                forget(place)
                let door = stock.boxes[place].take()
                if !offered.contains(place) { door?.shut() }
            case .share(let places): share(places)
            case .unshare: sharing = nil
            case .take(let place): take(place)
            case .lend(let place):
                forget(place)
                // The worker's own now: it is not shut.
                _ = stock.boxes[place].take()
                listened.removeAll { $0 == place }
            case .listen(let places): beginListening(places)
            case .stopListening: stopListening()
            case .migrate(let place): migrate(place)
            case .forward: relay?.open()
            case .dismiss: relay?.dismiss()
            }
        }
    }

    private var wanted: WakeFilter.Reason?

    private func beginWatching() {
        let doors = stock.boxes.compactMap { box in
            box.number.map { DoorWatch.Door($0, named: box.place.words) }
        }
        watch = DoorWatch(doors, rules: settings.rules, with: tools) { [weak self] reason in
            guard let self else { return }
            wanted = reason
            handle(.knocked)
            wanted = nil
        }
    }

    private func stopWatching() {
        watch?.close()
        watch = nil
    }

    /// Before its descriptor is closed: the store no longer keeps it.
    private func forget(_ place: Int) {
        guard let number = stock.boxes[place].number else { return }
        store?.drop(number, as: name(of: stock.boxes[place]))
    }

    private func name(of box: DoorStock.Box) -> String { "\(StoreName.doors(settings.group))\(box.inode)" }

    // MARK: the ways

    private func share(_ places: [Int]) {
        do throws(LinuxError) {
            for place in places { try stock.boxes[place].share() }
            let ports = Set(
                places.compactMap { place -> UInt16? in
                    guard case .tcp(let endpoint) = stock.boxes[place].place else { return nil }
                    return endpoint.port
                })
            let sharing = try PortSharing(of: ports.sorted(), in: launch?.group ?? "")
            self.sharing = SharingBox(sharing)
        } catch {
            // The worker cannot bind beside the duplicates then: its launch ends, and the next one goes another way.
            tell(.remarked("the worker's sockets cannot be made to share their ports: \(error)"))
        }
    }

    private func migrate(_ place: Int) {
        let box = stock.boxes[place]
        forget(place)
        guard let door = box.take() else { return }
        do throws(LinuxError) {
            try tools.queueMigration().close(door)
        } catch {
            return tell(.remarked("connections that waited at \(box.place.words) were lost: \(error)"))
        }
        if tools.doorProspect.needsNudge, case .tcp(let endpoint) = box.place {
            QueueMigration.nudge(endpoint)
        }
        if let inode = heard[place] { settle(inode, keptShared: box.sharesPort) }
    }

    /// Takes the means of the migration away from the worker's own listener: the program when it has done all that it is for.
    private func settle(_ inode: UInt64, keptShared: Bool) {
        guard let processes = launch?.processes else { return }
        let (lookups, most) = (tools.lookups, tools.mostDescriptors * 32)
        let due = Instant(microseconds: KernelClock.monotonic) + .seconds(QueueMigration.patience)
        tools.latePorts.enter(at: due) {
            let now = processes()
            lookups.perform {
                QueueMigration.settle(.program, of: inode, in: now, atMost: most)
            } then: { _ in
                // Ignoring a failure: the worker has closed it, or keeps a program that leaves all to the kernel.
            }
        }
        if keptShared { return }
        let now = processes()
        lookups.perform {
            QueueMigration.settle(.sharing, of: inode, in: now, atMost: most)
        } then: { [tell] problem in
            guard let problem else { return }
            tell(.remarked("its port can be shared by other processes of its user: \(problem)"))
        }
    }

    private func take(_ place: Int) {
        let box = stock.boxes[place]
        var connections: [Int32] = []
        func acceptAll() {
            while connections.count < tools.mostSpliced, let client = box.accept() {
                connections.append(client.release())
            }
        }
        // Those who come after the last one would find their connection reset: they ask again, and as few as may be are kept waiting.
        acceptAll()
        box.admitNoMore()
        acceptAll()
        var count = -1
        // One that waits and cannot be accepted, for want of a descriptor or beyond the most, is not waited for again.
        while count < connections.count, box.awaitsLast {
            count = connections.count
            acceptAll()
        }
        forget(place)
        box.take()?.shut()
        guard !connections.isEmpty else { return }
        if relay == nil { relay = tools.makeRelay? { [weak self] in self?.tell(.remarked($0)) } }
        guard let relay else {
            DescriptorCloser.close(connections)
            return tell(.remarked("\(connections.count) connections were closed: no relay can be started"))
        }
        accepted += connections.count
        relay.take(connections)
    }
}
