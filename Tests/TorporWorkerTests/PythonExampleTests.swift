import ControlAPI
import Foundation
import TestSupport
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `The example in Python` {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../packaging/examples/worker.py").path

    private func start(at socket: String?) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", Self.script]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PYTHONPATH": PythonPackage.directory ?? "", "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        process.environment?["TORPOR_SOCKET"] = socket
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(.requires(.varlinkPackage)) func `is launched, goes on where it was, and ends`() async throws {
        try await withSupervisor { supervisor, _ in
            let process = try start(at: supervisor.path)
            defer { if process.isRunning { process.terminate() } }
            #expect(await supervisor.hear() == [.attached(nil)])
            supervisor.deliver(1, .willFinishLaunching)
            var restore = WorkerInterface.Callback(id: 2, name: .restoreState)
            // More than it will ever have counted to by itself.
            restore.state = ["count": 4_000_000]
            supervisor.deliver(restore)
            supervisor.deliver(3, .didFinishLaunching)
            #expect(await supervisor.hear(3) == [.completed(1), .completed(2), .completed(3)])
            supervisor.deliver(4, .didEnterBackground)
            #expect(Set(await supervisor.hear(3)) == [.began("flush"), .completed(4), .ended(1)])
            supervisor.deliver(5, .openURL)
            supervisor.deliver(6, .saveState)
            #expect(await supervisor.hear() == [.refused(5)])
            guard case .saved(6, let state)? = await supervisor.hear().first else {
                Issue.record("no state")
                return
            }
            #expect(state["count"]?.int ?? 0 >= 4_000_000)
            // It attaches again when the supervisor was away.
            supervisor.restart()
            #expect(await supervisor.hear() == [.attached(nil)])
            supervisor.deliver(7, .willTerminate)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }
}
