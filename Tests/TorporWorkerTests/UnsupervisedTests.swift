import ControlAPI
import Linux
import Testing

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `Without a supervisor` {
    private let worker = Worker(environment: Environment())

    @Test func `everything works and does nothing`() async throws {
        #expect(!worker.isSupervised)
        #expect(worker.name == nil)
        #expect(try await worker.state == .active)
        #expect(try await worker.backgroundTimeRemaining == nil)
        #expect(try await worker.withBackgroundTask(named: "a") { 5 } == 5)
        try await worker.saveState(["a": 1])
        try await worker.discardState()
        try await worker.requestActivation()
        worker.terminate()
    }

    @Test func `a delegate hears what a program hears that is used at once`() async throws {
        let delegate = Recorder()
        async let run: Void = worker.run(delegate)
        #expect(
            await delegate.notes.next(4) == [
                "willFinishLaunching for operator", "didFinishLaunching", "didBecomeActive", "active",
            ])
        worker.terminate()
        try await run
        #expect(await delegate.notes.next(2) == ["willResignActive", "willTerminate"])
    }

    @Test func `the sequence is silent until it is cancelled`() async throws {
        let callbacks = try worker.callbacks()
        let loop = Task { for await callback in callbacks { Issue.record("\(callback.name)") } }
        loop.cancel()
        await loop.value
    }
}
