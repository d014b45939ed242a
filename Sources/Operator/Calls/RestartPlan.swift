public import ControlAPI

/// The workers that a restart has ended with the one that was meant, and how they are brought back to where they were.
public struct RestartPlan: Hashable, Sendable {
    /// Those that were in the background or asleep: they are launched first, so that no other launch brings them further.
    public let behind: [String]
    /// Those that were in the foreground.
    public let inFront: [String]
    /// Those of `behind` that are put to sleep at last.
    public let asleep: [String]

    /// A plan by the three lists.
    public init(behind: [String] = [], inFront: [String] = [], asleep: [String] = []) {
        self.behind = behind
        self.inFront = inFront
        self.asleep = asleep
    }

    /// Whether nothing but the worker itself was ended.
    public var isEmpty: Bool { behind.isEmpty && inFront.isEmpty }

    /// The workers besides `name` that ran before and are wanted to rest now: the restart may have ended them.
    public static func candidates(
        restarting name: String, before: [SupervisorInterface.WorkerSummary],
        after: [SupervisorInterface.WorkerSummary]
    ) -> [String] {
        let running = Set(before.filter { $0.state != .notRunning }.map(\.name))
        return after.filter { $0.name != name && running.contains($0.name) && $0.goal == .notRunning }.map(
            \.name)
    }

    /// Of the candidates as they stand now those that the caller has ended that has ended the worker, and where they were before.
    public init(
        endedBy caller: SupervisorInterface.Caller?, _ candidates: [SupervisorInterface.WorkerStatus],
        before: [SupervisorInterface.WorkerSummary]
    ) {
        let states = Dictionary(before.map { ($0.name, $0.state) }, uniquingKeysWith: { first, _ in first })
        // One without a file is forgotten when it ends.
        let ended = candidates.filter { caller != nil && $0.goalBy == caller && !$0.files.isEmpty }
        func all(in wanted: Set<SupervisorInterface.State>) -> [String] {
            ended.map(\.name).filter { states[$0].map(wanted.contains) ?? false }.sorted()
        }
        self.init(
            behind: all(in: [.background, .suspended]), inFront: all(in: [.active, .inactive]),
            asleep: all(in: [.suspended]))
    }
}
