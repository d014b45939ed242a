import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// `torpor --host`: another machine's supervisor, by a real server and client of OpenSSH on the loopback interface.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.openSSH)) struct `Another machine's supervisor` {
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

    private static let hosts = [
        "bare": "PATH=/usr/bin:/bin exec sh -c \"$SSH_ORIGINAL_COMMAND\"",
        "old": "echo \"torpor: unknown verb 'bridge'; see 'torpor --help'\" >&2; exit 64",
        "chatty": "echo welcome; exec sh -c \"$SSH_ORIGINAL_COMMAND\"",
        // Ends with its connection.
        "mute": "exec cat > /dev/null",
        "other": otherVersion,
    ]

    private struct Pair {
        let daemon: DaemonUnderTest
        let shell: SecureShell

        func start(_ host: String, _ arguments: [String], ssh: String? = nil) throws -> Wrapper {
            let socket = arguments.contains("--socket") ? [] : ["--socket", daemon.socket]
            return try Wrapper(
                [], [], environment: ["TORPOR_SSH": ssh ?? shell.command],
                line: [Wrapper.program, "--host=\(host)"] + socket + arguments)
        }

        func torpor(
            _ host: String, _ arguments: String..., ssh: String? = nil
        ) throws -> (status: Int32, output: String, errors: String) {
            try DaemonUnderTest.result(of: try start(host, arguments, ssh: ssh))
        }
    }

    private func withPair(_ body: (Pair) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let daemon = try DaemonUnderTest([
                "web":
                    "[Worker]\nExecStart=/bin/sh -c 'echo hello; exec sleep 1000'\nLaunch=boot\n[Notifications]\nnews=signal:WINCH\n"
            ])
            try daemon.process.errors.until("inactive → active")
            try body(Pair(daemon: daemon, shell: SecureShell(in: directory, hosts: Self.hosts)))
        }
    }

    @Test func `is looked at and controlled as one of this machine`() throws {
        try withPair { pair in
            for verb in [
                ["history"], ["report", "web"], ["why", "web"], ["cat", "web"], ["notifications", "web"],
            ] {
                let near = try DaemonUnderTest.result(
                    of: Wrapper([], [], line: [Wrapper.program] + verb + ["--socket", pair.daemon.socket]))
                let far = try DaemonUnderTest.result(of: try pair.start("box", verb))
                #expect(far.status == 0 && far == near, "\(verb): \(far) \(near)")
            }
            let list = try pair.torpor("box", "list")
            #expect(list.status == 0 && list.output.contains("web"), "\(list)")
            #expect(try pair.torpor("box", "status").output.contains("Socket: ssh:box"))
            #expect(try pair.torpor("box", "status", "web").output.contains("web"))
            #expect(try pair.torpor("box", "doctor").status == 0)
            #expect(try pair.torpor("box", "logs", "web").output == "hello\n")
            #expect(try pair.torpor("box", "status", "none").status == 4)
            let watch = try pair.start("box", ["watch"])
            try watch.output.until("web")
            #expect(try pair.torpor("box", "suspend", "web").status == 0)
            try watch.output.until("suspended")
            #expect(try pair.torpor("box", "post", "web", "news").status == 0)
            #expect(try pair.daemon.list().first?.state == "suspended")
            let relative = try pair.torpor("box", "launch", "--transient", "--", "./job")
            #expect(relative.status == 64 && relative.errors.contains("“./job” is a path of this machine"))
        }
    }

    struct Trouble: Sendable, CustomStringConvertible {
        let host: String
        var arguments = ["list"]
        var ssh: String?
        let status: Int32
        let mentions: String

        var description: String { "\(host) \(arguments)" }
    }

    @Test(arguments: [
        Trouble(
            host: "box", ssh: "/nonexistent/ssh", status: 69,
            mentions: "cannot reach box: /nonexistent/ssh is not installed"),
        Trouble(
            host: "nowhere", status: 69, mentions: "cannot reach nowhere: ssh: Could not resolve hostname"),
        Trouble(host: "stranger", status: 77, mentions: "Permission denied"),
        Trouble(host: "changed", status: 69, mentions: "cannot reach changed: Host key verification failed"),
        Trouble(host: "bare", status: 69, mentions: "torpor is not installed on bare"),
        Trouble(host: "old", status: 69, mentions: "torpor on old has no verb 'bridge'"),
        Trouble(host: "chatty", status: 69, mentions: "chatty sends something else"),
        Trouble(host: "other", status: 69, mentions: "does not know List; its version differs"),
        Trouble(
            host: "box", arguments: ["list", "--socket", "/nonexistent/x"], status: 69,
            mentions: "box: no supervisor listens at /nonexistent/x"),
        Trouble(
            host: "box", arguments: ["list", "--socket", "x"], status: 64,
            mentions: "expected an absolute path"),
        Trouble(
            host: "mute", arguments: ["list", "--timeout", "300ms"], status: 75,
            mentions: "no answer from mute in time"),
        Trouble(host: "-oProxyCommand=x", status: 64, mentions: "invalid --host"),
        Trouble(host: "box", ssh: "ssh 'x", status: 64, mentions: "TORPOR_SSH is not a command line"),
        Trouble(
            host: "box", arguments: ["verify", "x.worker"], status: 64, mentions: "--host makes no sense here"
        ),
    ])
    func `that cannot be had is told in one line`(_ trouble: Trouble) throws {
        try withPair { pair in
            let result = try DaemonUnderTest.result(
                of: try pair.start(trouble.host, trouble.arguments, ssh: trouble.ssh))
            #expect(result.status == trouble.status, "\(result)")
            #expect(result.errors.contains(trouble.mentions), "\(result)")
            #expect(result.output == "" && result.errors.split(separator: "\n").count == 1, "\(result)")
            // Nothing that was started for it stays.
            _ = try eventually("the connections to end") { pair.shell.connections.isEmpty ? true : nil }
        }
    }

    @Test func `that is lost is told at once`() throws {
        try withPair { pair in
            let watch = try pair.start("box", ["watch"])
            try watch.output.until("web")
            pair.shell.cut()
            #expect(try watch.wait() == .exited(69))
            #expect(try watch.errors.rest().joined().contains("the connection to box was lost"))
        }
    }

    @Test func `that ends is told as one of this machine`() throws {
        try withPair { pair in
            let watch = try pair.start("box", ["watch"])
            try watch.output.until("web")
            pair.daemon.process.send(SIGKILL)
            #expect(try watch.wait() == .exited(69))
            #expect(try watch.errors.rest() == ["torpor: the supervisor on box closed the connection"])
            try pair.daemon.killAndRestart()
        }
    }

    @Test func `lets go of what a killed client held`() throws {
        try withPair { pair in
            let hold = try pair.start(
                "box", ["hold", "web", "--", "sh", "-c", "echo begun; exec sleep 1000"])
            #expect(try hold.output.next() == "begun")
            let command = children(of: hold.pid)
            #expect(try pair.daemon.torpor("suspend", "--no-wait", "web").status == 0)
            try pair.daemon.process.errors.until("inactive → background")
            hold.send(SIGKILL)
            try pair.daemon.process.errors.until("background → suspended")
            for pid in command { kill(pid, SIGKILL) }
            _ = try eventually("the connections to end") { pair.shell.connections.isEmpty ? true : nil }
        }
    }

    @Test func `answers what was asked before the end of the input`() throws {
        let daemon = try DaemonUnderTest(["web": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        let call = #"{"method":"io.torpor.Supervisor.List"}"#
        let bridge = try Wrapper(
            [], [],
            line: [
                "sh", "-c", "printf '\(call)\\0\(call)\\0' | \"$@\"", "sh", Wrapper.program, "bridge",
                "--socket",
                daemon.socket,
            ])
        let answers = try DaemonUnderTest.result(of: bridge)
        #expect(answers.status == 0 && answers.errors == "", "\(answers)")
        #expect(answers.output.split(separator: "\0").count { $0.contains("\"web\"") } == 2, "\(answers)")
    }
}
