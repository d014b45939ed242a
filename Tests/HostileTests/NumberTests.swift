import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// Numbers and records from outside that no arithmetic may trust (findings M1, M6, L1, L2).
    @Suite struct `Numbers` {
        static let extremes = [
            "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775",
            "9223372036854776", "18446744073709551615", "1e308", "-0.0", "4294967296", "2147483648",
        ]

        // MARK: M1 and rule 5

        @Test(arguments: [
            "Terminate", "Launch", "Activate", "Suspend", "Resume", "Background", "Resign", "Kill",
        ])
        func `An operator's time limit without an end ends nothing`(_ verb: String) throws {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let message = Message.supervisor(verb, #"{"names":["victim"],"timeoutMs":9223372036854775}"#)
            let answers = try victim.ask(
                victim.socket, [message], as: Uid.stranger, group: Uid.operators, seconds: 2)
            #expect(try victim.isAlive(), "\(answers)")
        }

        /// What one call needs besides the number, by method; the parameters of the interface without a line here need nothing.
        private static let needed = [
            "name": "\"victim\"", "names": "[\"victim\"]", "topic": "\"news\"", "url": "\"x:1\"",
            "arguments": "[\"/bin/true\"]", "wait": "false", "id": "1", "token": "1", "at": "1",
            "state": "{}",
            "purpose": "\"p\"", "rule": "\"latest\"",
        ]

        /// The methods of an interface with the parameters that are integers, from its own description.
        private func methods(_ description: String) -> [(name: String, parameters: [(String, String)])] {
            // Comments first: a parenthesis can stand in them.
            let text = description.split(separator: "\n")
                .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("#") }.joined(separator: " ")
            return text.components(separatedBy: "method ").dropFirst().compactMap { part in
                guard let open = part.firstIndex(of: "("), let close = part.firstIndex(of: ")") else {
                    return nil
                }
                let name = part[..<open].trimmingCharacters(in: .whitespaces)
                let fields = part[part.index(after: open)..<close].split(separator: ",").compactMap { field in
                    let sides = field.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
                    return sides.count == 2 ? (sides[0], sides[1]) : nil
                }
                return (name, fields)
            }
        }

        /// Calls that carry each extreme in each integer of each method; what ends the daemon on purpose is left out.
        private func calls(_ interface: String, _ description: String) -> [String] {
            var calls: [String] = []
            for method in methods(description) where !["Shutdown", "Reexec"].contains(method.name) {
                let integers = method.parameters.filter { $0.1 == "int" || $0.1 == "?int" }.map(\.0)
                for integer in integers {
                    for extreme in Self.extremes {
                        var members: [String] = []
                        for (name, type) in method.parameters where name != integer {
                            // A time limit counts for a call that waits, and such a call would hold up those behind it.
                            let isNeeded = !type.hasPrefix("?") || name == "wait" && integer != "timeoutMs"
                            guard isNeeded, let value = Self.needed[name] else { continue }
                            members.append("\"\(name)\":\(value)")
                        }
                        // A time by itself, and as the first of a series.
                        members.append("\"\(integer)\":\(extreme)")
                        calls.append(
                            "{\"method\":\"\(interface).\(method.name)\",\"parameters\":{\(members.joined(separator: ","))}}"
                        )
                    }
                }
            }
            return calls
        }

        private func description(_ victim: Victim, _ interface: String) throws -> String {
            let call =
                "{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":{\"interface\":\"\(interface)\"}}"
            let answer = try victim.ask(victim.socket, [call], as: 0).first ?? ""
            struct Reply: Codable {
                struct Parameters: Codable { let description: String }
                let parameters: Parameters
            }
            return try JSONDecoder().decode(Reply.self, from: Data(answer.utf8)).parameters.description
        }

        private static let file =
            HostileWorkers.sleeper
            + "[Notifications]\nnews=exec:/bin/true\n[Background]\nModes=remote-notification\n"

        @Test func `No number in a call of an operator ends the daemon`() throws {
            let victim = try Victim(["victim": Self.file])
            let all = calls("io.torpor.Supervisor", try description(victim, "io.torpor.Supervisor"))
            try #require(all.count > 100)
            for start in stride(from: 0, to: all.count, by: 24) {
                let part = Array(all[start..<min(start + 24, all.count)])
                let answers = try victim.ask(victim.socket, part, as: 0, seconds: 5)
                try #require(try victim.isAlive(), "after \(answers.count) of \(part)")
            }
        }

        @Test(.requires(.cgroupV2Writable)) func `No number in a call of a worker ends the daemon`() throws {
            let victim = try Victim(["victim": HostileWorkers.app + "[Notifications]\nWatchTopics=news\n"])
            let group = try victim.groupDirectory(of: "victim")
            let socket = "\(victim.directory)/run/worker-victim.worker"
            let description = try String(contentsOfFile: Self.workerInterface, encoding: .utf8)
            let all = calls("io.torpor.Worker", description)
            try #require(all.count > 30)
            for start in stride(from: 0, to: all.count, by: 24) {
                let part = Array(all[start..<min(start + 24, all.count)])
                let answers = try victim.ask(socket, part, as: Uid.worker, in: group, seconds: 5)
                try #require(try victim.isAlive(), "after \(answers.count) of \(part)")
            }
        }

        /// The description of the worker's interface, in the tree beside this file.
        private static let workerInterface =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../Sources/Model/ControlAPI/io.torpor.Worker.varlink"
            ).path

        @Test(.requires(.cgroupV2Writable)) func `No number in a notification ends the daemon`() throws {
            let victim = try Victim(["victim": HostileWorkers.notifying + "WatchdogSec=1h\n"])
            let group = try victim.groupDirectory(of: "victim")
            let path = "\(victim.directory)/run/worker-victim.notify"
            let keys = [
                "WATCHDOG_USEC", "EXTEND_TIMEOUT_USEC", "MAINPID", "MAINPIDFDID", "ERRNO", "EXIT_STATUS",
                "MONOTONIC_USEC", "X_TORPOR_COMPLETE", "FDPOLL", "BARRIER", "WATCHDOG",
            ]
            let script = keys.flatMap { key in
                (Self.extremes + ["trigger", "", "\u{1b}[2J"]).map {
                    "\(victim.attacker) say \(path) \"\(key)=\($0)\" >/dev/null"
                }
            }
            let file = try victim.write(script, end: "\n")
            let report = try victim.attack(["run", "/bin/sh", file], as: Uid.worker, in: group)
            _ = try report.wait()
            #expect(try victim.isAlive())
        }

        /// Directives that take a number, a size, a span or a share, by section.
        private static let directives: [(section: String, keys: [String])] = [
            (
                "Worker",
                [
                    "RestartSec", "RestartSteps", "RestartMaxDelaySec", "StartLimitIntervalSec",
                    "StartLimitBurst",
                    "TimeoutStartSec", "TimeoutStopSec", "TimeoutSec", "WatchdogSec", "UMask", "Nice",
                    "OOMScoreAdjust", "FileDescriptorStoreMax", "LimitCPU", "LimitFSIZE", "LimitDATA",
                    "LimitSTACK", "LimitCORE", "LimitNOFILE", "LimitAS", "LimitNPROC", "LimitMEMLOCK",
                    "LimitNICE", "LimitRTTIME", "User", "Group", "SuccessExitStatus", "TasksMax",
                ]
            ),
            (
                "Foreground",
                [
                    "IdleSec", "IdleMaxSec", "IdleCPU", "IdlePendingSec", "WakeFrom", "WakeLingerSec",
                    "CPUWeight", "IOWeight", "SocketMode",
                ]
            ),
            (
                "Background",
                [
                    "TaskLimitSec", "TaskWarningSec", "FetchIntervalSec", "ResumeTimeoutSec", "CPUWeight",
                    "IOWeight", "CPULimit", "CPULimitWindowSec",
                ]
            ),
            (
                "Memory",
                [
                    "MemoryMax", "MemoryHigh", "BackgroundMemoryHigh", "Priority",
                    "MemoryPressureThresholdSec",
                ]
            ),
            ("Callbacks", ["DidEnterBackgroundTimeoutSec", "WillTerminateTimeoutSec"]),
        ]

        private static let values = [
            "0", "-1", "9223372036854775807", "18446744073709551615", "18446744073709551616", "8E", "16E",
            "15.9E",
            "infinity", "9223372036854775807us", "292471y", "600000y", "1e30", "100%", "99999999999%",
            "0.0000001%",
        ]

        @Test func `No number in a worker's file ends the daemon`() throws {
            let victim = try Victim()
            var names: [String] = []
            for (section, keys) in Self.directives {
                for key in keys {
                    for value in Self.values {
                        let name = "n\(names.count)"
                        // Run to its end, with everything that arithmetic is done with on the way.
                        let text = "[Worker]\nExecStart=/bin/true\n[\(section)]\n\(key)=\(value)\n"
                        try text.write(
                            toFile: "\(victim.directory)/conf/workers/\(name).worker", atomically: false,
                            encoding: .utf8)
                        names.append(name)
                    }
                }
            }
            _ = try victim.call("Reload")
            try #require(try victim.isAlive(), "\(victim.log.suffix(500))")
            for start in stride(from: 0, to: names.count, by: 20) {
                let part = names[start..<min(start + 20, names.count)].map { "\"\($0)\"" }.joined(
                    separator: ",")
                for verb in ["Launch", "Background", "Activate"] {
                    _ = try victim.call(verb, "{\"names\":[\(part)],\"timeoutMs\":300}")
                }
                try #require(try victim.isAlive(), "\(part): \(victim.log.suffix(500))")
            }
        }

        // MARK: M6

        @Test(
            arguments: [
                "MaxMessageSize", "MaxBacklog", "OutputBuffer", "HistoryMaxSize", "MaxConnectionsPerUID",
                "MaxSubscriptionsPerConnection", "HistoryMaxAgeSec", "DefaultRestartSec",
                "DefaultStartLimitIntervalSec", "DefaultStartLimitBurst",
            ], ["0", "8E", "15E", "9223372036854775807", "18446744073709551615"])
        func `A setting beyond all bounds is an error with its name, or does no harm`(
            _ key: String, _ value: String
        )
            throws
        {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let conf = "[Daemon]\n\(key)=\(value)\n"
            try conf.write(
                toFile: "\(victim.directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
            // The daemon that runs survives it, by either way of reading it anew.
            _ = try victim.torpor("reload")
            #expect(try victim.isAlive())
            _ = try victim.torpor("reexec")
            #expect(try victim.isAlive(), "\(victim.log.suffix(300))")
            // And one that is started either serves or says why not.
            let second = try Wrapper(
                [], [],
                line: [
                    Victim.programs + "/torpord", "--config-dir", "\(victim.directory)/conf", "--state-dir",
                    "\(victim.directory)/state2", "--runtime-dir", "\(victim.directory)/run2",
                ])
            let socket = "\(victim.directory)/run2/io.torpor.Supervisor"
            let ending = try eventually("it to serve or to end") { () -> Wrapper.Ending? in
                if state(of: second.pid) == "Z" { return try second.wait() }
                return access(socket, F_OK) == 0 ? .exited(0) : nil
            }
            switch ending {
            case .exited(0):
                // Its socket is there a moment before it listens.
                let answer = try eventually("a second daemon to listen") {
                    let answer = try victim.ask(socket, [Message.supervisor("Ping")], as: 0).first ?? ""
                    return answer.hasPrefix("refused") ? nil : answer
                }
                #expect(answer.contains("pid"), "an operator is served: \(answer)")
                second.send(SIGTERM)
                _ = try second.wait()
            case .exited:
                let text = try second.errors.rest().joined()
                #expect(text.contains(key), "\(text)")
            case .killed(let signal): #expect(Bool(false), "killed by signal \(signal)")
            }
        }

        // MARK: L1

        private static let scheduleColumns = """
            schedule(worker, id, topic, rule, payload, added, removed, wakes, survives, due, period)
            """
        /// A database that is valid and whose numbers are none that a daemon would write.
        private static let databases = [
            """
            INSERT INTO history SELECT 9223372036854775807, 1, 'victim', 'changed', 1, NULL, NULL, 'x', NULL, NULL, NULL, NULL, NULL;
            """,
            """
            INSERT INTO termination SELECT 9223372036854775807, 1, 'victim', 1, 1, 'boot', 'active', 'active', 'exited', \
            NULL, 0, NULL, 's', NULL, NULL, 1, 1, 1, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL;
            """,
            "INSERT INTO \(scheduleColumns) VALUES('victim', 1, 'news', 'latest', NULL, NULL, NULL, 0, 1, -9223372036854775808, 1);",
            "INSERT INTO \(scheduleColumns) VALUES('victim', 1, 'news', 'latest', NULL, NULL, NULL, 0, 1, 9223372036854775807, 9223372036854775807);",
            "INSERT INTO \(scheduleColumns) VALUES('victim', 9223372036854775807, 'news', 'latest', NULL, NULL, NULL, 0, 1, 1, -5);",
            """
            INSERT INTO notification VALUES('victim', 9223372036854775807, 'news', 'latest', 9223372036854775807, -1, \
            9223372036854775807, NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 9223372036854775807);
            """,
            "INSERT OR REPLACE INTO mailbox VALUES('victim', 9223372036854775807);",
        ]

        @Test(.requires(.program("/usr/bin/python3")), arguments: databases.indices)
        func `A valid database of impossible numbers does not keep the daemon from starting`(_ number: Int)
            throws
        {
            let victim = try Victim(["victim": Self.file])
            #expect(try victim.torpor("post", "victim", "news").status == 0)
            victim.process.send(SIGTERM)
            _ = try victim.process.wait()
            let change = try Wrapper(
                [], [],
                line: [
                    "/usr/bin/python3", "-IS", "-c",
                    "import sqlite3, sys; f = sqlite3.connect(sys.argv[1]); f.execute(sys.argv[2]); f.commit()",
                    "\(victim.directory)/state/torpor.db", Self.databases[number],
                ])
            #expect(try change.wait() == .exited(0))
            try victim.killAndRestart()
            #expect(try victim.isAlive())
            // It goes on with what is in there.
            for arguments in [["post", "victim", "news"], ["history", "victim"], ["report", "victim"]] {
                let verb = try Wrapper(
                    [], [],
                    line: [Wrapper.program, arguments[0], "--socket", victim.socket] + arguments.dropFirst())
                _ = try verb.wait()
                #expect(try victim.isAlive(), "\(arguments)")
            }
        }

        @Test(
            .requires(.program("/usr/bin/python3")), .requires(.chaos),
            arguments: [
                "INSERT INTO notification SELECT 'victim', value, 'news' || value, 'latest', 1, 1, 1, NULL, NULL, NULL, 0, 0, 0 FROM generate_series(1, 300000)",
                "INSERT INTO \(Self.scheduleColumns) SELECT 'victim', value, 'news', 'latest', NULL, NULL, NULL, 0, 1, 4000000000000000, NULL FROM generate_series(1, 100000)",
            ])
        func `A valid database with more than the interface lets in keeps no caller waiting`(_ text: String)
            throws
        {
            let victim = try Victim(["victim": Self.file])
            victim.process.send(SIGTERM)
            _ = try victim.process.wait()
            let statement = text.replacingOccurrences(
                of: "FROM generate_series(1, ",
                with:
                    "FROM (WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < "
            )
            let change = try Wrapper(
                [], [],
                line: [
                    "/usr/bin/python3", "-IS", "-c",
                    "import sqlite3, sys; f = sqlite3.connect(sys.argv[1]); f.execute(sys.argv[2]); f.commit()",
                    "\(victim.directory)/state/torpor.db", statement + " SELECT value FROM s)",
                ])
            #expect(try change.wait() == .exited(0))
            let begun = ContinuousClock.now
            try victim.killAndRestart()
            #expect(try victim.isAlive())
            #expect(ContinuousClock.now - begun < .seconds(5))
            victim.expectUnharmed(try victim.measure(3) { [] })
        }

        // MARK: L2

        @Test func `A record of a later clock is not believed`() throws {
            let victim = try Victim(
                ["victim": HostileWorkers.sleeper], through: ["ATTACKER", "later", "3000"])
            let (theirs, ours) = try (
                FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(victim.process.pid)/ns/time"),
                FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/time")
            )
            guard theirs != ours else {
                print("skipped: this kernel enters a time namespace by fork(2) only")
                return
            }
            for _ in 0..<3 { #expect(try victim.torpor("suspend", "victim").status == 0) }
            try victim.killAndRestart(plainly: true)
            #expect(try victim.isAlive())
            _ = try victim.torpor("activate", "victim")
            _ = try victim.torpor("kill", "victim")
            #expect(try victim.isAlive(), "\(victim.log.suffix(300))")
            #expect(
                !victim.log.contains("ran -") && !victim.log.contains("asleep -"), "\(victim.log.suffix(300))"
            )
            for verb in ["history", "report", "list"] {
                let words = try victim.torpor(verb).output.split(whereSeparator: \.isWhitespace)
                #expect(!words.contains { $0.hasPrefix("-2") }, "\(words)")
            }
        }
    }
}
