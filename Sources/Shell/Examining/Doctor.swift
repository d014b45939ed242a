package import Cgroups
internal import ConfigurationSyntax
package import ControlAPI
internal import Glibc
package import Lifecycle
package import Linux
internal import MemoryPressureShell
internal import Pressure
internal import Processes
internal import Systemd

/// What this place allows, and for each gap the one line that mends it (`torpor doctor`).
///
/// It looks and changes nothing.
package struct Doctor: Sendable {
    private typealias Finding = SupervisorInterface.Finding

    /// For whom it looks.
    package enum Subject: Hashable, Sendable {
        /// torpord, which has its sockets in `runtimeDirectory`.
        case daemon(runtimeDirectory: String)
        /// `torpor run`, which has one worker, and of this place needs less.
        case run
    }

    /// For whom it looks.
    package let subject: Subject
    /// How workers are frozen here.
    package let method: FreezeMethod
    /// Why not all workers are weighed by controllers, in words; nil where they are, and where none were handed down.
    package let gap: String?
    /// How often sockets are looked at that cannot be waited on (`SampleSec=`).
    package let sampleInterval: TimeSpan
    /// Our environment.
    package let environment: Environment

    /// A doctor for a supervisor with these.
    package init(
        for subject: Subject, method: FreezeMethod, gap: String? = nil,
        sampleInterval: TimeSpan = .milliseconds(100),
        environment: Environment = .current
    ) {
        self.subject = subject
        self.method = method
        self.gap = gap
        self.sampleInterval = sampleInterval
        self.environment = environment
    }

    /// Everything that was found, always in the same order.
    package func findings() -> [SupervisorInterface.Finding] {
        guard case .daemon(let directory) = subject else {
            return [
                freezer, eyes, listing, doors, controller(.memory, "memory limits and statistics"), memory,
                pressure, reclaim, orphans, files,
            ]
        }
        return [
            freezer, eyes, listing, doors, lending, controller(.cpu, "CPU weights"),
            controller(.io, "IO weights"),
            stateShares,
            controller(.memory, "memory limits and statistics"), controller(.pids, "process limits"),
            memory, pressure, workerPressure, reclaim,
            journal, notify, exitStatus, orphans, clock, files, network, devices, mounts, login, user,
            runtime(directory),
        ]
    }

    /// Something that is here or is not: what we do with it, what is missed without it, and what brings it.
    func finding(
        _ capability: String, _ isThere: Bool, _ detail: String, without: String, remedy: String
    ) -> SupervisorInterface.Finding {
        SupervisorInterface.Finding(
            capability: capability, available: isThere, detail: isThere ? detail : without,
            remedy: isThere ? nil : remedy)
    }

    private var isUnderSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    private var group: Cgroup? {
        guard case .cgroup(let tree) = method else { return nil }
        return tree.base
    }

    // MARK: groups

    private var freezer: SupervisorInterface.Finding {
        switch method {
        case .cgroup(let tree):
            Finding(
                capability: "freezer", available: true,
                detail: "workers are suspended by the cgroup freezer below \(tree.base.path): \(tree.reason)")
        case .signals(let reason):
            Finding(
                capability: "freezer", available: false,
                detail: "workers are suspended by SIGSTOP, which they can notice: \(reason)",
                remedy: delegation)
        }
    }

    /// What gives the supervisor a part of the tree.
    private var delegation: String {
        if isUnderSystemd {
            return ThisProcess.isRoot || subject != .run
                ? "add Delegate=yes to [Service] of the unit\(subject == .run ? "" : " (systemctl edit torpord)")"
                : "run it in a unit of its own: systemd-run --user --scope --property Delegate=yes torpor run -- CMD"
        }
        return ThisProcess.isRoot
            ? "make /sys/fs/cgroup a writable cgroup v2 tree (mount -t cgroup2 none /sys/fs/cgroup)"
            : "run the supervisor as root, or in a cgroup v2 directory that its user owns"
    }

    private func controller(_ controller: Cgroup.Controller, _ use: String) -> SupervisorInterface.Finding {
        let name = "\(controller.rawValue) controller"
        guard let group else {
            return Finding(
                capability: name, available: false, detail: "no \(use): no usable cgroup v2 tree",
                remedy: delegation)
        }
        if group.enabledControllers().contains(controller) {
            return Finding(
                capability: name, available: true, detail: "\(use) are available below \(group.path)")
        }
        if group.availableControllers().contains(controller) {
            let detail = "no \(use): the controller is not enabled for the children of \(group.path)"
            return Finding(
                capability: name, available: false, detail: gap.map { "\(detail) (\($0))" } ?? detail,
                remedy: "echo +\(controller.rawValue) > \(group.path)/cgroup.subtree_control")
        }
        return Finding(
            capability: name, available: false,
            detail: "no \(use): the controller is not available in \(group.path)",
            remedy: isUnderSystemd
                ? "add Delegate=yes to [Service] of the unit, and boot with systemd.unified_cgroup_hierarchy=1"
                : "boot with cgroup_no_v1=all, or start the container with a cgroup v2 host")
    }

    /// By what workers have their state's share of the machine, which `torpor status` shows too.
    private var stateShares: SupervisorInterface.Finding {
        let controllers = group?.enabledControllers() ?? []
        let (sentence, isComplete) = Self.sharesSentence(controllers, ThisProcess.mayLowerNiceLevels)
        return Finding(
            capability: "shares", available: isComplete, detail: sentence,
            remedy: isComplete ? nil : "run the supervisor with CAP_SYS_NICE, or \(delegation)")
    }

    /// The way in which workers get their state's share of the machine, and whether it is all of it.
    static func sharesSentence(
        _ controllers: Set<Cgroup.Controller>, _ mayLowerNice: Bool
    ) -> (sentence: String, isComplete: Bool) {
        let cpu: String? = controllers.contains(.cpu) ? "CPU weights" : mayLowerNice ? "nice levels" : nil
        let io = controllers.contains(.io) ? "IO weights" : "I/O priorities"
        guard let cpu else {
            return (
                "workers get the share of their state by \(io) only: nice levels are not used, since this supervisor may not lower them again (CAP_SYS_NICE)",
                false
            )
        }
        return ("workers get the share of their state by \(cpu) and \(io)", true)
    }

    // MARK: memory

    /// All of it in one sentence, which `torpor status` shows too.
    private var memory: SupervisorInterface.Finding {
        let capabilities = MemoryCapabilities(method, gap: gap)
        return Finding(
            capability: "memory", available: capabilities.support != .none, detail: capabilities.sentence,
            remedy: capabilities.support == .none ? "boot with psi=1" : nil)
    }

    private var pressure: SupervisorInterface.Finding {
        finding(
            "pressure", (try? RegularFile.read("/proc/pressure/memory", limit: 4096)) != nil,
            "/proc/pressure/memory reports the system's memory pressure",
            without: "the kernel does not report memory pressure; only available memory is known",
            remedy: "boot with psi=1")
    }

    private var workerPressure: SupervisorInterface.Finding {
        finding(
            "worker pressure", group.map { access("\($0.path)/memory.pressure", R_OK) == 0 } ?? false,
            "each worker's cgroup reports its own pressure",
            without: "the pressure of individual workers is not known",
            remedy: group == nil ? delegation : "boot with psi=1")
    }

    private var reclaim: SupervisorInterface.Finding {
        let problem = PageOut.problem()
        return finding(
            "reclaim", group.map { access("\($0.path)/memory.reclaim", W_OK) == 0 } ?? false,
            "memory of suspended workers is reclaimed by memory.reclaim",
            without: problem.map { "memory of suspended workers is not reclaimed: \($0)" }
                ?? "memory of suspended workers is reclaimed page by page (process_madvise), as far as swap allows",
            remedy: group == nil ? delegation : "use Linux 5.19 with the memory controller")
    }

    // MARK: context

    private var journal: SupervisorInterface.Finding {
        if Journal.receives(2, environment: environment) {
            return Finding(
                capability: "journal", available: true, detail: "changes are logged with all fields")
        }
        let isThere = access(Journal.path, W_OK) == 0
        return Finding(
            capability: "journal", available: isThere,
            detail: isThere
                ? "workers write to the journal; the daemon's own log goes to standard error, which is not the journal"
                : "no journal: the output of workers goes to the daemon's standard error, prefixed with their names",
            remedy: isThere ? nil : "run under systemd, or set StandardOutput=append:PATH for each worker")
    }

    private var notify: SupervisorInterface.Finding {
        let socket = environment["NOTIFY_SOCKET"]
        return Finding(
            capability: "notify", available: socket != nil,
            detail: socket.map { "reports to \($0)" } ?? "no service manager waits for readiness",
            remedy: socket == nil ? "start it from a unit with Type=notify" : nil)
    }

    private var exitStatus: SupervisorInterface.Finding {
        let release = Machine.current.kernelRelease
        let numbers = release.split(separator: ".").prefix(2).map { Int($0.prefix { $0.isNumber }) ?? 0 }
        return finding(
            "pidfd info", !numbers.lexicographicallyPrecedes([6, 15]),
            "the exit status of adopted processes is known (Linux \(release))",
            without:
                "the exit status of adopted processes is unknown and counts as a failure (Linux \(release))",
            remedy: "use Linux 6.15 or later")
    }

    private var orphans: SupervisorInterface.Finding {
        finding(
            "subreaper", ThisProcess.pid == 1 || ThisProcess.isSubreaper,
            "orphans of workers are reparented to the daemon and reaped",
            without: "orphans of workers are reparented to another process",
            remedy: "query a running supervisor (torpor doctor --socket PATH)")
    }

    private var user: SupervisorInterface.Finding {
        finding(
            "root", ThisProcess.isRoot, "workers can run as any user",
            without: "workers run as user \(ThisProcess.user), whatever User= says",
            remedy: "run torpord as root for workers of other users")
    }

    private func runtime(_ runtimeDirectory: String) -> SupervisorInterface.Finding {
        finding(
            "runtime directory", access(runtimeDirectory, W_OK) == 0,
            "sockets are created in \(runtimeDirectory)",
            without: "\(runtimeDirectory) is not writable",
            remedy: "mkdir -p \(runtimeDirectory), or set another with --runtime-dir or XDG_RUNTIME_DIR")
    }
}
