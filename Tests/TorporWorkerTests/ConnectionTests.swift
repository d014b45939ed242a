import ControlAPI
import Linux
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `The connection` {
    @Test func `is made again with its audience and its background tasks`() async throws {
        try await withSupervisor { supervisor, worker in
            let gate = Gate()
            let delegate = Recorder(gate: gate)
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            async let task: Void = worker.withBackgroundTask(named: "long") { await gate.pass() }
            #expect(await supervisor.hear() == [.began("long")])
            supervisor.deliver(1, .didBecomeActive)
            #expect(await delegate.notes.next(1) == ["didBecomeActive"])
            supervisor.restart()
            #expect(Set(await supervisor.hear(2)) == [.attached(nil), .began("long")])
            // The answer belongs to an attachment that is over: the new supervisor does not hear it.
            gate.open()
            try await task
            #expect(await delegate.notes.next(2) == ["active", "lost didBecomeActive: noSuchCallback"])
            #expect(await supervisor.hear() == [.ended(101)])
            supervisor.deliver(1, .didEnterBackground)
            #expect(await supervisor.hear() == [.completed(1)])
            worker.terminate()
            try await run
        }
    }

    @Test func `fails the calls that are under way when it ends`() async throws {
        try await withSupervisor(Manners(silentOn: "RequestActivation")) { supervisor, worker in
            let call = Task { try await worker.requestActivation() }
            #expect(await supervisor.hear() == [.called("RequestActivation")])
            supervisor.restart()
            let error = await #expect(throws: WorkerError.self) { try await call.value }
            #expect(error?.code == .disconnected)
            // The next call makes a new one.
            let state = try await worker.state
            #expect(state == .background)
        }
    }

    @Test func `lets go of a call whose task is cancelled`() async throws {
        try await withSupervisor(Manners(silentOn: "RequestActivation")) { supervisor, worker in
            let call = Task { try await worker.requestActivation() }
            #expect(await supervisor.hear() == [.called("RequestActivation")])
            call.cancel()
            await #expect(throws: WorkerError.self) { try await call.value }
        }
    }

    @Test func `is asked for again while another process is attached`() async throws {
        try await withSupervisor(Manners(attachError: WorkerInterface.alreadyAttached)) {
            supervisor, worker in
            async let run: Void = worker.run(Recorder())
            #expect(await supervisor.hear(2) == [.attached(nil), .attached(nil)])
            supervisor.deliver(1, .didBecomeActive)
            #expect(await supervisor.hear() == [.completed(1)])
            worker.terminate()
            try await run
        }
    }

    @Test func `is waited for where nobody listens yet`() async throws {
        let worker = Worker(environment: Environment(entries: ["TORPOR_SOCKET=/nowhere/torpor"]))
        #expect(worker.isSupervised)
        await #expect(throws: WorkerError.disconnected) { try await worker.state }
        await #expect(throws: WorkerError.disconnected) { try await worker.requestActivation() }
        #expect(try await worker.withBackgroundTask(named: "a") { 1 } == 1)
        let run = Task { try await worker.run(Recorder()) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `reads what was launched from the environment`() throws {
        let worker = Worker(
            environment: Environment(entries: [
                "TORPOR_SOCKET=/s", "TORPOR_WORKER=web@42", "TORPOR_LAUNCH_STATE=background",
                "TORPOR_LAUNCH_REASON=url", "TORPOR_LAUNCH_OPTIONS={\"url\":\"x:y\"}", "TORPOR_RESTORE=/r",
            ]))
        #expect(worker.name == "web@42")
        #expect(
            worker.launch
                == Launch(
                    WorkerInterface.Launch(
                        reason: .url, intoForeground: false, restoresState: true, options: ["url": "x:y"])))
        #expect(try worker.launch.options(as: [String: String].self) == ["url": "x:y"])
    }
}
