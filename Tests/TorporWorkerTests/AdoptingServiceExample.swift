// snippet: service
import Logging
import ServiceLifecycle
import TorporServiceLifecycle
import TorporWorker
import UnixSignals

func serve(_ server: some Service) async throws {
    let group = ServiceGroup(
        configuration: .init(
            services: [.init(service: server), WorkerService(Gallery()).configuration],
            gracefulShutdownSignals: [.sigterm],
            logger: Logger(label: "gallery")))
    try await group.run()
}
// end
