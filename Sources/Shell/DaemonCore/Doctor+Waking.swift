internal import Cgroups
internal import ControlAPI
internal import Idleness
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Sockets
internal import Supervisor
internal import SupervisorPorts

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

extension Daemon {
    /// Workers whose bind(2) fails, since a previous daemon was killed.
    var bindFindings: [SupervisorInterface.Finding] {
        service.registry.all.compactMap { entry in
            host.bindProblem(of: entry.id).map { problem in
                .init(
                    capability: "sockets by bind(2)", available: false,
                    detail: "worker \(entry.name): \(problem)",
                    remedy: "torpor restart \(entry.name), and set FileDescriptorStoreMax= in the unit")
            }
        }
    }

    /// Whether the sockets of `ListenStream=` and its kin are open, where there are any.
    var heldFindings: [SupervisorInterface.Finding] {
        let all = service.registry.all.flatMap { entry in
            supervisor.host.heldSockets(of: entry.id).map { (entry.name, $0) }
        }
        guard !all.isEmpty else { return [] }
        func finding(_ isGood: Bool, _ detail: String, _ remedy: String?) -> SupervisorInterface.Finding {
            .init(capability: "held sockets", available: isGood, detail: detail, remedy: remedy)
        }
        for (worker, status) in all {
            guard case .failed(let problem) = status.standing else { continue }
            return [
                finding(
                    false, "worker \(worker): \(status.socket.spelling) is not open: \(problem)",
                    "free the address or change it; it is tried again every 5 s")
            ]
        }
        let most = (try? KernelFile.text("/proc/sys/net/core/somaxconn").lines.first).flatMap { $0 }
        let limit = most.flatMap { Int($0) } ?? .max
        if let wide = all.first(where: { $0.1.socket.listens && $0.1.socket.options.backlog > limit }) {
            let backlog = wide.1.socket.options.backlog
            return [
                finding(
                    false,
                    "worker \(wide.0): Backlog=\(backlog) is cut to \(limit) connections by net.core.somaxconn",
                    "sysctl net.core.somaxconn=\(backlog)")
            ]
        }
        return [
            finding(
                true, "\(all.count == 1 ? "1 socket is" : "\(all.count) sockets are") held for workers", nil)
        ]
    }
}
