import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// What is shown to a caller without rights, and on an operator's terminal (findings L3, L4, L6, M5).
    @Suite struct `Disclosure` {
        // MARK: L3

        @Test func `A stranger sees neither commands nor what a worker says of its failures`() throws {
            let victim = try Victim([
                "victim": HostileWorkers.sleeper + """
                    [Callbacks]
                    DidEnterBackground=exec:/nonexistent/SECRET7path
                    """
            ])
            _ = try victim.torpor("background", "victim")
            let own = try eventually("the hook to fail") { () -> String? in
                let text = try victim.call("History")
                return text.contains("SECRET7path") ? text : nil
            }
            #expect(own.contains("SECRET7path"))
            for method in ["History", "Report", "List", "Why", "Describe"] {
                let parameters = ["Why", "Describe"].contains(method) ? #"{"name":"victim"}"# : "{}"
                let text = try victim.call(method, parameters, as: Uid.stranger)
                #expect(!text.contains("SECRET7path"), "\(method): \(text)")
            }
        }

        @Test func `A stranger does not see what an operator holds a worker for`() throws {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let hold = Message.supervisor(
                "Hold", #"{"name":"victim","purpose":"SECRET7purpose"}"#, mode: ",\"more\":true")
            let file = try victim.write([hold])
            let holder = try victim.attack(["pour", victim.socket, "10", "1", "once", file], as: 0)
            try victim.awaitDescription(of: "victim", "SECRET7purpose")
            for method in ["Describe", "Why"] {
                let text = try victim.call(method, #"{"name":"victim"}"#, as: Uid.stranger)
                #expect(!text.contains("SECRET7purpose"), "\(method): \(text)")
            }
            kill(holder.pid, SIGKILL)
            _ = try holder.wait()
        }

        // MARK: L4

        @Test(arguments: [
            ["reexec"], ["list"], ["doctor"], ["why", "x"], ["pressure"], ["log-level"], ["history"],
        ])
        func `What a server says reaches no terminal unescaped`(_ verb: [String]) throws {
            let directory = "/tmp/torpor-hostile-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            // Everything that any of the verbs reads, with an escape sequence in each text.
            let text = #""\u001b]0;owned\u0007\u001b[2J""#
            let worker = """
                {"name":\(text),"description":\(text),"state":"active","since":1,"goal":"active","held":false}
                """
            let reply = """
                {"parameters":{"pid":1,"version":\(text),"interruptedUsec":1,"workers":[\(worker)],"asleepCount":0,\
                "givenBackBytes":0,"findings":[{"capability":\(text),"available":false,"detail":\(text),"remedy":\(text)}],\
                "sentence":\(text),"state":"active","goal":"active","cause":\(text),"wouldChange":[\(text)],\
                "level":"info","support":\(text),"detail":\(text),"observesOnly":false,"warningCount":0,"evictionCount":0,\
                "freedByKillBytes":0,"freedByReclaimBytes":0,"kernelKillCount":0,"victim":\(text),"helpless":\(text),\
                "entries":[{"id":1,"worker":\(text),"bootId":\(text),"at":1,"kind":"warned","reason":\(text),"notTold":[\(text)],\
                "message":\(text)}],"hasOlder":false,"incomplete":\(text)}}
                """
            try (reply + "\0").write(toFile: "\(directory)/reply", atomically: false, encoding: .utf8)
            let error = "{\"error\":\"io.torpor.Supervisor.NotReplaced\",\"parameters\":{\"why\":\(text)}}"
            try (error + "\0").write(toFile: "\(directory)/error", atomically: false, encoding: .utf8)
            for kind in ["reply", "error"] {
                let socket = "\(directory)/\(kind).socket"
                let server = try Wrapper(
                    [], [],
                    line: [Victim.attackerProgram, "--for", "30", "answer", socket, "\(directory)/\(kind)"])
                try server.output.until("ready")
                let asking = try Wrapper(
                    [], [], line: [Wrapper.program, verb[0], "--socket", socket] + verb.dropFirst())
                let result = try Victim.result(of: asking)
                #expect(!result.output.contains("\u{1b}"), "\(result)")
                #expect(!result.errors.contains("\u{1b}"), "\(result)")
                kill(server.pid, SIGKILL)
                _ = try server.wait()
            }
        }

        // MARK: what is written down

        private static let tree = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardized.path

        @Test(.requires(.pidsController)) func `The group of a worker bounds how many processes it has`()
            throws
        {
            let victim = try Victim(["victim": HostileWorkers.sleeper])
            let group = try victim.groupDirectory(of: "victim")
            let most = try String(contentsOfFile: "\(group)/pids.max", encoding: .utf8)
            #expect(Int(most.trimmingCharacters(in: .whitespacesAndNewlines)) != nil, "\(most)")
        }

        @Test(arguments: ["system", "user"]) func `The units bound how many processes there can be`(
            _ place: String
        )
            throws
        {
            let text = try String(
                contentsOfFile: "\(Self.tree)/systemd/\(place)/torpord.service", encoding: .utf8)
            #expect(!text.contains("TasksMax=infinity"))
        }

        @Test(arguments: ["packaging/man/torpord.conf.5", "packaging/debian/torpord.conf"])
        func `What an operators' group may do is said where it is set`(_ file: String) throws {
            let text = try String(contentsOfFile: "\(Self.tree)/\(file)", encoding: .utf8)
            let line = try #require(text.range(of: "OperatorsGroup="))
            let around = text[
                ..<(text.index(line.upperBound, offsetBy: 900, limitedBy: text.endIndex) ?? text.endIndex)
            ]
            .suffix(1200)
            let words = [
                "as root", "is root", "root's", "rights of root", "same as root", "equivalent to root",
            ]
            #expect(words.contains { around.contains($0) }, "\(around)")
        }
    }
}

extension Capability {
    /// The controller that counts processes, in the tree where groups are made.
    static let pidsController = Capability("the pids controller of cgroup v2") {
        let path = "\(Places.base ?? "")/cgroup.controllers"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isWhitespace).contains("pids") ? nil : "\(path) has no pids"
    }
}
