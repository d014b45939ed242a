import HostContract
import Lifecycle
import Notifications
import SupervisorPorts

/// The disk with the store of notifications: what is written waits, is committed in order, and is answered later; it fails as a whole, and
/// goes on with what waited.
///
/// It stands where `Recorder` and `Store` stand in the daemon, and keeps their promises; rows and SQLite have tests of their own.
final class WalkDisk {
    /// What is durable of a worker.
    struct Inbox {
        var entries: [UInt64: QueuedNotification] = [:]
        var known: [Topic: [UInt8]?] = [:]
        var last: UInt64 = 0
        var schedules: [UInt64: ScheduleBook.Entry] = [:]
    }

    private enum Write {
        case changes([NotificationQueue.Change])
        case schedule(ScheduleBook.Entry)
        case cancel(UInt64)
    }

    private struct Batch {
        let worker: String
        let write: Write
        var answer: ((String?) -> Void)?
    }

    private let machine: FakeHost
    private(set) var inboxes: [String: Inbox] = [:]
    private var waiting: [Batch] = []
    /// The answers to what is committed and was not told yet.
    private var untold: [(String?) -> Void] = []
    /// Why nothing can be written; nil when all is well.
    private(set) var problem: String?
    /// What was kept cannot be read yet.
    var isUnread = false
    /// How long a commit takes; asked for each.
    var delay: () -> TimeSpan = { .zero }
    /// Hears of what is left and committed, in words.
    var told: (String) -> Void = { _ in }
    /// How many supervisors have used it: answers to one that is dead are not given.
    private var user = 0

    init(_ machine: FakeHost) { self.machine = machine }

    /// Whether all that was left has been committed.
    var isSettled: Bool { waiting.isEmpty }

    // MARK: luck

    /// From now on nothing can be written; callers that wait are told so, and what they wait for stays in memory.
    func fail(_ problem: String) {
        // What was committed before is told before.
        tell(untold.count)
        self.problem = problem
        let answers = waiting.compactMap(\.answer)
        for index in waiting.indices { waiting[index].answer = nil }
        for answer in answers { answer(problem) }
    }

    /// It can be written again, with all that has waited.
    func mend() {
        problem = nil
        commit(waiting.count)
    }

    /// The user is killed: so many batches more have been committed, the rest is lost.
    func userKilled(committing count: Int) {
        user += 1
        untold = []
        if problem == nil { commit(min(count, waiting.count), answering: false) }
        waiting = []
    }

    var waitingCount: Int { waiting.count }

    // MARK: writing

    func keep(_ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?) {
        write(.changes(changes), of: worker, answer)
    }

    func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?) {
        write(.schedule(entry), of: worker, answer)
    }

    func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?) {
        write(.cancel(id), of: worker, answer)
    }

    private func write(_ write: Write, of worker: String, _ answer: ((String?) -> Void)?) {
        told("left for \(worker): \(write)\(answer == nil ? "" : ", awaited")")
        guard problem == nil else {
            waiting.append(Batch(worker: worker, write: write, answer: nil))
            answer?(problem)
            return
        }
        waiting.append(Batch(worker: worker, write: write, answer: answer))
        let user = user
        machine.schedule(at: machine.now + delay()) { [weak self] in
            guard let self, self.user == user, problem == nil else { return }
            commit(waiting.count)
        }
    }

    private func commit(_ count: Int, answering: Bool = true) {
        guard count > 0 else { return }
        let batches = waiting.prefix(count)
        told("\(count) batches are committed")
        waiting.removeFirst(count)
        for batch in batches { carryOut(batch) }
        guard answering else { return }
        let answers = batches.compactMap(\.answer)
        guard !answers.isEmpty else { return }
        // On the disk, and not told yet; what is committed later is told later.
        untold += answers
        let (user, count) = (user, answers.count)
        machine.schedule(at: machine.now + delay()) { [weak self] in
            if let self, self.user == user { tell(count) }
        }
    }

    /// Tells so many of what is committed.
    private func tell(_ count: Int) {
        let answers = untold.prefix(count)
        untold.removeFirst(answers.count)
        for answer in answers { answer(nil) }
    }

    private func carryOut(_ batch: Batch) {
        var inbox = inboxes[batch.worker] ?? Inbox()
        switch batch.write {
        case .changes(let changes):
            for change in changes {
                switch change {
                case .put(let entry):
                    inbox.entries[entry.sequence] = entry
                    inbox.last = max(inbox.last, entry.sequence)
                case .delete(let sequence): inbox.entries[sequence] = nil
                case .knows(let topic, let value): inbox.known[topic] = .some(value)
                case .forgets(let topic): inbox.known[topic] = nil
                }
            }
        case .schedule(let entry): inbox.schedules[entry.id] = entry
        case .cancel(let id): inbox.schedules[id] = nil
        }
        inboxes[batch.worker] = inbox
    }

    // MARK: reading

    /// All that is kept.
    var stored: [String: StoredInbox] {
        inboxes.mapValues {
            StoredInbox(
                entries: Array($0.entries.values), known: $0.known, lastSequence: $0.last,
                schedules: $0.schedules.values.sorted { $0.id < $1.id })
        }
    }
}

/// The disk as one supervisor sees it.
final class DiskPort: NotificationStore {
    private let disk: WalkDisk
    private let port: SupervisorPort

    init(_ disk: WalkDisk, _ port: SupervisorPort) {
        self.disk = disk
        self.port = port
    }

    var obstacle: String? { disk.problem ?? (disk.isUnread ? "cannot read the stored data" : nil) }

    func keep(_ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?) {
        port.act { disk.keep(changes, of: worker, then: answer) }
    }

    func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?) {
        port.act { disk.keep(entry, of: worker, then: answer) }
    }

    func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?) {
        port.act { disk.drop(schedule: id, of: worker, then: answer) }
    }
}

/// Saved state, on the same machine: kept after a while, or not.
final class WalkStates {
    private(set) var kept: [String: [UInt8]] = [:]
    private var handed: [String: [UInt8]] = [:]
    let machine: FakeHost
    var delay: () -> TimeSpan = { .zero }
    var fails: () -> Bool = { false }

    init(_ machine: FakeHost) { self.machine = machine }

    var names: Set<String> { Set(kept.keys) }

    fileprivate func save(_ bytes: [UInt8], for worker: String) { kept[worker] = bytes }
    fileprivate func forget(_ worker: String) { kept[worker] = nil }
    fileprivate func hand(to worker: String) -> Bool {
        handed[worker] = kept[worker]
        return handed[worker] != nil
    }
    fileprivate func takeBack(from worker: String) { handed[worker] = nil }
    fileprivate func handed(to worker: String) -> [UInt8]? { handed[worker] ?? kept[worker] }
}

/// Saved state as one supervisor sees it.
final class StatesPort: StateStore {
    private let states: WalkStates
    private let port: SupervisorPort

    init(_ states: WalkStates, _ port: SupervisorPort) {
        self.states = states
        self.port = port
    }

    private func later(_ body: @escaping () -> Void) {
        let port = port
        states.machine.schedule(at: states.machine.now + states.delay()) { if !port.isCut { port.act(body) } }
    }

    func save(
        _ bytes: [UInt8], for worker: String, owner: StateOwner?, version: String?,
        then answer: @escaping (String?) -> Void
    ) {
        later { [states] in
            if states.fails() { return answer("no space is left on the device") }
            states.save(bytes, for: worker)
            answer(nil)
        }
    }

    func forget(_ worker: String, then answer: @escaping (String?) -> Void) {
        later { [states] in
            states.forget(worker)
            answer(nil)
        }
    }

    func hand(to worker: String) -> HandedState? {
        guard !port.isCut, states.hand(to: worker) else { return nil }
        return HandedState(file: "/state/\(worker)", versionFile: "/state/\(worker).version")
    }

    func takeBack(from worker: String) { if !port.isCut { states.takeBack(from: worker) } }

    func load(_ worker: String, then answer: @escaping ([UInt8]?) -> Void) {
        later { [states] in answer(states.handed(to: worker)) }
    }

    func apply(_ fate: SavedStateFate, to worker: String) { if !port.isCut { states.forget(worker) } }
}
