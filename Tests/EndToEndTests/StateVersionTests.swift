import Foundation
import TestSupport
import Testing

/// `StateVersion=` of a real daemon, with hooks that save state.
@Suite(.timeLimit(.minutes(60))) struct `Saved state of another version` {
    /// A worker that saves `state` when it is suspended, and writes down what it is handed.
    private static func worker(_ lines: String, program: String = "/bin/sh") -> String {
        """
        [Worker]
        ExecStartPre=/bin/sh -c 'echo "$${TORPOR_RESTORE:+state} $${TORPOR_RESTORE_VERSION-same}" >> DIRECTORY/preparations'
        ExecStart=\(program) -c 'echo "$${TORPOR_RESTORE:+state} $${TORPOR_RESTORE_VERSION-same}" >> DIRECTORY/starts; \
        exec sleep 1000'
        \(lines)
        [Callbacks]
        SaveState=exec:/bin/sh -c 'echo "{\\"a\\":1}"'
        """
    }

    private func run(_ daemon: DaemonUnderTest, starts count: Int) throws {
        #expect(try daemon.torpor("launch", "web").status == 0)
        _ = try eventually("launch \(count)") { daemon.lines(of: "starts").count == count ? true : nil }
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("resume", "web").status == 0)
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }

    private func define(_ daemon: DaemonUnderTest, _ lines: String, program: String = "/bin/sh") throws {
        let text = Self.worker(lines, program: program)
        try daemon.write("web.worker", text.replacingOccurrences(of: "DIRECTORY", with: daemon.directory))
        #expect(try daemon.torpor("reload").status == 0)
    }

    @Test func `is restored with a word of that, or dropped`() throws {
        let daemon = try DaemonUnderTest(["web": Self.worker("StateVersion=1")])
        try run(daemon, starts: 1)
        // The same version: nothing is said.
        try run(daemon, starts: 2)
        try define(daemon, "StateVersion=2")
        try run(daemon, starts: 3)
        try define(daemon, "StateVersion=3:strict")
        try run(daemon, starts: 4)
        #expect(daemon.lines(of: "starts") == [" same", "state same", "state 1", " same"])
        // What runs before it sees the same.
        #expect(daemon.lines(of: "preparations") == daemon.lines(of: "starts"))
        let dropped =
            "its saved state is dropped: version 2 saved it, and the program has version 3 (StateVersion=)"
        while let line = try daemon.process.errors.next() { if line.contains(dropped) { break } }
        // What it saved itself is restored.
        try run(daemon, starts: 5)
        #expect(daemon.lines(of: "starts").last == "state same")
    }

    @Test func `is told by the build ids of programs`() throws {
        let daemon = try DaemonUnderTest(["web": Self.worker("")])
        try run(daemon, starts: 1)
        try run(daemon, starts: 2)
        let link = "\(daemon.directory)/shell"
        let shell = ["/bin/bash", "/usr/bin/bash"].first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let shell else { return }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shell)
        try define(daemon, "", program: link)
        try run(daemon, starts: 3)
        let starts = daemon.lines(of: "starts")
        #expect(starts.prefix(2) == [" same", "state same"])
        let digits = starts.last?.dropFirst("state ".count) ?? ""
        #expect(digits.count >= 16 && digits.allSatisfy(\.isHexDigit), "\(starts)")
    }

    @Test func `is told in a scenario`() throws {
        let reading = try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/versions.scenario"
            try """
            [Scenario]
            DurationSec=2min
            [Worker kind]
            Type=app
            [Worker strict]
            Type=app
            StateVersion=strict
            [Program kind]
            Version=a
            [Program strict]
            Version=a
            [Events]
            At=1s kind launch
            At=1s strict launch
            At=10s kind suspend
            At=10s strict suspend
            At=20s kind evict
            At=20s strict evict
            At=30s kind behave Version=b
            At=30s strict behave Version=b
            At=40s kind launch
            At=40s strict launch
            """.write(toFile: path, atomically: false, encoding: .utf8)
            return try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program, "simulate", path]))
        }
        #expect(reading.status == 0, "\(reading)")
        #expect(reading.output.contains("its saved state is of another version: a"), "\(reading)")
        #expect(reading.output.contains("saved state dropped: it is of another version: a"), "\(reading)")
    }
}
