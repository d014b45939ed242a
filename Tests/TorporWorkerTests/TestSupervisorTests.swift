import ControlAPI
import Foundation
import Testing
import TorporWorker

@testable import TorporWorkerTesting

@Suite struct `Virtual time` {
    private func time(_ limit: Duration = .seconds(600)) -> VirtualTime {
        var time = VirtualTime(taskLimit: limit)
        time.inBackground(true)
        time.beganTask(1)
        return time
    }

    @Test func `makes callbacks overdue at their deadlines, in order`() {
        var time = VirtualTime(taskLimit: .seconds(600))
        time.began(1, within: .seconds(10))
        time.began(2, within: .seconds(5))
        time.began(3, within: nil)
        time.began(4, within: .seconds(7))
        time.ended(4)
        #expect(time.advance(by: .seconds(4)) == [])
        #expect(time.advance(by: .seconds(100)) == [.overdue(2), .overdue(1)])
        #expect(time.advance(by: .seconds(100)) == [])
    }

    @Test func `tells the end of the background time before and at it, once`() {
        var time = time()
        #expect(time.advance(by: .milliseconds(594_999)) == [])
        #expect(time.remaining == .milliseconds(5001))
        #expect(time.advance(by: .milliseconds(1)) == [.expiring])
        #expect(time.advance(by: .seconds(1)) == [])
        #expect(time.advance(by: .seconds(4)) == [.expired])
        #expect(time.advance(by: .seconds(4)) == [])
        #expect(time.remaining == .zero)
    }

    @Test func `tells nothing of it without tasks, and counts it afresh`() {
        var time = time(.seconds(10))
        time.endedTask(1)
        #expect(time.advance(by: .seconds(20)) == [])
        time.inBackground(false)
        #expect(time.remaining == nil)
        time.inBackground(true)
        time.beganTask(2)
        #expect(time.advance(by: .seconds(9)) == [.expiring])
        time.endTasks()
        #expect(time.advance(by: .seconds(9)) == [])
    }

    @Test func `counts nothing while the worker sleeps`() {
        var time = time(.seconds(10))
        time.began(1, within: .seconds(5))
        time.suspend()
        #expect(time.advance(by: .seconds(100)) == [])
        #expect(time.resume() == .seconds(100))
        #expect(time.resume() == nil)
        #expect(time.remaining == .seconds(10))
        #expect(time.advance(by: .seconds(4)) == [])
        #expect(time.advance(by: .seconds(1)) == [.overdue(1)])
    }
}

@Suite(.timeLimit(.minutes(60))) struct `A supervisor for tests` {
    /// Takes a delegate through `body`, and then ends it.
    private func with(
        _ delegate: some LifecycleDelegate, _ body: (TestSupervisor) async throws -> Void
    ) async throws {
        let supervisor = try TestSupervisor()
        let worker = supervisor.worker
        let run = Task { try await worker.run(delegate) }
        // A worker that serves nothing yet would not hear that it is to end.
        #expect(await supervisor.stage.attached())
        try await body(supervisor)
        worker.terminate()
        try await run.value
        try await supervisor.wait(for: .detached)
    }

    @Test func `delivers the callbacks of a life in their order`() async throws {
        let delegate = Recorder()
        try await with(delegate) { supervisor in
            #expect(try await supervisor.launch(.url, restoring: Position(level: 3, name: "b")))
            #expect(supervisor.state == .active)
            #expect(try await supervisor.enterBackground() == .completed)
            try supervisor.suspend(for: .seconds(60))
            #expect(supervisor.state == .suspended)
            #expect(try await supervisor.post("news") == .completed)
            #expect(supervisor.state == .background)
            try await supervisor.activate()
            #expect(
                await delegate.notes.next(10) == [
                    "willFinishLaunching for url", "restored 3 b", "didFinishLaunching", "didBecomeActive",
                    "active",
                    "willResignActive", "didEnterBackground", "slept 60.0 seconds", "news 7",
                    "didBecomeActive",
                ])
            let state = try await supervisor.saveState()
            #expect(try state?.decode() == Position(level: 3, name: "b"))
        }
    }

    @Test func `hears refusals, failures, and what is not received`() async throws {
        let delegate = Recorder(
            refusesLaunch: true, fails: .willResignActive,
            callbacks: [.willFinishLaunching, .willResignActive, .openURL])
        try await with(delegate) { supervisor in
            #expect(try await supervisor.launch() == false)
            #expect(try await supervisor.deliver(.willResignActive) == .failed("cannot willResignActive"))
            #expect(try await supervisor.deliver(.didEnterBackground) == .notReceived)
            let url = try #require(URL(string: "a:b"))
            #expect(try await supervisor.open(url) == false)
            #expect(try await supervisor.saveState() == nil)
        }
    }

    @Test func `hears what a worker asks for`() async throws {
        try await with(Recorder()) { supervisor in
            let worker = supervisor.worker
            #expect(try await supervisor.nextRequest() == .attached(Set(CallbackName.allCases)))
            try await supervisor.launch()
            let (state, unlimited) = (try await worker.state, try await worker.backgroundTimeRemaining)
            #expect(state == .active && unlimited == nil)
            try await worker.saveState(Position(level: 4, name: "c"))
            guard case .savedState(let saved) = try await supervisor.nextRequest() else {
                Issue.record("no state")
                return
            }
            #expect(try saved.decode(as: Position.self).level == 4)
            try await worker.discardState()
            #expect(try await supervisor.nextRequest() == .discardedState)
            let sequence = try await worker.post("news")
            #expect(sequence == 1)
            #expect(try await supervisor.nextRequest() == .posted(topic: "news"))
            let schedule = try #require(try await worker.schedule("due", after: .seconds(5)))
            #expect(try await supervisor.nextRequest() == .scheduled(topic: "due"))
            try await worker.cancelSchedule(schedule)
            #expect(try await supervisor.nextRequest() == .cancelledSchedule)
            try await worker.requestActivation()
            #expect(try await supervisor.nextRequest() == .requestedActivation)
            try await supervisor.enterBackground()
            supervisor.advance(by: .seconds(100))
            let remaining = try await worker.backgroundTimeRemaining
            #expect(remaining == .seconds(500))
        }
    }

    @Test func `says what a worker would be killed for`() async throws {
        let gate = Gate()
        let delegate = Recorder(gate: gate)
        try await with(delegate) { supervisor in
            let worker = supervisor.worker
            let hanging = try await supervisor.send(.didBecomeActive)
            #expect(await delegate.notes.next(1) == ["didBecomeActive"])
            #expect(supervisor.advance(by: .milliseconds(9999)) == nil)
            let kill = Kill(code: 0x8bad_f00d, reason: "didBecomeActive took too long")
            #expect(supervisor.advance(by: .milliseconds(1)) == kill)
            let error = await #expect(throws: TestSupervisorError.self) { try await hanging.answer }
            #expect(error?.code == .killed(kill))
            #expect(error?.description == "didBecomeActive took too long (0x8badf00d)")
            gate.open()
            try await supervisor.launch(.fetch, intoForeground: false)
            let end = Gate()
            let stubborn = Task {
                try await worker.withBackgroundTask(named: "stubborn") { await end.pass() }
            }
            try await supervisor.wait(for: .beganBackgroundTask("stubborn"))
            #expect(
                supervisor.advance(by: .seconds(600))
                    == Kill(code: 0x2182_bad2, reason: "the background time is over: stubborn"))
            end.open()
            try await stubborn.value
        }
    }

    @Test func `fails what is unanswered when it goes away, and is found again`() async throws {
        let gate = Gate()
        let delegate = Recorder(gate: gate)
        try await with(delegate) { supervisor in
            let hanging = try await supervisor.send(.didBecomeActive)
            #expect(await delegate.notes.next(1) == ["didBecomeActive"])
            supervisor.drop()
            let error = await #expect(throws: TestSupervisorError.self) { try await hanging.answer }
            #expect(error?.code == .detached)
            gate.open()
            supervisor.restore()
            #expect(try await supervisor.deliver(.willResignActive) == .completed)
        }
    }

    @Test func `refuses what makes no sense in a state`() async throws {
        try await with(Recorder()) { supervisor in
            let error = await #expect(throws: TestSupervisorError.self) { try await supervisor.resign() }
            #expect(error?.code == .wrongState(.notRunning))
            #expect(error?.description == "the worker is notRunning, not active")
            let value = await #expect(throws: TestSupervisorError.self) {
                try await supervisor.launch(options: 7)
            }
            #expect(value?.code == .mismatch)
        }
    }

    @Test func `does not keep a test that is cancelled`() async throws {
        let supervisor = try TestSupervisor()
        let waiting = Task { try await supervisor.deliver(.didBecomeActive) }
        waiting.cancel()
        let error = await #expect(throws: TestSupervisorError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
    }
}
