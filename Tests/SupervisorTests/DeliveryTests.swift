import ConfigurationSyntax
import HostContract
import Launching
import Lifecycle
import Linux
import Notifications
import Testing
import Varlink
import WorkerFile

@testable import Supervisor
@testable import SupervisorPorts

/// What is posted to a worker, and how it reaches it (2.4).
@Suite(.timeLimit(.minutes(60))) struct `What is posted to an app` {
    private func active() throws -> App {
        let app = App(try World())
        app.want(.active)
        try #require(app.state == .active)
        return app
    }

    /// The topics and counts of each flush that it was given.
    private func flushes(_ app: App) -> [[String]] {
        app.messages.compactMap { message in
            guard case .notifications(let entries) = message.content else { return nil }
            return entries.map { "\($0.topic)×\($0.count)" }
        }
    }

    @Test func `is delivered at once while it is active`() throws {
        let app = try active()
        #expect(app.post("cache.invalidate", payload: "{}") == .queued(1))
        #expect(app.story.last == "didReceiveNotifications")
        #expect(flushes(app) == [["cache.invalidate×1"]])
        #expect(app.notifications?.waiting.isEmpty == true && app.notifications?.inFlight.isEmpty == true)
        #expect(app.notifications?.bytes == 0)
    }

    @Test func `waits while it sleeps, and comes before anything else, oldest topic first`() throws {
        let app = try active()
        app.want(.suspended)
        for number in 0..<50 {
            app.post("settingsChanged", .count)
            if number == 20 { app.post("news", .each) }
        }
        #expect(app.state == .suspended)
        #expect(app.notifications?.waiting.map(\.count) == [50, 1])
        #expect(
            app.want(.active) == [
                "→ background", "didReceiveNotifications", "willEnterForeground", "→ inactive", "→ active",
                "didBecomeActive",
            ])
        #expect(flushes(app) == [["settingsChanged×50", "news×1"]])
        #expect(app.messages.last { $0.content != nil }?.suspendedFor != nil)
    }

    @Test func `does not wake it`() throws {
        let app = try active()
        app.want(.suspended)
        app.post("news", .each)
        #expect(app.after(.seconds(3600)).isEmpty)
        #expect(app.state == .suspended)
    }

    @Test func `comes one flush at a time`() throws {
        let app = try active()
        app.hangs = CallbackSet([.didReceiveNotifications])
        app.post("a", .count)
        app.post("b", .count)
        app.post("b", .count)
        #expect(flushes(app) == [["a×1"]])
        #expect(app.notifications?.inFlight.map(\.topic.name) == ["a"])
        app.complete(try #require(app.messages.last?.delivery.id))
        #expect(flushes(app) == [["a×1"], ["b×2"]])
    }

    @Test func `comes again, later and later, when it was not taken`() throws {
        let app = try active()
        app.refuses = CallbackSet([.didReceiveNotifications])
        app.post("a", .count)
        #expect(flushes(app).count == 1)
        #expect(app.notifications?.problem == "the worker refused them")
        // What comes meanwhile joins what was returned, and hurries nothing.
        app.post("a", .count)
        #expect(app.after(.milliseconds(999)).isEmpty)
        #expect(app.after(.milliseconds(1)) == ["didReceiveNotifications"])
        #expect(app.after(.milliseconds(1999)).isEmpty)
        #expect(app.after(.milliseconds(1)) == ["didReceiveNotifications"])
        app.refuses = []
        app.after(.seconds(4))
        #expect(flushes(app) == [["a×1"], ["a×2"], ["a×2"], ["a×2"]])
        #expect(app.notifications?.problem == nil && app.notifications?.bytes == 0)
        #expect(app.after(.seconds(3600)).isEmpty)
    }

    @Test func `is told first when it sleeps and wakes between two tries`() throws {
        let app = try active()
        app.refuses = CallbackSet([.didReceiveNotifications])
        app.post("a", .count)
        app.want(.suspended)
        app.refuses = []
        #expect(app.want(.background).prefix(2) == ["→ background", "didReceiveNotifications"])
        #expect(app.notifications?.waiting.isEmpty == true)
    }

    @Test func `comes back when its connection goes away over it`() throws {
        let app = try active()
        app.hangs = CallbackSet([.didReceiveNotifications])
        app.post("a", .count)
        app.world.supervisor.detach(app, from: app.id)
        #expect(app.notifications?.waiting.map(\.topic.name) == ["a"])
        #expect(app.notifications?.inFlight.isEmpty == true)
    }

    @Test func `outlives its process, but for what is about that process`() throws {
        let app = try active()
        app.hangs = CallbackSet([.didReceiveNotifications])
        app.post("a", .count)
        app.post("powerChanged", .latest)
        app.world.host.end(app.id, .exited(0))
        app.world.host.run { app.state == .notRunning }
        #expect(app.notifications?.waiting.map(\.topic.name) == ["a"])
        #expect(app.post("powerChanged", .latest) == .refused(.notRunning))
        app.hangs = []
        app.story(
            of: { app.want(.active) },
            is: [
                "→ inactive", "willFinishLaunching", "didFinishLaunching", "didReceiveNotifications",
                "→ active",
                "didBecomeActive",
            ])
        #expect(flushes(app).last == ["a×1"])
    }

    @Test func `is set aside when it dies of it twice, and everything else reaches it`() throws {
        let app = try active()
        app.want(.suspended)
        for topic in ["a", "bad", "c"] { app.post(topic, .each) }
        app.reaction = { message in
            guard case .notifications(let entries) = message.content,
                entries.contains(where: { $0.topic.name == "bad" })
            else { return }
            app.hangs = CallbackSet([.didReceiveNotifications])
            app.world.host.end(app.id, .killed(signal: 11, coreDumped: false))
        }
        for _ in 0..<2 {
            app.hangs = []
            app.want(.active)
            app.world.host.run { app.state == .notRunning }
        }
        app.hangs = []
        let before = app.story.count
        app.want(.active)
        app.world.host.run { app.state == .active }
        #expect(flushes(app) == [["a×1", "bad×1", "c×1"], ["a×1"], ["bad×1"], ["c×1"]])
        #expect(app.story[before...].filter { $0 == "didReceiveNotifications" }.count == 1)
        #expect(
            app.notifications?.setAside.map(\.sequence) == [2] && app.notifications?.waiting.isEmpty == true)
        #expect(
            app.world.notices.contains { $0.notice == .notificationSetAside(topic: "bad", number: 2) })
        app.reaction = { _ in }
        let answers = [
            app.world.supervisor.retryNotification(2, of: app.id),
            app.world.supervisor.retryNotification(2, of: app.id),
            app.world.supervisor.dropNotification(2, of: app.id),
        ]
        #expect(answers == [true, false, false])
        #expect(flushes(app).last == ["bad×1"] && app.notifications?.setAside.isEmpty == true)
    }

    @Test func `that was in hand when its connection went away and it died is what it died of`() throws {
        let app = try active()
        app.hangs = CallbackSet([.didReceiveNotifications])
        for _ in 0..<2 {
            let before = flushes(app).count
            if app.state == .active { app.post("bad", .each) } else { app.want(.active) }
            app.world.host.run { flushes(app).count > before }
            app.world.supervisor.detach(app, from: app.id)
            app.world.host.end(app.id, .exited(1))
            app.world.host.run { app.state == .notRunning }
        }
        #expect(app.notifications?.setAside.map(\.topic.name) == ["bad"])
    }

    @Test func `is not what it died of when it was ended by an operator`() throws {
        let app = try active()
        app.hangs = CallbackSet([.didReceiveNotifications])
        app.post("a", .each)
        for _ in 0..<3 {
            app.tell(.forceQuit(World.person))
            app.world.host.run { app.state == .notRunning }
            let before = flushes(app).count
            app.want(.active)
            app.world.host.run { flushes(app).count > before }
        }
        #expect(
            app.notifications?.setAside.isEmpty == true && app.notifications?.inFlight.map(\.deaths) == [0])
    }

    @Test func `waits for a worker that has never run`() throws {
        let app = App(try World())
        #expect(app.post("a", .count) == .queued(1))
        app.want(.background)
        #expect(flushes(app) == [["a×1"]])
    }

    @Test func `is refused where nothing takes it, or where its rule is another`() throws {
        let app = App(try World())
        #expect(
            app.post("settingsChanged", .latest) == .refused(.queue(.wrongRule)) || app.state == .notRunning)
        app.callbacks = CallbackSet([.didBecomeActive])
        app.want(.active)
        #expect(app.post("a", .count) == .refused(.notWanted))
        let sleeper = app.world.active("sleeper")
        #expect(app.world.post("a", .count, to: sleeper) == .refused(.notWanted))
        #expect(app.world.post("a", .count, to: WorkerID(99)) == .refused(.noSuchWorker))
    }

    @Test func `wakes it silently where it has the mode, and it sleeps again`() throws {
        let app = try active()
        app.want(.suspended)
        #expect(app.post("a", .count, waking: .silently) == .queued(1))
        #expect(app.state == .suspended, "it has not the mode")
        app.world.supervisor.workers[app.id]?.configuration.wakesForSilentPosts = true
        app.story(
            of: { app.post("a", .count, waking: .silently) },
            is: ["→ background", "didReceiveNotifications", "→ suspended"])
        #expect(flushes(app) == [["a×2"]])
    }

    @Test func `is for a person, and brings it into the foreground, launched where it does not run`() throws {
        let app = try active()
        app.want(.suspended)
        app.story(
            of: { app.post("a", .count, waking: .intoForeground) },
            is: [
                "→ background", "didReceiveNotifications", "willEnterForeground", "→ inactive", "→ active",
                "didBecomeActive",
            ])
        app.want(.notRunning)
        app.world.host.run { app.state == .notRunning }
        app.post("a", .count, waking: .intoForeground)
        app.world.host.run { app.state == .active }
        #expect(flushes(app) == [["a×1"], ["a×1"]])
    }

    @Test func `launches it for a path or a device, and wakes it when something waits for it`() throws {
        let app = try active()
        let wake = { (reason: LaunchReason) in
            app.world.supervisor.wake(app.id, for: reason, options: ["path": "/p"])
        }
        app.want(.suspended)
        wake(.path)
        #expect(app.state == .suspended, "it would find nothing to do")
        app.post("a", .count)
        app.story(of: { wake(.device) }, is: ["→ background", "didReceiveNotifications", "→ suspended"])
        app.want(.notRunning)
        app.world.host.run { app.state == .notRunning }
        wake(.path)
        app.world.host.run { app.state != .notRunning }
        let launch = app.world.supervisor.view(of: app.id)
        #expect(launch?.life.currentLaunch?.reason == .path && launch?.launchOptions == ["path": "/p"])
        #expect(launch?.life.currentLaunch?.intoForeground == false)
    }

    @Test func `wakes one for a path that takes no notifications: it looks for itself`() throws {
        let app = App(try World())
        app.callbacks = CallbackSet([.didBecomeActive])
        app.want(.active)
        app.want(.suspended)
        #expect(app.state == .suspended)
        app.story(
            of: {
                app.world.supervisor.wake(app.id, for: .path, options: ["path": "/p"])
            }, is: ["→ background", "→ suspended"])
    }

    @Test func `repeats within one period when the clock was set far back`() throws {
        let app = try active()
        final class Alarm: WallAlarm {
            var moment: Int64?

            func setWallAlarm(_ moment: Int64?) { self.moment = moment }
        }
        let alarm = Alarm()
        app.world.supervisor.wallAlarm = alarm
        let post = Post(Topic("tick") ?? Topic(.settingsChanged), .count, at: 0)
        let (hour, second) = (3_600_000_000 as Int64, 1_000_000 as Int64)
        _ = app.world.supervisor.schedule(
            post, for: app.id, at: 100 * hour, every: 10 * second, waking: false, now: 100 * hour - second)
        _ = app.world.supervisor.schedule(
            post, for: app.id, at: 101 * hour, every: nil, waking: false, now: 100 * hour)
        app.world.supervisor.wallClockSet(to: 50 * hour)
        // One that is due once is due at a time of the clock, however long that takes now.
        #expect(
            app.world.supervisor.notifications(of: app.id)?.schedules.map(\.due) == [
                alarm.moment ?? 0, 101 * hour,
            ])
        #expect((alarm.moment ?? .max) - 50 * hour <= 10 * second && (alarm.moment ?? 0) > 50 * hour)
        // Forward over it: it is due at once, once.
        app.world.supervisor.wallClockSet(to: 102 * hour)
        #expect(app.world.supervisor.notifications(of: app.id)?.schedules.count == 1)
        #expect((alarm.moment ?? .max) - 102 * hour <= 10 * second && (alarm.moment ?? 0) > 102 * hour)
    }

    @Test func `wakes it at its time when it is scheduled, however late`() throws {
        let app = try active()
        app.want(.suspended)
        app.world.supervisor.workers[app.id]?.configuration.wakesForSilentPosts = true
        let post = Post(Topic("tick") ?? Topic(.settingsChanged), .count, at: 0)
        for _ in 0..<64 {
            _ = app.world.supervisor.schedule(post, for: app.id, at: 1000, every: nil, waking: true, now: 0)
        }
        let more = app.world.supervisor.schedule(
            post, for: app.id, at: 1000, every: nil, waking: true, now: 0)
        #expect(throws: ScheduleRefusal.book(.full)) { try more.get() }
        app.world.supervisor.schedulesDue(at: 999)
        #expect(app.world.supervisor.notifications(of: app.id)?.schedules.count == 64)
        app.world.supervisor.schedulesDue(at: 5000)
        #expect(app.world.supervisor.notifications(of: app.id)?.schedules.isEmpty == true)
        #expect(flushes(app).flatMap(\.self).last?.hasPrefix("tick×") == true)
        #expect(app.state == .suspended)
    }
}

@Suite(.timeLimit(.minutes(60))) struct `What is posted to a program with hooks` {
    private func world(_ hooks: [String: Hook], _ program: FakeProgram = FakeProgram()) throws -> (
        World, WorkerID
    ) {
        let world = try World()
        world.host.programs["daemon"] = program
        let configuration = WorkerConfiguration(
            name: "daemon", policy: Policy(hooks: CallbackSet([.didReceiveNotifications]))
        ) { _ in LaunchRequest("daemon", environment: Environment()) }
        configuration.notificationHooks = hooks
        let id = world.supervisor.add(configuration)
        world.request(.active, of: id)
        world.host.run { world.state(of: id) == .active }
        return (world, id)
    }

    private static func program(_ outcome: FakeProgram.HookFate) -> FakeProgram {
        var program = FakeProgram()
        program.hooks[.didReceiveNotifications] = outcome
        return program
    }

    private static let hangup = Hook(.signal(.hangup), completes: .immediately)
    private static let command = Hook(.command, completes: .exit)

    @Test func `is one signal for fifty, sent before the thaw`() throws {
        let (world, id) = try world(["settingsChanged": Self.hangup])
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        for _ in 0..<50 { world.post("settingsChanged", .count, to: id) }
        world.host.calls = []
        world.request(.active, of: id)
        world.host.run { world.state(of: id) == .active }
        #expect(world.host.calls == [.notificationHook(id, "settingsChanged"), .thaw(id)])
        #expect(
            world.notifications(of: id)?.waiting.isEmpty == true && world.notifications(of: id)?.bytes == 0)
    }

    @Test func `is signalled before the thaw, and run after it`() throws {
        let (world, id) = try world(["settingsChanged": Self.hangup, "news": Self.command])
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        world.post("news", .each, payload: "{\"a\":1}", to: id)
        world.post("settingsChanged", .count, to: id)
        world.post("news", .each, to: id)
        world.host.calls = []
        world.request(.active, of: id)
        world.host.run { world.state(of: id) == .active }
        #expect(
            world.host.calls == [
                .notificationHook(id, "settingsChanged"), .thaw(id), .notificationHook(id, "news"),
                .notificationHook(id, "news"),
            ])
        let given = world.host.hookVariables.map { variables in
            ["TOPIC", "PAYLOAD", "COUNT", "SEQUENCE"].map {
                variables["TORPOR_NOTIFICATION_\($0)"]?.description ?? "-"
            }
        }
        #expect(
            given == [
                ["settingsChanged", "-", "1", "2"], ["news", "{\"a\":1}", "1", "1"], ["news", "-", "1", "3"],
            ])
    }

    @Test func `is kept and tried again when its hook fails, the rest of the topic behind it`() throws {
        let (world, id) = try world(
            ["bad": Self.command], Self.program(.ends(.failed, after: .zero)))
        world.post("bad", .each, to: id)
        world.post("bad", .each, to: id)
        #expect(world.host.calls.filter { $0 == .notificationHook(id, "bad") }.count == 1)
        #expect(world.notifications(of: id)?.waiting.map(\.sequence) == [1, 2])
        #expect(world.notifications(of: id)?.retryIn == .seconds(1))
        world.host.advance(by: .seconds(1))
        // Once more for the first; the second waits for it.
        #expect(world.host.calls.filter { $0 == .notificationHook(id, "bad") }.count == 2)
        #expect(world.notifications(of: id)?.problem != nil)
    }

    @Test func `is given up with its hook when that hangs, and comes again`() throws {
        let (world, id) = try world(
            ["slow": Self.command], Self.program(.hangs))
        var policy = Policy.run
        policy.hooks = CallbackSet([.didReceiveNotifications])
        policy.limits.resume = .seconds(30)
        world.supervisor.submit(.policyChanged(SharedPolicy(policy)), to: id)
        world.post("slow", .count, to: id)
        world.host.advance(by: .milliseconds(30_500))
        #expect(world.host.calls.contains { if case .cancelHook = $0 { true } else { false } })
        #expect(world.notifications(of: id)?.waiting.map(\.topic.name) == ["slow"])
        #expect(world.state(of: id) == .active)
    }

    @Test func `sends nothing to a program that is ended out of its sleep`() throws {
        let (world, id) = try world(["settingsChanged": Self.hangup])
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        world.post("settingsChanged", .count, to: id)
        world.host.calls = []
        world.request(.notRunning, of: id)
        world.host.run { world.state(of: id) == .notRunning }
        #expect(!world.host.calls.contains(.notificationHook(id, "settingsChanged")))
    }
}

extension World {
    @discardableResult
    func post(
        _ topic: String, _ rule: MergeRule, payload: String? = nil, waking: PostWaking = .nobody,
        to id: WorkerID
    ) -> PostOutcome? {
        guard let topic = Topic(topic) else { return nil }
        let post = Post(topic, rule, payload: payload.map { Array($0.utf8) }, at: host.now.microseconds)
        return supervisor.post(post, to: id, waking: waking)
    }

    func notifications(of id: WorkerID) -> PendingView? {
        supervisor.notifications(of: id)
    }
}

extension App {
    @discardableResult
    func post(
        _ topic: String, _ rule: MergeRule = .latest, payload: String? = nil, waking: PostWaking = .nobody
    ) -> PostOutcome? {
        world.post(topic, rule, payload: payload, waking: waking, to: id)
    }

    var notifications: PendingView? { world.notifications(of: id) }

    /// What is told and changes while `action` is done.
    func story(of action: () -> Void, is expected: [String], _ place: SourceLocation = #_sourceLocation) {
        let before = story.count
        action()
        #expect(Array(story[before...]) == expected, sourceLocation: place)
    }
}
