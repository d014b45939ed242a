import ControlAPI
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite(.timeLimit(.minutes(60)))
struct `A delegate` {
    @Test func `hears callbacks one at a time and in order`() async throws {
        try await withSupervisor { supervisor, worker in
            let gate = Gate()
            let delegate = Recorder(gate: gate)
            async let run: Void = worker.run(delegate)
            #expect(await supervisor.hear() == [.attached(nil)])
            var launch = WorkerInterface.Callback(id: 1, name: .willFinishLaunching)
            launch.launch = WorkerInterface.Launch(
                reason: .url, intoForeground: true, restoresState: false, options: [:])
            supervisor.deliver(launch)
            supervisor.deliver(2, .didFinishLaunching)
            supervisor.deliver(3, .didBecomeActive)
            supervisor.deliver(4, .willResignActive)
            #expect(
                await delegate.notes.next(3) == [
                    "willFinishLaunching for url", "didFinishLaunching", "didBecomeActive",
                ])
            #expect(await supervisor.hear(2) == [.completed(1), .completed(2)])
            gate.open()
            #expect(await delegate.notes.next(2) == ["active", "willResignActive"])
            #expect(await supervisor.hear(2) == [.completed(3), .completed(4)])
            supervisor.deliver(5, .willTerminate)
            try await run
            #expect(await delegate.notes.next(1) == ["willTerminate"])
            // The end of the process completes willTerminate.
            #expect(await supervisor.hear() == [.detached])
        }
    }

    /// What a delegate notes of warnings at each level, and of one that tells none.
    private func warned(_ delegate: some LifecycleDelegate, _ notes: Notes, _ count: Int) async throws
        -> [String]
    {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            let levels: [(MemoryLevel?, Int64?)] = [
                (.warning, 7), (.critical, 0), (.normal, 1 << 40), (nil, nil),
            ]
            for (id, (level, available)) in levels.enumerated() {
                var callback = WorkerInterface.Callback(id: Int64(id), name: .didReceiveMemoryWarning)
                callback.memoryLevel = level
                callback.memoryAvailableBytes = available
                supervisor.deliver(callback)
            }
            #expect(await supervisor.hear(4) == (0..<4).map { .completed($0) })
            worker.terminate()
            try await run
        }
        notes.add("end")
        return await notes.next(count + 1)
    }

    @Test func `hears how short memory is, and the method without a level not that it is over`() async throws
    {
        let (old, new) = (Warned(), WarnedOfLevels())
        #expect(try await warned(old, old.notes, 3) == ["short", "short", "short", "end"])
        #expect(
            try await warned(new, new.notes, 4) == [
                "warning 7", "critical 0", "normal 1099511627776", "warning -", "end",
            ])
    }

    @Test func `refuses with false and fails by throwing`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder(refusesLaunch: true, fails: .didEnterBackground)
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .willFinishLaunching)
            supervisor.deliver(2, .didEnterBackground)
            supervisor.deliver(3, .openURL)
            supervisor.deliver(4, .significantTimeChange)
            #expect(
                await supervisor.hear(4) == [
                    .refused(1), .failed(2, "cannot didEnterBackground"), .refused(3), .completed(4),
                ])
            worker.terminate()
            try await run
        }
    }

    @Test func `hears fetches and notifications besides, and tells when the end failed`() async throws {
        try await withSupervisor { supervisor, worker in
            let gate = Gate()
            let delegate = Recorder(fails: .willTerminate, gate: gate)
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .performFetch)
            #expect(await delegate.notes.next(1) == ["performFetch"])
            supervisor.deliver(2, .didEnterBackground)
            #expect(await supervisor.hear() == [.completed(2)])
            #expect(await delegate.notes.next(1) == ["didEnterBackground"])
            var posted = WorkerInterface.Callback(id: 3, name: .didReceiveNotifications)
            posted.notifications = [
                WorkerInterface.Notification(topic: "news", sequence: 7, count: 1, first: 1, last: 1)
            ]
            posted.suspendedForUsec = 2_000_000
            supervisor.deliver(posted)
            #expect(await delegate.notes.next(2) == ["slept 2.0 seconds", "news 7"])
            #expect(await supervisor.hear() == [.completed(3)])
            gate.open()
            #expect(await supervisor.hear() == [.completed(1)])
            supervisor.deliver(4, .willTerminate)
            try await run
            #expect(await supervisor.hear(2) == [.failed(4, "cannot willTerminate"), .detached])
        }
    }

    @Test(arguments: [
        (FetchResult.newData, Heard.completed(1)), (.noData, .noData(1)),
        (.failed, .failed(1, "the fetch failed")),
    ])
    func `says what came of a fetch`(_ result: FetchResult, _ heard: Heard) async throws {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(Recorder(fetches: result))
            _ = await supervisor.hear()
            supervisor.deliver(1, .performFetch)
            #expect(await supervisor.hear() == [heard])
            worker.terminate()
            try await run
        }
    }

    @Test func `does long work until it is told of its end`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder()
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .performProcessing)
            #expect(await delegate.notes.next(1) == ["performProcessing"])
            supervisor.deliver(2, .backgroundTaskWillExpire)
            #expect(
                Set(await supervisor.hear(2)) == [.completed(2), .failed(1, "CancellationError()")])
            worker.terminate()
            try await run
        }
    }

    @Test func `does long work one at a time, also where it is asked for again`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder()
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .performProcessing)
            supervisor.deliver(2, .performProcessing)
            // Both have come when this is answered.
            supervisor.deliver(3, .didBecomeActive)
            #expect(await supervisor.hear() == [.completed(3)])
            let notes = await delegate.notes.next(3)
            #expect(Set(notes) == ["performProcessing", "didBecomeActive", "active"], "\(notes)")
            supervisor.deliver(4, .backgroundTaskWillExpire)
            let heard = await supervisor.hear(3)
            let first = heard.firstIndex(of: .failed(1, "CancellationError()"))
            let second = heard.firstIndex(of: .failed(2, "CancellationError()"))
            #expect(first ?? 9 < second ?? -1, "\(heard)")
            worker.terminate()
            try await run
        }
    }

    @Test func `saves state and gets it back`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder()
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .shouldSaveState)
            supervisor.deliver(2, .saveState)
            #expect(await supervisor.hear(2) == [.completed(1), .saved(2, ["level": 3, "name": "b"])])
            var restore = WorkerInterface.Callback(id: 3, name: .restoreState)
            restore.state = ["level": 3, "name": "b"]
            supervisor.deliver(restore)
            #expect(await delegate.notes.next(1) == ["restored 3 b"])
            #expect(await supervisor.hear() == [.completed(3)])
            restore.id = 4
            restore.state = ["level": "three"]
            supervisor.deliver(restore)
            #expect(
                await supervisor.hear() == [
                    .failed(4, "cannot encode or decode the state: level is not a whole number")
                ])
            worker.terminate()
            try await run
        }
    }

    @Test func `hears that its state was too large, and the supervisor does not wait in vain`() async throws {
        let manners = Manners(completionError: WorkerInterface.stateTooLarge(limit: 9))
        try await withSupervisor(manners) { supervisor, worker in
            let delegate = Recorder()
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            supervisor.deliver(1, .saveState)
            #expect(
                await supervisor.hear(2) == [
                    .saved(1, ["level": 3, "name": "b"]), .failed(1, "the state is larger than 9 bytes"),
                ])
            #expect(await delegate.notes.next(1) == ["lost saveState: stateTooLarge"])
            worker.terminate()
            try await run
        }
    }

    @Test func `is asked only for what it wants, and expiry is completed all the same`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Recorder(callbacks: [.didEnterBackground, .willTerminate])
            async let run: Void = worker.run(delegate)
            #expect(
                await supervisor.hear() == [
                    .attached(["backgroundTaskWillExpire", "didEnterBackground", "willTerminate"])
                ])
            supervisor.deliver(1, .backgroundTaskWillExpire)
            #expect(await supervisor.hear() == [.completed(1)])
            worker.terminate()
            try await run
            #expect(await delegate.notes.next(1) == ["willTerminate"])
        }
    }

    @Test func `fails a callback that nobody knows, instead of leaving it`() async throws {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(Recorder())
            _ = await supervisor.hear()
            supervisor.deliver(json: ["id": 9, "name": "didGrowWings"])
            guard case .failed(9, _)? = await supervisor.hear().first else {
                Issue.record("no failure")
                return
            }
            worker.terminate()
            try await run
        }
    }

    @Test func `is one at a time`() async throws {
        try await withSupervisor { supervisor, worker in
            let first = Task { try await worker.run(Recorder()) }
            _ = await supervisor.hear()
            await #expect { try await worker.run(Recorder()) } throws: {
                ($0 as? WorkerError)?.code == .alreadyServed
            }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            // The place is free again.
            let second = Task { try await worker.run(Recorder()) }
            #expect(await supervisor.hear(2).contains(.attached(nil)))
            worker.terminate()
            try await second.value
        }
    }
}
