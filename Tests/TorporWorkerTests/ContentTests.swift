import ControlAPI
// Every name of the library beside every name of Foundation: one that both have would be ambiguous here.
import Foundation
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

/// What comes with callbacks, as types of the worker's own.
@Suite(.timeLimit(.minutes(60))) struct `What comes with a callback` {
    struct Album: Codable, Hashable {
        var name: String
        var pages: [Int]
    }

    /// A delegate that has methods for what brings something, and for nothing else.
    private struct Reader: LifecycleDelegate {
        let notes = Notes()

        func didFinishLaunching(_ launch: Launch) throws -> Bool {
            let album: Album = try launch.options()
            notes.add("launched for \(launch.reason), \(album)")
            return true
        }

        func openURL(_ url: URL) -> Bool {
            notes.add("\(url.scheme ?? "") \(url.lastPathComponent)")
            return true
        }

        func continueActivity(_ activity: ContinuedActivity) throws -> Bool {
            let about = "\(activity.type) \(activity.title ?? "") \(activity.from ?? "")"
            notes.add("\(about) \(try activity.payload(as: Album.self))")
            return true
        }

        func handleTransferEvents(_ events: TransferEvents) throws {
            notes.add("\(try events.payload(as: [String: Int].self))")
        }

        func didReceiveNotifications(_ notifications: [PostedNotification]) throws {
            for note in notifications {
                let album: Album? = try note.payload()
                notes.add(
                    "\(note.topic) \(note.count) \(note.first.timeIntervalSince1970) \(note.last > note.first) \(album.map { "\($0)" } ?? "nothing") \(note.added)"
                )
            }
        }
    }

    @Test func `is read by types that are Codable, URLs and dates`() async throws {
        try await withSupervisor { supervisor, worker in
            let delegate = Reader()
            async let run: Void = worker.run(delegate)
            _ = await supervisor.hear()
            let album = Album(name: "summer", pages: [1, 2])
            let json: JSON = ["name": "summer", "pages": [1, 2]]
            var launch = WorkerInterface.Callback(id: 1, name: .didFinishLaunching)
            launch.launch = .init(reason: .url, intoForeground: true, restoresState: false, options: json)
            supervisor.deliver(launch)
            var open = WorkerInterface.Callback(id: 2, name: .openURL)
            open.url = "gallery://albums/summer"
            supervisor.deliver(open)
            var activity = WorkerInterface.Callback(id: 3, name: .continueActivity)
            activity.activity = [
                "type": "org.example.album", "title": "trip", "from": "desk@home", "payload": json,
            ]
            supervisor.deliver(activity)
            #expect(
                await delegate.notes.next(3) == [
                    "launched for url, \(album)", "gallery summer",
                    "org.example.album trip desk@home \(album)",
                ])
            var transfer = WorkerInterface.Callback(id: 4, name: .handleTransferEvents)
            transfer.transfer = ["done": 3]
            supervisor.deliver(transfer)
            #expect(await delegate.notes.next(1) == ["\(["done": 3])"])
            var posted = WorkerInterface.Callback(id: 5, name: .didReceiveNotifications)
            posted.notifications = [
                .init(
                    topic: "stale", sequence: 1, count: 2, first: 1_500_000, last: 2_000_000, payload: json),
                .init(topic: "files", sequence: 2, count: 1, first: 0, last: 0, added: ["a"]),
            ]
            supervisor.deliver(posted)
            #expect(
                await delegate.notes.next(2) == [
                    "stale 2 1.5 true \(album) []", "files 1 0.0 false nothing [\"a\"]",
                ])
            worker.terminate()
            try await run
        }
    }

    @Test func `that is of another kind fails the callback, and says what cannot be read`() async throws {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(Reader())
            _ = await supervisor.hear()
            var activity = WorkerInterface.Callback(id: 1, name: .continueActivity)
            activity.activity = ["type": "org.example.album", "payload": ["name": 5]]
            supervisor.deliver(activity)
            guard case .failed(1, let reason)? = await supervisor.hear().first else {
                Issue.record("it did not fail")
                return
            }
            #expect(reason.hasPrefix("cannot decode the activity: "))
            worker.terminate()
            try await run
        }
    }

    @Test func `of an activity is told when it is asked for, or why it is not`() async throws {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(Reader())
            _ = await supervisor.hear()
            try await worker.offerActivity("a.b", title: "trip") { Album(name: "summer", pages: [3]) }
            #expect(await supervisor.hear() == [.offered("a.b")])
            supervisor.ask(7, "a.b")
            #expect(await supervisor.hear() == [.told(7, ["name": "summer", "pages": [3]])])
            try await worker.offerActivity("a.b") { () throws -> Album in throw CancellationError() }
            #expect(await supervisor.hear() == [.offered("a.b")])
            supervisor.ask(8, "a.b")
            #expect(await supervisor.hear() == [.notTold(8, "CancellationError()")])
            // Offered with its state, it is not asked for.
            try await worker.offerActivity("a.b", state: Album(name: "winter", pages: []))
            #expect(await supervisor.hear() == [.offered("a.b")])
            supervisor.ask(9, "a.b")
            #expect(await supervisor.hear() == [.notTold(9, "the worker does not offer it any more")])
            worker.terminate()
            try await run
        }
    }

    @Test(arguments: [0, 1_500_000, -1, 1_800_000_000_000_001] as [Int64])
    func `has times to the microsecond`(_ microseconds: Int64) {
        #expect(Date(microseconds: microseconds).microseconds == microseconds)
    }

    @Test func `a time that is too far away is the last that can be told`() {
        #expect(
            Date.distantFuture.microseconds > 0 && Date(timeIntervalSince1970: 1e300).microseconds == .max)
        #expect(Date(timeIntervalSince1970: -1e300).microseconds == .min)
        #expect(Date(timeIntervalSince1970: .nan).microseconds == .max)
    }
}

/// What a delegate is asked for, by the methods that it has.
@Suite(.timeLimit(.minutes(60))) struct `The callbacks of a delegate` {
    private struct Silent: LifecycleDelegate {}

    private struct Saving: LifecycleDelegate {
        func didEnterBackground() async throws {}
    }

    private struct Plain: LifecycleDelegate {
        struct State: Codable {}
        func didEnterBackground() {}
        func saveState() -> State { State() }
        func restoreState(_ state: State) {}
    }

    private actor Acting: LifecycleDelegate {
        func didEnterBackground() {}
    }

    private struct Chosen: LifecycleDelegate {
        let callbacks: Set<CallbackName> = [.didEnterBackground]
    }

    @Test func `have didEnterBackground only where there is a method for it`() {
        #expect(!Silent().callbacks.contains(.didEnterBackground))
        #expect(Silent().callbacks.count == CallbackName.allCases.count - 1)
        let savers: [any LifecycleDelegate] = [Saving(), Plain(), Acting()]
        for saver in savers { #expect(saver.callbacks == Set(CallbackName.allCases)) }
        #expect(Chosen().callbacks == [.didEnterBackground])
    }

    @Test func `are what the supervisor is told`() async throws {
        try await withSupervisor { supervisor, worker in
            async let run: Void = worker.run(Silent())
            guard case .attached(let names?)? = await supervisor.hear().first else {
                Issue.record("it wants all")
                return
            }
            #expect(!names.contains("didEnterBackground") && names.contains("willTerminate"))
            worker.terminate()
            try await run
        }
    }

    /// Foundation's own names mean what they always do.
    @Test func `leave Foundation its names`() {
        let name = Notification.Name("a")
        #expect(Notification(name: name).name == name)
    }
}
