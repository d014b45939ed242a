import HostContract
import Launching
import Lifecycle
import Linux
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// Architecture, rule 4: every change goes through one named, ordered list.
@Suite struct `What observes a worker` {
    private final class Heard: @unchecked Sendable {
        var names: [String] = []
    }

    private struct RecordedChange: LifecycleObserver {
        let base: any LifecycleObserver
        let heard: Heard

        func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
            heard.names.append("\(type(of: base))")
            base.changed(worker, by: transition, in: supervisor)
        }
    }

    private struct RecordedTurn: TurnObserver {
        let base: any TurnObserver
        let heard: Heard

        func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
            heard.names.append("\(type(of: base))")
            base.handled(event, of: worker, in: supervisor)
        }
    }

    private final class MemoryHeard: MemoryObserver {
        let heard: Heard

        init(_ heard: Heard) { self.heard = heard }

        func hear(_ fact: MemoryFact, of worker: WorkerID) {}
        func hear(_ change: Supervisor.EligibilityChange) { heard.names.append("eligibility") }
    }

    private final class Placed: NoticeObserver {
        let place: ObserverPlace
        let interest: NoticeKinds
        let heard: Heard

        init(_ place: ObserverPlace, _ heard: Heard, _ interest: NoticeKinds = .all) {
            (self.place, self.interest, self.heard) = (place, interest, heard)
        }

        func hear(_ notice: Notice, of worker: WorkerID) {
            if case .changed = notice { heard.names.append("\(place)") }
        }
    }

    private static let ofChanges = [
        "WorkerFigures", "OutputSnapshots", "GroupSettings", "Reattachment", "CommandsAfterThaw",
        "HookFailures", "InterruptedNotifications", "RecordedTopicStates", "MemoryOfState", "NoticeObservers",
        "EvictionEligibilities", "Dependents",
    ]
    private static let ofTurns = [
        "Deliveries", "Budgets", "UnwantedLaunches", "ForegroundFollowers", "Requests", "RequiredWorkers",
        "Waiters",
    ]

    @Test func `hears of each change in the order of the list`() throws {
        let world = try World()
        let heard = Heard()
        world.supervisor.lifecycleObservers = Supervisor.lifecycleObservers.map {
            RecordedChange(base: $0, heard: heard)
        }
        let worker = world.active("sleeper")
        world.request(.suspended, of: worker)
        world.host.run { world.state(of: worker) == .suspended }
        let changes = world.path(of: worker).count
        #expect(changes >= 3)
        #expect(heard.names == Array(repeating: Self.ofChanges, count: changes).flatMap(\.self))
    }

    @Test func `hears of each handled event in the order of the list`() throws {
        let world = try World()
        let heard = Heard()
        world.supervisor.turnObservers = Supervisor.turnObservers.map {
            RecordedTurn(base: $0, heard: heard)
        }
        let worker = world.active("sleeper")
        let events = heard.names.count / Self.ofTurns.count
        #expect(events > 1 && world.state(of: worker) == .active)
        #expect(heard.names == Array(repeating: Self.ofTurns, count: events).flatMap(\.self))
    }

    @Test func `beyond the core hears in the order of the places, whoever comes first`() throws {
        let world = try World()
        let heard = Heard()
        let observers = ObserverPlace.allCases.reversed().map { Placed($0, heard) }
        for observer in observers { world.supervisor.observe(as: observer.place, observer) }
        let worker = world.active("sleeper")
        let names = [
            "clients", "systemSubscriptions", "serviceManager", "log", "history", "metrics", "heldSockets",
            "relays", "transfers", "fetches", "processing",
            "departures", "priorities", "backgroundCPU", "memoryPressure", "session",
        ]
        let changes = world.path(of: worker).count
        #expect(heard.names == Array(repeating: names, count: changes).flatMap(\.self))
        // One that is gone is not told of anything.
        withExtendedLifetime(observers) {}
    }

    @Test func `beyond the core hears the kinds alone that it acts upon`() throws {
        let world = try World()
        let heard = Heard()
        let observers = [
            Placed(.log, heard, NoticeKinds.all.subtracting(.changes)), Placed(.history, heard, .changes),
        ]
        for observer in observers { world.supervisor.observe(as: observer.place, observer) }
        let worker = world.active("sleeper")
        #expect(heard.names == Array(repeating: "history", count: world.path(of: worker).count))
        withExtendedLifetime(observers) {}
    }

    @Test func `finds the worker's figures and memory limits as they are in the new state`() throws {
        let world = try World()
        let heard = Heard()
        let worker = world.add("sleeper")
        let configuration = WorkerConfiguration(name: "sleeper", policy: Policy()) { _ in
            LaunchRequest("sleeper", environment: Environment())
        }
        configuration.memory.backgroundHigh = 1
        world.supervisor.update(worker, to: configuration)
        world.reaction = { [unowned world] worker, notice in
            guard case .changed(let transition) = notice else { return }
            #expect(world.supervisor.view(of: worker)?.since == transition.at)
            let isLimited = world.host.calls.contains(.limitMemory(worker, MemoryLimits(high: 1)))
            heard.names.append("\(transition.to)\(isLimited ? ", limited" : "")")
        }
        let memory = MemoryHeard(heard)
        world.supervisor.observeMemory(memory)
        world.request(.active, of: worker)
        world.host.run { world.state(of: worker) == .active }
        world.request(.background, of: worker)
        world.host.run { world.state(of: worker) == .background }
        // The policy of memory hears after all others of what a change means for it.
        #expect(heard.names.first == "inactive" && heard.names.dropFirst().first == "eligibility")
        withExtendedLifetime(memory) {}
        #expect(heard.names.contains("background, limited") && !heard.names.contains("background"))
    }
}
