import Lifecycle
import Notifications

@testable import Simulation

/// Holds every promise to every step of a world, as the exploration of the model does to every step of one model.
struct Watcher {
    private var before: [WorkerLifecycle]
    private var launches: [Int]
    private var records: [Int]
    /// How many steps it has checked, for a message.
    private(set) var steps = 0

    init(_ world: World) {
        before = world.lives
        launches = Array(repeating: 0, count: world.lives.count)
        records = launches
    }

    /// The first promise that `step` breaks; nil when all hold.
    mutating func violation(_ step: Step, in world: World) -> String? {
        let worker = step.worker
        let after = world.lives[worker]
        defer { before[worker] = after }
        steps += 1
        if let violation = Invariants.violation(
            from: before[worker], by: step.event, to: after, step.effects)
        {
            return violation
        }
        for effect in step.effects {
            switch effect {
            case .launch: launches[worker] += 1
            case .record: records[worker] += 1
            default: break
            }
        }
        let isThere = after.currentLaunch != nil
        if launches[worker] != records[worker] + (isThere ? 1 : 0) {
            return "\(launches[worker]) launches left \(records[worker]) records"
        }
        if let late = after.deadlines.first(where: { $0.due < world.now }) {
            return "\(late.timer) was due at \(late.due) and it is \(world.now)"
        }
        return unboundedCallback(after) ?? misplannedFlush(world, worker)
    }

    /// What is handed out is what the life waits for, and nothing else is in flight.
    private func misplannedFlush(_ world: World, _ worker: Int) -> String? {
        let plan = world.flushPlans[worker]
        if let delivery = plan.delivery, !world.lives[worker].awaits(delivery) {
            return "nothing waits for the flush \(delivery)"
        }
        return plan.queue.isInFlight && !plan.isHandingOut
            ? "notifications are in flight without a flush" : nil
    }

    /// A callback in flight has a deadline, its own or that of what it belongs to, unless the worker sleeps.
    private func unboundedCallback(_ life: WorkerLifecycle) -> String? {
        guard let (callback, _) = life.callbackInFlight, life.state != .suspended else { return nil }
        let timers = life.deadlines.map(\.timer)
        let isBound = timers.contains(.callback) || timers.contains(.launch) || timers.contains(.ending)
        return isBound ? nil : "\(callback) may take for ever"
    }

    /// What is wrong with a world in which nothing is left to happen.
    func violationAtRest(_ world: World) -> String? {
        for (worker, life) in world.lives.enumerated() {
            let name = world.scenario.workers[worker].name
            if let violation = life.violationOnTheWayToRest(at: world.now) { return "\(name): \(violation)" }
        }
        return world.ranAway ? "it ran away" : nil
    }
}
