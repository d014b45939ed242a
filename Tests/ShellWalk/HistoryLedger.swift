import DaemonCore
import History
import HostContract
import Lifecycle
import Records
import Store
import Supervisor
import SupervisorPorts

/// What has happened in the life of one supervisor, in its order: what the history may say of it, and has to.
struct HistoryLedger {
    /// An entry without the time, which depends on the clock of the day.
    struct Line: Hashable, CustomStringConvertible {
        let worker: String
        let kind: HistoryEntry.Kind
        let words: [String?]
        let numbers: [Int64?]

        init(_ entry: HistoryEntry) {
            (worker, kind) = (entry.worker, entry.kind)
            words = [entry.from, entry.to, entry.reason, entry.notTold]
            numbers = [entry.uid, entry.pid, entry.suspendedFor]
        }

        var description: String {
            "\(worker) \(kind) \(words.map { $0 ?? "-" }.joined(separator: " "))"
        }
    }

    /// What has happened and was not found on the disk yet.
    private(set) var open: [(line: Line, at: Instant)] = []
    private var lastHistory: Int64 = 0
    private var lastTermination: Int64 = 0
    /// The ends of processes that were told.
    private var ends: [(worker: String, pid: Int64)] = []
    /// How many rows were found.
    private(set) var rows = 0
    /// How many of what has happened a disk that took nothing had given up.
    private(set) var givenUp = 0

    mutating func happens(_ entry: HistoryEntry, at now: Instant) { open.append((Line(entry), now)) }

    mutating func ends(_ worker: String, pid: Int64) { ends.append((worker, pid)) }

    /// Compares what has come to the disk; answers what is wrong.
    mutating func compare(with disk: WalkDisk) -> [String] {
        let found = disk.rows(after: lastHistory, lastTermination)
        if let problem = found.problem { return ["the history cannot be read: \(problem)"] }
        var wrong: [String] = []
        var place = 0
        var told = 0
        let wereGivenUp = givenUp
        for row in found.history {
            lastHistory = row.id
            rows += 1
            if row.content.kind == .lost {
                let count = row.content.message?.prefix { $0.isNumber } ?? ""
                place += Int(count) ?? 0
                givenUp += Int(count) ?? 0
                continue
            }
            let line = Line(row.content)
            guard place < open.count, open[place].line == line else {
                let expected = place < open.count ? "\(open[place].line)" : "nothing"
                wrong.append("the history says \(line), and what happened there is \(expected)")
                break
            }
            place += 1
            if line.kind == .ended { told += 1 }
        }
        // Of one worker only the last fifty stay.
        if wrong.isEmpty, told < 50, givenUp == wereGivenUp, told != found.terminations.count {
            wrong.append(
                "the history has \(told) ends, and \(found.terminations.count) records of ends were added")
        }
        open.removeFirst(min(place, open.count))
        for row in found.terminations {
            lastTermination = row.id
            let (worker, pid) = (row.content.worker, row.content.pid)
            // Of one worker only the last fifty stay.
            guard let index = ends.firstIndex(where: { $0.worker == worker && $0.pid == pid }) else {
                wrong.append("the end of pid \(pid) of \(worker) is on the disk, twice or out of order")
                break
            }
            ends.removeFirst(index + 1)
        }
        return wrong
    }

    /// The life is over: what of it is not on the disk never will be.
    mutating func lifeEnds() { (open, ends) = ([], []) }
}

/// What must hold of the history.
extension Walk {
    /// The supervisor has ended: what it has written is what happened, in its order, and what happened long before its end is there.
    ///
    /// Of one that was replaced, and of one that is at rest on a disk that is well, all is there.
    func checkHistory(isWhole: Bool, isOver: Bool) {
        problems += history.compare(with: disk)
        trace(
            67, history.rows, history.open.count,
            "history: \(history.rows) rows, \(history.open.count) are not written")
        let patience = TimeSpan.seconds(30)
        for (line, at) in history.open {
            let isDue = at + patience < machine.now && max(disk.lastFailure + .seconds(65), lastStall) < at
            guard isWhole || isDue else { continue }
            problems.append("\(line) happened at \(at.microseconds), and the history does not have it")
            break
        }
        if isOver { history.lifeEnds() }
    }
}

/// Has what happens recorded, as `HistoryObserver` of the daemon.
final class RecordingPort: NoticeObserver {
    private unowned let walk: Walk
    private unowned let life: SupervisorLife

    init(_ walk: Walk, _ life: SupervisorLife) { (self.walk, self.life) = (walk, life) }

    func hear(_ notice: Notice, of id: WorkerID) {
        guard !life.port.isCut, let worker = walk.worker(id) else { return }
        life.recorder.record(notice, of: worker.name, at: life.supervisor.moment)
    }
}
