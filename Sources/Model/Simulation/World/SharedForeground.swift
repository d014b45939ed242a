internal import ConfigurationSyntax
internal import Foreground
package import Lifecycle
internal import WorkerFile

/// `ForegroundGroup=`: of the workers of a group one is in the foreground at most.
package struct SharedForeground: Coordinator {
    private var groups = ForegroundGroups<Int>()

    /// The groups of `workers`; nil where none belongs to one.
    package init?(_ workers: [Scenario.Worker]) {
        // All belong to their groups before anything happens: one that came late would not know that it is taken.
        for (index, worker) in workers.enumerated() {
            _ = groups.join(
                index, worker.definition.foreground.group?.text,
                ForegroundEligibility(wants: false, isInForeground: false, isReady: false))
        }
        if groups.isEmpty { return nil }
    }

    /// That event alone.
    package mutating func events(
        for event: Event, to worker: Int, among lives: [WorkerLifecycle], at now: Instant
    ) -> [(worker: Int, event: Event)] {
        [(worker, event)]
    }

    /// What others of the group hear of it.
    package mutating func events(
        after event: Event, of worker: Int, _ effects: [Effect], among lives: [WorkerLifecycle],
        at now: Instant
    ) -> [(worker: Int, event: Event)] {
        groups.settle(worker, lives[worker].foregroundEligibility, after: event).map { $0.event }
    }
}
