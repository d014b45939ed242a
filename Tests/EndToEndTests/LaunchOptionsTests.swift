import Foundation
import TestSupport
import Testing

/// `torpor launch --options`, of a real daemon.
@Suite(.timeLimit(.minutes(60))) struct `The options of a launch` {
    private static let worker = """
        [Worker]
        ExecStart=/bin/sh -c 'printf "%%s\\n" "$$TORPOR_LAUNCH_OPTIONS" >> DIRECTORY/options; exec sleep 1000'
        """

    @Test func `reach the process, its status, the log and the history, and no later launch`() throws {
        let daemon = try DaemonUnderTest(["web": Self.worker])
        let options = #"{"mode":"night","activity":{"type":"x"}}"#
        let launched = try daemon.torpor("launch", "--options", options, "web")
        #expect(launched.status == 0, "\(launched)")
        _ = try eventually("the launch") { daemon.lines(of: "options").isEmpty ? nil : true }
        #expect(daemon.lines(of: "options") == [options])
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("Launched for: operator \(options)"), "\(status)")
        let history = try daemon.torpor("history", "web").output
        // The user is named where it has a name.
        #expect(history.contains(/woken by (uid )?[-a-z0-9_]+, pid [0-9]+/), "\(history)")
        #expect(history.contains("with the options \(options)"), "\(history)")
        // It runs: there is nothing that they could reach.
        let again = try daemon.torpor("launch", "--options", #"{"mode":"day"}"#, "web")
        #expect(again.status == 75, "\(again)")
        #expect(
            again.errors.contains(
                "web cannot do that now: it already runs, and options are passed only with a launch"),
            "\(again)")
        #expect(try daemon.torpor("terminate", "web").status == 0)
        #expect(try daemon.torpor("launch", "web").status == 0)
        _ = try eventually("another launch") { daemon.lines(of: "options").count == 2 ? true : nil }
        #expect(daemon.lines(of: "options").last == "{}")
    }

    @Test func `are given to a transient worker`() throws {
        let daemon = try DaemonUnderTest([:])
        let launched = try daemon.torpor(
            "launch", "--transient", "--name", "job", "--options", #"{"a":1}"#, "--", "/bin/sh", "-c",
            "printf '%s\\n' \"$TORPOR_LAUNCH_OPTIONS\" > \(daemon.directory)/options; exec sleep 1000")
        #expect(launched.status == 0, "\(launched)")
        _ = try eventually("the launch") { daemon.lines(of: "options").isEmpty ? nil : true }
        #expect(daemon.lines(of: "options") == [#"{"a":1}"#])
    }

    @Test func `that are no object, no JSON, or too long are refused in a line`() throws {
        let daemon = try DaemonUnderTest(["web": Self.worker])
        let long = #"{"a":""# + String(repeating: "x", count: 33_000) + #""}"#
        for (options, line) in [
            ("[1]", "--options is not a JSON object"), ("mode", "--options is not valid JSON"),
            (long, "--options is longer than 32 KiB"),
        ] {
            let launched = try daemon.torpor("launch", "web", "--options", options)
            #expect(launched.status == 64, "\(launched)")
            #expect(launched.errors.hasPrefix("torpor: \(line)"), "\(launched)")
            #expect(launched.errors.split(separator: "\n").count == 1, "\(launched)")
        }
        #expect(try daemon.list().allSatisfy { $0.state == "notRunning" })
    }

    @Test func `are refused in a scenario too while the worker runs`() throws {
        let reading = try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/options.scenario"
            try """
            [Scenario]
            DurationSec=1min
            [Worker web]
            Type=simple
            [Events]
            At=1s web launch '{"key":1}'
            At=10s web launch '{"key":2}'
            """.write(toFile: path, atomically: false, encoding: .utf8)
            return try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program, "simulate", path]))
        }
        #expect(reading.status == 0, "\(reading)")
        #expect(reading.output.contains(#"launch with the options {"key":1}"#), "\(reading)")
        #expect(
            reading.output.contains(
                "launch with options refused: it already runs, and options are passed only with a launch"),
            "\(reading)")
    }
}
