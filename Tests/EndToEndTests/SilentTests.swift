import Foundation
import Testing

/// Nothing that is asked for is accepted and then not done.
@Suite(.timeLimit(.minutes(60)))
struct `What cannot be done` {
    private static let sleeper = "[Worker]\nExecStart=/bin/sleep 1000\n"

    @Test func `is refused of a transient worker`() throws {
        let daemon = try DaemonUnderTest([:])
        let mistyped = try daemon.torpor(
            "launch", "--transient", "-p", "Memory.MemoryMaxx=1M", "--", "sleep", "1000")
        #expect(mistyped.status == 78 && mistyped.errors.contains("MemoryMaxx="), "\(mistyped)")
        #expect(try daemon.list().isEmpty)
    }

    @Test func `is said by verify and by reload`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.sleeper + """
                [Foreground]
                IdleCPU=5%
                [Background]
                Modes=path
                [Callbacks]
                PerformFetch=signal:SIGUSR1
                ContinueActivity=signal:SIGUSR1
                """
        ])
        let verify = try DaemonUnderTest.result(
            of: Wrapper(
                [], [], line: [Wrapper.program, "verify", "\(daemon.directory)/conf/workers/web.worker"]))
        let reload = try daemon.torpor("reload")
        // The file holds: nothing is wrong with a line that comes to nothing.
        #expect(verify.status == 0 && reload.status == 0, "\(verify) \(reload)")
        for key in ["IdleCPU=", "Modes=", "PerformFetch=", "ContinueActivity="] {
            #expect(verify.errors.contains(key), "\(verify.errors)")
            #expect(reload.errors.contains(key), "\(reload.errors)")
        }
    }

    @Test func `because a file does not hold is listed`() throws {
        let daemon = try DaemonUnderTest([
            "good": Self.sleeper, "bad": Self.sleeper + "Restart=often\n",
            "stranger": Self.sleeper + "User=no-such-user\n",
        ])
        let list = try daemon.torpor("list")
        #expect(list.status == 0)
        for name in ["bad", "stranger"] {
            let line = try #require(
                list.output.split(separator: "\n").first { $0.hasPrefix(name) }, "\(list.output)")
            #expect(line.contains("bad-setting") && line.contains("\(name).worker"), "\(line)")
        }
        let status = try daemon.torpor("status", "bad")
        #expect(status.status == 78 && status.errors.contains("bad.worker:3: Restart=:"), "\(status)")
        let launch = try daemon.torpor("launch", "stranger")
        #expect(launch.status == 78 && launch.errors.contains("no-such-user"), "\(launch)")
        // A mended file is a worker like any other.
        try daemon.write("bad.worker", Self.sleeper)
        #expect(try daemon.torpor("reload").status == 78)
        #expect(try daemon.list().map(\.name) == ["bad", "good", "stranger"])
        #expect(try daemon.torpor("launch", "bad").status == 0)
    }

    @Test func `is a post by another rule than what waits`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.sleeper + "[Notifications]\nnews=signal:SIGUSR1\n"
        ])
        #expect(try daemon.torpor("post", "web", "news", "--rule", "count").status == 0)
        let other = try daemon.torpor("post", "web", "news", "--rule", "each")
        #expect(other.status == 64 && other.errors.contains("by the rule count"), "\(other)")
        #expect(try daemon.torpor("post", "web", "news", "--rule", "count").status == 0)
        // Never will is another thing than not now.
        #expect(try daemon.torpor("post", "web", "weather").status == 64)
    }
}
