import Cgroups
import Glibc
import Launching
import Lifecycle
import Linux
import LinuxHost
import Supervisor
import SupervisorPorts
import Systemd
import WorkerIO

/// The life of one redis-server, from launch to end, told as it happens.
final class Story: NoticeObserver {
    private let loop: EventLoop
    private let host: LinuxHost
    private let supervisor: Supervisor
    private let redis: WorkerID
    private let scratch: Scratch
    private let timeline: Timeline
    private var signals: [Interruption] = []
    private var clock: TimeSource?
    private var client: RedisClient?
    private var waiting: CheckedContinuation<Void, Never>?
    private var interrupted: Int32?
    private var asked = "goal: active"
    private var meter = Meter(group: nil, pid: 0)
    private var lastCPU = TimeSpan.zero
    private var isLaunched = false
    private var record: TerminationRecord?
    private var launchError: LaunchError?

    /// This process, as the caller of each request.
    private static let person = Requester.operator(uid: getuid(), pid: getpid())

    init(on loop: EventLoop) throws {
        self.loop = loop
        scratch = try Scratch()
        let places = SocketPlaces(directories: [scratch.path])
        host = try LinuxHost(on: loop, places: places)
        supervisor = Supervisor(on: loop, host: host)
        timeline = Timeline(at: host.now)
        let path = scratch.path
        supervisor.start()
        redis = supervisor.add(Self.configuration(in: path))
    }

    private static func configuration(in directory: String) -> WorkerConfiguration {
        var policy = Policy(readiness: .notify)
        policy.limits.stop = .seconds(10)
        policy.idle = IdlePolicy(delay: .seconds(1), isJudged: true)
        return WorkerConfiguration(
            name: "redis", groupName: "torpor-demo-\(getpid())", policy: policy, hasNotifySocket: true
        ) { _ in
            var request = LaunchRequest(
                "redis-server",
                [
                    "--supervised", "systemd", "--port", "0", "--unixsocket",
                    ByteString("\(directory)/redis.sock"),
                    "--save", "", "--daemonize", "no", "--logfile", ByteString("\(directory)/redis.log"),
                ], environment: Environment.current.scrubbed())
            request.workingDirectory = ByteString(directory)
            return request
        }
    }

    // MARK: the story

    /// Tells it all and ends the loop with the exit status that is due.
    func tell() async {
        var status: Int32 = 0
        do {
            try listen()
            try await live()
        } catch {
            Timeline.complain("\(error)")
            status = 1
        }
        await cleanUp()
        loop.exit(status)
    }

    private func live() async throws {
        timeline.head(
            "The life cycle of redis-server",
            [
                "freeze method: \(host.freezing)",
                "figures from \(host.isFreezer ? "cpu.stat of its cgroup" : "/proc/PID/schedstat")",
            ])
        try await launch()
        try await work(.seconds(1))
        try await reach(.inactive, "resign")
        try await pass(.milliseconds(200))
        try await expect("PING", "PONG")
        note("PING → PONG; its own socket is still served")
        try await reach(.active, "activate")
        try await reach(.background, "background")
        try await idle(.seconds(1))
        try await sleep()
        try await wakeByItself()
        try await beStoppedByOthers()
        try await end()
        timeline.sum(at: host.now)
    }

    private func launch() async throws {
        timeline.note("launch requested", at: host.now, isMark: true)
        request(.active)
        try await wait(for: "redis-server to say READY=1") { self.isLaunched || self.launchError != nil }
        if let launchError { throw launchError }
        try await settle(in: .active)
        client = try RedisClient("\(scratch.path)/redis.sock", on: loop) { [unowned self] in
            wake()
        }
        try await expect("SET greeting hello", "OK")
    }

    private func work(_ length: TimeSpan) async throws {
        let (cpu, began) = (meter.cpu, host.now)
        var count = 0
        while host.now - began < length {
            try await expect("PING", "PONG")
            count += 1
        }
        note("in use: \(count) PINGs answered in \((host.now - began).text), CPU \((meter.cpu - cpu).text)")
    }

    private func idle(_ length: TimeSpan) async throws {
        let cpu = meter.cpu
        try await pass(length)
        note("no requests: its timers still use CPU, \((meter.cpu - cpu).text)")
        try await expect("PING", "PONG")
        note("PING → PONG; it runs, using \(meter.memory.megabytes)")
    }

    private func sleep() async throws {
        try await reach(.suspended, "suspend")
        let cpu = meter.cpu
        try await pass(.seconds(1))
        let used = meter.cpu - cpu
        guard used == .zero else {
            throw DemoFailure("redis-server used \(used.text) of CPU while it was suspended")
        }
        note("CPU used: \(used.text); \(meter.memory.megabytes) kept")
        asked = "resume"
        submit(.resumeRequested(Self.person))
        try await settle(in: .background)
        try await expect("GET greeting", "hello")
        note("GET greeting → hello: its memory is intact")
    }

    /// It falls asleep by itself, with a client connected, and is woken by that client's request.
    private func wakeByItself() async throws {
        try await reach(.active, "activate")
        let awake = try await time("GET greeting", "hello")
        note("GET greeting → hello in \(awake.text); the client stays connected and asks nothing")
        let before = meter.memory
        asked = "idle for 1 s"
        try await wait(for: "redis-server to fall asleep by itself") { self.life?.state == .suspended }
        try await pass(.milliseconds(1500))
        note("its memory is given back: \(before.megabytes) → \(meter.memory.megabytes)")
        asked = "the client's request"
        let asleep = try await time("GET greeting", "hello")
        note("GET greeting → hello in \(asleep.text), asleep; in \(awake.text), awake")
        try await settle(in: .active)
    }

    /// How long the answer to a request takes.
    private func time(_ command: String, _ answer: String) async throws -> TimeSpan {
        let began = host.now
        try await expect(command, answer)
        return host.now - began
    }

    private func beStoppedByOthers() async throws {
        try await reach(.active, "activate")
        try await shell("kill -STOP \(meter.pid)")
        try await wait(for: "an outside SIGSTOP to be seen") { self.life?.isHeld ?? false }
        try await pass(.milliseconds(500))
        try await shell("kill -CONT \(meter.pid)")
        try await settle(in: .active)
        try await expect("PING", "PONG")
        note("PING → PONG; it is back at its goal")
    }

    private func end() async throws {
        asked = "terminate"
        client = nil
        note("terminate requested")
        request(.notRunning)
        try await wait(for: "redis-server to end") { self.record != nil }
        guard let record else { return }
        guard record.cause == .stopped, record.status == .exited(0) else {
            throw DemoFailure("redis-server did not end as requested: \(record.cause), \(record.status)")
        }
        let (at, who) = (host.now, Self.who(record.requester))
        timeline.note("record: \(record.cause.rawValue), \(record.status), requested by \(who)", at: at)
        timeline.note("ran \(record.ran.text), \(record.suspended.text) of it asleep", at: at)
    }

    private func cleanUp() async {
        client = nil
        if life?.pid != nil {
            submit(.forceQuit(Self.person))
            try? await wait(for: "its end", heeding: false) { self.life?.pid == nil }
        }
        signals = []
        clock = nil
        scratch.remove()
    }

    // MARK: what happened

    func hear(_ notice: Notice, of _: WorkerID) {
        let now = host.now
        switch notice {
        case .changed(let transition): changed(transition)
        case .launchCompleted:
            isLaunched = true
            timeline.note("the launch is complete", at: now)
        case .said(let report):
            lastCPU = meter.cpu
            var parts: [String] = []
            if let phase = report.phase { parts.append("\(phase)".uppercased()) }
            if let status = report.status { parts.append("“\(status)”") }
            if !parts.isEmpty { timeline.note("received \(parts.joined(separator: " "))", at: now) }
        case .launchFailed(let error): launchError = error
        case .ended(let record): self.record = record
        case .warned(let warning, let detail):
            timeline.note("warning: \(warning) \(detail ?? "")", at: now)
        case .refused(let refusal, _): timeline.note("refused: \(refusal)", at: now)
        case .ignored, .remarked, .completed, .surprised, .hookFailed, .hookPrinted, .notificationSetAside,
            .notificationRemoved, .woken, .watched, .opened, .commandFailed, .commandPrinted,
            .interrupted, .interruptionOver, .budget, .processing, .handoff:
            break
        }
        wake()
    }

    private func changed(_ transition: Transition) {
        if let pid = life?.pid { meter = Meter(group: host.group(torporDemo: getpid()), pid: pid) }
        // An end leaves no process to read from, and what was asleep runs again before we hear of it.
        if transition.to != .notRunning, transition.from != .suspended { lastCPU = meter.cpu }
        timeline.change(to: transition.to, text(of: transition), at: transition.at, cpu: lastCPU)
    }

    private func text(of transition: Transition) -> String {
        var text =
            switch transition.cause {
            case .launched: "launched, pid \(meter.pid)"
            case .goal: asked
            case .woken: "woken"
            case .outside:
                transition.from == .suspended ? "continued by another program" : "stopped by another program"
            case .interruption: "interruption"
            case .reload: "reloading"
            case .ended: "ended"
            }
        if let asleep = transition.suspendedFor { text += ", after \(asleep.text) asleep" }
        if !transition.notTold.isEmpty { text += ", without \(transition.notTold)" }
        return text
    }

    private func note(_ text: String) {
        lastCPU = meter.cpu
        timeline.note(text, at: host.now)
    }

    // MARK: asking

    private var life: WorkerLifecycle? { supervisor.life(of: redis) }

    private func submit(_ event: Event) {
        supervisor.submit(event, to: redis)
    }

    private func request(_ goal: Goal) {
        submit(.requested(Request(goal, by: Self.person)))
    }

    private func reach(_ goal: Goal, _ verb: String) async throws {
        asked = verb
        request(goal)
        try await settle(in: goal.state)
    }

    private func settle(in state: State) async throws {
        try await wait(for: "redis-server to be \(state)") {
            guard let life = self.life else { return false }
            return life.state == state && life.isSettled && !life.isHeld
        }
    }

    private func expect(_ command: String, _ answer: String) async throws {
        guard let client else { return }
        try client.ask(command)
        try await wait(for: "an answer to \(command)") { client.answer != nil }
        guard client.answer == answer else {
            throw DemoFailure("redis-server answered \(command) with \(client.answer ?? "nothing")")
        }
    }

    /// Runs another program, which knows nothing of this one.
    private func shell(_ command: String) async throws {
        note("a shell: \(command)")
        _ = try LaunchRequest("/bin/sh", ["-c", ByteString(command)], environment: .current).launch()
    }

    // MARK: waiting

    private static let patience = TimeSpan.seconds(10)

    /// Waits until it is so, and fails when that takes too long or a signal interrupts it.
    private func wait(for what: String, heeding: Bool = true, until isSo: () -> Bool) async throws {
        let deadline = host.now + Self.patience
        while !isSo() {
            if let interrupted, heeding { throw DemoFailure("interrupted by signal \(interrupted)") }
            if let record, heeding {
                throw DemoFailure("redis-server ended (\(record.status)) before it came to \(what)")
            }
            guard host.now < deadline else {
                throw DemoFailure("waited \(Self.patience.text) in vain for \(what)")
            }
            await pause(until: deadline)
        }
    }

    /// Lets time pass.
    private func pass(_ length: TimeSpan) async throws {
        let end = host.now + length
        while host.now < end {
            if let interrupted { throw DemoFailure("interrupted by signal \(interrupted)") }
            if let record { throw DemoFailure("redis-server ended (\(record.status)) all by itself") }
            await pause(until: end)
        }
    }

    /// Until something happens, or that moment comes.
    private func pause(until moment: Instant) async {
        clock?.arm(at: moment.microseconds)
        await withCheckedContinuation { waiting = $0 }
        clock?.disarm()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    private func listen() throws {
        clock = try TimeSource(on: loop) { [unowned self] _ in wake() }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signals.append(
                try Interruption(on: loop, number) { [unowned self] in
                    interrupted = number
                    wake()
                })
        }
        supervisor.observe(as: .session, self)
    }

    private static func who(_ requester: Requester?) -> String {
        requester.map { $0.isOperator ? "the operator" : "\($0)" } ?? "nobody"
    }
}

/// A signal that ends the story early.
final class Interruption {
    private let source: SignalSource

    init(on loop: EventLoop, _ number: Int32, _ body: @escaping () -> Void) throws {
        source = try SignalSource(on: loop, signal: number) { _ in body() }
    }
}

extension LinuxHost {
    /// Whether the kernel's freezer is at hand.
    var isFreezer: Bool { if case .cgroup = method { true } else { false } }

    /// The group of the demo's worker, where there are groups.
    func group(torporDemo pid: Int32) -> Cgroup? {
        guard case .cgroup(let tree) = method, let name = CgroupName("torpor-demo-\(pid)") else { return nil }
        return tree.base.child(name)
    }
}
