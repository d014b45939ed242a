import Foundation
import Lifecycle
import Notifications
import Testing
import WorkerFile

/// The manual against the tables that it describes.
@Suite struct `The manual` {
    private static func page(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appendingPathComponent("packaging/man/\(name)")
        return try String(contentsOf: page, encoding: .utf8)
    }

    /// What stands in the page as `Key=` in bold.
    private static func keys(in page: String) -> Set<String> {
        var keys: Set<String> = []
        for line in page.split(separator: "\n") where line.hasPrefix(".It") || line.hasPrefix(".Sy") {
            for word in line.split(separator: " ") where word.hasSuffix("=") && word.count > 1 {
                keys.insert(String(word.dropLast()))
            }
        }
        return keys
    }

    @Test func `describes every directive of worker files, and none else`() throws {
        let described = Self.keys(in: try Self.page("torpor.worker.5"))
        #expect(described.symmetricDifference(WorkerDefinition.directives.map(\.key)) == [])
    }

    @Test func `describes every directive of torpord.conf, and none else`() throws {
        let described = Self.keys(in: try Self.page("torpord.conf.5"))
        #expect(described.symmetricDifference(DaemonDefinition.directives.map(\.key)) == [])
    }

    @Test func `has a heading for every section`() throws {
        for (page, sections) in [
            ("torpor.worker.5", WorkerDefinition.sections), ("torpord.conf.5", DaemonDefinition.sections),
        ] {
            let text = try Self.page(page)
            for section in sections { #expect(text.contains(".Sh [\(section)]\n"), "\(section) in \(page)") }
        }
    }

    @Test(arguments: Callback.allCases) func `names every callback`(_ callback: Callback) throws {
        #expect(try Self.page("torpor-lifecycle.7").contains(callback.rawValue))
    }

    @Test(arguments: SystemTopic.allCases) func `names every topic of the system`(_ topic: SystemTopic) throws
    {
        #expect(try Self.page("torpor.worker.5").contains(".Cm \(topic.rawValue)"))
    }

    @Test func `explains what keywords there are`() throws {
        let page = try Self.page("torpor.worker.5")
        let words =
            WorkerType.allCases.map(\.rawValue) + LaunchMode.allCases.map(\.rawValue)
            + RestartPolicy.allCases.map(\.rawValue) + BackgroundMode.allCases.map(\.rawValue)
            + HeldLocks.allCases.map(\.rawValue) + Evictability.allCases.map(\.rawValue)
            + NotifyAccess.allCases.map(\.rawValue)
        for word in words { #expect(page.contains(word), "\(word)") }
    }
}
