import ControlAPI
import Linux
import Testing

@testable import Supervisor

@Suite struct `The doctor` {
    @Test(arguments: [FreezeMethod.detect(), .signals(reason: "a test says so")])
    func `says one sentence for each thing, and how to mend what is missing`(method: FreezeMethod) {
        let findings = Doctor(
            method: method, shares: nil, environment: Environment(), runtimeDirectory: "/no/such/place"
        ).findings()
        #expect(
            findings.map(\.capability) == [
                "freezer", "cpu controller", "io controller", "memory controller", "pids controller",
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

    @Test func `shares without a tree do nothing`() {
        let shares = StateShares(.signals(reason: "none"))
        #expect(!shares.isEffective && shares.gap == "there is no cgroup v2 tree of ours")
        let plan = try? WorkerPlan(try loaded(""), in: .fake())
        #expect(plan?.blueprint(shares: shares).stateChanged == nil)
    }
}
