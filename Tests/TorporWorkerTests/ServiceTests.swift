import ControlAPI
import Logging
import ServiceLifecycle
import Testing
import TorporServiceLifecycle
import TorporWorkerTesting

@testable import TorporWorker

/// A service that waits for the group's graceful shutdown.
private struct Bystander: Service {
    let notes: Notes

    func run() async throws {
        notes.add("bystander runs")
        try await gracefulShutdown()
        notes.add("bystander ends")
    }
}

@Suite(.timeLimit(.minutes(60)))
struct `As a service` {
    private func group(_ service: WorkerService<Recorder>, _ bystander: Bystander) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(
                services: [.init(service: bystander), service.configuration], logger: Logger(label: "test")))
    }

    @Test func `willTerminate shuts the group down gracefully`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder()
            let bystander = Bystander(notes: Notes())
            let group = group(WorkerService(delegate, of: worker), bystander)
            async let run: Void = group.run()
            #expect(await bystander.notes.next(1) == ["bystander runs"])
            _ = await supervisor.hear()
            supervisor.deliver(1, .willTerminate)
            try await run
            #expect(await delegate.notes.next(1) == ["willTerminate"])
            #expect(await bystander.notes.next(1) == ["bystander ends"])
        }
    }

    @Test func `a graceful shutdown is willTerminate`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder()
            let bystander = Bystander(notes: Notes())
            let group = group(WorkerService(delegate, of: worker), bystander)
            async let run: Void = group.run()
            _ = await supervisor.hear()
            await group.triggerGracefulShutdown()
            try await run
            #expect(await delegate.notes.next(1) == ["willTerminate"])
            #expect(await supervisor.hear() == [.detached])
        }
    }
}
