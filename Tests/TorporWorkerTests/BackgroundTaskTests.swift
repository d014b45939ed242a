import ControlAPI
import Testing
import TorporWorkerTesting

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `A background task` {
    @Test func `begins before its body and ends behind it`() async throws {
        try await withSupervisor { supervisor, worker in
            let result = try await worker.withBackgroundTask(named: "upload") {
                #expect(await supervisor.hear() == [.began("upload")])
                return 7
            }
            #expect(result == 7)
            #expect(await supervisor.hear() == [.ended(1)])
        }
    }

    @Test func `ends when its body throws`() async throws {
        try await withSupervisor { supervisor, worker in
            await #expect(throws: Trouble.self) {
                try await worker.withBackgroundTask(named: "a") { throw Trouble(description: "no") }
            }
            #expect(await supervisor.hear(2) == [.began("a"), .ended(1)])
        }
    }

    @Test func `is cancelled with its caller, and ends`() async throws {
        try await withSupervisor { supervisor, worker in
            let gate = Gate()
            let caller = Task {
                try await worker.withBackgroundTask(named: "a") {
                    await gate.pass()
                    try Task.checkCancellation()
                }
            }
            #expect(await supervisor.hear() == [.began("a")])
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(await supervisor.hear() == [.ended(1)])
        }
    }

    @Test func `is cancelled at expiry, nested and side by side`() async throws {
        try await withSupervisor { supervisor, worker in
            let gate = Gate()
            async let run: Void = worker.run(Recorder())
            _ = await supervisor.hear()
            let outer = Task {
                try await worker.withBackgroundTask(named: "outer") {
                    try await worker.withBackgroundTask(named: "inner") {
                        await gate.pass()
                        try Task.checkCancellation()
                    }
                }
            }
            #expect(await supervisor.hear(2) == [.began("outer"), .began("inner")])
            let beside = Task {
                try await worker.withBackgroundTask(named: "beside") {
                    await gate.pass()
                    return Task.isCancelled
                }
            }
            #expect(await supervisor.hear() == [.began("beside")])
            supervisor.deliver(1, .backgroundTaskWillExpire)
            await #expect(throws: CancellationError.self) { try await outer.value }
            #expect(try await beside.value)
            let heard = await supervisor.hear(4)
            #expect(Set(heard) == [.completed(1), .ended(1), .ended(2), .ended(3)])
            // What begins later is not cancelled.
            #expect(try await worker.withBackgroundTask(named: "later") { Task.isCancelled } == false)
            worker.terminate()
            try await run
        }
    }

    @Test func `that is refused never begins`() async throws {
        for (error, code) in [
            (WorkerInterface.notNow(why: "ending"), WorkerError.Code.notNow),
            (WorkerInterface.tooManyTasks(limit: 4), .tooManyTasks),
        ] {
            try await withSupervisor(Manners(taskError: error)) { _, worker in
                let error = await #expect(throws: WorkerError.self) {
                    try await worker.withBackgroundTask(named: "a") { Issue.record("the body ran") }
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test func `knows how long it has`() async throws {
        try await withSupervisor(Manners(remaining: 595_123_456)) { _, worker in
            let (remaining, state) = (try await worker.backgroundTimeRemaining, try await worker.state)
            #expect(remaining == .microseconds(595_123_456))
            #expect(state == .background)
        }
        try await withSupervisor { _, worker in
            let remaining = try await worker.backgroundTimeRemaining
            #expect(remaining == nil)
        }
    }
}
