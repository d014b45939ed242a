internal import Records

/// Questions that wait for the store, bounded in number for each asker and together, one of each asker in turn.
///
/// Pure. A user that asks without end waits for itself: a question of another is answered after one more of each.
struct QuestionQueue<Question> {
    /// How many may wait.
    struct Limits: Hashable {
        /// Of one user.
        var user = 4
        /// Of all users together.
        var users = 32
        /// Of one privileged user.
        var privileged = 16
        /// Of all privileged users together.
        var allPrivileged = 64
    }

    private let limits: Limits
    private var lanes: [Asker: [Question]] = [:]
    /// The askers with waiting questions, in the order of their turns.
    private var turns: [Asker] = []
    private var users = 0
    private var privileged = 0

    /// Nothing waits.
    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    var isEmpty: Bool { turns.isEmpty }

    /// Adds a question; false where its asker, or all of its kind, have enough that wait.
    mutating func add(_ question: Question, by asker: Asker) -> Bool {
        let own = lanes[asker]?.count ?? 0
        switch asker {
        case .ourselves: break
        case .privileged:
            guard own < limits.privileged, privileged < limits.allPrivileged else { return false }
            privileged += 1
        case .user:
            guard own < limits.user, users < limits.users else { return false }
            users += 1
        }
        if own == 0 { turns.append(asker) }
        lanes[asker, default: []].append(question)
        return true
    }

    /// The question whose turn it is.
    mutating func next() -> Question? {
        guard let asker = turns.first, var lane = lanes.removeValue(forKey: asker), !lane.isEmpty else {
            return nil
        }
        turns.removeFirst()
        let question = lane.removeFirst()
        if !lane.isEmpty {
            lanes[asker] = lane
            turns.append(asker)
        }
        switch asker {
        case .ourselves: break
        case .privileged: privileged -= 1
        case .user: users -= 1
        }
        return question
    }
}
