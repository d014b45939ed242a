/// The activities that were brought to the workers of one supervisor, by the ids of their handoffs.
///
/// A caller whose answer was lost asks again: the activity is not given a second time, and the answer is the same.
package struct TakingPlan: Hashable, Sendable {
    /// What is known of a handoff.
    private enum Entry: Hashable, Sendable {
        /// The worker has it and has not answered.
        case pending(worker: String)
        /// The worker has taken it.
        case taken(worker: String)
        /// The worker has not, for this reason.
        case refused(worker: String, String)
    }

    /// What is to be done with an activity that is brought.
    package enum Arrival: Hashable, Sendable {
        /// It is new: it is to be given to the worker.
        case new
        /// It is with this worker: its answer is to be waited for.
        case pending(worker: String)
        /// This worker has taken it before.
        case taken(worker: String)
        /// This worker has refused it before, for this reason.
        case refused(worker: String, String)
        /// There are too many whose workers have not answered.
        case full
    }

    /// How many are remembered.
    package static let most = 256

    private var entries: [String: Entry] = [:]
    /// The ids of those whose workers have answered, the oldest first.
    private var settled: [String] = []

    /// None.
    package init() {}

    /// How many are remembered.
    package var count: Int { entries.count }

    /// Whether one of that id is with its worker.
    package func isPending(_ id: String) -> Bool { if case .pending = entries[id] { true } else { false } }

    /// An activity was brought for `worker`.
    package mutating func arrived(_ id: String, for worker: String) -> Arrival {
        switch entries[id] {
        case .pending(let worker): return .pending(worker: worker)
        case .taken(let worker): return .taken(worker: worker)
        case .refused(let worker, let why): return .refused(worker: worker, why)
        case nil: break
        }
        if entries.count >= Self.most {
            guard let oldest = settled.first else { return .full }
            settled.removeFirst()
            entries[oldest] = nil
        }
        entries[id] = .pending(worker: worker)
        return .new
    }

    /// The worker of a handoff has taken the activity, or has not for the reason `refusal`; that is the answer from now on.
    package mutating func settle(_ id: String, refusal: String?) {
        guard case .pending(let worker) = entries[id] else { return }
        entries[id] = refusal.map { .refused(worker: worker, $0) } ?? .taken(worker: worker)
        settled.append(id)
    }
}
