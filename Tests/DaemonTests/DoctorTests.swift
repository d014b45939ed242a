import Cgroups
import ControlAPI
import Linux
import Processes
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Definitions
@testable import Examining
@testable import Supervisor
@testable import SupervisorPorts
@testable import WorkerIO

@Suite struct `The doctor` {
    @Test(arguments: [FreezeMethod.detect(), .signals(reason: "a test says so")])
    func `says one sentence for each thing, and how to mend what is missing`(method: FreezeMethod) {
        let findings = Doctor(
            for: .daemon(runtimeDirectory: "/no/such/place"), method: method, environment: Environment()
        ).findings()
        #expect(
            findings.map(\.capability) == [
                "freezer", "wake by sockets", "sock_diag", "hand over of sockets", "sockets by bind(2)",
                "cpu controller",
                "io controller", "shares", "memory controller",
                "pids controller",
                "memory", "pressure",
                "worker pressure", "reclaim", "journal", "notify", "pidfd info", "subreaper", "clock",
                "inotify", "rtnetlink", "udev", "mount table", "login1", "root", "runtime directory",
            ])
        for finding in findings {
            #expect(finding.available == (finding.remedy == nil), "\(finding.capability)")
            #expect(!finding.detail.isEmpty && !finding.detail.contains("\n"))
            #expect(!(finding.remedy?.contains("\n") ?? false))
        }
        #expect(findings.last?.available == false)
        if case .signals = method { #expect(findings.first?.available == false) }
    }

    @Test(arguments: [FreezeMethod.detect(), .signals(reason: "a test says so")])
    func `says of what torpor run uses, and of nothing else`(method: FreezeMethod) {
        let findings = Doctor(for: .run, method: method, environment: Environment()).findings()
        #expect(
            findings.map(\.capability) == [
                "freezer", "wake by sockets", "sock_diag", "hand over of sockets", "memory controller",
                "memory", "pressure", "reclaim", "subreaper", "inotify",
            ])
        for finding in findings {
            #expect(finding.available == (finding.remedy == nil), "\(finding.capability)")
            #expect(!(finding.remedy?.contains("torpord") ?? false), "\(finding.capability)")
        }
    }

    @Test(arguments: [
        ([Cgroup.Controller.cpu, .io], false, "CPU weights and IO weights", true),
        ([.cpu], false, "CPU weights and I/O priorities", true),
        ([], true, "nice levels and I/O priorities", true),
        ([.memory], false, "by I/O priorities only", false),
    ])
    func `says by what workers have their share of the machine`(
        controllers: [Cgroup.Controller], mayLowerNice: Bool, words: String, isComplete: Bool
    ) {
        let answer = Doctor.sharesSentence(Set(controllers), mayLowerNice)
        #expect(answer.sentence.contains(words) && answer.isComplete == isComplete)
    }

    struct Levels: CustomTestStringConvertible, Sendable {
        let lines: String
        var controllers: Set<Cgroup.Controller> = []
        var mayLowerNice = true
        var foreground: (nice: Int32?, io: IOPriority?)?
        var background: (nice: Int32?, io: IOPriority?) = (nil, nil)
        var testDescription: String { lines }
    }

    @Test(arguments: [
        Levels(lines: "", foreground: (0, IOPriority.none), background: (10, IOPriority(bestEffort: 7))),
        Levels(
            lines: "Nice=5", foreground: (5, IOPriority.none), background: (15, IOPriority(bestEffort: 7))),
        Levels(
            lines: "Nice=15", foreground: (15, IOPriority.none), background: (19, IOPriority(bestEffort: 7))),
        Levels(
            lines: "[Background]\nCPUWeight=idle\nIOWeight=50", foreground: (0, IOPriority.none),
            background: (19, IOPriority(bestEffort: 5))),
        Levels(
            lines: "[Foreground]\nCPUWeight=200\nIOWeight=200", foreground: (-3, IOPriority(bestEffort: 3)),
            background: (10, IOPriority(bestEffort: 7))),
        Levels(lines: "[Background]\nCPUWeight=100\nIOWeight=100"),
        Levels(
            lines: "", controllers: [.cpu], foreground: (nil, IOPriority.none),
            background: (nil, IOPriority(bestEffort: 7))),
        Levels(lines: "", controllers: [.io], foreground: (0, nil), background: (10, nil)),
        Levels(
            lines: "", mayLowerNice: false, foreground: (nil, IOPriority.none),
            background: (nil, IOPriority(bestEffort: 7))),
        Levels(lines: "", controllers: [.io], mayLowerNice: false),
        Levels(lines: "", controllers: [.cpu, .io]),
    ])
    func `weights are nice levels and I/O priorities where there is no controller`(_ row: Levels) throws {
        let levels = StatePriorities(
            try loaded(row.lines).definition, controllers: row.controllers, nice: 0,
            mayLowerNice: row.mayLowerNice)
        guard let foreground = row.foreground else { return #expect(levels == nil) }
        #expect(levels?.foreground == .init(nice: foreground.nice, io: foreground.io))
        #expect(levels?.background == .init(nice: row.background.nice, io: row.background.io))
    }

    @Test func `shares without a tree do nothing`() {
        let shares = StateShares(.signals(reason: "none"))
        #expect(!shares.isEffective && shares.gap == "no usable cgroup v2 tree")
        let plan = try? LaunchPlan(try loaded(""), in: .fake())
        #expect(plan?.configuration(shares: shares).stateChanged == nil)
    }
}
