import ConfigurationSyntax
import HostContract
import Launching
import Lifecycle
import Linux
import Pressure
import TestSupport
import Testing
import WorkerFile

@testable import History
@testable import MemoryPressureShell
@testable import Supervisor
@testable import SupervisorPorts

/// A machine of figures that a test sets; its timers run out when the test says so.
private final class FakePressureMachine: PressureMachine {
    let host: FakeHost
    weak var observer: (any PressureEventObserver)?
    var support: (kind: PressureSupport, sentence: String) = (.unified, "a test")
    var memory = MachineMemory(total: 1000 << 20, available: 600 << 20)
    private(set) var heard: [PressureTrigger] = []
    private(set) var heardWorkers: Set<String> = []
    /// How often it was told what to hear.
    private(set) var changes = 0
    var hearsMachine = true
    private(set) var timers: [PressureTimer: (due: Instant, generation: UInt32)] = [:]

    init(_ host: FakeHost) { self.host = host }

    var now: Instant { host.now }

    func sample() -> MemorySample? { MemorySample(memory: memory, stall: nil) }
    func hear(
        of triggers: [PressureTrigger], early: PressureTrigger, own: PressureTrigger, in workers: Set<String>
    ) -> Bool {
        (heard, heardWorkers) = (triggers, workers)
        changes += 1
        return hearsMachine
    }
    func arm(_ timer: PressureTimer, at moment: Instant, slack: TimeSpan, generation: UInt32) {
        timers[timer] = (moment, generation)
    }
    func disarm(_ timer: PressureTimer) { timers[timer] = nil }

    /// Sets available memory to so many percent, and gives a sample of it.
    func setAvailable(_ percent: Int64) {
        memory = MachineMemory(total: memory.total, available: memory.total / 100 * percent)
        observer?.give(.fact(.sampled(MemorySample(memory: memory, stall: nil))))
    }

    /// Has a timer run out.
    func expire(_ timer: PressureTimer) {
        guard let armed = timers.removeValue(forKey: timer) else { return }
        observer?.give(.expired(timer, generation: armed.generation))
    }
}

/// The policy of memory at work on workers (2.3).
@Suite(.timeLimit(.minutes(60))) struct `Acting on memory pressure` {
    private struct Place {
        let world: World
        let machine: FakePressureMachine
        let coordinator: PressureCoordinator
        let told: Told

        /// What the coordinator told.
        final class Told: PressureObserver {
            var effects: [PressureEffect] = []

            func hear(_ effect: PressureEffect) { effects.append(effect) }
        }

        init(observes: Bool = false) throws {
            world = try World()
            world.host.programs["big"] = {
                var program = FakeProgram()
                program.memory = WorkerMemory(resident: 100 << 20)
                program.onMemoryWarning = .says(NotifyReport())
                return program
            }()
            machine = FakePressureMachine(world.host)
            var settings = PressureSettings()
            settings.observes = observes
            coordinator = PressureCoordinator(world.supervisor, machine, settings)
            let told = Told()
            self.told = told
            coordinator.observer = told
            coordinator.start()
        }

        /// A worker of 100 MB that is active.
        func active(_ name: String, _ policy: Policy = Policy(evictable: .silent)) -> WorkerID {
            let worker = world.supervisor.add(
                WorkerConfiguration(name: name, policy: policy) { _ in
                    LaunchRequest("big", environment: Environment())
                })
            world.request(.active, of: worker)
            world.host.run { world.state(of: worker) == .active }
            return worker
        }

        /// Gives a worker other limits, and has it looked at again.
        func redefine(_ worker: WorkerID, _ name: String, limits: (inout MemorySettings) -> Void) {
            let configuration = WorkerConfiguration(name: name, policy: Policy()) { _ in
                LaunchRequest("big", environment: Environment())
            }
            limits(&configuration.memory)
            world.supervisor.update(worker, to: configuration)
            coordinator.reconsider(worker)
        }

        /// One that sleeps.
        func asleep(_ name: String, _ policy: Policy = Policy(evictable: .silent)) -> WorkerID {
            let worker = active(name, policy)
            world.request(.suspended, of: worker)
            world.host.run { world.state(of: worker) == .suspended }
            return worker
        }
    }

    @Test(arguments: [
        PressureFact.stirred, .triggered(.some, .machine), .triggered(.full, .subtree),
    ])
    func `listens from when there is a worker to warn or evict until it is told something in vain`(
        _ fact: PressureFact
    ) throws {
        let place = try Place()
        #expect(place.machine.heard.isEmpty && place.machine.timers.isEmpty)
        let worker = place.active("a")
        let triggers = ["some 200000 2000000", "full 200000 2000000"]
        #expect(place.machine.heard.map(\.text) == triggers && place.machine.timers[.sample] != nil)
        place.coordinator.give(.fact(fact))
        #expect(place.machine.heard.map(\.text) == triggers && place.machine.changes == 1)

        // One that ends and starts again opens and closes nothing.
        for _ in 0..<3 {
            place.world.request(.notRunning, of: worker)
            place.world.host.run { place.world.state(of: worker) == .notRunning }
            #expect(place.machine.timers.isEmpty)
            place.world.request(.active, of: worker)
            place.world.host.run { place.world.state(of: worker) == .active }
            #expect(place.machine.timers[.sample] != nil)
        }
        #expect(place.machine.changes == 1)

        place.world.request(.notRunning, of: worker)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.machine.heard.map(\.text) == triggers)
        place.coordinator.give(.fact(fact))
        #expect(place.machine.heard.isEmpty && !place.coordinator.model.isWoken)
        place.world.request(.active, of: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        #expect(place.machine.heard.map(\.text) == triggers && place.coordinator.model.isWoken)
    }

    @Test(arguments: [PressurePlace.machine, .subtree])
    func `listens anew with the next work where a trigger was lost`(_ lost: PressurePlace) throws {
        let place = try Place()
        let worker = place.active("a")
        place.coordinator.give(.fact(.sourceLost(lost)))
        #expect(place.coordinator.model.isWoken == (lost != .machine))
        place.world.request(.notRunning, of: worker)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.machine.heard.isEmpty)
        place.world.request(.active, of: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        #expect(!place.machine.heard.isEmpty && place.coordinator.model.isWoken)
    }

    @Test func `tries again with the next work what the machine refused`() throws {
        let place = try Place()
        place.machine.hearsMachine = false
        let worker = place.active("a")
        #expect(!place.coordinator.model.isWoken)
        place.world.request(.notRunning, of: worker)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        place.machine.hearsMachine = true
        place.world.request(.active, of: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        #expect(place.coordinator.model.isWoken)
    }

    @Test func `listens to nothing any more when all workers are being ended`() throws {
        let place = try Place()
        let worker = place.active("a")
        place.redefine(worker, "a") { $0.high = 1 << 20 }
        #expect(!place.machine.heard.isEmpty && place.machine.heardWorkers == ["a"])
        place.coordinator.close()
        #expect(place.machine.heard.isEmpty && place.machine.heardWorkers.isEmpty)
        #expect(!place.coordinator.model.isWoken)
        _ = place.active("b")
        #expect(place.machine.heard.isEmpty)
    }

    @Test func `listens to a worker with a limit of its own while that runs`() throws {
        let place = try Place()
        _ = place.active("a")
        let worker = place.active("b")
        #expect(place.machine.heardWorkers.isEmpty && place.coordinator.model.isWoken)
        place.redefine(worker, "b") { $0.high = 1 << 20 }
        #expect(place.machine.heardWorkers == ["b"])
        let steps: [(goal: Goal, state: State, heard: Set<String>)] = [
            (.suspended, .suspended, []), (.active, .active, ["b"]), (.notRunning, .notRunning, []),
        ]
        for (goal, state, heard) in steps {
            place.world.request(goal, of: worker)
            place.world.host.run { place.world.state(of: worker) == state }
            #expect(place.machine.heardWorkers == heard, "\(goal)")
        }
    }

    @Test(arguments: [
        (PressureSupport.unified, true, false), (.hybrid, true, true), (.machine, true, true),
        (.none, false, true),
    ])
    func `is woken where the machine is heard, and sees to limits where nobody else does`(
        support: PressureSupport, hears: Bool, seesToLimits: Bool
    ) throws {
        let place = try Place()
        place.machine.support = (support, "a test")
        place.machine.hearsMachine = hears
        let worker = place.active("a")
        #expect(place.coordinator.model.isWoken == hears)
        place.redefine(worker, "a") { $0.maximum = 1 << 30 }
        #expect(place.coordinator.model.isWoken == hears)
        #expect(place.coordinator.model.seesToLimits == seesToLimits)
        #expect((place.machine.timers[.limits] != nil) == seesToLimits)
        place.world.request(.suspended, of: worker)
        place.world.host.run { place.world.state(of: worker) == .suspended }
        #expect(place.machine.timers[.limits] == nil)
    }

    @Test func `ends a worker over its MemoryMax=, seen by looking`() throws {
        let place = try Place()
        place.machine.support = (.hybrid, "a test")
        let worker = place.active("a", Policy(evictable: .no))
        for maximum: Int64 in [110 << 20, 90 << 20] {
            #expect(place.world.state(of: worker) == .active)
            let configuration = WorkerConfiguration(name: "a", policy: Policy(evictable: .no)) { _ in
                LaunchRequest("big", environment: Environment())
            }
            configuration.memory.maximum = maximum
            place.world.supervisor.update(worker, to: configuration)
            place.coordinator.reconsider(worker)
            let armed = try #require(place.machine.timers[.limits])
            #expect(armed.due - place.machine.now <= .seconds(1))
            place.machine.expire(.limits)
        }
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.world.records(of: worker).map(\.cause) == [.memoryLimit])
        #expect(place.machine.timers[.limits] == nil)
    }

    @Test func `ends sleepers one at a time, and looks again when each one's memory is back`() throws {
        let place = try Place()
        let workers = [place.asleep("a"), place.asleep("b"), place.asleep("c")]
        let used = place.active("used")
        place.machine.setAvailable(4)
        // One kill, and nothing more before its memory is back.
        #expect(
            place.world.host.calls.filter { if case .kill = $0 { true } else { false } } == [
                .kill(workers[0])
            ])
        place.machine.expire(.sample)
        #expect(place.coordinator.model.victim?.victim.name == "a")
        place.world.host.run { place.world.state(of: workers[1]) == .notRunning }
        place.machine.setAvailable(60)
        place.world.host.run()
        let states = (workers + [used]).map { place.world.state(of: $0) }
        #expect(states.prefix(2).allSatisfy { $0 == .notRunning } && states.last == .active)
        #expect(place.world.records(of: workers[0]).map(\.cause) == [.evicted])
        #expect(place.world.path(of: workers[0]).suffix(2) == [.suspended, .notRunning], "silently")
        #expect(place.coordinator.tally.evictions >= 2)
        #expect(place.coordinator.tally.freedByKill >= 200 << 20)
    }

    @Test func `brings an evicted worker back by the next event, to be restored`() throws {
        let place = try Place()
        let worker = place.asleep("a")
        place.machine.setAvailable(4)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        place.machine.setAvailable(60)
        #expect(place.world.life(of: worker)?.restReason == .evicted)
        place.world.request(.active, of: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        #expect(place.world.life(of: worker)?.currentLaunch?.reason == .operator)
        #expect(place.world.life(of: worker)?.currentLaunch?.isRestored == true)
    }

    @Test(arguments: Policy.Evictable.allCases)
    func `evicts the one worker of torpor run as it was asked, and never unasked`(
        _ evictable: Policy.Evictable
    ) throws {
        let place = try Place()
        #expect(Policy.run.evictable == .no)
        var policy = Policy.run
        policy.evictable = evictable
        let worker = place.asleep("a", policy)
        #expect(place.coordinator.model.hasWork == (evictable != .no))
        place.machine.setAvailable(4)
        guard evictable != .no else { return #expect(place.world.state(of: worker) == .suspended) }
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.world.life(of: worker)?.restReason == .evicted)
        let path = place.world.path(of: worker).suffix(2)
        #expect((path == [.suspended, .notRunning]) == (evictable == .silent))
        // Input, or a socket: whatever would have woken it.
        place.machine.setAvailable(60)
        place.world.submit(.woken(Wake(.socket, intoForeground: true)), to: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        #expect(place.world.life(of: worker)?.currentLaunch?.reason == .socket)
        #expect(place.world.life(of: worker)?.currentLaunch?.isRestored == true)
        #expect(place.coordinator.tally.evictions == 1)
    }

    @Test func `tells running workers by the callback and by systemd's protocol, and sleepers never`() throws
    {
        let place = try Place()
        let hooked = place.active(
            "hooked", Policy(hooks: CallbackSet([.didReceiveMemoryWarning]), evictable: .no))
        let asleep = place.asleep("asleep", Policy(evictable: .no))
        place.machine.setAvailable(8)
        place.world.host.advance(by: .seconds(1))
        place.machine.expire(.warning)
        place.machine.expire(.warning)
        let calls = place.world.host.calls
        #expect(calls.contains(.warnOfMemory(hooked)) && !calls.contains(.warnOfMemory(asleep)))
        func told() -> [MemoryWarning] {
            place.told.effects.compactMap { if case .warn(let warning) = $0 { warning } else { nil } }
        }
        // 80 MB are there, 50 are critical.
        let warning = MemoryWarning(worker: "hooked", level: .warning, available: 30 << 20)
        #expect(told() == [warning])
        #expect(place.coordinator.tally.warnings == 1)
        #expect(place.world.supervisor.workers[hooked]?.memoryWarning == warning)
        place.machine.setAvailable(60)
        place.machine.expire(.warning)
        #expect(told() == [warning], "it has no command and no connection that could be told that it is over")
    }

    @Test func `gives a hook the level and what may still be taken`() throws {
        let place = try Place()
        let configuration = WorkerConfiguration(
            name: "a", policy: Policy(hooks: CallbackSet([.didReceiveMemoryWarning]), evictable: .no)
        ) { _ in LaunchRequest("big", environment: Environment()) }
        configuration.hooks[.didReceiveMemoryWarning] = Hook(.command, completes: .immediately)
        configuration.memory.maximum = 120 << 20
        let worker = place.world.supervisor.add(configuration)
        place.world.request(.active, of: worker)
        place.world.host.run { place.world.state(of: worker) == .active }
        place.machine.setAvailable(8)
        place.world.host.run()
        place.machine.setAvailable(60)
        place.world.host.run()
        let given = place.world.host.hookVariables.map { variables in
            ["CALLBACK", "MEMORY_LEVEL", "MEMORY_AVAILABLE"].map {
                variables["TORPOR_\($0)"]?.description ?? "-"
            }
        }
        #expect(place.coordinator.tally.warnings == 1, "its end is none")
        let bytes = place.world.host.calls.filter { $0 == .warnOfMemory(worker) }
        #expect(bytes.count == 1, "systemd's protocol has no word for the end of it")
        // 20 MB to its own limit, which is less than the 30 MB of the machine.
        #expect(
            given == [
                ["didReceiveMemoryWarning", "warning", "\(20 << 20)"],
                ["didReceiveMemoryWarning", "normal", "\(20 << 20)"],
            ])
    }

    @Test func `ends a sleeper when memory has been short for ten minutes, and says so`() throws {
        let place = try Place()
        let worker = place.asleep("a")
        place.machine.setAvailable(8)
        place.world.host.advance(by: .seconds(599))
        place.machine.setAvailable(8)
        #expect(place.world.state(of: worker) == .suspended)
        place.world.host.advance(by: .seconds(1))
        place.machine.setAvailable(8)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.world.records(of: worker).map(\.cause) == [.evicted])
        let said = place.told.effects.compactMap { MemoryNews($0) }.first { $0.reason == "lastingWarning" }
        #expect(
            said?.message.hasPrefix(
                "memory has been short for too long, and it has slept longest: evicting it")
                == true)
        #expect(said?.isStored == true)
    }

    @Test func `says why no eviction helps, with the figures that this rests on`() {
        let shortfall = Shortfall(
            missing: 17 << 20, falling: 300 << 20, within: .seconds(5), used: 54 << 20, evictable: 38 << 20)
        let words: [PressureReport.NoVictim: String] = [
            .nobodyLeft:
                "no evictable worker is left; 17.0M missing, 54.0M used by workers that may not be evicted",
            .holdsTooLittle:
                "all workers together use less memory than is missing; 17.0M missing, 54.0M used by all workers, 38.0M of it by evictable ones",
            .keepsFalling:
                "other programs would take what an eviction frees, as available memory keeps falling; 17.0M missing, and 60.0M more per second, reckoned for 5s; 54.0M used by all workers, 38.0M of it by evictable ones",
            .broughtNothing:
                "freed memory was used up again at once; 17.0M missing, 38.0M used by evictable workers",
            .mayBeOver: "the shortage may end by itself; 17.0M missing, 38.0M used by evictable workers",
        ]
        for why in PressureReport.NoVictim.allCases {
            #expect(
                MemoryNews(.report(.nothingHelps(why, shortfall)))?.message
                    == "memory is critical, but evicting workers would not help: \(words[why] ?? "?")")
        }
    }

    @Test func `ends a worker over its own limit where nobody else does`() throws {
        let place = try Place()
        let worker = place.active("a", Policy(evictable: .no))
        place.machine.observer?.give(.fact(.overLimit(worker: "a")))
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.world.records(of: worker).map(\.cause) == [.memoryLimit])
    }

    @Test func `hears of limits that a worker meets`() throws {
        let place = try Place()
        let worker = place.active("a", Policy(evictable: .no))
        place.world.host.meetLimit(worker, MemoryEvents())
        place.world.host.meetLimit(worker, MemoryEvents(max: 3, oom: 1, oomKill: 1))
        place.world.host.run()
        #expect(place.told.effects.contains(.report(.killedByKernel(worker: "a", processes: 1))))
        #expect(place.coordinator.tally.kernelKills == 1)
    }

    @Test func `only says what it would do where the policy observes, and acts when that is changed`() throws
    {
        let place = try Place(observes: true)
        let worker = place.asleep("a")
        place.machine.setAvailable(4)
        #expect(place.world.state(of: worker) == .suspended)
        #expect(
            place.told.effects.contains {
                if case .report(.wouldEvict(let victim)) = $0 { victim.name == "a" } else { false }
            })
        var settings = place.coordinator.model.settings
        settings.observes = false
        place.machine.setAvailable(60)
        place.coordinator.change(settings)
        place.machine.setAvailable(4)
        place.world.host.run { place.world.state(of: worker) == .notRunning }
        #expect(place.world.records(of: worker).map(\.cause) == [.evicted])
    }
}
