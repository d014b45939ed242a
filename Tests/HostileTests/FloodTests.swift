import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// What one user's calls, datagrams and connections cost another (findings H5 to H10, H13).
    @Suite struct `Floods` {
        /// How long a flood lasts.
        private static let seconds = Capability.chaos.missing() == nil ? 8 : 3

        // MARK: H5

        @Test(arguments: ["History", "Report"])
        func `Long names of the past take neither memory nor the store`(_ method: String) throws {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let names = (0..<6000).map { "\"n\($0)\"" }.joined(separator: ",")
            let file = try victim.write([Message.supervisor(method, "{\"names\":[\(names)]}")])
            var asking: Wrapper?
            let probe = try victim.measure(Self.seconds) {
                let flood = try victim.attack(
                    ["pour", victim.socket, "\(Self.seconds)", "32", "unread", file], as: Uid.stranger)
                usleep(500_000)
                asking = try Wrapper([], [], line: [Wrapper.program, "history", "--socket", victim.socket])
                return [flood]
            }
            victim.expectUnharmed(probe)
            #expect((try? asking?.wait(2)) == .exited(0), "root's own question is answered meanwhile")
        }

        // MARK: H6

        @Test(.requires(.cgroupV2Writable)) func `States that the disk does not take are not piled up`()
            throws
        {
            let victim = try Victim(
                ["victim": HostileWorkers.app],
                through: ["ATTACKER", "slow-fsync", "300"])
            let group = try victim.groupDirectory(of: "victim")
            let text = String(repeating: "s", count: 900_000)
            let file = try victim.write([Message.worker("SaveState", "{\"state\":{\"text\":\"\(text)\"}}")])
            let probe = try victim.measure(4) {
                [
                    try victim.attack(
                        ["pour", "\(victim.directory)/run/worker-victim.worker", "4", "8", "unread", file],
                        as: Uid.worker, in: group)
                ]
            }
            victim.expectUnharmed(probe)
        }

        @Test(.requires(.cgroupV2Writable)) func `Halves of long messages are not kept without a bound`()
            throws
        {
            let victim = try Victim(["victim": HostileWorkers.app])
            let group = try victim.groupDirectory(of: "victim")
            let half = "{\"method\":\"io.torpor.Worker.SaveState\",\"parameters\":{\"state\":{\"text\":\""
            let file = try victim.write([half + String(repeating: "s", count: 7_900_000)], end: "")
            let probe = try victim.measure(4) {
                [
                    try victim.attack(
                        ["pour", "\(victim.directory)/run/worker-victim.worker", "5", "16", "once", file],
                        as: Uid.worker, in: group)
                ]
            }
            victim.expectUnharmed(probe)
        }

        // MARK: H7

        /// A hundred workers that run.
        private func crowd(_ count: Int = 100, through prefix: [String] = []) throws -> Victim {
            let victim = try Victim(
                ["sleeper@": "[Worker]\nExecStart=/bin/sleep 100%i\n"], through: prefix)
            let names = (0..<count).map { "\"sleeper@\($0)\"" }.joined(separator: ",")
            let reply = try victim.call("Launch", "{\"names\":[\(names)]}")
            try #require(reply.contains("\"reached\":true"), "\(reply)")
            return victim
        }

        private static let patterns = (0..<5000).map { "\"*q\($0)*\"" }.joined(separator: ",")

        static let openCalls = [
            Message.supervisor("List"),
            Message.supervisor("List", "{\"names\":[\(patterns)]}"),
            Message.supervisor("Describe", #"{"name":"sleeper@1"}"#),
            Message.supervisor("Why", #"{"name":"sleeper@1"}"#),
            Message.supervisor("Doctor"),
            Message.supervisor("Pressure"),
            Message.supervisor("Ping"),
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"io.torpor.Supervisor"}}"#,
        ]

        @Test(arguments: openCalls.indices)
        func `Open calls of one user without end keep no other caller waiting`(_ number: Int) throws {
            let victim = try crowd()
            let file = try victim.write([Self.openCalls[number]])
            for reads in ["read", "unread"] {
                let probe = try victim.measure(Self.seconds) {
                    [
                        try victim.attack(
                            ["pour", victim.socket, "\(Self.seconds)", "32", reads, file], as: Uid.stranger)
                    ]
                }
                victim.expectUnharmed(probe)
                if probe.daemon.p99 - probe.echo.p99 >= Probe.bound { break }
            }
        }

        /// How often the daemon tells systemd that it is alive, in a flood of the dearest call; systemd aborts it past WATCHDOG_USEC.
        @Test func `Signs of life go to systemd in time, whatever others ask`() throws {
            let socket = "/tmp/torpor-hostile-\(UUID().uuidString.prefix(8)).notify"
            defer { unlink(socket) }
            let script = """
                import socket, sys, time
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                s.bind(sys.argv[1])
                print("ready", flush=True)
                while b"STOPPING=1" not in (text := s.recv(4096)):
                    if b"WATCHDOG=1" in text: print(time.monotonic(), flush=True)
                """
            let listener = try Wrapper([], [], line: ["/usr/bin/python3", "-c", script, socket])
            try listener.output.until("ready")
            let limit = 3.0
            let victim = try crowd(
                through: ["/usr/bin/env", "NOTIFY_SOCKET=\(socket)", "WATCHDOG_USEC=\(Int(limit * 1e6))"])
            let file = try victim.write([Message.supervisor("Doctor")])
            let seconds = 8
            victim.expectUnharmed(
                try victim.measure(seconds) {
                    [
                        try victim.attack(
                            ["pour", victim.socket, "\(seconds)", "32", "read", file], as: Uid.stranger)
                    ]
                })
            victim.process.send(SIGTERM)
            let times = try listener.output.rest().compactMap { Double($0) }
            let gap = zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? .infinity
            print("measured: \(Test.current?.name ?? ""): the longest gap is \(gap) s of \(limit) s")
            #expect(gap < limit)
        }

        @Test func `Patterns of watchers that only wait cost the workers nothing`() throws {
            let victim = try crowd(200)
            let watch = Message.supervisor(
                "Watch", "{\"names\":[\(Self.patterns)]}", mode: ",\"more\":true")
            let file = try victim.write(Array(repeating: watch, count: 4))
            let quiet = try lifted(victim)
            let watchers = try victim.attack(
                ["pour", victim.socket, "60", "32", "once", file], as: Uid.stranger)
            usleep(1_500_000)
            let watched = try lifted(victim)
            print("measured: \(Test.current?.name ?? ""): \(quiet) s without and \(watched) s with watchers")
            #expect(watched < 3 * quiet + 2)
            let probe = try victim.measure(2) { [] }
            victim.expectUnharmed(probe)
            kill(watchers.pid, SIGKILL)
            _ = try watchers.wait()
        }

        /// How long it takes to send all workers to sleep and wake them, in seconds.
        private func lifted(_ victim: Victim) throws -> Double {
            let begun = ContinuousClock.now
            for verb in ["suspend", "activate"] {
                let steering = try Wrapper(
                    [], [], line: [Wrapper.program, verb, "--socket", victim.socket, "*"])
                #expect(try steering.wait(40) == .exited(0))
            }
            let span = ContinuousClock.now - begun
            return Double(span.components.seconds) + Double(span.components.attoseconds) / 1e18
        }

        // MARK: H8

        @Test(.requires(.cgroupV2Writable), arguments: [0, 253], [true, false])
        func `Datagrams without end keep no other caller waiting`(_ descriptors: Int, _ isMember: Bool) throws
        {
            let victim = try Victim(["victim": HostileWorkers.notifying])
            let group = isMember ? try victim.groupDirectory(of: "victim") : nil
            let path = "\(victim.directory)/run/worker-victim.notify"
            let probe = try victim.measure(Self.seconds) {
                try (0..<4).map { _ in
                    try victim.attack(
                        ["notify-flood", path, "\(Self.seconds)", "\(descriptors)"],
                        as: isMember ? Uid.worker : Uid.stranger, in: group)
                }
            }
            victim.expectUnharmed(probe)
        }

        // MARK: H9

        /// How many members a message of a worker may bring at most.
        private static func members(_ count: Int) -> String {
            (0..<count).map { "\"m\(1_000_000 + $0)\"" }.joined(separator: ",")
        }

        @Test(.requires(.cgroupV2Writable), arguments: [80_000, 700_000])
        func `A set post of a worker with many members keeps no other caller waiting`(_ count: Int) throws {
            let victim = try Victim([
                "victim": HostileWorkers.app + "[Notifications]\nWatchTopics=things\n"
            ])
            let group = try victim.groupDirectory(of: "victim")
            let post = Message.worker(
                "Post", "{\"topic\":\"things\",\"rule\":\"set\",\"added\":[\(Self.members(count))]}")
            let file = try victim.write([post])
            let probe = try victim.measure(4) {
                [
                    try victim.attack(
                        ["pour", "\(victim.directory)/run/worker-victim.worker", "4", "1", "once", file],
                        as: Uid.worker, in: group)
                ]
            }
            victim.expectUnharmed(probe)
        }

        @Test func `A set post of an operator with many members keeps no other caller waiting`() throws {
            let victim = try Victim([
                "victim": HostileWorkers.idle + "[Notifications]\nthings=exec:/bin/true\n"
            ])
            let post = Message.supervisor(
                "Post",
                "{\"names\":[\"victim\"],\"topic\":\"things\",\"rule\":\"set\",\"added\":[\(Self.members(80_000))]}"
            )
            let file = try victim.write([post])
            let probe = try victim.measure(4) {
                [
                    try Wrapper(
                        [], [],
                        line: [
                            victim.attacker, "--uid", "\(Uid.other)", "--gid", "\(Uid.operators)", "--for",
                            "30",
                            "pour", victim.socket, "4", "1", "once", file,
                        ])
                ]
            }
            victim.expectUnharmed(probe)
        }

        @Test(.requires(.cgroupV2Writable)) func `Nested arrays of a worker keep no other caller waiting`()
            throws
        {
            let victim = try Victim(["victim": HostileWorkers.app])
            let group = try victim.groupDirectory(of: "victim")
            let nested = String(repeating: "[],", count: 2_600_000)
            let file = try victim.write([
                Message.worker("SaveState", "{\"state\":{\"a\":[\(nested)[]]}}")
            ])
            let probe = try victim.measure(4) {
                [
                    try victim.attack(
                        ["pour", "\(victim.directory)/run/worker-victim.worker", "4", "16", "unread", file],
                        as: Uid.worker, in: group)
                ]
            }
            victim.expectUnharmed(probe)
        }

        // MARK: H10

        @Test(.requires(.ownMounts), arguments: [1, 4])
        func `Connections without end at the socket for memory warnings keep no other caller waiting`(
            _ attackers: Int
        )
            throws
        {
            var files: [String: String] = [:]
            for number in 0..<20 { files["w\(number)"] = HostileWorkers.sleeper }
            let victim = try Victim(files, through: Self.withoutGroups)
            let path = "\(victim.directory)/run/memory.pressure"
            // It is made for the first worker that needs it.
            _ = try eventually("a socket for memory warnings") { access(path, F_OK) == 0 ? true : nil }
            let probe = try victim.measure(Self.seconds) {
                try (0..<attackers).map { _ in
                    try victim.attack(["storm", path, "\(Self.seconds)"], as: Uid.stranger)
                }
            }
            victim.expectUnharmed(probe)
        }

        /// What is put in front of a command line: cgroups are there, and read-only, as in many a container.
        static let withoutGroups = [
            "/usr/bin/unshare", "-m", "/bin/sh", "-c",
            "for place in /sys/fs/cgroup/unified /sys/fs/cgroup; do mountpoint -q $place && mount -o remount,bind,ro $place; done; exec \"$@\"",
            "sh",
        ]

        // MARK: H13

        /// How much of the log all that one user does may make, in bytes, and of a line how many.
        private static let mostLogged = 256 << 10

        static let nuisances = [
            Message.supervisor("Kill", #"{"names":["victim"]}"#, mode: ",\"oneway\":true"),
            "{broken",
            Message.supervisor("List", #"{"names":7}"#),
            #"{"method":"io.torpor.Nothing.At.All"}"#,
        ]

        @Test(arguments: nuisances) func `Calls that are turned down do not fill the log`(_ call: String)
            throws
        {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let before = victim.logSize
            let file = try victim.write(Array(repeating: call, count: 100))
            let probe = try victim.measure(Self.seconds) {
                [
                    try victim.attack(
                        ["pour", victim.socket, "\(Self.seconds)", "32", "read", file], as: Uid.stranger)
                ]
            }
            let size = victim.logSize - before
            print("measured: \(Test.current?.name ?? ""): \(size) bytes of log")
            #expect(size < Self.mostLogged)
            victim.expectUnharmed(probe)
        }

        @Test func `Connections that are turned away do not fill the log`() throws {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let before = victim.logSize
            let probe = try victim.measure(Self.seconds) {
                // One holds all that its user may have, the other wants more.
                let ping = try victim.write([Message.supervisor("Ping")])
                return [
                    try victim.attack(
                        ["pour", victim.socket, "\(Self.seconds)", "64", "once", ping], as: Uid.stranger),
                    try victim.attack(["storm", victim.socket, "\(Self.seconds)"], as: Uid.stranger),
                ]
            }
            let size = victim.logSize - before
            print("measured: \(Test.current?.name ?? ""): \(size) bytes of log")
            #expect(size < Self.mostLogged)
            victim.expectUnharmed(probe)
        }

        @Test(.requires(.cgroupV2Writable), arguments: [true, false])
        func `Datagrams that are not heard do not fill the log`(_ isMember: Bool) throws {
            let victim = try Victim(["victim": HostileWorkers.notifying])
            let group = isMember ? try victim.groupDirectory(of: "victim") : nil
            let before = victim.logSize
            let probe = try victim.measure(Self.seconds) {
                [
                    try victim.attack(
                        [
                            "notify-flood", "\(victim.directory)/run/worker-victim.notify", "\(Self.seconds)",
                            "1",
                        ],
                        as: isMember ? Uid.worker : Uid.stranger, in: group)
                ]
            }
            let size = victim.logSize - before
            print("measured: \(Test.current?.name ?? ""): \(size) bytes of log")
            #expect(size < Self.mostLogged)
            victim.expectUnharmed(probe)
        }
    }
}
