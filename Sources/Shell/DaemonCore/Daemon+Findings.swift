internal import ControlAPI
internal import Definitions
internal import Examining
internal import History
internal import Idleness
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Places
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Waking

extension Daemon {
    /// Looks at what this place allows; answers on the loop, later.
    func findings(then answer: @escaping ([SupervisorInterface.Finding]) -> Void) {
        let doctor = Doctor(
            for: .daemon(runtimeDirectory: options.runtimeDirectory), method: groups.method, gap: shares.gap,
            sampleInterval: host.waking.sampleInterval)
        // What it opens to see whether it can be opened takes the kernel long to close: inotify(7) waits for all its readers.
        let told: ([SupervisorInterface.Finding]) -> Void = { [unowned self] findings in
            let history = recorder.finding(directory: options.stateDirectory)
            answer(findings + [history] + heldFindings + bindFindings)
        }
        examiner.perform({ doctor.findings() }, on: loop, then: told) { told([.noThread($0)]) }
    }

    /// Workers whose bind(2) fails, since a previous daemon was killed.
    var bindFindings: [SupervisorInterface.Finding] {
        service.registry.all.compactMap { entry in
            host.doorHouse.bindProblem(of: entry.id.rawValue).map { problem in
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
