// The snippets of the article "A life in a few lines", word for word between their marks; a test compares them.

// snippet: live
import Lifecycle

/// The states that the worker passes through after `event`.
func live(_ life: inout WorkerLifecycle, through event: Event, at now: Instant) -> [State] {
    var states: [State] = []
    var events = [event]
    while !events.isEmpty {
        for effect in life.handle(events.removeFirst(), at: now) {
            switch effect {
            case .launch: events.append(.launched(pid: 4711))
            case .deliver(let delivery): events.append(.completed(id: delivery.id, .done))
            case .freeze: events.append(.frozen)
            case .thaw: events.append(.thawed)
            case .stop: events.append(.exited(.exited(0), oomKilled: false))
            case .publish(let transition): states.append(transition.to)
            default: break
            }
        }
    }
    return states
}
// end

enum ArticleExample {
    static func states() -> [State] {
        // snippet: print
        var life = WorkerLifecycle(policy: Policy())
        var states = live(&life, through: .requested(Request(.active, by: .supervisor)), at: .zero)
        states += live(&life, through: .requested(Request(.suspended, by: .idle)), at: .zero + .seconds(60))
        states += live(&life, through: .requested(Request(.notRunning, by: .idle)), at: .zero + .seconds(90))
        print(states)  // [inactive, active, inactive, background, suspended, notRunning]
        // end
        return states
    }
}
