import Foundation
import Glibc
import TestSupport
import Testing

/// What a recentLaunch types first.
@Suite(.timeLimit(.minutes(60)))
struct `The README` {
    /// The block of code whose first line begins so.
    private static func block(_ beginning: String, of text: String) throws -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let first = try #require(lines.firstIndex { $0.hasPrefix("    " + beginning) }, "\(beginning)")
        let block = lines[first...].prefix { $0.hasPrefix("    ") || $0.isEmpty }
        return block.map { String($0.dropFirst(4)) }
    }

    @Test(.enabled(if: access("/usr/bin/redis-server", X_OK) == 0, "no redis-server"))
    func `leads a worker through its life word for word`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // Its own may be in use here.
        let port = "\(try freePort())"
        let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            .replacingOccurrences(of: "7379", with: port)
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let files = FileManager.default
            for folder in ["bin", "conf/workers"] {
                try files.createDirectory(atPath: "\(directory)/\(folder)", withIntermediateDirectories: true)
            }
            try DaemonUnderTest.unmoved.write(
                toFile: "\(directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
            try Self.block("[Worker]", of: text).joined(separator: "\n").write(
                toFile: "\(directory)/conf/workers/redis.worker", atomically: false, encoding: .utf8)
            // The daemon of the machine, or of this user, is not the test's to start.
            let daemon = """
                #!/bin/sh
                exec '\(DaemonUnderTest.program)' --config-dir '\(directory)/conf' --state-dir '\(directory)/state' \
                --runtime-dir '\(directory)/run' 2>'\(directory)/log'
                """
            try daemon.write(toFile: "\(directory)/bin/torpord", atomically: false, encoding: .utf8)
            chmod("\(directory)/bin/torpord", 0o755)
            try files.createSymbolicLink(
                atPath: "\(directory)/bin/torpor", withDestinationPath: Wrapper.program)
            var commands = try Self.block("torpord &", of: text).filter { !$0.isEmpty }
            #expect(commands.count > 8 && commands.allSatisfy { $0.hasPrefix("torpor") })
            // A user types more slowly than the daemon starts.
            commands.insert(
                "pid=$!; trap 'kill $pid; wait $pid' EXIT; until grep -q started "
                    + "'\(directory)/log' 2>/dev/null; do :; done", at: 1)
            let script = commands.joined(separator: "\n")
            let shell = try Wrapper(
                [], [],
                environment: [
                    "PATH": "\(directory)/bin:/usr/bin:/bin",
                    "TORPOR_SUPERVISOR": "\(directory)/run/io.torpor.Supervisor",
                ], line: ["/bin/sh", "-e", "-c", script], directory: "/")
            let result = try DaemonUnderTest.result(of: shell)
            #expect(result.status == 0, "\(result.errors)\n\(result.output)")
            #expect(result.output.contains("Ready to accept connections"), "\(result.output)")
            #expect(result.output.contains("cache.invalidate"), "\(result.output)")
            #expect(!files.fileExists(atPath: "/dump.rdb"))
        }
    }
}
