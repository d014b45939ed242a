import Foundation
import TestSupport
import Testing

@testable import Cgroups
@testable import ConfigurationSyntax
@testable import DaemonCore
@testable import Definitions
@testable import Launching
@testable import Lifecycle
@testable import Linux
@testable import LinuxHost
@testable import Supervisor
@testable import SupervisorPorts
@testable import Systemd
@testable import WorkerFile

@Suite(.timeLimit(.minutes(60))) struct `Limits of processes` {
    /// A tree as cgroups(7) has it, of plain files: `base` has all controllers, the worker `web` a group.
    private func withTree(_ body: (Cgroup) throws -> Void) throws {
        try withTemporaryDirectory { path in
            let group = "\(path)/above/base/worker-web"
            try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
            for (folder, limit) in [
                ("above", "200\n"), ("above/base", "max\n"), ("above/base/worker-web", "max\n"),
            ] {
                for (name, text) in [
                    ("cgroup.controllers", "cpu io memory pids\n"),
                    ("cgroup.subtree_control", "cpu io memory pids\n"),
                    ("pids.max", limit),
                ] {
                    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(folder)/\(name)"))
                }
            }
            try body(Cgroup(path: "\(path)/above/base"))
        }
    }

    /// What was written over the beginning of `pids.max`, which is a line of the kernel's otherwise.
    private func limit(of group: Cgroup) throws -> String {
        let text = try String(contentsOfFile: "\(group.path)/pids.max", encoding: .utf8)
        return String(text.prefix { $0 != "\n" })
    }

    private func shares(_ base: Cgroup) -> StateShares {
        StateShares(.cgroup(CgroupTree(base: base, reason: "a test")))
    }

    @Test func `a percentage is of what the kernel and all groups above allow`() throws {
        try withTree { base in
            #expect(base.mostTasks == 200)
            let shares = shares(base)
            let rows: [(String, UInt64?)] = [
                ("", 30), ("TasksMax=50%", 100), ("TasksMax=0.1%", 1), ("TasksMax=7", 7),
                ("TasksMax=100000", 100_000), ("TasksMax=infinity", nil), ("TasksMax=", 30),
            ]
            for (lines, expected) in rows {
                let terms = shares.taskSettings(of: try loaded(lines).definition)
                #expect(terms == TaskSettings(maximum: expected), "\(lines)")
            }
        }
        for bad in ["0", "-1", "1.5", "101%", "0%", "many", "1K", "18446744073709551616"] {
            #expect(throws: ValueError.self, "\(bad)") { try TaskLimit(parsing: bad) }
        }
        #expect(try TaskLimit(parsing: "18446744073709551615") == .count(.max))
    }

    @Test func `without the pids controller nothing is limited`() throws {
        try withTree { base in
            let file = URL(filePath: "\(base.path)/cgroup.subtree_control")
            try Data("cpu io memory\n".utf8).write(to: file)
            try Data("cpu io memory\n".utf8).write(to: URL(filePath: "\(base.path)/cgroup.controllers"))
            #expect(shares(base).taskSettings(of: try loaded("TasksMax=7").definition) == nil)
        }
        #expect(StateShares(.signals(reason: "none")).taskSettings(of: try loaded("").definition) == nil)
    }

    @Test func `a reload writes the limit of a worker that runs, and minds none that does not`() throws {
        try withTree { base in
            let shares = shares(base)
            let web = Cgroup(path: "\(base.path)/worker-web")
            for (lines, expected) in [
                ("TasksMax=12", "12"), ("TasksMax=infinity", "max"), ("TasksMax=9999999", "max"),
            ] {
                shares.limitTasks(of: try LaunchPlan(try loaded(lines), in: .fake()))
                #expect(try limit(of: web).hasPrefix(expected), "\(lines)")
            }
            shares.limitTasks(of: try LaunchPlan(try loaded("", name: "gone"), in: .fake()))
            #expect(!FileManager.default.fileExists(atPath: "\(base.path)/worker-gone"))
        }
    }

    @Test func `a group has its limit before the first process is in it`() async {
        // In a process of its own: a host reaps all children.
        await #expect(processExitsWith: .success) {
            try SignalSource.block([Signal.child.rawValue])
            try withTemporaryDirectory { path in
                try Data("max\n".utf8).write(to: URL(filePath: "\(path)/pids.max"))
                let host = try LinuxHost(on: try EventLoop(), method: .signals(reason: "a test"))
                final class Observer: HostObserver {
                    var told: [Fact] = []

                    func receive(_ fact: Fact, of worker: WorkerID) { told.append(fact) }
                    func alarmWentOff() {}
                }
                let observer = Observer()
                host.observer = observer
                func limited(_ terms: TaskSettings?) throws -> String {
                    let configuration = WorkerConfiguration(name: "web", policy: Policy()) { _ in
                        LaunchRequest("/bin/true", environment: Environment())
                    }
                    configuration.taskLimit = terms
                    let running = RunningWorker(WorkerID(0), configuration)
                    running.settle(in: Cgroup(path: path))
                    host.limitTasks(of: running)
                    return try String(contentsOfFile: "\(path)/pids.max", encoding: .utf8)
                }
                guard try limited(nil) == "max\n" else { fatalError("written without a limit") }
                guard try limited(TaskSettings(maximum: 123)) == "123\n" else { fatalError("not written") }
                guard try limited(TaskSettings(maximum: nil)) == "max\n" else { fatalError("not taken back") }
                guard observer.told.isEmpty else { fatalError("\(observer.told)") }
            }
        }
    }
}
