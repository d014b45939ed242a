import Lifecycle
import Testing
import WorkerFile

@testable import Simulation

@Suite struct `Worlds` {
    @Test func `hand what is due over in order, and in the order of entering at one moment`() {
        var agenda = Agenda<Int>()
        var random = Simulation.SplitMix64(seed: 1)
        for number in 0..<2000 {
            agenda.enter(number, at: .zero + .seconds(Int64.random(in: 0..<100, using: &random)))
        }
        var last = (due: Instant.zero, item: -1)
        var count = 0
        while let entry = agenda.popFirst() {
            #expect(entry.due > last.due || (entry.due == last.due && entry.item > last.item))
            last = entry
            count += 1
        }
        #expect(count == 2000)
    }

    @Test func `let things come by chance, as often as they are said to`() {
        var random = Simulation.SplitMix64(seed: 3)
        let waits = (0..<20_000).map { _ in random.wait(mean: .seconds(60)).microseconds }
        let mean = Double(waits.reduce(0, +)) / Double(waits.count) / 1e6
        #expect(abs(mean - 60) < 1.5)
        // Of an exponential distribution 1/e is longer than the mean.
        let longer = Double(waits.count { $0 > 60_000_000 }) / Double(waits.count)
        #expect(abs(longer - 0.3679) < 0.02)
    }

    @Test func `last as long as they are said to, or until nothing is left`() throws {
        let worker = "[Worker web]\nType=simple\n[Events]\nAt=1h web launch\n"
        var open = World(try Scenario.reading(worker))
        _ = open.run()
        #expect(open.now == .zero + .seconds(3600) + .milliseconds(1))
        var bounded = World(try Scenario.reading("[Scenario]\nDurationSec=30min\n" + worker))
        #expect(bounded.run().isEmpty)
        #expect(bounded.now == .zero + .seconds(1800))
    }

    @Test func `launch at boot what says so`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker front]
            Launch=boot
            [Worker back]
            Launch=boot-background
            [Worker warm]
            Launch=prelaunch
            [Worker later]
            Launch=on-demand
            """)
        var world = World(scenario)
        _ = world.run()
        #expect(world.lives.map(\.state) == [.active, .background, .suspended, .notRunning])
    }

    @Test func `put no job to sleep that a wake began, until it is quiet or has had its time`() throws {
        let lives = [
            ("3s", TimeSpan.milliseconds(4000)), ("infinity", .seconds(30)), ("0", .milliseconds(500)),
        ]
        for (busy, asleep) in lives {
            let scenario = try Scenario.reading(
                """
                [Worker job]
                Type=simple
                [Background job]
                Modes=path
                [Program job]
                BusySec=\(busy)
                LaunchSec=0
                FreezeSec=0
                [Events]
                At=0 job path
                """)
            var world = World(scenario)
            let frozen = world.run().first { $0.effects.contains(.freeze) }?.at
            #expect(
                frozen.map { abs(($0 - .zero - asleep).microseconds) <= 500_000 } == true,
                "\(busy): \(String(describing: frozen))")
            #expect(world.lives[0].state == .suspended)
        }
    }

    @Test func `give a launch that takes too long up`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker web]
            TimeoutStartSec=10
            [Program web]
            LaunchSec=1h
            [Events]
            At=0 web launch
            At=1min web launch
            At=62s web terminate
            At=2min web launch
            At=122s web kill
            """)
        var world = World(scenario)
        let steps = world.run()
        #expect(steps.records().map(\.cause) == [.launchFailed, .stopped, .forceQuit])
        let kills = steps.filter { $0.effects.contains(.kill) }.map(\.at)
        // What is asked to stop before it has a process comes up first, if it can in its time.
        #expect(kills == [10, 70, 122].map { .zero + .seconds($0) })
    }

    @Test func `move every deadline by a stall of our own`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker web]
            Type=notify
            TimeoutStartSec=10
            [Program web]
            ReadySec=2min
            [Events]
            At=0 web launch
            At=5s stall 100s
            """)
        var world = World(scenario)
        let steps = world.run()
        #expect(steps.records().map(\.cause) == [.watchdog])
        // Ten seconds of its own, and the stall.
        #expect(steps.first { $0.effects.contains(.kill) }?.at == .zero + .seconds(110) + .milliseconds(1))
    }

    @Test func `put deadlines off while a debugger is attached`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker app]
            Type=app
            [Program app]
            DidBecomeActiveSec=infinity
            [Events]
            At=0 app launch
            At=1s app debug 1h
            """)
        var world = World(scenario)
        let end = try #require(world.run().records().first)
        #expect(end.cause == .watchdog)
        #expect(end.at > .zero + .seconds(3600))
    }

    @Test func `end what a process had open when it ends`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker web]
            Restart=on-failure
            [Foreground web]
            IdleSec=10s
            [Events]
            At=0 web connect 1h
            At=1min web crash
            At=2min web connect 1h
            """)
        var world = World(scenario)
        let steps = world.run()
        let uses = steps.compactMap { step -> (Instant, Bool)? in
            if case .used(let inUse) = step.event { (step.at, inUse) } else { nil }
        }
        #expect(uses.map(\.1) == [true, false, true, false])
        #expect(uses.map(\.0) == [0, 60, 120, 3720].map { .zero + .seconds($0) })
    }

    @Test func `are given up when they go on and on at no time`() throws {
        let scenario = try Scenario.reading(
            """
            [Scenario]
            DurationSec=1d
            [Worker web]
            Restart=always
            RestartSec=0
            StartLimitIntervalSec=0
            Launch=boot
            [Program web]
            LaunchSec=0
            LifeSec=0
            """)
        var world = World(scenario, mostSteps: 1000)
        while world.next() != nil {}
        #expect(world.ranAway)
    }

    @Test func `count what a life came to`() throws {
        var world = World(
            try Scenario.reading(
                """
                [Worker app]
                Type=app
                [Program app]
                ReadySec=1s
                CallbackSec=0
                [Events]
                At=0 app launch
                At=11s app suspend
                At=21s app kill
                """))
        var tally = Tally()
        while let step = world.next() { tally.count(step.effects, at: step.at) }
        tally.finish(at: world.now)
        #expect(tally.launches == 1 && tally.kills == 1 && tally.ends == [.forceQuit: 1])
        #expect(tally[.active] == .seconds(10) - .milliseconds(1) && tally.told == 7)
        #expect((tally + tally).told == 14)
        #expect(tally.times.values.reduce(.zero, +) == world.now - .zero)
    }
}

/// Of all workers at most one is active: the next one waits until the one before has left.
private struct OneActive: Coordinator {
    var waiting: (worker: Int, event: Event)?

    mutating func events(
        for event: Event, to worker: Int, among lives: [WorkerLifecycle], at now: Instant
    ) -> [(worker: Int, event: Event)] {
        guard case .requested(let request) = event, request.goal == .active,
            let other = lives.indices.first(where: { $0 != worker && lives[$0].goal == .active })
        else { return [(worker, event)] }
        waiting = (worker, event)
        return [(other, .requested(Request(.suspended, by: .handOver)))]
    }

    mutating func events(
        after event: Event, of worker: Int, _ effects: [Effect], among lives: [WorkerLifecycle],
        at now: Instant
    ) -> [(worker: Int, event: Event)] {
        guard let next = waiting, !lives.contains(where: { $0.state.isForeground }) else { return [] }
        waiting = nil
        return [next]
    }
}

@Suite struct `Coordinators` {
    @Test func `hand an exclusive foreground over`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker game@]
            Instances=3
            Type=app
            [Foreground game@]
            ForegroundGroup=games
            [Events]
            At=0 game@1 launch
            At=10s game@2 launch
            At=20s game@3 launch
            At=30s game@1 activate
            """)
        var world = World(scenario)
        var most = 0
        while world.next() != nil {
            most = max(most, world.lives.count { $0.state.isForeground })
        }
        #expect(most == 1)
        #expect(world.lives.map(\.state) == [.active, .suspended, .suspended])
    }

    @Test func `decide over several workers at once`() throws {
        let scenario = try Scenario.reading(
            """
            [Worker game@]
            Instances=3
            Type=app
            [Events]
            At=0 game@1 launch
            At=10s game@2 launch
            At=20s game@3 launch
            At=30s game@1 activate
            """)
        var world = World(scenario, coordinator: OneActive())
        var most = 0
        while world.next() != nil {
            most = max(most, world.lives.count { $0.state.isForeground })
        }
        #expect(most == 1)
        #expect(world.lives.map(\.state) == [.active, .suspended, .suspended])
    }
}
