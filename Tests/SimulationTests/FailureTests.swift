import Lifecycle
import Testing
import WorkerFile

@testable import Simulation

/// A failure at every step of a life, one at a time: whatever goes wrong wherever, every promise holds.
@Suite struct `A failure at every step` {
    @Test(arguments: ReferenceLife.workers.indices)
    func `of a life without one, which passes through everything`(
        _ worker: Int
    ) throws {
        var world = World(try ReferenceLife.scenario(worker))
        var watcher = Watcher(world)
        var states: Set<State> = []
        while let step = world.next() {
            #expect(watcher.violation(step, in: world) == nil)
            states.insert(world.lives[0].state)
        }
        #expect(watcher.violationAtRest(world) == nil)
        #expect(states == Set(State.allCases))
        #expect(watcher.steps > 50)
    }

    @Test(arguments: ReferenceLife.workers.indices) func `is recorded wherever it comes`(_ worker: Int) throws
    {
        let scenario = try ReferenceLife.scenario(worker)
        var reference = World(scenario)
        let count = reference.run().count
        var ended = 0
        for index in 0..<count {
            var world = World(scenario)
            for _ in 0...index { _ = world.next() }
            let life = world.lives[0]
            guard life.pid != nil else { continue }
            world.perform(.ends(.crash), on: 0)
            let record = world.run().records().first
            #expect(record?.incarnation == life.currentIncarnation, "at step \(index)")
            #expect(record?.state == life.state || life.isEnding || life.state == .suspended)
            ended += 1
        }
        #expect(ended > count / 2)
    }

    @Test(.timeLimit(.minutes(60)), arguments: ReferenceLife.workers.indices, Failure.all.indices)
    func `breaks no promise`(_ worker: Int, _ failure: Int) throws {
        let (scenario, failure) = (try ReferenceLife.scenario(worker), Failure.all[failure])
        var reference = World(scenario)
        let moments = reference.run().map(\.at)
        for index in moments.indices {
            var disturbed = scenario
            disturbed.events += failure.later.map { after, action in
                ScheduledEvent(
                    timing: .at((moments[index] + after) - .zero), workers: [0], action: action, line: 0)
            }
            if let violation = violation(World(disturbed), failure, at: index) {
                Issue.record(
                    "\(ReferenceLife.workers[worker].name), \(failure.name) at step \(index): \(violation)")
                return
            }
        }
    }

    private func violation(_ start: World, _ failure: Failure, at index: Int) -> String? {
        var world = start
        var watcher = Watcher(world)
        while let step = world.next() {
            if let violation = watcher.violation(step, in: world) { return "\(violation)\nin \(step)" }
            guard watcher.steps == index + 1 else { continue }
            for action in failure.now {
                if case .stalls(let span) = action {
                    world.stall(for: span)
                } else {
                    world.perform(action, on: 0)
                }
            }
        }
        return failure.isImmortal ? nil : watcher.violationAtRest(world)
    }
}

@Suite struct `Random worlds` {
    /// Everything that programs, users and a machine might do to each other.
    static let scenario = """
        [Scenario]
        DurationSec=12h
        [Worker app@]
        Type=app
        Instances=3
        Restart=on-failure
        WatchdogSec=1min
        [Background app@]
        TaskLimitSec=2min
        HeldLocks=kill
        [Program app@]
        LatenessSec=3s
        Doubled=20
        FailingFreezes=10
        FailingLaunches=5
        TaskSec=20s
        [Worker daemon@]
        Type=notify
        Instances=3
        Restart=always
        [Foreground daemon@]
        IdleSec=1min
        [Callbacks daemon@]
        DidEnterBackground=exec:/bin/save
        [Program daemon@]
        LatenessSec=20ms
        LifeSec=1h
        [Events]
        Random=5min * connect 1s..5min
        Random=7min * url
        Random=10min * suspend
        Random=20min * fetch
        Random=20min * background
        Random=20min * post
        Random=30min * interrupt 1s..10min
        Random=30min * stop
        Random=15min * continue
        Random=40min * evict 2s
        Random=1h * crash
        Random=1h * kill
        Random=1h * terminate
        Random=1h * reload 1s..2min
        Random=1h * task 1s..10min
        Random=1h * announce didReceiveMemoryWarning
        Random=2h * behave CallbackSec=infinity
        Random=30min * behave CallbackSec=10ms
        Random=3h * debug 1min..10min
        Random=2h * stopping
        Random=2h * exceed-cpu
        Random=4h stall 5min
        """

    @Test(.timeLimit(.minutes(60)), arguments: 0..<12)
    func `keep every promise`(_ seed: Int) throws {
        var scenario = try Scenario.reading(Self.scenario)
        scenario.settings.seed = seed
        var world = World(scenario)
        var watcher = Watcher(world)
        while let step = world.next() {
            if let violation = watcher.violation(step, in: world) {
                Issue.record("seed \(seed): \(violation)\nat step \(watcher.steps), \(step)")
                return
            }
        }
        #expect(watcher.steps > 5000)
    }

    @Test func `are the same for the same seed, and others for another`() throws {
        var scenario = try Scenario.reading(Self.scenario)
        func lives(_ seed: Int) -> String {
            scenario.settings.seed = seed
            var world = World(scenario)
            return world.run().printed(scenario)
        }
        let first = lives(1)
        #expect(first == lives(1))
        #expect(first != lives(2))
    }
}
