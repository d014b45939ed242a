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
        machine.whenPrepared = { [unowned self] in prepared($0, $1) }
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

    /// Where the programs are.
    private static let place = "/walk/bin/"

    private var programs: [ByteString: FakeProgram] {
        .init(uniqueKeysWithValues: programsByName.map { (ByteString(Self.place + $0.key), $0.value) })
    }

    private var programsByName: [String: FakeProgram] {
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
            _ name: String, runs program: String, _ settings: String, idle: TimeSpan? = nil,
            isApp: Bool = false,
            isCertain: Bool = false, _ change: (WalkWorker) -> Void = { _ in }
        ) {
            key += 1
            // Few workers meet each other more often.
            guard isCertain || chance(65) else { return }
            let worker = WalkWorker(
                name, key, runs: program, Policy(readiness: isApp ? .app : .exec), connects: isApp)
            let file = WalkFile(
                runs: Self.place + program, settings, idle: idle.map { Int($0.microseconds) })
            worker.file = file
            files.write(file.text, of: name)
            change(worker)
            workers.append(worker)
        }
        let restart = "Restart=on-failure\nRestartSec=1\nRestartSteps=5\nRestartMaxDelaySec=30\n"
        let always = "Restart=always\nRestartSec=100ms\nStartLimitIntervalSec=0\n"
        let silently = "[Background]\nModes=remote-notification\n"
        add("plain", runs: "plain", restart, idle: .seconds(5))
        add("notifier", runs: "notifier", "Type=notify\n" + always, idle: .seconds(3))
        add("silent", runs: "silent", restart + "[Memory]\nEvictable=graceful\n")
        add("failing", runs: "failing", restart)
        add("oneshot", runs: "oneshot", "Type=oneshot\n")
        add("forker", runs: "forker", restart)
        add("locked", runs: "locked", "[Background]\nHeldLocks=" + (chance(50) ? "warn\n" : "kill\n"))
        for number in 0..<3 {
            var text = "Type=app\nStateVersion=1\n" + (number == 0 ? always : restart)
            if number == 2, chance(30) { text += "ExitsOnSuspend=yes\n" }
            text += "[Foreground]\nForegroundGroup=screen\n"
            if number != 2 { text += silently }
            if number == 1 { text += "[Notifications]\nUntilForeground=last\n" }
            add(
                "app\(number)", runs: "app", text, idle: number == 1 ? .seconds(5) : nil, isApp: true,
                isCertain: number == 0)
        }
        addFileless(&key)
        let hooks = [
            "DidEnterBackground", "DidBecomeActive", "WillEnterForeground", "WillTerminate",
            "ShouldSaveState",
            "SaveState",
        ]
        add(
            "hooked", runs: "hooked",
            "Type=notify\nStateVersion=1\n" + restart + silently + "[Callbacks]\n"
                + hooks.map { "\($0)=exec:/walk/hook\n" }.joined()
                + "[Notifications]\neach=exec:/walk/hook\ntick=exec:/walk/hook\n",
            idle: .seconds(5)
        ) { $0.hooksNotifications = true }
        let hasStack = chance(60)
        if hasStack {
            add("back", runs: "notifier", "Type=notify\n" + restart, isCertain: true)
            add(
                "middle", runs: "plain", "After=back\nRequires=back\n" + restart, idle: .seconds(5),
                isCertain: true)
            add(
                "front", runs: "notifier",
                "Type=notify\nAfter=middle\nRequires=middle\nOnFailure=oneshot\n[Foreground]\nForegroundGroup=screen\n",
                isCertain: true)
        }
    }

    /// A daemon with a connection of its own, as `torpor run` has it: no file makes one.
    private func addFileless(_ key: inout UInt32) {
        key += 1
        guard chance(65) else { return }
        let restart = RestartPolicy(condition: .onFailure, delay: .seconds(1), longestDelay: .seconds(30))
        let worker = WalkWorker(
            "daemon", key, runs: Self.place + "notifier",
            Policy(readiness: .notify, restart: restart, idle: IdlePolicy(delay: .seconds(5))), connects: true
        )
        worker.wakesForSilentPosts = true
        workers.append(worker)
    }
}
