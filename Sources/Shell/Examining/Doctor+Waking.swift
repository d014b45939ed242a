internal import Cgroups
internal import ControlAPI
internal import Idleness
internal import Linux
internal import LinuxHost
internal import Sockets

/// By what sleepers are woken, and what workers are used for is known.
extension Doctor {
    var eyes: SupervisorInterface.Finding {
        let verdict = EyeProspect.probe(samplingEach: sampleInterval).verdict
        return SupervisorInterface.Finding(
            capability: "wake by sockets", available: verdict.remedy == nil, detail: verdict.sentence,
            remedy: verdict.remedy)
    }

    /// How sockets of evicted workers change hands.
    var doors: SupervisorInterface.Finding {
        var hasGroups = false
        if case .cgroup = method { hasGroups = true }
        let verdict = DoorProspect.probe(hasGroups: hasGroups).verdict
        return SupervisorInterface.Finding(
            capability: "hand over of sockets", available: verdict.remedy == nil, detail: verdict.sentence,
            remedy: verdict.remedy)
    }

    /// Whether workers can be given sockets where they bind them (`HandOver=handover`).
    var lending: SupervisorInterface.Finding {
        let verdict = LendingProspect.probe().verdict
        return SupervisorInterface.Finding(
            capability: "sockets by bind(2)", available: verdict.remedy == nil, detail: verdict.sentence,
            remedy: verdict.remedy)
    }

    var listing: SupervisorInterface.Finding {
        let problem = SockDiag.problem
        return finding(
            "sock_diag", problem == nil, "the use of connections (IdleSec=) is known by sock_diag",
            without: "the use of connections is not known, and IdleSec= is not acted on: \(problem ?? "")",
            remedy:
                "modprobe tcp_diag, and add AF_NETLINK to RestrictAddressFamilies= of the unit")
    }
}
