import Foundation
import Lifecycle
import Notifications
import Supervisor
import Systemd
import Testing
import WorkerFile

@Suite(.timeLimit(.minutes(1))) struct `Sources of the machine` {
    @Test func `files become posts for those who want them, and nobody else`() async throws {
        let posts = try await Bench.run { bench in
            var places = SystemPlaces()
            places.quiet = 1000
            let sources = SystemSources(on: bench.loop, places: places)
            var posts: [String] = []
            sources.clock = { 7 }
            sources.post = { worker, post in
                #expect(post.time == 7 && !post.survives && post.rule == post.topic.system?.rule)
                let payload = String(decoding: post.payload ?? [], as: UTF8.self)
                posts.append("\(worker.rawValue) \(post.topic) \(payload) +\(post.added) -\(post.removed)")
            }
            #expect(sources.files == nil)
            let (settings, account, place) = (bench.path("s"), bench.path("u"), bench.path("p"))
            var both = SystemWants()
            both.settings = [settings]
            both.accounts = [account]
            var one = SystemWants()
            one.paths = [place]
            one.settings = [settings]
            sources.set(WorkerID(1), both)
            sources.set(WorkerID(2), one)
            sources.set(WorkerID(3), SystemWants())
            let steps: [() -> Void] = [
                { write("a", to: settings) }, { write("a", to: account) }, { write("a", to: place) },
                { write("b", to: place) }, { unlink(place) },
                { sources.set(WorkerID(2), nil) }, { write("c", to: settings) },
            ]
            let expected = [2, 3, 4, 4, 5, 5, 6]
            var step = 0
            try bench.run {
                guard sources.files?.present(of: place) != nil || step > 5 else { return false }
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
        Wanting(
            text: "[Callbacks]\nDidReceiveNotifications=signal:SIGHUP\n[Notifications]\nWatchAccounts=/a\n",
            topics: [.accountChanged], files: []),
    ]

    @Test(arguments: definitions) func `a worker wants what its files name a receiver for`(
        _ row: Wanting
    ) throws {
        let text = "[Worker]\nExecStart=/bin/true\n\(row.text)"
        let file = ConfigurationFile(
            path: "web", bytes: Array(text.utf8), sections: Set(WorkerDefinition.sections))
        let context = SpecifierContext(worker: try WorkerName("web"))
        let reading = DefinitionReading<WorkerDefinition>([file], named: "web", context: context)
        let wants = SystemWants(try #require(reading.definition))
        #expect(wants.topics == row.topics)
        #expect(wants.settings == row.files)
    }
}
