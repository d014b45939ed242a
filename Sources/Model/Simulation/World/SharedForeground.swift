internal import ConfigurationSyntax
internal import Foreground
package import Lifecycle
internal import WorkerFile

/// `ForegroundGroup=` (1.7): of the workers of a group one is in the foreground at most.
package struct SharedForeground: Coordinator {
    private var groups: [String: ForegroundGroup<Int>] = [:]
    private let names: [String?]
    private var eligibilities: [ForegroundEligibility?]

    /// The groups of `workers`; nil where nobody belongs to one.
    package init?(_ workers: [Scenario.Worker]) {
        names = workers.map { $0.definition.foreground.group?.text }
        guard names.contains(where: { $0 != nil }) else { return nil }
        eligibilities = Array(repeating: nil, count: workers.count)
        // Everybody belongs to its group before anything happens: who comes late would not know that it is taken.
        for (index, name) in names.enumerated() {
            let eligibility = ForegroundEligibility(wants: false, isInForeground: false, isReady: false)
            if let name { _ = groups[name, default: .init()].update(index, eligibility) }
        }
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
        guard let name = names[worker] else { return [] }
        let eligibility = lives[worker].foregroundEligibility
        guard eligibilities[worker] != eligibility else { return [] }
        eligibilities[worker] = eligibility
        return groups[name, default: .init()].update(worker, eligibility).map { $0.event }
    }
}
