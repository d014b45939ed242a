import Lifecycle
import Notifications

/// What was promised of posts, and what has become of them: written by clients and by workers, without a look into the supervisor.
///
/// Each post of a topic of the rule `each` is known by its payload, a number; of the other topics it is known what the worker has to know
/// in the end.
struct PostLedger {
    /// How a post stands with the client that made it.
    enum Standing {
        /// No answer yet, or none for ever: its supervisor was killed.
        case unsure
        /// It was told that the post is kept.
        case kept
        /// It was told that the post is not kept.
        case refused
        /// An operator has removed it.
        case removed
    }

    struct Entry {
        let worker: String
        var standing = Standing.unsure
        var sequence: UInt64?
        /// Whether an answer that it is kept means that it is on the disk.
        var isCertain = true
        /// How often the worker has taken it.
        var taken = 0
        /// It is posted when its time comes, and once more where a supervisor is killed then.
        var isScheduled = false
        /// The worker has completed what it was handed with it.
        var isCompleted = false
        /// That it was taken is on the disk: it does not come again.
        var isOver = false
        /// When it was refused.
        var refusedAt: Instant?
    }

    struct Place: Hashable, Comparable {
        let worker: String
        let topic: String

        static func < (a: Place, b: Place) -> Bool { (a.worker, a.topic) < (b.worker, b.topic) }
    }

    /// Posts that are not over, by their numbers.
    private(set) var open: [Int: Entry] = [:]
    private var sequences: [String: [UInt64: Int]] = [:]
    /// What is wrong.
    private(set) var violations: [String] = []
    private(set) var acknowledged = 0
    private(set) var taken = 0
    private(set) var twice = 0
    /// Counts that were acknowledged and taken, by worker and topic.
    private(set) var counts: [Place: (kept: Int, taken: Int)] = [:]

    /// The number of a post by its payload: `7`, or `{"number":7}`.
    static func number(in payload: String) -> Int? { Int(payload.filter(\.isNumber)) }

    // MARK: clients

    mutating func posts(_ number: Int, to worker: String, isScheduled: Bool = false) {
        open[number] = Entry(worker: worker)
        open[number]?.isScheduled = isScheduled
    }

    /// What was scheduled for a worker and came due was not accepted, which is said in its log.
    mutating func letGoScheduled(of worker: String) {
        for (number, entry) in open where entry.isScheduled && entry.worker == worker && entry.taken == 0 {
            open[number]?.standing = .removed
        }
    }

    mutating func queued(_ number: Int, as sequence: UInt64?) {
        guard let sequence, let worker = open[number]?.worker else { return }
        open[number]?.sequence = sequence
        sequences[worker, default: [:]][sequence] = number
    }

    /// The supervisor is killed: what was refused since the last commit, or just before, may be on the disk.
    mutating func letRefusalsGo(after commit: Instant) {
        for (number, entry) in open where entry.standing == .refused {
            if let refusedAt = entry.refusedAt, refusedAt + .seconds(2) >= commit {
                open[number]?.standing = .removed
            }
        }
    }

    mutating func answered(_ number: Int, isKept: Bool, isCertain: Bool, at now: Instant? = nil) {
        guard let entry = open[number], entry.standing != .removed else { return }
        if entry.standing != .unsure {
            violations.append("post \(number) was answered twice")
        }
        if isKept, isCertain, entry.isCertain {
            acknowledged += 1
            open[number]?.standing = .kept
        } else if !isKept {
            open[number]?.standing = .refused
            open[number]?.refusedAt = now
            if entry.isCompleted {
                violations.append("post \(number) was refused, and the worker has taken it")
            }
        }
    }

    /// The disk fails: of what waits for an answer now it is not known where it will be.
    mutating func letUncertain() {
        for (number, entry) in open where entry.standing == .unsure { open[number]?.isCertain = false }
    }

    mutating func removed(_ sequence: UInt64, of worker: String) {
        if let number = sequences[worker]?[sequence] { removed(number) }
    }

    mutating func removed(_ number: Int) { open[number]?.standing = .removed }

    mutating func counted(_ place: Place) { counts[place, default: (0, 0)].kept += 1 }

    // MARK: workers

    /// The worker takes what a payload names.
    mutating func takes(_ number: Int, worker: String) {
        guard let entry = open[number] else {
            violations.append("\(worker) was given post \(number), which was never made, or is over")
            return
        }
        if entry.worker != worker { violations.append("\(worker) was given a post to \(entry.worker)") }
        if entry.isOver, !entry.isScheduled {
            violations.append("\(worker) was given post \(number) after its removal was kept")
        }
        if entry.standing == .refused {
            violations.append("\(worker) was given post \(number), which was refused")
        }
        open[number]?.taken += 1
        taken += 1
        if entry.taken > 0 { twice += 1 }
    }

    mutating func takes(count: Int, at place: Place) { counts[place, default: (0, 0)].taken += count }

    /// The worker has completed what it was handed with these.
    mutating func completed(_ numbers: [Int]) { for number in numbers { open[number]?.isCompleted = true } }

    /// That these were taken is on the disk.
    mutating func isOver(_ numbers: [Int]) { for number in numbers { open[number]?.isOver = true } }

    /// Forgets what nothing can be said of any more.
    mutating func forgetOld(before number: Int) {
        for (key, entry) in open where key < number && (entry.isOver || entry.standing == .removed) {
            // What comes of it again is a violation all the same: it is not known.
            open[key] = nil
            if let sequence = entry.sequence { sequences[entry.worker]?[sequence] = nil }
        }
    }

    /// Those that were promised and that no worker has taken.
    var owed: [(number: Int, entry: Entry)] {
        open.filter { $0.value.standing == .kept && $0.value.taken == 0 }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    mutating func violate(_ words: String) { violations.append(words) }
}
