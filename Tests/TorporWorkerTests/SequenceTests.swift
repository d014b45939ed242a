import ControlAPI
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `The sequence of callbacks` {
    @Test func `hands each out to be answered once`() async throws {
        try await withSupervisor { supervisor, worker in
            var callbacks: CallbackSequence.Iterator? = try worker.callbacks().makeAsyncIterator()
            _ = await supervisor.hear()
            var first = WorkerInterface.Callback(id: 1, name: .didEnterBackground)
            first.timeLimitUsec = 5_000_000
            first.suspendedForUsec = 1_000_000
            first.backgroundTimeRemainingUsec = 600_000_000
            supervisor.deliver(first)
            supervisor.deliver(2, .shouldSaveState)
            supervisor.deliver(3, .saveState)
            supervisor.deliver(4, .openURL)
            let entered = try #require(await callbacks?.next())
            #expect(entered.name == .didEnterBackground)
            #expect(entered.timeLimit == .seconds(5))
            #expect(entered.suspendedFor == .seconds(1))
            #expect(entered.backgroundTimeRemaining == .seconds(600))
            try await entered.complete()
            for answer in [entered.complete, entered.refuse] {
                await #expect(throws: WorkerError.alreadyCompleted) { try await answer() }
            }
            await #expect(throws: WorkerError.alreadyCompleted) { try await entered.fail("x") }
            await #expect(throws: WorkerError.alreadyCompleted) { try await entered.complete(saving: 1) }
            try await callbacks?.next()?.refuse()
            try await callbacks?.next()?.complete(saving: [1, 2])
            try await callbacks?.next()?.fail("no such page")
            #expect(
                await supervisor.hear(4) == [
                    .completed(1), .refused(2), .saved(3, ["$value": [1, 2]]), .failed(4, "no such page"),
                ])
            callbacks = nil
            #expect(await supervisor.hear() == [.detached])
        }
    }

    @Test func `fails a callback that is let go of`() async throws {
        try await withSupervisor { supervisor, worker in
            let callbacks = try worker.callbacks()
            _ = await supervisor.hear()
            supervisor.deliver(1, .willTerminate)
            supervisor.deliver(2, .didBecomeActive)
            var iterator = callbacks.makeAsyncIterator()
            _ = await iterator.next()
            _ = await iterator.next()
            #expect(await supervisor.hear() == [.failed(2, "released without an answer")])
        }
    }

    @Test func `tells when nobody waits for the answer any more`() async throws {
        let manners = Manners(completionError: WorkerInterface.noSuchCallback(id: 1))
        try await withSupervisor(manners) { supervisor, worker in
            var callbacks = try worker.callbacks().makeAsyncIterator()
            _ = await supervisor.hear()
            supervisor.deliver(1, .didBecomeActive)
            let callback = try #require(await callbacks.next())
            await #expect(throws: WorkerError.noSuchCallback) { try await callback.complete() }
        }
    }
}
