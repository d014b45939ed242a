public import ServiceLifecycle
public import TorporWorker

/// A worker as a service of swift-service-lifecycle: its life cycle runs beside the program's other services.
///
/// The supervisor's willTerminate ends it, and with ``configuration`` the whole group gracefully; a graceful shutdown that
/// comes from elsewhere, as by SIGTERM, brings the delegate's willTerminate first.
public struct WorkerService<Delegate: LifecycleDelegate>: Service {
    private let delegate: Delegate
    private let worker: Worker

    /// The worker that this process is, with `delegate`.
    public init(_ delegate: Delegate, of worker: Worker = .shared) {
        self.delegate = delegate
        self.worker = worker
    }

    /// Serves callbacks until willTerminate or the group's graceful shutdown.
    public func run() async throws {
        let worker = worker
        try await withGracefulShutdownHandler {
            try await worker.run(delegate)
        } onGracefulShutdown: {
            worker.terminate()
        }
    }

    /// How a group has it: when it ends, the others are shut down gracefully.
    public var configuration: ServiceGroupConfiguration.ServiceConfiguration {
        .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)
    }
}
