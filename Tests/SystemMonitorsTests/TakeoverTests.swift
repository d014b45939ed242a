import Foundation
import Lifecycle
import Linux
import Notifications
import Processes
import SnapshotCoding
import Systemd
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts
@testable import SystemEvents

/// What happened while no supervisor looked is told by the next one (2.4).
@Suite(.timeLimit(.minutes(60))) struct `A takeover` {
    private static func sources(_ bench: Bench) -> SystemMonitors {
        var places = SystemPlaces()
        places.quiet = 1000
        return SystemMonitors(on: bench.loop, places: places)
    }

    private static func subscriptions(_ bench: Bench) -> SystemSubscriptions {
        var subscriptions = SystemSubscriptions()
        subscriptions.topics = [.settingsChanged, .accountChanged, .pathsChanged, .networkChanged]
        subscriptions.settings = [bench.path("settings"), bench.path("same")]
        subscriptions.accounts = [bench.path("account")]
        subscriptions.paths = [bench.path("came"), bench.path("went")]
        subscriptions.wakingPaths = [bench.path("came")]
        return subscriptions
    }

    @Test func `tells of files that have changed since they were recorded, and of nothing else`() async throws
    {
        // A loop runs once: each supervisor has its own, and a directory of its own.
        let (recorded, place) = try await Bench.run { bench in
            for name in ["settings", "same", "account", "went"] { write("before", to: bench.path(name)) }
            let first = Self.sources(bench)
            first.set(WorkerID(1), Self.subscriptions(bench))
            try bench.run {
                let topicState = first.topicState(of: WorkerID(1))
                return topicState.files.count == 5 && topicState.network != nil
            }
            defer { first.close() }
            return (first.topicState(of: WorkerID(1)), bench.directory)
        }
        let told = try await Bench.run { bench in
            write("after", to: bench.path("settings"))
            for name in ["same", "account"] { write("before", to: bench.path(name)) }
            write("", to: bench.path("came"))
            var topicState = recorded
            topicState.files = [:]
            for (path, file) in recorded.files {
                topicState.files[path.replacingOccurrences(of: place, with: bench.directory)] = file
            }
            topicState.network = Array("{}".utf8)

            let second = Self.sources(bench)
            let workers = FakeReceiver()
            second.receiver = workers
            var (told, isCompared): ([String], Bool) = ([], false)
            workers.post = { worker, post in
                let says = String(decoding: post.payload ?? [], as: UTF8.self)
                let isNetwork = post.topic.system == .networkChanged
                told.append("\(post.topic) \(isNetwork ? "…" : says) +\(post.added) -\(post.removed)")
            }
            workers.wake = { worker, reason, place in told.append("wake \(reason) \(place)") }
            workers.inherit = { value, topic, _ in
                told.append("inherits \(topic) \(String(decoding: value, as: UTF8.self))")
            }
            workers.compared = { _ in isCompared = true }
            second.set(WorkerID(1), Self.subscriptions(bench))
            second.compare(topicState, for: WorkerID(1))
            try bench.run { isCompared }
            #expect(second.comparisons.isEmpty)
            second.close()
            return told.map { $0.replacingOccurrences(of: bench.directory, with: "…") }.sorted()
        }
        #expect(
            told == [
                "inherits networkChanged {}", "networkChanged … +[] -[]", #"pathsChanged  +["…/came"] -[]"#,
                #"pathsChanged  +[] -["…/went"]"#, #"settingsChanged {"path":"…/settings"} +[] -[]"#,
                "wake path …/came",
            ])
    }

    @Test func `tells of protected data that has gone, and corrects what waited to be told`() async throws {
        func told(_ before: Bool, awaits: Callback?) async throws -> [String] {
            try await Bench.run { bench in
                write("", to: bench.path("secret"))
                let sources = Self.sources(bench)
                let workers = FakeReceiver()
                sources.receiver = workers
                var (told, isCompared): ([String], Bool) = ([], false)
                workers.announce = { _, event in
                    if case .announced(let callback) = event { told.append(callback.rawValue) }
                }
                workers.awaits = { $1 == awaits }
                workers.compared = { _ in isCompared = true }
                var subscriptions = SystemSubscriptions()
                subscriptions.announcements = CallbackSet([
                    .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
                ])
                subscriptions.protectedPaths = [bench.path("secret")]
                sources.set(WorkerID(1), subscriptions)
                var topicState = TopicState()
                topicState.isDataAvailable = before
                sources.compare(topicState, for: WorkerID(1))
                try bench.run { isCompared }
                sources.close()
                return told
            }
        }
        #expect(try await told(true, awaits: nil) == [])
        #expect(try await told(false, awaits: nil) == ["protectedDataDidBecomeAvailable"])
        #expect(
            try await told(true, awaits: .protectedDataWillBecomeUnavailable) == [
                "protectedDataDidBecomeAvailable"
            ])
    }

    @Test func `is to find a file changed that was written before it was looked at`() async throws {
        let told = try await Bench.run { bench in
            let sources = Self.sources(bench)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.unseen = { told.append("\($0.rawValue) unseen \($1 == bench.path("account"))") }
            workers.post = { told.append("\($0.rawValue) \($1.topic.name)") }
            sources.set(WorkerID(1), Self.subscriptions(bench))
            var others = SystemSubscriptions()
            others.topics = [.pathsChanged]
            others.paths = [bench.path("account")]
            sources.set(WorkerID(2), others)
            // It is recorded before it is told: the record that follows the telling knows of the present content.
            sources.tellOfChangeBeforeLook(bench.path("account"))
            sources.close()
            return told
        }
        #expect(told == ["1 unseen true", "1 accountChanged"])
        #expect(FileFingerprint.unseen.exists && FileFingerprint.unseen != .content(size: 0, digest: 0))
    }

    @Test func `records what topics stood at, and reads it again`() throws {
        var topicState = TopicState()
        #expect(topicState.isEmpty)
        topicState.files = [
            "/a": .missing, "/b": .content(size: 3, digest: .max),
            "/c": .status(device: 1, inode: 2, size: -1, modified: 4),
            "/d": .directory(digest: 5, isEmpty: true),
        ]
        topicState.network = Array("{}".utf8)
        topicState.isDataAvailable = false
        topicState.isLocked = true
        topicState.devices = ["/dev/b", "/dev/a"]
        topicState.time = .init(lead: -5, offset: 3600, day: 20_000)
        var writer = RecordWriter()
        writer.begin(format: 4)
        _ = TopicState(&writer, topicState)
        writer.end()
        let bytes = writer.bytes
        func read(_ bytes: ArraySlice<UInt8>) throws -> TopicState {
            var reader = RecordReader(bytes)
            _ = try reader.format()
            let topicState = try TopicState(&reader, nil)
            try reader.end()
            return topicState
        }
        #expect(try read(bytes[...]) == topicState)
        for end in bytes.indices { #expect(throws: SnapshotError.self) { try read(bytes[..<end]) } }
        let text = HandoverWriter.text(of: topicState)
        #expect(try HandoverReader.value(of: text) == topicState)
    }

    @Test func `knows what has made local time not simply go on`() {
        let then = TopicState.Time(lead: 1_000_000_000, offset: 3600, day: 20_000)
        func reason(_ lead: Int64 = 0, _ offset: Int64 = 3600, _ day: Int64 = 20_000) -> String? {
            then.reason(until: .init(lead: 1_000_000_000 + lead, offset: offset, day: day))
        }
        #expect(reason() == nil && reason(900_000) == nil && reason(-900_000) == nil)
        #expect(reason(2_000_000) == "clock" && reason(-2_000_000, 0, 1) == "clock")
        #expect(reason(0, 7200) == "offset" && reason(0, 3600, 20_001) == "midnight")
        let far = TopicState.Time(lead: .min, offset: 0, day: 0)
        #expect(far.reason(until: .init(lead: .max, offset: 0, day: 0)) == "clock")
    }

    @Test func `lists the nodes of devices, and no terminals`() {
        let nodes = DeviceNodes.present()
        #expect(nodes.contains("/dev/null"))
        #expect(!nodes.contains { $0.hasPrefix("/dev/pts/") })
        #expect(DeviceNodes.present(under: "/nowhere").isEmpty)
    }
}
