import Glibc
import HostContract
import Lifecycle
import Linux
import Notifications
import Supervisor
import SupervisorPorts
import WorkerFile

/// The workers of a walk and the programs that they run, as its seed has them.
extension Walk {
    func setUp() {
        machine.programs = programs
        machine.manners = manners
        machine.watchesSleepers = true
        machine.arrivals = 30
        disk.delay = { [unowned self] in
            isCalm ? .milliseconds(1) : span(chance(95) ? .milliseconds(20) : .seconds(5))
        }
        disk.hiccups = { [unowned self] in !isCalm && chance(1) }
        // Of posts that are with their workers already their posters hear nothing of it.
        disk.whenFailed = { [unowned self] in ledger.letUncertain() }
        disk.told = { [unowned self] words in trace(66, 0, 0, "disk: \(words)") }
        states.delay = { [unowned self] in isCalm ? .milliseconds(1) : span(.milliseconds(50)) }
        states.fails = { [unowned self] in !isCalm && chance(10) }
        machine.whenStarted = { [unowned self] in started($0, $1) }
        machine.whenEnded = { [unowned self] in ended($0, $1) }
        machine.whenRunning = { [unowned self] in runsAgain($0) }
        var ends: [Int32] = [0, 0]
        if socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 {
            (hole, holeEnd) = (ends[0], ends[1])
        }
        makeWorkers()
        for worker in workers { (byName[worker.name], byKey[worker.key]) = (worker, worker) }
    }

    /// How this machine tells its facts while things go wrong.
    var manners: FakeManners {
        switch seed % 4 {
        case 0: .late
        case 1:
            FakeManners(longestDelay: .milliseconds(300), doubled: 10, failingFreezes: 5, failingLaunches: 2)
        case 2: FakeManners(longestDelay: .zero, doubled: 5, failingFreezes: 3, failingLaunches: 3)
        default: .terrible
        }
    }

    private var programs: [ByteString: FakeProgram] {
        let ready = (after: TimeSpan.milliseconds(20), action: FakeProgram.ScenarioAction.says(.ready))
        let obeys = FakeProgram.Reaction.handles(.ends(.exited(0)), after: .milliseconds(5))
        var hooked = FakeProgram([ready], on: [.terminate: obeys])
        hooked.hooks = [
            .didEnterBackground: .ends(.done, after: .milliseconds(400)),
            .didBecomeActive: .ends(.failed, after: .milliseconds(30)),
            .willEnterForeground: .hangs,
            .saveState: .ends(.done, after: .milliseconds(100)),
            .shouldSaveState: .ends(.done, after: .milliseconds(10)),
            .willTerminate: .ends(.done, after: .seconds(2)),
            .performFetch: .ends(.done, after: .seconds(1)),
            .didReceiveNotifications: .ends(.done, after: .milliseconds(150)),
        ]
        var locked = FakeProgram(on: [.terminate: obeys])
        locked.holds = .lock
        return [
            "plain": FakeProgram(),
            "notifier": FakeProgram([ready], on: [.terminate: obeys]),
            "silent": FakeProgram(on: [.terminate: .ignores]),
            "failing": FakeProgram([(.milliseconds(700), .ends(.exited(1)))]),
            "oneshot": FakeProgram([(.seconds(2), .ends(.exited(0)))]),
            "forker": FakeProgram(
                [(.seconds(40), .ends(.exited(0)))], on: [.terminate: obeys], leftoverLife: .seconds(3)),
            "app": FakeProgram(),
            "hooked": hooked,
            "locked": locked,
        ]
    }

    private func makeWorkers() {
        var key: UInt32 = 0
        func add(
            _ name: String, runs program: String, _ policy: Policy, connects: Bool = false,
            hooks: Bool = false,
            isCertain: Bool = false, _ change: (WalkWorker) -> Void = { _ in }
        ) {
            key += 1
            // Few workers meet each other more often.
            guard isCertain || chance(65) else { return }
            let worker = WalkWorker(
                name, key, runs: program, policy, connects: connects, hooksNotifications: hooks)
            change(worker)
            workers.append(worker)
        }
        let restart = RestartPolicy(condition: .onFailure, delay: .seconds(1), longestDelay: .seconds(30))
        let always = RestartPolicy(condition: .always, delay: .milliseconds(100), limitBurst: 0)
        let idle = IdlePolicy(delay: .seconds(5))
        let judged = IdlePolicy(delay: .seconds(3), isJudged: true)
        add("plain", runs: "plain", Policy(restart: restart, idle: idle))
        add("notifier", runs: "notifier", Policy(readiness: .notify, restart: always, idle: judged))
        add("silent", runs: "silent", Policy(restart: restart, evictable: .graceful))
        add("failing", runs: "failing", Policy(restart: restart))
        add("oneshot", runs: "oneshot", Policy(readiness: .exit))
        add("forker", runs: "forker", Policy(restart: restart, wakesToStop: true))
        add("locked", runs: "locked", Policy(heldResources: chance(50) ? .warn : .kill))
        for number in 0..<3 {
            var policy = Policy.app
            policy.restart = number == 0 ? always : restart
            if number == 1 { policy.idle = idle }
            if number == 2 { policy.exitsOnSuspend = chance(30) }
            add("app\(number)", runs: "app", policy, connects: true, isCertain: number == 0) {
                $0.group = "screen"
                $0.wakesForSilentPosts = number != 2
                if number == 1, let topic = Topic("last") { $0.untilForeground = [topic] }
            }
        }
        // A daemon with a connection of its own.
        add(
            "daemon", runs: "notifier", Policy(readiness: .notify, restart: restart, idle: idle),
            connects: true
        ) {
            $0.wakesForSilentPosts = true
        }
        add(
            "hooked", runs: "hooked",
            Policy(
                readiness: .notify,
                hooks: CallbackSet([
                    .didEnterBackground, .didBecomeActive, .willEnterForeground, .willTerminate,
                    .shouldSaveState,
                    .saveState, .didReceiveNotifications,
                ]), restart: restart, idle: idle), hooks: true
        ) { $0.wakesForSilentPosts = true }
        let hasStack = chance(60)
        if hasStack {
            add("back", runs: "notifier", Policy(readiness: .notify, restart: restart), isCertain: true)
            add("middle", runs: "plain", Policy(restart: restart, idle: idle), isCertain: true) {
                $0.dependencies = Dependencies(after: ["back"], requires: ["back"])
            }
            add("front", runs: "notifier", Policy(readiness: .notify), isCertain: true) {
                $0.dependencies = Dependencies(
                    after: ["middle"], requires: ["middle"], onFailure: ["oneshot"])
                $0.group = "screen"
            }
        }
    }
}
