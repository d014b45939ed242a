import Foundation
import Linux
import TorporWorkerTesting

@testable import TorporWorker

/// A worker whose supervisor is at hand, for the length of `body`.
func withSupervisor(
    _ manners: Manners = Manners(), _ body: (FakeSupervisor, Worker) async throws -> Void
) async throws {
    let directory = "/tmp/torpor-worker-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let supervisor = try FakeSupervisor(directory + "/socket", manners)
    defer { supervisor.close() }
    let environment = Environment(entries: [
        ByteString("TORPOR_SOCKET=\(directory)/socket"), "TORPOR_WORKER=test",
    ])
    try await body(supervisor, Worker(environment: environment))
}
