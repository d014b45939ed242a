@testable import Lifecycle
@testable import Notifications

/// A plan of flushes with all around it: a life that asks, a worker that takes or dies, and a disk; every promise is held to it
/// after each step.
struct FlushBench: Hashable {
    /// What can happen.
    enum Happening: Hashable {
        case posts(String)
        /// The life hears of the oldest of what it was told.
        case lifeHears
        /// The life asks for what waits.
        case lifeAsks
        case connectionTakes
        case connectionRefuses
        case connects
        case disconnects
        case hookEnds(UInt32, isTaken: Bool)
        /// The time for the flush is over.
        case overdue
        case suspended
        case thaws
        case dies
        case isEnded
        case launches
        case due
        case drops(UInt64)
        /// The life has nothing that takes what it knows of.
        case lifeForgets

        /// Whether it is what happens where all goes well.
        var isTrouble: Bool {
            switch self {
            case .posts, .lifeHears, .lifeAsks, .lifeForgets, .connectionTakes, .thaws, .launches, .due,
                .connects:
                false
            case .hookEnds(_, let isTaken): !isTaken
            case .connectionRefuses, .disconnects, .overdue, .suspended, .dies, .isEnded, .drops: true
            }
        }
    }

    private enum Told: Hashable {
        case announced
        case completed(UInt32, isTaken: Bool)
    }

    let hooks: NotificationHooks?
    let mayConnect: Bool
    private(set) var plan = FlushPlan()
    private(set) var isConnected: Bool
    private(set) var now = Instant.zero
    private(set) var isAlive = true
    private(set) var isAwake = true
    /// The life.
    private var knows = false
    private var awaited: UInt32?
    private var lastDelivery: UInt32 = 0
    private var told: [Told] = []
    /// The worker: the delivery in the hands of its connection, and hooks that run, each with its numbers.
    private var held: [UInt32: [UInt64]] = [:]
    private var running: [UInt32: HookRun.Job] = [:]
    /// What it has taken, as it has said.
    private var acknowledged: Set<UInt64> = []
    private var dropped: Set<UInt64> = []
    private(set) var posted: [String: Int] = [:]
    private var stored: Set<UInt64> = []
    /// The last number of each topic that is gone.
    private var gone: [Topic: UInt64] = [:]
    private(set) var violation: String?

    init(hooks: NotificationHooks?, mayConnect: Bool) {
        self.hooks = hooks
        self.mayConnect = mayConnect
        isConnected = mayConnect
    }

    // MARK: what can happen

    /// All that can happen now.
    func happenings(topics: [String], posts: Int) -> [Happening] {
        var all: [Happening] = topics.filter { posted[$0, default: 0] < posts }.map { .posts($0) }
        if !told.isEmpty { all.append(.lifeHears) }
        guard isAlive else { return all + [.launches] }
        all += [.dies, .isEnded]
        if plan.nextDue != nil { all.append(.due) }
        if let number = (plan.queue.contents + plan.queue.inFlight).map(\.sequence).min() {
            all.append(.drops(number))
        }
        guard isAwake else { return all + [.thaws] }
        if mayAsk { all.append(.lifeAsks) }
        if knows, receivers == nil { all.append(.lifeForgets) }
        if !held.isEmpty { all += [.connectionTakes, .connectionRefuses] }
        all += running.keys.sorted().flatMap {
            [.hookEnds($0, isTaken: true), .hookEnds($0, isTaken: false)]
        }
        if mayConnect { all.append(isConnected ? .disconnects : .connects) }
        if awaited != nil { all.append(.overdue) }
        return all + [.suspended]
    }

    private var receivers: NotificationReceivers? {
        isConnected ? .connection : hooks.map { .hooks($0) }
    }

    private var mayAsk: Bool { isAlive && isAwake && knows && awaited == nil && receivers != nil }

    mutating func happen(_ happening: Happening) {
        let before = numbers
        switch happening {
        case .posts(let name):
            guard let topic = Topic(name) else { return }
            posted[name, default: 0] += 1
            _ = plan.queue.post(Post(topic, .each, at: 0))
            store()
            tell(.queued)
        case .lifeHears: hear()
        case .lifeAsks: ask()
        case .connectionTakes:
            for (delivery, entries) in held {
                acknowledged.formUnion(entries)
                told.append(.completed(delivery, isTaken: true))
            }
            held = [:]
        case .connectionRefuses:
            for delivery in held.keys {
                tell(.refused(delivery, "no"))
                told.append(.completed(delivery, isTaken: false))
            }
            held = [:]
        case .connects:
            isConnected = true
            tell(.connected)
            tell(.receiversChanged)
        case .disconnects:
            isConnected = false
            tell(.disconnected)
            for delivery in held.keys { told.append(.completed(delivery, isTaken: false)) }
            held = [:]
        case .hookEnds(let id, let isTaken):
            if isTaken { acknowledged.formUnion(running[id]?.entries.map(\.sequence) ?? []) }
            running[id] = nil
            tell(.hookEnded(id, problem: isTaken ? nil : .hookFailed(nil)))
        case .overdue:
            guard let delivery = awaited else { return }
            awaited = nil
            held = [:]
            tell(.ended(delivery, .overdue))
        case .suspended:
            isAwake = false
            tell(.suspended)
        case .thaws:
            if let receivers { tell(.thawing(receivers)) }
            isAwake = true
        case .dies, .isEnded: endProcess(died: happening == .dies)
        case .launches:
            isAlive = true
            isAwake = true
            if mayConnect { happen(.connects) }
        case .due:
            guard let due = plan.nextDue else { return }
            now = max(now, due)
            tell(.due)
        case .drops(let number):
            dropped.insert(number)
            guard plan.drop(number) else { return fail("\(number) cannot be dropped") }
            store()
            tell(.dropped)
        case .lifeForgets: knows = false
        }
        check(since: before)
    }

    private mutating func endProcess(died: Bool) {
        isAlive = false
        isConnected = false
        held = [:]
        running = [:]
        tell(.processEnded(died: died))
        guard let delivery = awaited else { return }
        awaited = nil
        tell(.ended(delivery, .abandoned))
    }

    private mutating func hear() {
        switch told.removeFirst() {
        case .announced: knows = true
        case .completed(let delivery, let isTaken):
            guard awaited == delivery else { return }
            awaited = nil
            // As the lifecycle does: it asks for what it knows of before it passes on what it has just heard.
            if mayAsk { ask() }
            tell(.ended(delivery, isTaken ? .taken : .refused))
        }
    }

    private mutating func ask() {
        guard let receivers else { return }
        knows = false
        lastDelivery += 1
        awaited = lastDelivery
        tell(.asked(.init(Delivery(lastDelivery), to: receivers)))
    }

    // MARK: what comes of it

    private mutating func tell(_ event: FlushPlan.Event) {
        var effects: [FlushPlan.Effect] = []
        plan.handle(event, at: now, into: &effects)
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: FlushPlan.Effect) {
        switch effect {
        case .announce: told.append(.announced)
        // The worker of the bench marks no topic.
        case .announceForeground: fail("something waits for the foreground")
        case .deliver(let delivery, let entries):
            if !held.isEmpty || !running.isEmpty { fail("two flushes at one time") }
            if entries.isEmpty { fail("nothing is handed out") }
            let topics = Dictionary(grouping: entries, by: \.topic).values
                .sorted { ($0.first?.sequence ?? 0) < ($1.first?.sequence ?? 0) }
            let ordered = topics.flatMap { $0.sorted { $0.sequence < $1.sequence } }
            if entries != ordered { fail("handed out in disorder") }
            held[delivery.id] = entries.map(\.sequence)
        case .beginHooks: if !held.isEmpty { fail("two flushes at one time") }
        case .run(let job, let id):
            if !held.isEmpty { fail("two flushes at one time") }
            if running.values.contains(where: { $0.topic == job.topic }) { fail("two hooks of one topic") }
            if job.kind == .call, !running.isEmpty { fail("a hook beside another") }
            if job.kind == .call, job.entries.count != 1 { fail("a call for several") }
            running[id] = job
        case .cancel(let id):
            if running.removeValue(forKey: id) == nil { fail("gives up what does not run") }
        case .complete(let delivery, let isTaken):
            if awaited != delivery { fail("completes what is not awaited") }
            told.append(.completed(delivery, isTaken: isTaken))
        case .store: store()
        case .taken: if plan.problem != nil { fail("taken, and not so") }
        case .arm(let due, _): if due <= now { fail("tries again at once") }
        case .disarm, .removed: break
        case .setAside(let entry):
            if entry.deaths < NotificationQueue.deadly { fail("set aside without reason") }
        }
    }

    private mutating func store() {
        for change in plan.queue.takeChanges() {
            switch change {
            case .put(let entry): stored.insert(entry.sequence)
            case .delete(let number): stored.remove(number)
            case .knows, .forgets: break
            }
        }
    }

    /// The stage of the plan, in a word.
    var stage: String {
        switch plan.stage {
        case .waiting(.idle, _): "idle"
        case .waiting(.announced, _): "announced"
        case .waiting(.retry, _): "retry"
        case .signalled: "signalled"
        case .delivering(let batch):
            switch batch.progress {
            case .whole: "whole"
            case .hooks: "hooks"
            case .finished: "finished"
            }
        }
    }

    // MARK: promises

    private mutating func fail(_ violation: String) {
        if self.violation == nil { self.violation = violation }
    }

    /// The numbers of all that is there, with their topics.
    private var numbers: [UInt64: Topic] {
        let all = plan.queue.contents + plan.queue.inFlight + plan.queue.setAside
        return Dictionary(all.map { ($0.sequence, $0.topic) }) { $1 }
    }

    private mutating func check(since before: [UInt64: Topic]) {
        let all = plan.queue.contents + plan.queue.inFlight + plan.queue.setAside
        if Set(all.map(\.sequence)).count != all.count { fail("something is there twice") }
        let after = numbers
        for (number, topic) in before.sorted(by: { $0.key < $1.key }) where after[number] == nil {
            guard !dropped.contains(number) else { continue }
            if !acknowledged.contains(number) { fail("\(number) is lost") }
            if number < gone[topic, default: 0] { fail("\(number) is taken after what came later") }
            gone[topic] = number
        }
        if stored != Set(after.keys) { fail("stored is \(stored.sorted()), there is \(after.keys.sorted())") }
        for entry in all.map(\.topic)
        where all.filter({ $0.topic == entry }).contains(where: {
            $0.sequence < gone[entry, default: 0] && !$0.isSetAside && !dropped.contains($0.sequence)
        }) {
            fail("\(entry) was taken out of order")
        }
        switch plan.stage {
        case .waiting(let waiting, _):
            if plan.queue.isInFlight { fail("in flight although nothing is handed out") }
            if waiting == .idle, !plan.queue.isEmpty { fail("the life does not know") }
            if isNeverCompleted { fail("never completed") }
        case .signalled: if isNeverCompleted { fail("never completed") }
        case .delivering(let batch): if batch.delivery != awaited { fail("the life waits for another") }
        }
        var early = plan
        var effects: [FlushPlan.Effect] = []
        if let due = plan.nextDue {
            early.handle(.due, at: due + .seconds(-1), into: &effects)
            if early != plan { fail("tries again too early") }
        }
    }

    /// Whether the life waits for a flush of which it will never hear.
    private var isNeverCompleted: Bool { awaited != nil && !told.contains { $0 != .announced } }

    /// What is left when all goes well from here on: nothing, or why.
    func violationOnTheWayToRest() -> String? {
        var bench = self
        for _ in 0..<1000 {
            if let violation = bench.violation { return violation }
            let next = bench.happenings(topics: [], posts: 0).first { !$0.isTrouble }
            guard let next else {
                let isDone = bench.plan.queue.isEmpty && !bench.plan.queue.isInFlight && bench.awaited == nil
                return isDone ? nil : "stands still"
            }
            bench.happen(next)
        }
        return "goes on for ever"
    }
}

extension Delivery {
    /// A flush, under this id.
    init(_ id: UInt32) { self.init(id: id, callback: .didReceiveNotifications, inbound: nil, deadline: nil) }
}
