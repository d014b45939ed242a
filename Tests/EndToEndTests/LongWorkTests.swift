import Foundation
import Glibc
import TestSupport
import Testing

/// Long work at a good time, with a real daemon on a machine whose power, pressure and sessions are a test's.
@Suite(.long, .timeLimit(.minutes(60))) struct `Long work` {
    /// What a daemon looks at instead of the machine.
    private final class Machine {
        let directory = "/tmp/torpor-machine-\(UUID().uuidString.prefix(8))"

        init() throws {
            try write("power/AC", ["type": "Mains", "online": "1"])
            try write("power/BAT0", ["type": "Battery", "present": "1", "status": "Full", "capacity": "100"])
            for resource in ["cpu", "memory", "io"] { try press(resource, "0.00") }
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        private func write(_ place: String, _ files: [String: String]) throws {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(place)", withIntermediateDirectories: true)
            for (name, text) in files {
                try (text + "\n").write(
                    toFile: "\(directory)/\(place)/\(name)", atomically: true, encoding: .utf8)
            }
        }

        func press(_ resource: String, _ share: String) throws {
            let line = "avg10=\(share) avg60=\(share) avg300=\(share) total=1"
            try write("pressure", [resource: "some \(line)\nfull \(line)"])
        }

        func power(mains: Bool) throws {
            try write("power/AC", ["online": mains ? "1" : "0"])
            try write("power/BAT0", ["status": mains ? "Charging" : "Discharging", "capacity": "90"])
        }

        func daemon(_ files: [String: String], _ more: [String] = []) throws -> DaemonUnderTest {
            try DaemonUnderTest(
                files,
                through: [
                    "env", "TORPOR_POWER_SUPPLIES=\(directory)/power",
                    "TORPOR_PRESSURE=\(directory)/pressure",
                ] + more)
        }
    }

    /// It works until it is told to end, or ended.
    private static let index = """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Background]
        Modes=processing
        ProcessingIntervalSec=1s
        ProcessingIdleSec=0
        TaskWarningSec=1s
        [Callbacks]
        PerformProcessing=exec:/bin/sh -c 'echo begun >> DIRECTORY/work; while ! test -e DIRECTORY/end; do sleep 0.1; done; echo done >> DIRECTORY/work'
        BackgroundTaskWillExpire=exec:/bin/sh -c 'echo expiring >> DIRECTORY/work'
        """

    private func awaitWork(_ daemon: DaemonUnderTest, _ lines: [String]) throws {
        _ = try eventually("the work to be \(lines)") {
            daemon.lines(of: "work").starts(with: lines) ? true : nil
        }
    }

    @Test func `begins on mains, is cut short on battery, and is tried again`() throws {
        let machine = try Machine()
        try machine.power(mains: false)
        let daemon = try machine.daemon(["index": Self.index])
        _ = try eventually("the machine to be looked at") {
            try daemon.torpor("status", "index").output.contains(
                "Long work: due, at a good time; the machine is on battery (ConditionACPower=)") ? true : nil
        }
        #expect(daemon.lines(of: "work").isEmpty)
        try machine.power(mains: true)
        try awaitWork(daemon, ["begun"])
        let status = try daemon.torpor("status", "index").output
        #expect(status.contains("Long work: under way for"), "\(status)")
        #expect(status.contains("Launched for: processing"))
        // What is under way is so for a daemon that takes over, too; that of one that was killed is begun anew.
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("status", "index").output.contains("Long work: under way for"))
        #expect(daemon.lines(of: "work") == ["begun"])
        try daemon.killAndRestart()
        try awaitWork(daemon, ["begun", "begun"])
        try machine.power(mains: false)
        try awaitWork(daemon, ["begun", "begun", "expiring"])
        _ = try eventually("the worker to sleep") {
            try daemon.list().first { $0.name == "index" }?.state == "suspended" ? true : nil
        }
        #expect(!daemon.lines(of: "work").contains("done"))
        let history = try daemon.torpor("history", "index").output
        #expect(
            history.contains("the time for its long work is over: the machine is on battery"), "\(history)")
        #expect(history.contains("its long work was cut short"))
        try machine.power(mains: true)
        try awaitWork(daemon, ["begun", "begun", "expiring", "begun"])
        try "".write(toFile: "\(daemon.directory)/end", atomically: false, encoding: .utf8)
        try awaitWork(daemon, ["begun", "begun", "expiring", "begun", "done"])
        _ = try eventually("the work to be done") {
            try daemon.torpor("history", "index").output.contains("its long work is done") ? true : nil
        }
    }

    @Test func `waits while memory is short, and in low-power mode`() throws {
        let machine = try Machine()
        try machine.press("memory", "40.00")
        let daemon = try machine.daemon(["index": Self.index])
        _ = try eventually("the machine to be looked at") {
            try daemon.torpor("status", "index").output.contains(
                "the memory pressure is 40 % over 5min, above 10 % (ConditionMemoryPressure=)") ? true : nil
        }
        #expect(try daemon.torpor("low-power", "on").status == 0)
        try machine.press("memory", "0.00")
        #expect(
            try daemon.torpor("status", "index").output.contains(
                "Long work: due, at a good time; low-power mode is on")
        )
        #expect(daemon.lines(of: "work").isEmpty)
        #expect(try daemon.torpor("low-power", "off").status == 0)
        try awaitWork(daemon, ["begun"])
    }

    @Test func `runs a job that runs to its end, once per interval, whichever daemon there is`() throws {
        let machine = try Machine()
        let daemon = try machine.daemon([
            "backup": """
            [Worker]
            Type=oneshot
            ExecStart=/bin/sh -c 'echo backup for $$TORPOR_LAUNCH_REASON, $$TORPOR_LAUNCH_STATE >> DIRECTORY/work'
            [Background]
            Modes=processing
            ProcessingIdleSec=0
            """
        ])
        try awaitWork(daemon, ["backup for processing, background"])
        func due() throws -> Bool {
            try daemon.torpor("status", "backup").output.contains("Long work: due in 23h")
        }
        _ = try eventually("the next time to be known") { try due() ? true : nil }
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try due())
        #expect(daemon.lines(of: "work").count == 1)
        #expect(try daemon.torpor("why", "backup").output.contains("its long work"))
    }

    @Test func `of a forced end does not come back`() throws {
        let machine = try Machine()
        let daemon = try machine.daemon(["index": Self.index])
        try awaitWork(daemon, ["begun"])
        // The command of the hook ends with its worker, which may be told as a failure of it.
        _ = try daemon.torpor("kill", "index")
        _ = try eventually("it to be left alone") {
            try daemon.torpor("status", "index").output.contains("the worker cannot be given it now")
                ? true : nil
        }
        #expect(daemon.lines(of: "work") == ["begun"])
    }

    @Test(.requires(.program("/usr/bin/dbus-daemon")))
    func `waits until no session has been used for long enough, and ends when one is`() throws {
        let place = "/tmp/torpor-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let address = "unix:path=\(place)/bus"
        let bus = try Wrapper(
            [], [],
            line: [
                "/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)",
                "--print-address",
            ])
        _ = try bus.output.next()
        let (actions, writing) = try makePipe()
        let login = try Wrapper(
            [], [], line: [(Wrapper.testPrograms as NSString).appendingPathComponent("login"), address],
            input: actions)
        close(actions)
        let script = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
        #expect(try login.output.next() == "ready")
        let machine = try Machine()
        let daemon = try machine.daemon(
            ["index": Self.index.replacingOccurrences(of: "IdleSec=0", with: "IdleSec=1s")],
            ["DBUS_SYSTEM_BUS_ADDRESS=\(address)"])
        _ = try eventually("the session to be known") {
            try daemon.torpor("status", "index").output.contains("a session of the machine is in use")
                ? true : nil
        }
        #expect(daemon.lines(of: "work").isEmpty)
        // Since the machine was started.
        script.write(Data("idle 1\n".utf8))
        try awaitWork(daemon, ["begun"])
        script.write(Data("busy\n".utf8))
        try awaitWork(daemon, ["begun", "expiring"])
        for process in [login, bus] {
            process.send(SIGKILL)
            _ = try process.wait()
        }
    }
}
