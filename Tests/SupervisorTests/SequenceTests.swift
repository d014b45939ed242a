import ControlAPI
import HostContract
import Lifecycle
import Linux
import Pressure
import TestSupport
import Testing
import Varlink

@testable import CallbackService
@testable import OperatorService
@testable import Supervisor
@testable import SupervisorPorts

/// Everything that a worker is told and that becomes of it, whole, for each of the ways that a life can take (1.2, 1.4).
@Suite(.timeLimit(.minutes(60))) struct `The whole sequence of` {
    private static let launched = [
        "→ inactive", "willFinishLaunching", "didFinishLaunching", "→ active", "didBecomeActive",
    ]
    private static let left = [
        "willResignActive", "→ inactive", "→ background", "didEnterBackground", "shouldSaveState",
        "saveState",
    ]

    private func active(_ change: (inout Policy) -> Void = { _ in }) throws -> App {
        var policy = Policy.app
        change(&policy)
        let app = App(try World(), policy)
        app.want(.active)
        try #require(app.state == .active)
        return app
    }

    // MARK: launches

    @Test func `a foreground launch`() throws {
        let app = App(try World())
        #expect(app.want(.active) == Self.launched)
    }

    @Test func `a background launch`() throws {
        let app = App(try World())
        #expect(app.want(.background) == ["→ background", "willFinishLaunching", "didFinishLaunching"])
        #expect(app.messages.map(\.launch?.intoForeground) == [false, false])
    }

    @Test func `a background launch for a fetch, and sleep when it is over`() throws {
        let app = App(try World())
        let fetch = Inbound(id: 900, .fetch)
        #expect(
            app.tell(.woken(Wake(.fetch, intoForeground: false, bringing: fetch))) == [
                "→ background", "willFinishLaunching", "didFinishLaunching", "performFetch", "→ suspended",
            ])
    }

    // MARK: URLs

    @Test func `a URL that finds it cold`() throws {
        let app = App(try World())
        let answer = app.open("game:42")
        #expect(
            app.story == [
                "→ inactive", "willFinishLaunching", "didFinishLaunching", "openURL", "→ active",
                "didBecomeActive",
            ])
        #expect(answer.outcomes == [.taken])
        #expect(app.messages.first?.options == ["url": "game:42"])
        #expect(app.messages[2].content == .url("game:42", source: nil))
    }

    @Test func `a URL that finds it asleep`() throws {
        let app = try active()
        app.want(.suspended)
        app.world.host.advance(by: .seconds(90))
        let before = app.story.count
        let answer = app.open("game:42")
        #expect(
            app.story[before...] == [
                "→ background", "willEnterForeground", "→ inactive", "openURL", "→ active", "didBecomeActive",
            ])
        #expect(answer.outcomes == [.taken])
        // Every resume tells how long it slept, once (1.8).
        #expect(app.messages.suffix(3).map(\.suspendedFor) == [.seconds(90), nil, nil])
    }

    @Test func `a URL that finds it active`() throws {
        let app = try active()
        let before = app.story.count
        _ = app.open("game:42")
        #expect(app.story[before...] == ["openURL"])
    }

    @Test(arguments: [Callback.willFinishLaunching, .didFinishLaunching])
    func `a URL that it refuses with its launch`(_ refusal: Callback) throws {
        let app = App(try World())
        app.refuses = CallbackSet([refusal])
        let answer = app.open("game:42")
        #expect(app.story == Self.launched)
        #expect(answer.outcomes == [.refused(.refusedByWorker)])
    }

    @Test func `a URL that it does not take`() throws {
        let app = try active()
        app.refuses = CallbackSet([.openURL])
        #expect(app.open("game:42").outcomes == [.failed])
    }

    @Test func `a URL without a receiver`() throws {
        let app = App(try World())
        app.callbacks = CallbackSet([.didBecomeActive])
        #expect(app.open("game:42").outcomes == [.refused(.noReceiver)])
        let world = try World()
        let sleeper = world.add("sleeper")
        let answer = OpenAnswer()
        world.supervisor.open("game:42", with: sleeper) { answer.outcomes.append($0) }
        #expect(answer.outcomes == [.refused(.noReceiver)])
        #expect(world.state(of: sleeper) == .notRunning)
    }

    // MARK: interruptions

    @Test func `an interruption that passes`() throws {
        let app = try active()
        #expect(app.tell(.interrupted) == ["willResignActive", "→ inactive"])
        #expect(app.tell(.interruptionEnded) == ["→ active", "didBecomeActive"])
    }

    @Test func `an interruption that is answered`() throws {
        let app = try active()
        app.tell(.interrupted)
        #expect(
            app.want(.suspended) == [
                "→ background", "didEnterBackground", "shouldSaveState", "saveState", "→ suspended",
            ])
        #expect(app.tell(.interruptionEnded) == [])
    }

    // MARK: leaving and returning

    @Test func `leaving`() throws {
        let app = try active()
        #expect(app.want(.suspended) == Self.left + ["→ suspended"])
    }

    @Test func `leaving without anything to save`() throws {
        let app = try active()
        app.refuses = CallbackSet([.shouldSaveState])
        #expect(app.want(.suspended) == Self.left.dropLast() + ["→ suspended"])
    }

    @Test func `returning`() throws {
        let app = try active()
        app.want(.suspended)
        #expect(
            app.tell(.resumeRequested(World.person)) == [
                "→ background", "willEnterForeground", "→ inactive", "→ active", "didBecomeActive",
            ])
    }

    // MARK: background tasks

    @Test func `a background task that ends`() throws {
        let app = try active()
        let token = app.beginTask()
        #expect(app.want(.suspended) == Self.left)
        #expect(app.after(.seconds(300)) == [])
        #expect(app.world.life(of: app.id)?.backgroundTimeRemaining(at: app.world.host.now) == .seconds(300))
        let before = app.story.count
        #expect(app.endTask(token) == .ended)
        #expect(app.story[before...] == ["→ suspended"])
        #expect(app.endTask(token) == .noSuchTask)
    }

    @Test func `a background task that expires`() throws {
        let app = try active()
        _ = app.beginTask()
        app.want(.suspended)
        #expect(app.after(.seconds(595) - .milliseconds(1)) == [])
        #expect(app.after(.milliseconds(2)) == ["backgroundTaskWillExpire"])
        #expect(app.after(.seconds(5)) == ["† backgroundTask", "→ notRunning"])
        #expect(app.world.records(of: app.id).map(\.cause.code) == [0x2182_bad2])
    }

    @Test func `a background task that heeds its warning`() throws {
        let app = try active()
        let token = app.beginTask()
        app.reaction = { [unowned app] message in
            if message.delivery.callback == .backgroundTaskWillExpire { _ = app.endTask(token) }
        }
        app.want(.suspended)
        #expect(app.after(.seconds(596)) == ["backgroundTaskWillExpire", "→ suspended"])
    }

    // MARK: events in the background

    @Test func `being resumed for an event and suspended again`() throws {
        let app = try active()
        app.want(.suspended)
        #expect(
            app.tell(
                .woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: 900, .fetch)))) == [
                    "→ background", "performFetch", "→ suspended",
                ])
    }

    @Test func `an event that is overstayed`() throws {
        let app = try active()
        app.want(.suspended)
        app.hangs = CallbackSet([.performFetch])
        app.tell(.woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: 900, .fetch))))
        #expect(app.after(.seconds(31)) == ["† fetch", "→ notRunning"])
    }

    @Test func `a memory warning`() throws {
        let app = try active()
        #expect(app.tell(.announced(.didReceiveMemoryWarning)) == ["didReceiveMemoryWarning"])
        app.want(.suspended)
        #expect(app.tell(.announced(.didReceiveMemoryWarning)) == [])
    }

    @Test func `a memory warning, with its level and what may still be taken; the last one counts`() throws {
        let app = try active()
        func tell(_ level: PressureLevel, _ available: Int64) {
            let id = app.id
            app.world.supervisor.tell(id, MemoryWarning(worker: "app", level: level, available: available))
        }
        func given() -> [String] {
            app.messages.map { WorkerInterface.Callback($0) }.filter { $0.name == .didReceiveMemoryWarning }
                .map { "\($0.memoryLevel?.rawValue ?? "-") \($0.memoryAvailableBytes ?? -1)" }
        }
        tell(.warning, 7)
        tell(.normal, 9)
        #expect(given() == ["warning 7", "normal 9"])
        app.hangs = CallbackSet([.didReceiveMemoryWarning])
        tell(.critical, 1)
        tell(.warning, 2)
        tell(.normal, 3)
        #expect(given().suffix(1) == ["critical 1"])
        app.hangs = []
        app.complete(try #require(app.messages.last?.delivery.id))
        #expect(given().suffix(2) == ["critical 1", "normal 3"])
        #expect(app.messages.first { $0.delivery.callback == .didBecomeActive }?.memory == nil)
    }

    // MARK: the end

    @Test func `termination from active`() throws {
        let app = try active()
        app.want(.notRunning)
        app.world.host.run()
        #expect(
            app.story.suffix(5) == [
                "willResignActive", "→ inactive", "willTerminate", "† stopped", "→ notRunning",
            ])
    }

    @Test func `termination from inactive`() throws {
        let app = try active()
        app.want(.inactive)
        app.want(.notRunning)
        app.world.host.run()
        #expect(app.story.suffix(3) == ["willTerminate", "† stopped", "→ notRunning"])
        #expect(app.story.suffix(5).first == "willResignActive")
    }

    @Test func `termination from the background`() throws {
        let app = try active()
        app.want(.background)
        app.want(.notRunning)
        app.world.host.run()
        #expect(app.story.suffix(4) == ["saveState", "willTerminate", "† stopped", "→ notRunning"])
    }

    @Test func `termination from sleep, silently`() throws {
        let app = try active()
        app.want(.suspended)
        let before = app.story.count
        app.want(.notRunning)
        app.world.host.run()
        #expect(app.story[before...] == ["† stopped", "→ notRunning"])
        #expect(!app.world.host.calls.contains(.thaw(app.id)))
    }

    @Test func `termination from sleep of one that may not die silently`() throws {
        let app = try active { $0.evictable = .graceful }
        app.want(.suspended)
        let before = app.story.count
        app.want(.notRunning)
        app.world.host.run()
        #expect(
            app.story[before...] == ["→ background", "willTerminate", "† stopped", "→ notRunning"])
    }

    @Test func `termination that is not obeyed`() throws {
        let app = try active()
        app.obeys = false
        app.want(.background)
        app.want(.notRunning)
        #expect(app.after(.seconds(5) - .milliseconds(1)) == [])
        #expect(app.after(.seconds(1)) == ["† watchdog", "→ notRunning"])
        #expect(app.world.host.calls.contains(.kill(app.id)))
        #expect(!app.world.host.calls.contains(.signal(app.id, .terminate)))
    }

    @Test func `a force-quit, and what it bars`() throws {
        let app = try active()
        app.tell(.forceQuit(World.person))
        app.world.host.run()
        #expect(app.story.suffix(2) == ["† forceQuit", "→ notRunning"])
        #expect(app.tell(.woken(Wake(.path, intoForeground: false))) == ["refused: forceQuit"])
        #expect(app.want(.active) == Self.launched)
    }

    // MARK: overstaying

    @Test(arguments: [
        (Callback.willResignActive, Goal.suspended, Int64(10)), (.didEnterBackground, .suspended, 5),
        (.saveState, .suspended, 5),
    ])
    func `a callback that is overstayed`(_ callback: Callback, _ goal: Goal, _ limit: Int64) throws {
        let app = try active()
        app.hangs = CallbackSet([callback])
        app.want(goal)
        #expect(app.after(.seconds(limit) - .milliseconds(1)) == [])
        let end = app.after(.milliseconds(2))
        #expect(end == ["† watchdog", "→ notRunning"])
        let record = try #require(app.world.records(of: app.id).first)
        #expect(record.unfinished?.callback == callback)
        #expect(record.cause.code == 0x8bad_f00d)
    }

    @Test func `an answer after the deadline, twice, or to a stranger's id`() throws {
        let app = try active { $0.killsOverrunInBackground = false }
        app.hangs = CallbackSet([.didEnterBackground])
        app.want(.suspended)
        let late = try #require(app.messages.last?.delivery.id)
        app.after(.seconds(6))
        #expect(app.state == .background)
        #expect(!app.complete(late))
        #expect(!app.complete(999))
        #expect(
            app.world.notices.contains { $0.notice == .warned(.overrun(.didEnterBackground), detail: nil) })
    }

    @Test func `a connection that goes away in the middle of a callback`() throws {
        let app = try active()
        app.hangs = CallbackSet([.willResignActive])
        app.want(.suspended)
        let id = app.id
        app.world.supervisor.detach(app, from: id)
        // A callback that no connection can complete any more fails, and the worker goes on without the other callbacks.
        #expect(app.state == .suspended)
    }

    // MARK: the foreground

    @Test func `the hand-over of an exclusive foreground`() throws {
        let world = try World()
        let a = App(world, name: "a", group: "games")
        let b = App(world, name: "b", group: "games")
        a.want(.active)
        let before = a.story.count
        b.hangs = CallbackSet([.didFinishLaunching])
        b.want(.active)
        #expect(a.story.count == before)
        let id = try #require(b.messages.last?.delivery.id)
        b.complete(id)
        #expect(Array(a.story[before...]) == Self.left + ["→ suspended"])
        #expect(
            b.story == [
                "→ background", "willFinishLaunching", "didFinishLaunching", "willEnterForeground",
                "→ inactive", "→ active", "didBecomeActive",
            ])
    }

    @Test func `a hand-over to one that fails to get ready`() throws {
        let world = try World()
        let a = App(world, name: "a", group: "games")
        let b = App(world, name: "b", group: "games")
        a.want(.active)
        let before = a.story
        b.hangs = CallbackSet([.didFinishLaunching])
        let answer = world.request(.active, of: b.id)
        world.host.advance(by: .seconds(21))
        #expect(b.story.suffix(2) == ["† watchdog", "→ notRunning"])
        #expect(a.story == before)
        #expect(a.state == .active)
        #expect(answer.outcomes.count == 1)
    }
}
