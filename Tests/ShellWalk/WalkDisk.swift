import DaemonCore
import HostContract
import Lifecycle
import Notifications
import Records
import Store
import Supervisor
import SupervisorPorts
import Systemd

/// The disk with the history and what is posted: one database, which real recorders write and read one after another.
///
/// It is full for a while, fails single commits, takes its time, and cannot be read at first.
final class WalkDisk {
    let machine: FakeHost
    let directory: String
    /// Why nothing can be written; nil when all is well.
    private(set) var fault: StoreError.Code?
    /// What was kept cannot be read.
    var isUnreadable = false
    /// When something failed last.
    private(set) var lastFailure = Instant.zero
    /// When a supervisor was told last of a failure: what came in between was answered with what had failed.
    var lastFailureTold = Instant.zero
    /// When something was committed last.
    private(set) var lastCommit = Instant.zero
    /// Whether what was left last may not be on it for that.
    private(set) var lastCommitFailed = false
    /// How long each step takes; asked for each.
    var delay: () -> TimeSpan = { .zero }
    /// Whether a commit fails although the disk is well.
    var hiccups: () -> Bool = { false }
    /// Hears that a commit has failed.
    var whenFailed: () -> Void = {}
    /// Hears of what becomes of commits, in words.
    var told: (String) -> Void = { _ in }
    private let reader: Store
    private let readerServer = StoreServer()

    static let bootID = "3c0a0e9a-0000-4000-8000-000000000001"

    /// A disk of its own in `directory`.
    init(_ machine: FakeHost, in directory: String) {
        self.machine = machine
        self.directory = directory
        var settings = Store.Settings(
            path: directory + "/torpor.db", retention: Retention(maxAge: nil, maxSize: 1 << 40),
            bootID: Self.bootID)
        settings.server = readerServer
        reader = Store(settings, deliver: { $0() }, report: { _ in })
    }

    deinit { readerServer.kill() }

    // MARK: luck

    /// From now on nothing can be written.
    func fail(_ code: StoreError.Code) {
        fault = code
        lastFailure = machine.now
    }

    /// It can be written again.
    func mend() {
        if fault != nil { lastFailure = machine.now }
        fault = nil
    }

    /// What becomes of the next step.
    func failure(_ step: StoreServer.DiskStep) -> StoreError? {
        let code: StoreError.Code?
        switch step {
        case .committing: code = fault ?? (hiccups() ? .busy : nil)
        case .reading: code = isUnreadable ? .failed : nil
        }
        if step == .committing { lastCommitFailed = code != nil }
        guard let code else {
            if step == .committing { lastCommit = machine.now }
            told("\(step)")
            return nil
        }
        lastFailure = machine.now
        if step == .committing { whenFailed() }
        told("\(step) fails: \(code)")
        return .simulated(code)
    }

    // MARK: what is on it

    /// What is committed of what was posted.
    func inboxes() throws(StoreError) -> [String: StoredInbox] {
        try reader.notifications().mapValues { StoredInbox($0) }
    }

    /// The rows of the history that come after row `id`, and those of ends of processes.
    func rows(
        after history: Int64, _ termination: Int64
    ) -> (history: [Stored<HistoryEntry>], terminations: [Stored<TerminationEntry>], problem: StoreError?) {
        // The thread that answers is this one.
        nonisolated(unsafe) var problem: StoreError?
        nonisolated(unsafe) var entries: [Stored<HistoryEntry>] = []
        nonisolated(unsafe) var ends: [Stored<TerminationEntry>] = []
        var before: Int64?
        while true {
            nonisolated(unsafe) var page: [Stored<HistoryEntry>] = []
            reader.history(Query(before: before, limit: 200)) {
                problem = problem ?? $0.problem
                page = $0.rows
            }
            readerServer.serve()
            entries = page.filter { $0.id > history } + entries
            guard let first = page.first, first.id > history else { break }
            before = first.id
        }
        reader.terminations(Query(limit: 400)) {
            problem = problem ?? $0.problem
            ends = $0.rows.filter { $0.id > termination }
        }
        readerServer.serve()
        return (entries, ends, problem)
    }
}

/// The recorder of one supervisor, with the real store and SQLite behind it, in virtual time.
final class LifeRecorder: @unchecked Sendable {
    // Unchecked: one thread walks.
    private let disk: WalkDisk
    private let port: SupervisorPort
    private let server = StoreServer()
    private var made: Recorder?
    private var services: UInt64 = 0
    private var servedAt: Instant?
    private var lastTold = Instant.zero

    var recorder: Recorder {
        guard let made else { preconditionFailure("a recorder is made with its life") }
        return made
    }

    init(_ disk: WalkDisk, _ port: SupervisorPort, on loop: EventLoop) {
        self.disk = disk
        self.port = port
        var tools = RecorderTools()
        let machine = disk.machine
        tools.monotonic = { machine.now.microseconds }
        tools.timer = { _, _, body in VirtualTimer(machine, port, body) }
        tools.deliver = { [weak self] in self?.deliver($0, $1) }
        tools.prepare = { [server] settings in
            settings.server = server
            settings.monotonic = { machine.now.microseconds }
            settings.backlogLimit.history = 256
            settings.backlogLimit.terminations = 64
            settings.rested = {}
        }
        server.failure = { [unowned disk] in disk.failure($0) }
        server.wanted = { [unowned self] in serveSoon() }
        made = Recorder(
            in: disk.directory, maxAge: nil, maxSize: 1 << 40, on: loop, bootID: WalkDisk.bootID, tools: tools
        )
    }

    /// The store's thread wakes, soon.
    private func serveSoon() {
        guard servedAt == nil || services == 0 else { return }
        serve(at: disk.machine.now + disk.delay())
    }

    private func serve(at due: Instant) {
        if let servedAt, servedAt <= due { return }
        services += 1
        servedAt = due
        let number = services
        disk.machine.schedule(at: due) { [weak self] in
            guard let self, services == number, !port.isCut else { return }
            servedAt = nil
            if let next = server.serve() {
                serve(at: max(Instant(microseconds: next), disk.machine.now + .milliseconds(1)))
            }
        }
    }

    /// What the store's thread has to say arrives on the loop after a while, in its order.
    private func deliver(_ loop: EventLoop, _ body: @escaping @Sendable () -> Void) {
        lastTold = max(lastTold, disk.machine.now + disk.delay())
        disk.machine.schedule(at: lastTold) { [port] in if !port.isCut { loop.call(body) } }
    }

    /// Its process is killed, or replaced; before that its thread may have come further.
    func kill(committing: Bool) {
        if committing { server.serve() }
        server.kill()
    }

    func dismantle() {
        server.kill()
        server.wanted = {}
        made = nil
    }
}

/// A timer of a recorder, in virtual time.
private final class VirtualTimer: RecorderTimer {
    private let machine: FakeHost
    private let port: SupervisorPort
    private let body: () -> Void
    private var number = 0

    init(_ machine: FakeHost, _ port: SupervisorPort, _ body: @escaping () -> Void) {
        (self.machine, self.port, self.body) = (machine, port, body)
    }

    func arm(at moment: Int64) {
        number += 1
        let armed = number
        machine.schedule(at: max(machine.now, Instant(microseconds: moment))) { [weak self] in
            guard let self, number == armed, !port.isCut else { return }
            body()
        }
    }
}

/// The recorder as one supervisor sees it: each call may be its last.
final class DiskPort: NotificationStore {
    /// Gone with its life.
    private weak var recorder: Recorder?
    private let port: SupervisorPort

    init(_ recorder: Recorder, _ port: SupervisorPort) {
        self.recorder = recorder
        self.port = port
    }

    var obstacle: String? { recorder?.obstacle }

    private func alive(_ answer: ((String?) -> Void)?) -> ((String?) -> Void)? {
        answer.map { answer in { [port] problem in if !port.isCut { answer(problem) } } }
    }

    func keep(_ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?) {
        port.act { recorder?.keep(changes, of: worker, then: alive(answer)) }
    }

    func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?) {
        port.act { recorder?.keep(entry, of: worker, then: alive(answer)) }
    }

    func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?) {
        port.act { recorder?.drop(schedule: id, of: worker, then: alive(answer)) }
    }
}
