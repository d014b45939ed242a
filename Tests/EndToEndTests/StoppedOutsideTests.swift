import Foundation
import Glibc
import TestSupport
import Testing

/// A worker that another program has stopped, as an operator sees it.
@Suite(.timeLimit(.minutes(60))) struct `A worker of which only the main process is stopped` {
    @Test func `is said to run on with its other processes, counted when asked`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'sleep 1000 & a=$$!; sleep 1000 & echo $$$$ $$a $$! > DIRECTORY/pids; wait'
            """
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let pids = try eventually("its processes") {
            let text = try? String(contentsOfFile: "\(daemon.directory)/pids", encoding: .utf8)
            let pids = text?.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) } ?? []
            return pids.count == 3 ? pids : nil
        }
        kill(pids[0], SIGSTOP)
        func status() throws -> String { try daemon.torpor("status", "web").output }
        func why() throws -> String { try daemon.torpor("why", "web").output }
        _ = try eventually("it to be held") {
            try status().contains("Held: stopped by another program") ? true : nil
        }
        let shown = try status()
        #expect(
            shown.contains(
                "stopped by another program (its main process only); 2 other processes still run;"),
            "\(shown)")
        let reason = try why()
        #expect(
            reason.contains(
                "another program stopped its main process, but 2 other processes of it still run"),
            "\(reason)")
        kill(pids[1], SIGSTOP)
        _ = try eventually("the count to follow") {
            try status().contains("(its main process only); 1 other process still runs;") ? true : nil
        }
        kill(pids[2], SIGSTOP)
        _ = try eventually("all of it to be stopped") {
            try status().contains("stopped by another program; no event wakes it") ? true : nil
        }
        #expect(try why().contains("another program stopped it"))
        #expect(try daemon.torpor("resume", "web").status == 0)
        #expect(!(try status().contains("stopped by another program")))
    }
}

/// A group above those of the workers that another program has frozen.
@Suite(.timeLimit(.minutes(60))) struct `A worker whose parent group is frozen` {
    @Test(.requires(.cgroups))
    func `is said to be, with the group and what thaws it, and runs again by that`() throws {
        let daemon = try DaemonUnderTest(["web": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let pid = try #require(try daemon.list().first?.pid)
        let text = try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
        let own = try #require(text.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3))
        let parent = own.split(separator: "/").dropLast().joined(separator: "/")
        let mount = try #require(
            ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first {
                access("\($0)/\(parent)/cgroup.freeze", W_OK) == 0
            })
        func freeze(_ value: String) throws {
            try value.write(
                toFile: "\(mount)/\(parent)/cgroup.freeze", atomically: false, encoding: .utf8)
        }
        try freeze("1")
        defer { try? freeze("0") }
        _ = try eventually("the kernel to have frozen it") {
            let events = try String(contentsOfFile: "\(mount)\(own)/cgroup.events", encoding: .utf8)
            return events.contains("frozen 1") ? true : nil
        }
        let why = try daemon.torpor("why", "web").output
        #expect(why.contains(parent) && why.contains("is frozen") && why.contains("cgroup.freeze"), "\(why)")
        for verb in ["suspend", "resume", "activate"] {
            let result = try daemon.torpor(verb, "web")
            #expect(result.status == 75 || result.status == 0, "\(verb): \(result)")
            if result.status != 0 { #expect(result.errors.contains(parent), "\(verb): \(result)") }
        }
        try freeze("0")
        _ = try eventually("it to be thawed") {
            try !daemon.torpor("why", "web").output.contains("is frozen") ? true : nil
        }
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try daemon.list().first?.state == "active")
    }
}

extension Capability {
    /// Groups of the second version that the daemon makes for its workers.
    static let cgroups = Capability("cgroup v2 writable") {
        Places.base == nil ? "workers have no groups here" : nil
    }
    /// A machine on which no controller gives workers their shares.
    static let noController = Capability("a tree without the cpu controller") {
        let path = "\(Places.base ?? "")/cgroup.controllers"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isWhitespace).contains("cpu") ? "\(path) has cpu" : nil
    }
}
