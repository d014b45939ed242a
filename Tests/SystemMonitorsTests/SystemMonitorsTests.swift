import ConfigurationSyntax
import Foundation
import Lifecycle
import Notifications
import Supervisor
import SupervisorPorts
import SystemEvents
import Systemd
import Testing
import WorkerFile

@Suite(.timeLimit(.minutes(60))) struct `Sources of the machine` {
    @Test func `files become posts for those who want them, and nobody else`() async throws {
        let posts = try await Bench.run { bench in
            var places = SystemPlaces()
            places.quiet = 1000
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            var posts: [String] = []
            sources.clock = { 7 }
            workers.post = { worker, post in
                #expect(post.time == 7 && !post.survives && post.rule == post.topic.system?.rule)
                let payload = String(decoding: post.payload ?? [], as: UTF8.self)
                let replaced = post.replaced.isEmpty ? "" : " ~\(post.replaced)"
                posts.append(
                    "\(worker.rawValue) \(post.topic) \(payload) +\(post.added) -\(post.removed)\(replaced)")
            }
            #expect(sources.files == nil)
            let (settings, account, place) = (bench.path("s"), bench.path("u"), bench.path("p"))
            var both = SystemSubscriptions()
            both.settings = [settings]
            both.accounts = [account]
            var one = SystemSubscriptions()
            one.paths = [place]
            one.settings = [settings]
            sources.set(WorkerID(1), both)
            sources.set(WorkerID(2), one)
            sources.set(WorkerID(3), SystemSubscriptions())
            let steps: [() -> Void] = [
                { write("a", to: settings) }, { write("a", to: account) }, { write("a", to: place) },
                { write("b", to: place) }, { chmod(place, 0o600) },
                {
                    chmod(settings, 0o600); unlink(place)
                },
                { sources.set(WorkerID(2), nil) }, { write("c", to: settings) },
            ]
            let expected = [2, 3, 4, 5, 6, 7, 7, 8]
            var step = 0
            try bench.run {
                guard sources.files?.present(of: place) != nil || step > 6 else { return false }
                if step > 0, posts.count < expected[step - 1] { return false }
                if step == steps.count { return true }
                steps[step]()
                step += 1
                return false
            }
            sources.set(WorkerID(1), nil)
            #expect(sources.files == nil)
            return posts.map { $0.replacingOccurrences(of: bench.directory, with: "…") }
        }
        #expect(
            posts == [
                #"1 settingsChanged {"path":"…/s"} +[] -[]"#, #"2 settingsChanged {"path":"…/s"} +[] -[]"#,
                #"1 accountChanged {"path":"…/u"} +[] -[]"#, #"2 pathsChanged  +["…/p"] -[]"#,
                #"2 pathsChanged  +[] -[] ~["…/p"]"#, #"2 pathsChanged  +[] -[] ~["…/p"]"#,
                #"2 pathsChanged  +[] -["…/p"]"#, #"1 settingsChanged {"path":"…/s"} +[] -[]"#,
            ])
    }

    struct Wanting: Sendable {
        let text: String
        let topics: Set<SystemTopic>
        let files: Set<String>
    }

    static let definitions: [Wanting] = [
        Wanting(text: "", topics: [], files: []),
        Wanting(text: "[Notifications]\nWatchSettings=/a\n", topics: [], files: []),
        Wanting(
            text: "[Notifications]\nsettingsChanged=signal:SIGHUP\nWatchSettings=/a /b\n",
            topics: [.settingsChanged], files: ["/a", "/b"]),
        Wanting(
            text: "[Notifications]\ncache.invalidate=signal:SIGHUP\nnetworkChanged=signal:SIGUSR1\n",
            topics: [.networkChanged], files: []),
        Wanting(
            text: "[Worker]\nType=app\n[Notifications]\nWatchSettings=/a\nWatchTopics=localeChanged\n",
            topics: [.settingsChanged, .localeChanged], files: ["/a"]),
        Wanting(text: "[Notifications]\nWatchTopics=localeChanged\n", topics: [], files: []),
        Wanting(
            text: "[Callbacks]\nDidReceiveNotifications=signal:SIGHUP\n[Notifications]\nWatchAccounts=/a\n",
            topics: [.accountChanged], files: []),
    ]

    @Test func `a path wakes those with the mode, when its change has been told`() async throws {
        let told = try await Bench.run { bench in
            var places = SystemPlaces()
            places.quiet = 1000
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.post = { worker, post in told.append("\(worker.rawValue) \(post.topic)") }
            workers.wake = { worker, reason, _ in told.append("\(worker.rawValue) \(reason.rawValue)") }
            let path = bench.path("inbox")
            var waking = SystemSubscriptions()
            waking.wakingPaths = [path]
            var both = waking
            both.paths = [path]
            both.topics = [.pathsChanged]
            sources.set(WorkerID(0), waking)
            sources.set(WorkerID(1), both)
            let expected = [0, 3, 6]
            var step = 0
            try bench.run {
                guard sources.files?.present(of: path) != nil, told.count >= expected[step] else {
                    return false
                }
                step += 1
                if step == 3 { return true }
                write("\(step)", to: path)
                return false
            }
            sources.close()
            return told
        }
        #expect(told == ["0 path", "1 pathsChanged", "1 path", "0 path", "1 pathsChanged", "1 path"])
    }

    private static let app =
        "[Worker]\nExecStart=/bin/true\nType=app\n[Background]\nModes=path\n[Notifications]\nWatchPaths=/p\n"
        + "WatchSettings=/s\nWatchTopics=networkChanged\n"

    @Test
    func `a worker with a connection subscriptions what that receives, and before it only what wakes it`()
        throws
    {
        let context = SpecifierContext(worker: try WorkerName("web"))
        let file = ConfigurationFile(
            path: "web", bytes: Array(Self.app.utf8), sections: Set(WorkerDefinition.sections))
        let definition = try #require(
            DefinitionReading<WorkerDefinition>([file], named: "web", context: context).definition)
        let before = SystemSubscriptions(definition, connection: CallbackSet())
        #expect(before == .whileNotRunning(definition))
        #expect(
            before.wakingPaths == ["/p"] && before.topics.isEmpty && before.announcements == CallbackSet())
        let some = SystemSubscriptions(
            definition, connection: CallbackSet([.significantTimeChange, .openURL]))
        #expect(some.topics.isEmpty && some.announcements == CallbackSet([.significantTimeChange]))
        let all = SystemSubscriptions(definition, connection: .all)
        #expect(all.topics == [.pathsChanged, .settingsChanged, .networkChanged])
        #expect(all.settings == ["/s"] && all.paths == ["/p"] && all.announcements == Event.announcements)
    }

    @Test(arguments: definitions) func `a worker subscriptions what its files name a receiver for`(
        _ row: Wanting
    ) throws {
        let text = "[Worker]\nExecStart=/bin/true\n\(row.text)"
        let file = ConfigurationFile(
            path: "web", bytes: Array(text.utf8), sections: Set(WorkerDefinition.sections))
        let context = SpecifierContext(worker: try WorkerName("web"))
        let reading = DefinitionReading<WorkerDefinition>([file], named: "web", context: context)
        let subscriptions = SystemSubscriptions(try #require(reading.definition))
        #expect(subscriptions.topics == row.topics)
        #expect(subscriptions.settings == row.files)
    }
}
