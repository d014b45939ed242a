import Foundation
import Glibc
import TestSupport
import Testing

/// `torpor continue --to`: an activity goes to the supervisor of another machine, by a real server and client of OpenSSH on the
/// loopback interface.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.openSSH)) struct `An activity for another machine` {
    private static let type = "org.example.editing"

    /// Passes the bytes of a connection, and breaks off in the place of the answer that tells of the worker; only the first time where
    /// there is a name for a file that remembers it.
    private static func breaking(_ mark: String) -> String {
        """
        exec python3 -uc '
        import os, subprocess, sys, threading
        mark = "\(mark)"
        bridge = subprocess.Popen(os.environ["SSH_ORIGINAL_COMMAND"], shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        def feed():
            while chunk := os.read(0, 65536):
                bridge.stdin.write(chunk)
                bridge.stdin.flush()
            bridge.stdin.close()
        threading.Thread(target=feed, daemon=True).start()
        while chunk := os.read(bridge.stdout.fileno(), 65536):
            if b"\\"worker\\"" in chunk and not os.path.exists(mark):
                if mark: open(mark, "w").close()
                bridge.kill()
                os._exit(1)
            os.write(1, chunk)
        '
        """
    }

    /// What answers every call as a supervisor that does not know the method.
    private static let otherVersion = """
        exec python3 -uc '
        import json, os
        text = b""
        while chunk := os.read(0, 65536):
            *calls, text = (text + chunk).split(bytes(1))
            for call in calls:
                method = json.loads(call)["method"]
                answer = {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": method}}
                os.write(1, json.dumps(answer).encode() + bytes(1))
        '
        """

    private struct Pair {
        let first: DaemonUnderTest
        let second: DaemonUnderTest
        let shell: SecureShell

        func start(_ host: String, _ arguments: [String] = []) throws -> Wrapper {
            try Wrapper(
                [], [], environment: ["TORPOR_SSH": shell.command],
                line: [
                    Wrapper.program, "continue", "--socket", first.socket, "editor", "--to", host,
                    "--to-socket", second.socket,
                ] + arguments)
        }

        func hand(
            to host: String, _ arguments: String...
        ) throws -> (status: Int32, output: String, errors: String) {
            try DaemonUnderTest.result(of: start(host, arguments))
        }
    }

    private func withPair(_ viewer: String = Activities.viewer, _ body: (Pair) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let first = try DaemonUnderTest(["editor": Activities.editor])
            let second = try DaemonUnderTest(["viewer": viewer])
            try Activities.prepare(first)
            try Activities.prepare(second, waits: false)
            let hosts = [
                "bare": "PATH=/usr/bin:/bin exec sh -c \"$SSH_ORIGINAL_COMMAND\"",
                "mute": "exec cat > /dev/null", "other": Self.otherVersion,
                "once": Self.breaking("\(directory)/broken"), "always": Self.breaking(""),
            ]
            try body(Pair(first: first, second: second, shell: SecureShell(in: directory, hosts: hosts)))
        }
    }

    @Test func `is taken there, and left here only then`() throws {
        try withPair { pair in
            #expect(
                try pair.hand(to: "box") == (0, "viewer@box continues \(Self.type) of editor.\n", ""))
            #expect(Activities.taken(pair.second) == ["activity \(Self.type) notes.txt 42"])
            try Activities.until(pair.first, "editor", is: "suspended")
            #expect(try Activities.state(of: "viewer", pair.second) == "active")
            #expect(try pair.second.torpor("status", "viewer").output.contains("Launched for: activity"))
            try pair.first.process.errors.until("viewer@box has taken its activity")
            try pair.second.process.errors.until("it has taken the activity \(Self.type) of editor@")
        }
    }

    @Test func `goes to another supervisor of this machine without ssh`() throws {
        try withPair { pair in
            let result = try DaemonUnderTest.result(
                of: Wrapper(
                    [], [],
                    line: [
                        Wrapper.program, "continue", "--socket", pair.first.socket, "editor", "--to-socket",
                        pair.second.socket,
                    ]))
            #expect(result.status == 0, "\(result)")
            #expect(Activities.taken(pair.second).count == 1)
            try Activities.until(pair.first, "editor", is: "suspended")
        }
    }

    @Test func `is given once although the answer was lost`() throws {
        try withPair { pair in
            let result = try pair.hand(to: "once")
            #expect(result == (0, "viewer@once continues \(Self.type) of editor.\n", ""), "\(result)")
            #expect(Activities.taken(pair.second).count == 1)
            try Activities.until(pair.first, "editor", is: "suspended")
        }
    }

    struct Trouble: Sendable, CustomStringConvertible {
        let host: String
        var viewer = Activities.viewer
        var arguments: [String] = []
        let status: Int32
        let mentions: String
        var taken = 0

        var description: String { host }
    }

    @Test(arguments: [
        Trouble(
            host: "nowhere", status: 69,
            mentions:
                "editor keeps org.example.editing: cannot reach nowhere: ssh: Could not resolve hostname"),
        Trouble(
            host: "stranger", status: 77, mentions: "editor keeps org.example.editing: cannot reach stranger"),
        Trouble(host: "bare", status: 69, mentions: "torpor is not installed on bare"),
        Trouble(
            host: "other", status: 69,
            mentions:
                "editor keeps org.example.editing: the supervisor does not know TakeActivity; its version differs"
        ),
        Trouble(
            host: "mute", arguments: ["--timeout", "3s"], status: 75,
            mentions: "editor keeps org.example.editing: no answer from mute in time"),
        Trouble(
            host: "box", viewer: Activities.viewer.replacingOccurrences(of: "/take", with: "/refuse"),
            status: 75, mentions: "it did not accept the activity"),
        Trouble(
            host: "always", status: 69,
            mentions:
                "editor keeps org.example.editing, and the other supervisor may have given it to a worker too",
            taken: 1),
    ])
    func `stays here when the way there fails`(_ trouble: Trouble) throws {
        try withPair(trouble.viewer) { pair in
            let result = try DaemonUnderTest.result(of: pair.start(trouble.host, trouble.arguments))
            #expect(result.status == trouble.status && result.output == "", "\(result)")
            #expect(result.errors.contains(trouble.mentions), "\(result)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
            #expect(try Activities.state(of: "editor", pair.first) == "active")
            #expect(Activities.taken(pair.second).count == trouble.taken)
            #expect(!(try pair.first.torpor("continue", "--list").output.contains("handed over")))
            // Nothing that was started for it stays.
            _ = try eventually("the connections to end") { pair.shell.connections.isEmpty ? true : nil }
        }
    }

    @Test func `is told once more when the connection is cut while the worker takes it`() throws {
        try withPair(Activities.viewer.replacingOccurrences(of: "/take", with: "/wait")) { pair in
            let call = try pair.start("box")
            _ = try eventually("the hook to run") { Activities.taken(pair.second).isEmpty ? nil : true }
            pair.shell.cut()
            try "".write(toFile: "\(pair.second.directory)/go", atomically: false, encoding: .utf8)
            let result = try DaemonUnderTest.result(of: call)
            #expect(result == (0, "viewer@box continues \(Self.type) of editor.\n", ""), "\(result)")
            #expect(Activities.taken(pair.second).count == 1)
        }
    }

    @Test func `stays with a worker whose supervisor is killed meanwhile`() throws {
        try withPair(Activities.viewer.replacingOccurrences(of: "/take", with: "/wait")) { pair in
            let call = try pair.start("box")
            _ = try eventually("the hook to run") { Activities.taken(pair.second).isEmpty ? nil : true }
            try pair.first.killAndRestart()
            try "".write(toFile: "\(pair.second.directory)/go", atomically: false, encoding: .utf8)
            let result = try DaemonUnderTest.result(of: call)
            #expect(result.status == 75, "\(result)")
            #expect(
                result.errors.contains(
                    "viewer@box continues \(Self.type), and editor, which could not be told"),
                "\(result)")
            #expect(try Activities.state(of: "editor", pair.first) == "active")
        }
    }
}
