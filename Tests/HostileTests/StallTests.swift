import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// What the loop must not wait for (findings H2, H3, H4, M3, L5).
    @Suite struct `Stalls` {
        // MARK: H2

        @Test func `A descriptor whose close waits, on the control socket, keeps no other caller waiting`()
            throws
        {
            let victim = try Victim()
            let probe = try victim.measure(4) {
                [try victim.attack(["linger", victim.socket, "stream", "3", "3"], as: Uid.stranger)]
            }
            victim.expectUnharmed(probe)
        }

        @Test(.requires(.cgroupV2Writable), arguments: [true, false])
        func `A descriptor whose close waits, on a notify socket, keeps no other caller waiting`(
            _ isMember: Bool
        ) throws {
            let victim = try Victim(["victim": HostileWorkers.notifying])
            let group = isMember ? try victim.groupDirectory(of: "victim") : nil
            let path = "\(victim.directory)/run/worker-victim.notify"
            let probe = try victim.measure(4) {
                [try victim.attack(["linger", path, "dgram", "3", "3"], as: Uid.worker, in: group)]
            }
            victim.expectUnharmed(probe)
        }

        @Test(.requires(.cgroupV2Writable))
        func `A descriptor whose close waits, on a worker socket, keeps no other caller waiting`() throws {
            let victim = try Victim(["victim": HostileWorkers.app])
            let group = try victim.groupDirectory(of: "victim")
            let path = "\(victim.directory)/run/worker-victim.worker"
            let probe = try victim.measure(4) {
                [try victim.attack(["linger", path, "stream", "3", "3"], as: Uid.worker, in: group)]
            }
            victim.expectUnharmed(probe)
        }

        // MARK: H3

        /// Starts one process after the other as the worker's user.
        private static let restless = """
            [Worker]
            ExecStart=/bin/true
            \(HostileWorkers.credentials)Restart=always
            RestartSec=1ms
            StartLimitIntervalSec=0
            TimeoutStartSec=1s
            """

        @Test func `A launch that its own user stops before its program runs keeps no other caller waiting`()
            throws
        {
            let victim = try Victim(["victim": Self.restless + "\nLaunch=boot\n"])
            try expectStopped(victim, while: [])
        }

        @Test func `A hook that its own user stops before its program runs keeps no other caller waiting`()
            throws
        {
            let victim = try Victim([
                "victim": HostileWorkers.sleeper + """
                    [Callbacks]
                    DidEnterBackground=exec:/bin/true
                    DidEnterBackgroundTimeoutSec=1s
                    WillEnterForeground=exec:/bin/true
                    WillEnterForegroundTimeoutSec=1s
                    """
            ])
            try expectStopped(
                victim,
                while: [
                    "/bin/sh", "-c",
                    """
                    while :; do '\(Wrapper.program)' background --socket '\(victim.socket)' victim
                    '\(Wrapper.program)' activate --socket '\(victim.socket)' victim; done >/dev/null 2>&1
                    """,
                ])
        }

        /// Attacks until a process is stopped between its credentials and its program, and sees what becomes of that.
        private func expectStopped(_ victim: Victim, while driver: [String]) throws {
            let driving = try driver.isEmpty ? nil : Wrapper([], [], line: driver)
            defer { withExtendedLifetime(driving) {} }
            var attacker: Wrapper?
            let probe = try victim.measure(12) {
                attacker = try victim.attack(["stop-children", "8", "3"], as: Uid.worker)
                return []
            }
            let told = try attacker?.output.rest() ?? []
            print("measured: \(Test.current?.name ?? ""): \(told)")
            victim.expectUnharmed(probe)
            // What was hit is past the deadline of its launch or hook, and has been ended. Where credentials change in the same step as
            // the program there is nothing to be hit.
            #expect(!told.contains("let go"), "\(told)")
        }

        // MARK: H4

        /// A mount that never answers, for some seconds at most.
        private final class HangingMount {
            let path: String
            private let server: Wrapper

            init(_ victim: Victim, _ path: String) throws {
                self.path = path
                server = try victim.attack(["hang", path, "25"], as: 0)
                try server.output.until("ready")
            }

            deinit {
                // Its end answers all processes that wait.
                kill(server.pid, SIGKILL)
                _ = try? server.wait()
                umount2(path, Int32(MNT_DETACH))
            }
        }

        /// Measures while a worker with `setting` is launched, for which DIRECTORY/hang does not answer; `afterwards` looks at what has
        /// become of it while that hangs still.
        private func expectOthersServed(
            _ setting: String, _ afterwards: (Victim) throws -> Void = { _ in }
        ) throws {
            let victim = try Victim(
                ["victim": HostileWorkers.idle + setting + "\nTimeoutStartSec=1s\n"],
                preparing: { directory in
                    try FileManager.default.createDirectory(
                        atPath: "\(directory)/hang", withIntermediateDirectories: false)
                })
            let mount = try HangingMount(victim, "\(victim.directory)/hang")
            try withExtendedLifetime(mount) {
                victim.expectUnharmed(try victim.measure(4) { [try victim.operate("launch")] })
                try afterwards(victim)
            }
        }

        @Test(
            .requires(.file("/dev/fuse")),
            arguments: [
                "WorkingDirectory=DIRECTORY/hang/home", "ExecStart=\nExecStart=DIRECTORY/hang/program",
            ])
        func `A launch in a file system that does not answer keeps no other caller waiting`(_ setting: String)
            throws
        {
            try expectOthersServed(setting) { victim in
                // The launch has failed meanwhile, and the daemon can be ended while the file system hangs.
                let answer = try victim.call("List")
                #expect(!answer.contains("\"pid\""), "\(answer)")
                victim.process.send(SIGTERM)
                #expect(throws: Never.self) { try victim.process.wait(5) }
            }
        }

        @Test(.requires(.file("/dev/fuse")))
        func `A worker's output in a file system that does not answer keeps no other caller waiting`() throws
        {
            try expectOthersServed("StandardOutput=append:DIRECTORY/hang/log")
        }

        @Test(.requires(.file("/dev/fuse")), arguments: ["ListenStream", "ListenFIFO"])
        func `A held socket in a file system that does not answer keeps no other caller waiting`(
            _ key: String
        )
            throws
        {
            let victim = try Victim(
                ["victim": HostileWorkers.idle],
                preparing: { directory in
                    try FileManager.default.createDirectory(
                        atPath: "\(directory)/hang", withIntermediateDirectories: false)
                })
            let mount = try HangingMount(victim, "\(victim.directory)/hang")
            try withExtendedLifetime(mount) {
                let text = HostileWorkers.idle + "[Foreground]\n\(key)=\(victim.directory)/hang/run/socket\n"
                try text.write(
                    toFile: "\(victim.directory)/conf/workers/victim.worker", atomically: false,
                    encoding: .utf8)
                let reload = [Wrapper.program, "reload", "--socket", victim.socket]
                victim.expectUnharmed(try victim.measure(4) { [try Wrapper([], [], line: reload)] })
                let launch = try victim.torpor("launch", "victim")
                #expect(launch.errors.contains("its file system does not answer"), "\(launch)")
                victim.process.send(SIGTERM)
                #expect(throws: Never.self) { try victim.process.wait(5) }
            }
        }

        // MARK: M3

        @Test func `A long EnvironmentFile keeps no other caller waiting`() throws {
            let victim = try Victim(
                ["victim": HostileWorkers.idle + "EnvironmentFile=DIRECTORY/environment\n"],
                preparing: { directory in
                    // As much as execve(2) would take of it: 275 kB.
                    let lines = (0..<25_000).map { "V\(100_000 + $0)=1\n" }
                    try lines.joined().write(
                        toFile: "\(directory)/environment", atomically: false, encoding: .utf8)
                })
            victim.expectUnharmed(try victim.measure(4) { [try victim.operate("launch", "--no-wait")] })
        }

        // MARK: L5

        @Test func `A pattern that takes long on a worker's lines keeps no other caller waiting`() throws {
            let victim = try Victim([
                "victim": """
                [Worker]
                ExecStart=/bin/sh -c 'line=$$(head -c 1500 /dev/zero | tr "\\\\0" a); while :; do echo "$$line"; sleep 0.01; done'
                \(HostileWorkers.credentials)Launch=boot
                [Callbacks]
                DidEnterBackground=signal:SIGWINCH
                DidEnterBackgroundCompletes=output:([a-z]{1,200}x?){1,9}Q
                DidEnterBackgroundTimeoutSec=10s
                """
            ])
            victim.expectUnharmed(try victim.measure(4) { [try victim.operate("background", "--no-wait")] })
        }
    }
}
