internal import Lifecycle
internal import SupervisorPorts

/// What is to be done with the saved state of one worker: one step under way at the disk, and what waits for it.
///
/// Pure. However many states a worker saves while the disk is busy, one waits: the newest. A state that a newer one replaced is answered
/// when that is kept, since the newer one stands for both; so the caller knows that this state, or one that it saved later, is
/// on the disk.
struct StateLane<Answer> {
    /// A change of what is kept.
    enum Step: Hashable, Sendable {
        /// The worker, of this version where one is known, saves these bytes, readable by their owner.
        case save([UInt8], StateOwner?, version: String?)
        /// The worker saves that there is nothing.
        case forget
        /// The supervisor decides what becomes of what is kept.
        case apply(SavedStateFate)

        /// How many bytes it holds.
        var bytes: Int {
            switch self {
            case .save(let bytes, _, _): bytes.count
            case .forget, .apply: 0
            }
        }

        /// Whether the worker saves something.
        var isSave: Bool {
            switch self {
            case .save: true
            case .forget, .apply: false
            }
        }

        fileprivate var isFate: Bool {
            switch self {
            case .save, .forget: false
            case .apply: true
            }
        }
    }

    /// A step and what hears of its end.
    struct Job {
        var step: Step
        /// Hear what became of it.
        var answers: [Answer] = []
        /// Hear that their state is not kept: the supervisor has decided otherwise before it was written.
        var overruled: [Answer] = []
    }

    /// What waits for the step under way; each changes what is kept in another way than the one behind it.
    private(set) var waiting: [Job] = []
    /// Whether a step is under way.
    private(set) var isBusy = false
    /// Those that wait for the step under way alone.
    private var followers: [Answer] = []

    /// How many bytes wait.
    var waitingBytes: Int { waiting.reduce(0) { $0 + $1.step.bytes } }

    /// How many bytes would wait if `step` was added.
    func waitingBytes(with step: Step) -> Int {
        var other = self
        other.add(step)
        return other.isBusy ? other.waitingBytes : 0
    }

    /// Adds a step behind all others, in the place of those that it makes pointless.
    mutating func add(_ step: Step, _ answer: Answer? = nil) {
        var job = Job(step: step)
        switch step {
        case .save, .forget, .apply(.dropped), .apply(.consumed):
            // It replaces or removes what the one before it would have kept or removed.
            if let last = waiting.last, last.step != .apply(.setAside) {
                waiting.removeLast()
                job.take(last)
            }
        case .apply(.setAside):
            // What it moves goes in the place of what an earlier one has moved.
            if let earlier = waiting.firstIndex(where: { $0.step == step }) {
                for pointless in waiting[...earlier] { job.take(pointless) }
                waiting.removeFirst(earlier + 1)
            }
        }
        if let answer { job.answers.append(answer) }
        waiting.append(job)
    }

    /// Has `answer` called when all that is under way or waits now is done; false where nothing is.
    mutating func follow(_ answer: Answer) -> Bool {
        guard let last = waiting.indices.last else {
            followers += isBusy ? [answer] : []
            return isBusy
        }
        waiting[last].answers.append(answer)
        return true
    }

    /// The next step, where none is under way.
    mutating func next() -> Job? {
        guard !isBusy, !waiting.isEmpty else { return nil }
        isBusy = true
        return waiting.removeFirst()
    }

    /// The step under way is done; answers what else was to hear of that, and whether the supervisor has decided otherwise meanwhile.
    mutating func finished() -> (followers: [Answer], isOverruled: Bool) {
        isBusy = false
        defer { followers = [] }
        return (followers, waiting.first?.step.isFate ?? false)
    }
}

extension StateLane.Job: Sendable where Answer: Sendable {}

extension StateLane.Job {
    /// Stands for a step that it makes pointless, too.
    fileprivate mutating func take(_ other: Self) {
        overruled += other.overruled
        if step.isFate, !other.step.isFate { overruled += other.answers } else { answers += other.answers }
    }
}
