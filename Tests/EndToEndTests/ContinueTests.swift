import Foundation
import Glibc
import TestSupport
import Testing

/// `torpor continue`: activities of real programs, handed over to a worker of the same supervisor.
@Suite(.long, .timeLimit(.minutes(60))) struct `An activity` {
    private static let type = "org.example.editing"

    private func daemon(_ files: [String: String] = [:]) throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(
            ["editor": Activities.editor, "viewer": Activities.viewer].merging(files) { $1 })
        try Activities.prepare(daemon)
        return daemon
    }

    @Test func `is handed over with its state, and the first worker leaves when the second has it`() throws {
        let daemon = try daemon()
        let status = try daemon.torpor("status", "editor").output
        #expect(status.contains("Activity: \(Self.type)"), "\(status)")
        let list = try daemon.torpor("continue", "--list")
        #expect(list.status == 0 && list.output.contains("editor \(Self.type) offers"), "\(list)")
        #expect(list.output.contains("viewer \(Self.type) continues"), "\(list)")
        #expect(
            try daemon.torpor("continue", "editor")
                == (0, "viewer continues \(Self.type) of editor.\n", ""))
        #expect(Activities.taken(daemon) == ["activity \(Self.type) notes.txt 42"])
        try daemon.process.errors.until("viewer has taken its activity \(Self.type)")
        try Activities.until(daemon, "editor", is: "suspended")
        #expect(try Activities.state(of: "viewer", daemon) == "active")
        #expect(try daemon.torpor("status", "viewer").output.contains("Launched for: activity"))
        // And back: a worker that sleeps is woken to be asked.
        let again = try daemon.torpor("continue", "editor", Self.type, "--with", "viewer")
        #expect(again.status == 0, "\(again)")
        #expect(Activities.taken(daemon).count == 2)
        try Activities.until(daemon, "editor", is: "suspended")
    }

    @Test func `comes with the state that the caller gives`() throws {
        let daemon = try daemon()
        let result = try daemon.torpor("continue", "editor", "--payload", #"{"text":"other 7"}"#)
        #expect(result.status == 0, "\(result)")
        #expect(Activities.taken(daemon) == ["activity \(Self.type) other 7"])
    }

    struct Trouble: Sendable, CustomStringConvertible {
        var editor = Activities.editor
        var viewer = Activities.viewer
        var arguments = ["editor"]
        let status: Int32
        let mentions: String

        var description: String { "\(arguments) \(mentions)" }
    }

    @Test(arguments: [
        Trouble(
            viewer: Activities.viewer.replacingOccurrences(of: "/take", with: "/refuse"), status: 75,
            mentions:
                "editor keeps org.example.editing: viewer cannot do that now: it did not accept the activity"),
        Trouble(
            editor: Activities.editor.replacingOccurrences(of: "/tell", with: "/fail"), status: 75,
            mentions: "its state could not be had: UserActivity= failed: exit status 3"),
        Trouble(
            editor: Activities.editor.replacingOccurrences(of: "/tell", with: "/garble"), status: 75,
            mentions: "UserActivity= printed neither text nor a JSON object"),
        Trouble(
            editor: Activities.editor.replacingOccurrences(of: "/tell", with: "/flood"), status: 75,
            mentions: "its output exceeds 65536 bytes"),
        Trouble(
            viewer: Activities.viewer.replacingOccurrences(of: "ActivityTypes", with: "#ActivityTypes"),
            status: 64, mentions: "no other worker continues activities of the type “org.example.editing”"),
        Trouble(
            arguments: ["viewer"], status: 75, mentions: "viewer cannot do that now: it is not running"),
        Trouble(
            arguments: ["editor", "org.example.other"], status: 64,
            mentions: "editor: it does not offer an activity of the type org.example.other"),
        Trouble(arguments: ["editor", "bad type"], status: 64, mentions: "invalid type"),
        Trouble(arguments: ["nobody"], status: 4, mentions: "no worker is named “nobody”"),
        Trouble(
            arguments: ["editor", "--with", "nobody"], status: 4, mentions: "no worker is named “nobody”"),
        Trouble(
            arguments: ["editor", "--payload", "[1]"], status: 64, mentions: "--payload is not a JSON object"),
        Trouble(arguments: ["--to", "box"], status: 64, mentions: "usage: torpor continue NAME"),
        Trouble(
            arguments: ["editor", "--to-socket", "/nonexistent/x"], status: 69,
            mentions: "editor keeps org.example.editing: no supervisor listens at /nonexistent/x"),
    ])
    func `stays where it is when it is not taken`(_ trouble: Trouble) throws {
        let daemon = try daemon(["editor": trouble.editor, "viewer": trouble.viewer])
        let line = [Wrapper.program, "continue", "--socket", daemon.socket] + trouble.arguments
        let result = try DaemonUnderTest.result(of: Wrapper([], [], line: line))
        #expect(result.status == trouble.status && result.output == "", "\(result)")
        #expect(result.errors.contains(trouble.mentions), "\(result)")
        #expect(try Activities.state(of: "editor", daemon) == "active")
        let list = try daemon.torpor("continue", "editor", "--list").output
        #expect(!list.contains("handed over"), "\(list)")
    }

    @Test func `is kept when the caller is killed`() throws {
        let daemon = try daemon(["viewer": Activities.viewer.replacingOccurrences(of: "/take", with: "/hang")]
        )
        let call = try Wrapper(
            [], [], line: [Wrapper.program, "continue", "--socket", daemon.socket, "editor"])
        try daemon.process.errors.until("its activity \(Self.type) is being handed over")
        _ = try eventually("the hook to run") {
            daemon.lines(of: "taken").isEmpty ? nil : true
        }
        #expect(try daemon.torpor("continue", "--list").output.contains("is handed over"))
        let other = try daemon.torpor("continue", "editor")
        #expect(other.status == 75 && other.errors.contains("is being handed over already"), "\(other)")
        call.send(SIGKILL)
        try daemon.process.errors.until("it keeps its activity \(Self.type): the call that carried it ended")
        #expect(try Activities.state(of: "editor", daemon) == "active")
    }

    @Test func `of one foreground group comes back when it is refused`() throws {
        let group = "\n[Foreground]\nForegroundGroup=desk\n"
        let daemon = try daemon([
            "editor": Activities.editor + group,
            "viewer": Activities.viewer.replacingOccurrences(of: "/take", with: "/refuse") + group,
        ])
        #expect(try daemon.torpor("continue", "editor").status == 75)
        try Activities.until(daemon, "editor", is: "active")
    }

    @Test func `is offered by notify messages, however often`() throws {
        let flood = """
            import os, socket, sys, time
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            a = os.environ["NOTIFY_SOCKET"]
            s.connect("\\0" + a[1:] if a[0] == "@" else a)
            def say(text): s.send(text.encode())
            say("READY=1")
            for n in range(5000): say("X_TORPOR_USER_ACTIVITY=a.b%d some text %d" % (n, n))
            say("X_TORPOR_USER_ACTIVITY=")
            while True:
                say("X_TORPOR_USER_ACTIVITY=\(Self.type) notes.txt 43")
                time.sleep(0.2)
            """
        let daemon = try daemon([
            "flood":
                "[Worker]\nExecStart=/usr/bin/python3 DIRECTORY/flood.py\nType=notify\nNotifyAccess=all\n"
        ])
        try flood.write(toFile: "\(daemon.directory)/flood.py", atomically: false, encoding: .utf8)
        #expect(try daemon.torpor("launch", "flood").status == 0)
        let list = try daemon.torpor("continue", "--list").output
        #expect(list.split(separator: "\n").count { $0.hasPrefix("flood") } <= 16, "\(list)")
        // The others are not disturbed.
        #expect(try daemon.torpor("suspend", "editor").status == 0)
        _ = try eventually("the last offer") {
            try daemon.torpor("status", "flood").output.contains(Self.type) ? true : nil
        }
        let result = try daemon.torpor("continue", "flood")
        #expect(result.status == 0, "\(result)")
        #expect(Activities.taken(daemon) == ["activity \(Self.type) notes.txt 43"])
    }

    @Test func `is offered by a program's own connection, which is asked`() throws {
        let app = WorkerFiles.app + "\nURLSchemes=count\nActivityTypes=org.example.counting\n"
        let daemon = try DaemonUnderTest([
            "app": app,
            "other": app.replacingOccurrences(of: "app.log", with: "other.log")
                .replacingOccurrences(of: "Launch=boot", with: ""),
        ])
        try daemon.process.errors.until("inactive → active")
        #expect(try daemon.torpor("open", "count:offer").status == 0)
        _ = try eventually("the offer") {
            try daemon.torpor("status", "app").output.contains("org.example.counting (counting)") ? true : nil
        }
        let result = try daemon.torpor("continue", "app")
        #expect(result == (0, "other continues org.example.counting of app.\n", ""), "\(result)")
        // It leaves as an app does, and offers it no more.
        try Activities.until(daemon, "app", is: "suspended")
        #expect(!(try daemon.torpor("status", "app").output.contains("org.example.counting (counting)")))
        #expect(try daemon.torpor("terminate", "other").status == 0)
        let told = daemon.lines(of: "other.log")
        #expect(told.contains("willFinishLaunching activity restores: false"), "\(told)")
        #expect(told.contains("continueActivity org.example.counting counting from app: 1"), "\(told)")
    }

    @Test func `is still offered after the supervisor was replaced or killed`() throws {
        let daemon = try daemon([
            "teller":
                "[Worker]\nExecStart=/bin/sh -c 'systemd-notify X_TORPOR_USER_ACTIVITY=\"\(Self.type) told 5\" --ready; exec sleep 1000'\nType=notify\nNotifyAccess=all\n"
        ])
        #expect(try daemon.torpor("launch", "teller").status == 0)
        _ = try eventually("the offer") {
            try daemon.torpor("continue", "teller", "--list").output.contains("offers") ? true : nil
        }
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("continue", "teller", "--list").output.contains("offers"))
        try daemon.killAndRestart()
        #expect(try daemon.torpor("continue", "teller").status == 0)
        #expect(Activities.taken(daemon) == ["activity \(Self.type) told 5"])
    }

    @Test func `goes on through a reexec of its supervisor`() throws {
        let daemon = try daemon(["viewer": Activities.viewer.replacingOccurrences(of: "/take", with: "/wait")]
        )
        let call = try Wrapper(
            [], [], line: [Wrapper.program, "continue", "--socket", daemon.socket, "editor"])
        _ = try eventually("the hook to run") {
            daemon.lines(of: "taken").isEmpty ? nil : true
        }
        #expect(try daemon.torpor("reexec").status == 0)
        try "".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(try DaemonUnderTest.result(of: call) == (0, "viewer continues \(Self.type) of editor.\n", ""))
        try Activities.until(daemon, "editor", is: "suspended")
    }

    @Test func `is simulated`() throws {
        try withTemporaryDirectory { directory in
            let scenario = """
                [Scenario]
                [Worker editor]
                ExecStart=/bin/editor
                Launch=boot
                [Worker viewer]
                ExecStart=/bin/viewer
                ActivityTypes=\(Self.type)
                [Callbacks viewer]
                ContinueActivity=exec:/bin/take
                [Events]
                At=5s editor offer \(Self.type)
                At=10s editor handoff
                """
            let path = "\(directory)/handoff.scenario"
            try scenario.write(toFile: path, atomically: false, encoding: .utf8)
            let result = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, "simulate", path]))
            #expect(result.status == 0, "\(result)")
            let wanted = [
                "offers the activity \(Self.type)", "its activity \(Self.type) is being handed over",
                "it has taken the activity \(Self.type) of editor",
                "viewer has taken its activity \(Self.type)",
            ]
            var rest = result.output[...]
            for words in wanted {
                let place = try #require(rest.range(of: words), "\(words)\n\(result.output)")
                rest = rest[place.upperBound...]
            }
            #expect(rest.contains("active → inactive"), "\(rest)")
        }
    }
}

/// A worker that has an activity and one that continues it, by hooks alone, and what is seen of them.
enum Activities {
    static let editor = """
        [Worker]
        ExecStart=/bin/sleep 1000
        Launch=boot
        ActivityTypes=org.example.editing
        [Callbacks]
        UserActivity=exec:/bin/sh DIRECTORY/tell
        """
    static let viewer = """
        [Worker]
        ExecStart=/bin/sleep 1000
        ActivityTypes=org.example.editing
        [Callbacks]
        ContinueActivity=exec:/bin/sh DIRECTORY/take
        """

    /// Writes the hooks, and waits until the worker that has the activity is active.
    static func prepare(_ daemon: DaemonUnderTest, waits: Bool = true) throws {
        let note =
            "echo \"activity $TORPOR_ACTIVITY_TYPE $TORPOR_ACTIVITY_TEXT\" >> \(daemon.directory)/taken"
        for (name, script) in [
            "tell": "echo notes.txt 42", "fail": "exit 3", "garble": "echo '{\"a\":'",
            "flood": "exec head -c 1000000 /dev/zero",
            "take": note, "refuse": "exit 1", "hang": "\(note); exec sleep 1000",
            "wait": "\(note); while [ ! -e \(daemon.directory)/go ]; do sleep 0.02; done",
        ] {
            try "\(script)\n".write(
                toFile: "\(daemon.directory)/\(name)", atomically: false, encoding: .utf8)
        }
        if waits { try until(daemon, "editor", is: "active") }
    }

    /// What the worker was given, a line each time.
    static func taken(_ daemon: DaemonUnderTest) -> [String] { daemon.lines(of: "taken") }

    static func state(of worker: String, _ daemon: DaemonUnderTest) throws -> String? {
        try daemon.list().first { $0.name == worker }?.state
    }

    static func until(_ daemon: DaemonUnderTest, _ worker: String, is state: String) throws {
        _ = try eventually("\(worker) to be \(state)") {
            try Self.state(of: worker, daemon) == state ? true : nil
        }
    }
}
