import ControlAPI
import Foundation
import Linux
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60))) struct `What a worker posts to itself` {
    @Test func `is said with all that belongs to it`() async throws {
        try await withSupervisor(Manners(sequence: 7)) { supervisor, worker in
            let first = try await worker.post("index.stale", payload: ["album": "summer"], rule: .each)
            let second = try await worker.post("files", added: ["a"], removed: ["b"], survives: false)
            #expect(first == 7 && second == 7)
            #expect(
                await supervisor.hear(2) == [
                    .posted(
                        "Post", ["topic": "index.stale", "payload": ["album": "summer"], "rule": "each"]),
                    .posted(
                        "Post",
                        [
                            "topic": "files", "rule": "set", "added": ["a"], "removed": ["b"],
                            "transient": true,
                        ]),
                ])
        }
    }

    @Test func `comes at its time, and can be taken back`() async throws {
        try await withSupervisor { supervisor, worker in
            let id = try await worker.schedule(
                "backup.due", at: Date(timeIntervalSince1970: 5.000003), every: .seconds(60), wakes: true)
            try await worker.cancelSchedule(id ?? 0)
            #expect(
                await supervisor.hear(2) == [
                    .posted(
                        "Schedule",
                        ["topic": "backup.due", "at": 5_000_003, "everyUsec": 60_000_000, "wake": true]),
                    .posted("Cancel", ["id": 1]),
                ])
            _ = try await worker.schedule("soon", after: .seconds(10))
            guard case .posted("Schedule", let said)? = await supervisor.hear().first else {
                Issue.record("nothing was scheduled")
                return
            }
            // Later than the day on which this was written.
            #expect(said["at"]?.int ?? 0 > 1_700_000_000_000_000)
        }
    }

    @Test func `fails in words where it is not taken`() async throws {
        for (error, code) in [
            (
                WorkerInterface.notPosted(obstacle: .full, why: "its queue is full"),
                WorkerError.Code.notPosted
            ),
            (WorkerInterface.noSuchSchedule(id: 3), .noSuchSchedule),
        ] {
            try await withSupervisor(Manners(postError: error)) { _, worker in
                let failure = await #expect(throws: WorkerError.self) { try await worker.post("a") }
                #expect(failure?.code == code)
                if code == .notPosted { #expect(failure?.description.contains("its queue is full") == true) }
                await #expect(throws: WorkerError.self) { try await worker.schedule("a", after: .seconds(1)) }
                await #expect(throws: WorkerError.self) { try await worker.cancelSchedule(3) }
            }
        }
    }

    @Test func `says an object or nothing`() async throws {
        try await withSupervisor { _, worker in
            let failure = await #expect(throws: WorkerError.self) { try await worker.post("a", payload: [1]) }
            #expect(failure?.code == .mismatch)
        }
    }

    @Test func `is nothing without a supervisor`() async throws {
        let worker = Worker(environment: Environment(entries: []))
        let (posted, scheduled) = (
            try await worker.post("a"), try await worker.schedule("a", after: .seconds(1))
        )
        #expect(posted == nil && scheduled == nil)
        try await worker.cancelSchedule(1)
    }
}
