import Foundation
import Glibc
import TestSupport
import Testing

/// `docs/on-demand.md`, word for word.
@Suite(
    .long, .timeLimit(.minutes(60)), .requires(.program("/usr/bin/redis-server")),
    .requires(.program("/usr/bin/node")),
    .requires(.program("/usr/lib/postgresql/15/bin/postgres")), .requires(.program("/usr/bin/curl")),
    .enabled(if: geteuid() == 0, "the databases have users of their own"))
struct `The page on stacks on demand` {
    /// The blocks of code, without their indentation, in order.
    private static func blocks(of text: String) -> [[String]] {
        var blocks: [[String]] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard line.hasPrefix("    ") else {
                isInside = false
                continue
            }
            if !isInside { blocks.append([]) }
            isInside = true
            blocks[blocks.count - 1].append(String(line.dropFirst(4)))
        }
        return blocks
    }

    @Test func `leads twelve workers through a day`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let files = FileManager.default
            for folder in ["bin", "conf/workers", "stack"] {
                try files.createDirectory(atPath: "\(directory)/\(folder)", withIntermediateDirectories: true)
            }
            for folder in [directory, "\(directory)/stack"] { chmod(folder, 0o1777) }
            try files.createDirectory(atPath: "\(directory)/stack/data", withIntermediateDirectories: false)
            chmod("\(directory)/stack/data", 0o700)
            if let user = getpwnam("postgres") {
                chown("\(directory)/stack/data", user.pointee.pw_uid, user.pointee.pw_gid)
            }
            // Its own places and ports may be in use here.
            var text = try String(
                contentsOf: root.appendingPathComponent("docs/on-demand.md"), encoding: .utf8)
            text = text.replacingOccurrences(of: "/srv/stack", with: "\(directory)/stack")
                .replacingOccurrences(of: "/etc/torpor", with: "\(directory)/conf")
            // Below those that clients get from the kernel (net.ipv4.ip_local_port_range).
            let base = UInt16.random(in: 200...320) * 100
            for port in [7379, 7432, 7000, 7001, 7018] {
                let other = Int(base) + port % 100
                text = text.replacingOccurrences(of: "\(port)", with: "\(other)")
            }
            text = text.replacingOccurrences(of: ":701$n", with: ":\(Int(base) / 10 + 1)$n")
            let blocks = Self.blocks(of: text)
            func save(_ beginning: String, as path: String) throws {
                let block = try #require(
                    blocks.first { $0.joined(separator: "\n").contains(beginning) }, "\(beginning)")
                try (block.joined(separator: "\n") + "\n").write(
                    toFile: "\(directory)/\(path)", atomically: false, encoding: .utf8)
            }
            try save("require('http')", as: "stack/api.js")
            try save("import http.server", as: "stack/site.py")
            for (name, word) in [
                ("redis", "Description=Cache"), ("postgres", "Description=Database"),
                ("api", "Description=API"), ("site", "Description=Site"),
            ] { try save(word, as: "conf/workers/\(name).worker") }
            try DaemonUnderTest.unmoved.write(
                toFile: "\(directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
            let daemon = try Wrapper(
                [], [],
                line: [
                    DaemonUnderTest.program, "--config-dir", "\(directory)/conf", "--state-dir",
                    "\(directory)/state", "--runtime-dir", "\(directory)/run",
                ])
            defer {
                daemon.send(SIGTERM)
                _ = try? daemon.wait()
            }
            try daemon.errors.until("started;")
            try files.createSymbolicLink(
                atPath: "\(directory)/bin/torpor", withDestinationPath: Wrapper.program)
            let commands = blocks.filter {
                ["for ", "torpor ", "curl "].contains(where: ($0.first ?? "").hasPrefix)
            }
            #expect(commands.count == 5)
            let shell = try Wrapper(
                [], [],
                environment: [
                    "PATH": "\(directory)/bin:/usr/bin:/bin",
                    "TORPOR_SUPERVISOR": "\(directory)/run/io.torpor.Supervisor",
                ], line: ["/bin/sh", "-e", "-c", commands.joined().joined(separator: "\n")], directory: "/")
            let result = try DaemonUnderTest.result(of: shell)
            #expect(result.status == 0, "\(result.errors)\n\(result.output)")
            #expect(result.output.contains("12 workers") || result.output.contains("service8"))
            let answers = result.output.split(separator: "\n").filter { $0 == "api" }
            #expect(answers.count == 2, "\(result.output)")
            #expect(result.output.contains("a connection from 127.0.0.1:"), "\(result.output)")
        }
    }
}
