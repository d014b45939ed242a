import Cgroups
import Foundation
import TestSupport
import Testing

@testable import Launching
@testable import Lifecycle
@testable import Linux
@testable import LinuxHost
@testable import Supervisor
@testable import SupervisorPorts
@testable import Systemd

/// Which process a supervisor without cgroups takes for a worker that its predecessor was launching.
@Suite(.timeLimit(.minutes(60))) struct `Workers of others` {
    @Test func `of the same name are left to them, and so are earlier ones of ours`() async {
        // In a process of its own: a host reaps all children.
        await #expect(processExitsWith: .success) {
            try SignalSource.block([Signal.child.rawValue])
            let host = try LinuxHost(on: try EventLoop(), method: .signals(reason: "a test"))
            host.supervisor = "/here/io.torpor.Supervisor"
            let begun = host.now
            /// Launches a process that has this as its supervisor, and asks whether it is the worker of that number.
            func adoption(of worker: UInt32, launchedBy supervisor: ByteString?, _ asked: Instant) throws
                -> Adoption
            {
                let request = LaunchRequest.sleeper(of: supervisor)
                let pid = try request.launch().pid
                // Waited for: killed, it may be found for a moment still, as the worker of the next row.
                defer {
                    kill(pid, SIGKILL)
                    waitpid(pid, nil, 0)
                }
                let configuration = WorkerConfiguration(name: "web", policy: Policy()) { [request] _ in
                    request
                }
                let adoption = host.adopt(
                    WorkerID(worker), configuration, AdoptionRecord(launchAskedAt: asked))
                return adoption == .alive(pid: pid, isAsleep: false)
                    ? .alive(pid: 0, isAsleep: false) : adoption
            }
            let rows: [(supervisor: ByteString?, asked: Instant, Adoption)] = [
                ("/elsewhere/io.torpor.Supervisor", begun, .missing),
                ("/here/io.torpor.Supervisor", begun + .seconds(60), .missing),
                ("/here/io.torpor.Supervisor", begun, .alive(pid: 0, isAsleep: false)),
            ]
            for (number, row) in rows.enumerated() {
                let adoption = try adoption(of: UInt32(number), launchedBy: row.supervisor, row.asked)
                guard adoption == row.2 else { fatalError("row \(number): \(adoption)") }
            }
        }
    }
}

extension LaunchRequest {
    /// A process with the marks of the worker `web` of a supervisor, by which that finds it.
    static func sleeper(of supervisor: ByteString?) -> LaunchRequest {
        var environment = Environment()
        environment["TORPOR_WORKER"] = "web"
        environment["TORPOR_SUPERVISOR"] = supervisor
        var request = LaunchRequest("/bin/sleep", ["1000"], environment: environment)
        request.session = .ownSession
        return request
    }
}
