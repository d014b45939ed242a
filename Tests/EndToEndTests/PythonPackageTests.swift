import Foundation
import Glibc
import TestSupport
import Testing

extension Capability {
    /// Python 3.11 or newer.
    static let python = Capability("python3 of version 3.11 or newer") {
        let test = ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        let run = try? Wrapper([], [], line: ["/usr/bin/env"] + test)
        return (try? run?.wait()) == .exited(0) ? nil : "it is not installed"
    }
}

/// `packaging/python`: its own tests, and what its README shows, against a real daemon.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.python)) struct `The package for Python` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../packaging/python").standardized.path

    /// The blocks of the README in this language.
    private func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOfFile: "\(Self.root)/README.md", encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    private func python(
        _ arguments: [String], _ environment: [String: String] = [:], directory: String = root
    ) throws -> (status: Int32, output: String, errors: String) {
        let variables = ["PYTHONPATH": "\(Self.root)/src", "PYTHONDONTWRITEBYTECODE": "1"]
        return try DaemonUnderTest.result(
            of: try Wrapper(
                [], [], environment: variables.merging(environment) { $1 },
                line: ["/usr/bin/env", "python3"] + arguments, directory: directory))
    }

    @Test func `passes its own tests`() throws {
        let result = try python(["-W", "error", "-m", "unittest", "discover", "-s", "tests"])
        #expect(result.status == 0 && result.errors.hasSuffix("OK\n"), "\(result)")
    }

    /// A daemon with the worker of the README.
    private func daemon() throws -> DaemonUnderTest {
        let file = try #require(try blocks("ini").first)
        let found = try DaemonUnderTest.result(
            of: Wrapper([], [], line: ["/usr/bin/env", "python3", "-c", "import sys; print(sys.executable)"]))
        let interpreter = found.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let text = file.replacingOccurrences(of: "/usr/bin/python3", with: interpreter)
            .replacingOccurrences(of: "/usr/local/lib/gallery.py", with: "DIRECTORY/gallery.py")
            .replacingOccurrences(
                of: "[Worker]\n",
                with: "[Worker]\nEnvironment=PYTHONPATH=\(Self.root)/src PYTHONDONTWRITEBYTECODE=1\n")
        let daemon = try DaemonUnderTest(["gallery": text])
        try #require(try blocks("python").first)
            .write(toFile: "\(daemon.directory)/gallery.py", atomically: false, encoding: .utf8)
        return daemon
    }

    @Test func `has a worker that sleeps, wakes, and goes on where it was`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "gallery") == (0, "", ""))
        #expect(try daemon.torpor("open", "gallery:7").status == 0)
        try daemon.process.errors.until("shows gallery:7")
        #expect(try daemon.torpor("suspend", "gallery").status == 0)
        try daemon.process.errors.until("flushed 1 pages")
        #expect(try daemon.list().first?.state == "suspended")
        #expect(try daemon.torpor("post", "gallery", "news", "--payload", #"{"a":1}"#).status == 0)
        #expect(try daemon.torpor("activate", "gallery").status == 0)
        try daemon.process.errors.until("heard news {'a': 1}")
        // Attached again after the daemon was killed: its answers are heard.
        try daemon.killAndRestart()
        _ = try eventually("the worker to be attached again") {
            try daemon.torpor("open", "gallery:8").status == 0 ? true : nil
        }
        #expect(try daemon.torpor("suspend", "gallery").status == 0)
        try daemon.process.errors.until("flushed 2 pages")
        #expect(try daemon.torpor("terminate", "gallery").status == 0)
        #expect(try daemon.list().first?.state == "notRunning")
        #expect(try daemon.torpor("launch", "gallery").status == 0)
        #expect(try daemon.torpor("suspend", "gallery").status == 0)
        try daemon.process.errors.until("flushed 2 pages")
    }

    @Test func `has a worker for asyncio`() throws {
        let daemon = try daemon()
        let code = try #require(try blocks("python").dropFirst().first)
        try code.write(toFile: "\(daemon.directory)/gallery.py", atomically: false, encoding: .utf8)
        #expect(try daemon.torpor("launch", "gallery").status == 0)
        #expect(try daemon.torpor("suspend", "gallery").status == 0)
        #expect(try daemon.list().first?.state == "suspended")
        #expect(try daemon.torpor("terminate", "gallery").status == 0)
    }

    @Test func `has a client for operators`() throws {
        let daemon = try daemon()
        let code = try #require(try blocks("python").last)
        let result = try python(["-c", code], ["TORPOR_SUPERVISOR": daemon.socket])
        #expect(result == (0, "gallery notRunning\nsuspended\n", ""))
        let watch = """
            import torpor
            with torpor.Supervisor() as supervisor, torpor.Supervisor() as other:
                for event in supervisor.watch("gallery"):
                    if isinstance(event, list):
                        print([worker["state"] for worker in event], other.resume("gallery", wait=False)[0]["goal"])
                    elif event["to"] == "active":
                        break
                try:
                    other.status("none")
                except torpor.MethodError as error:
                    print(error)
                print(other.call("Ping")["version"])
            """
        let watched = try python(["-c", watch], ["TORPOR_SUPERVISOR": daemon.socket])
        #expect(watched == (0, "['suspended'] active\nNoSuchWorker (name: none)\n0.1.0\n", ""))
    }

    @Test(.requires(.openSSH)) func `has a client for another machine`() throws {
        try withTemporaryDirectory { directory in
            let daemon = try daemon()
            let shell = try SecureShell(in: directory)
            let code = """
                import sys, torpor
                with torpor.Supervisor(sys.argv[1], host="box") as supervisor:
                    print(supervisor.list()[0]["name"])
                """
            let result = try python(["-c", code, daemon.socket], ["TORPOR_SSH": shell.command])
            #expect(result == (0, "gallery\n", ""))
        }
    }
}
