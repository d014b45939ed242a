import ControlAPI
import Foundation
import Linux
import Systemd
import TestSupport
import Varlink

@testable import ControlServer
@testable import Supervisor

/// A control server on a real socket, whose loop has a thread of its own.
struct TestServer: Sendable {
    let path: String
    let record: Record

    static let service = Service(
        identity: Service.Identity(
            vendor: "Torpor", product: "torpord", version: "1", url: "https://torpor.io"),
        interfaces: [SupervisorInterface.definition], requiringMore: SupervisorInterface.requiringMore)

    /// Serves for as long as `body` takes, which runs on a thread of its own as well.
    static func run<Result: Sendable>(
        limits: ControlLimits = ControlLimits(), authorization: Authorization = Authorization(),
        _ body: @escaping @Sendable (TestServer) throws -> Result
    ) async throws -> Result {
        try await onThread {
            try withTemporaryDirectory { directory in
                let server = TestServer(path: directory + "/control", record: Record())
                var ends: [Int32] = [-1, -1]
                guard
                    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
                        == 0
                else { throw TimedOut() }
                let stop = ends[0]
                let ended = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    do {
                        try server.serve(limits, authorization, until: stop)
                    } catch {
                        server.record.add("failed: \(error)")
                    }
                    ended.signal()
                }
                defer {
                    close(ends[1])
                    ended.wait()
                    close(ends[0])
                }
                try awaitFact { server.record.count("ready") == 1 }
                return try body(server)
            }
        }
    }

    private func serve(_ limits: ControlLimits, _ authorization: Authorization, until stop: Int32) throws {
        let loop = try EventLoop()
        let handler = FakeHandler(record)
        let server = try ControlServer(
            on: loop, service: Self.service, authorization: authorization, limits: limits, handler: handler
        ) { [record] event in record.add("log: \(event)") }
        try server.listen(StreamListener(at: UnixSocketAddress(path), access: .everybody))
        let end = try IOSource(on: loop, descriptor: stop, events: .readable, priority: .idle) { _ in
            server.close()
            loop.exit(0)
        }
        record.add("ready")
        _ = try loop.run()
        record.add("\(server.connectionCount) left")
        _ = consume end
    }

    func client() throws -> RawClient { try RawClient(path) }
}
