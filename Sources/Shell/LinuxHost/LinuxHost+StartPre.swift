internal import Cgroups
internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import Systemd
internal import Waking
internal import WorkerFile
internal import WorkerIO

/// What runs before the main process of a worker, one command after the other (`ExecStartPre=`).
final class StartPre {
    /// The launch that it is part of: its deadline begins anew with each command, as with systemd.
    let underway: LaunchUnderway
    let setting: LaunchSetting
    let launch: Launch
    let details: LaunchDetails
    var left: ArraySlice<ServiceCommand>
    /// The command that runs, or has run last.
    var command: ServiceCommand?
    var process: HookProcess?
    /// The worker is not wanted any more: it has got the stop signal.
    var isAbandoned = false
    /// Why the launch fails.
    var problem: LaunchError?
    /// Its present command cannot be executed, and will not be the next time.
    var isHopeless = false

    init(
        _ commands: [ServiceCommand], _ underway: LaunchUnderway, _ setting: LaunchSetting, _ launch: Launch,
        _ details: LaunchDetails
    ) {
        left = commands[...]
        self.underway = underway
        self.setting = setting
        self.launch = launch
        self.details = details
    }
}

/// `ExecStartPre=`: commands as the worker's user, in its group and with its environment, before its main process is made.
///
/// A command that fails ends the launch; what a command leaves behind is ended before the next one (systemd.service(5)).
extension LinuxHost {
    func beginStartPre(
        _ running: RunningWorker, _ underway: LaunchUnderway, _ setting: LaunchSetting, _ launch: Launch,
        _ details: LaunchDetails
    ) {
        let pre = StartPre(running.configuration.commands.startPre, underway, setting, launch, details)
        running.stage = .launching(underway, after: pre)
        underway.giveUp = { [unowned self, weak pre] _ in
            let isAbandoned = pre?.isAbandoned ?? false
            giveUpStartPre(
                running, isAbandoned ? "it was ended" : ServiceCommand.overrun(pre?.underway.limit))
        }
        runNextStartPre(running)
    }

    /// Abandons the launch of a worker that is no longer wanted, before it has a main process.
    package func abandonLaunch(_ worker: WorkerID) {
        guard let running = workers[worker], let pre = running.startPre, !pre.isAbandoned else { return }
        pre.isAbandoned = true
        let limits = running.configuration.policy.limits
        guard let stop = limits.stop, stop > .zero else { return killLaunch(pre.underway) }
        signal(worker, running.configuration.stopSignal)
        pre.underway.deadline = now + stop
        watchLaunches()
    }

    /// Whether commands run before its main process.
    package func isPreparing(_ worker: WorkerID) -> Bool { workers[worker]?.startPre != nil }

    /// The command that runs before its main process now.
    package func preparation(of worker: WorkerID) -> ServiceCommand? { workers[worker]?.startPre?.command }

    private func runNextStartPre(_ running: RunningWorker) {
        guard let pre = running.startPre else { return }
        let limit = running.configuration.policy.limits.launch
        if !pre.isAbandoned {
            pre.underway.deadline = limit.map { now + $0 }
            pre.underway.limit = limit
        }
        guard let command = pre.left.popFirst() else {
            running.stage = .launching(pre.underway, after: nil)
            pre.underway.giveUp = { [unowned self] in launchFailed(running, $0) }
            return start(running, pre.underway, pre.setting, pre.launch, pre.details)
        }
        pre.command = command
        var hook = Hook(.command, completes: .exit)
        hook.ignoresFailure = command.ignoresFailure
        let variables: [String: ByteString] = [
            "TORPOR_COMMAND": ByteString(command.key), "TORPOR_STATE": "notRunning",
        ]
        var call = HookCall(id: 0, .willFinishLaunching, hook, variables: variables)
        call.command = command
        call.launch = pre.launch
        call.details = pre.details
        let id = running.id
        let process = HookProcess(
            call, of: running, tell: { [unowned self] line in hookPrinted(line, call, of: id) },
            overflowed: { _ in })
        pre.process = process
        do {
            try start(process, call, of: running)
            watchLaunches()
        } catch {
            process.hasEnded = true
            startPreNotLaunched(running, error as? LaunchError, "\(error)")
        }
    }

    /// The present command is over: with success, or with a problem.
    func startPreEnded(_ running: RunningWorker, _ problem: String?) {
        guard let pre = running.startPre, let process = pre.process else { return }
        let goesOn = problem == nil && !pre.isAbandoned && launches[pre.underway.number] != nil
        endLeftovers(of: process, running, keepsGroup: goesOn)
        if goesOn { return runNextStartPre(running) }
        // It may have been given up before, and that has been answered for.
        guard launches[pre.underway.number] != nil else { return clearAway(running) }
        _ = endLaunch(pre.underway)
        fail(running, problem ?? "it was ended")
        clearAway(running)
    }

    /// The present command could not be launched.
    func startPreNotLaunched(_ running: RunningWorker, _ error: LaunchError?, _ problem: String) {
        running.startPre?.isHopeless = error?.isLasting ?? false
        startPreEnded(running, problem)
    }

    /// The launch is over before its time: the deadline has passed, or SIGKILL was asked for.
    private func giveUpStartPre(_ running: RunningWorker, _ problem: String) {
        guard let pre = running.startPre else { return }
        fail(running, problem)
        guard let process = pre.process, !process.hasEnded else { return clearAway(running) }
        kill(process, of: running)
    }

    /// Tells what has become of a launch of which nothing is left: it has failed, unless it was ended on purpose.
    func launchEnded(_ running: RunningWorker, _ launch: RunningWorker.FailedLaunch) {
        guard launch.isAbandoned else { return launchFailed(running, launch.problem) }
        guard workers[running.id] === running else { return }
        forget(running)
        doorHouse[running.id.rawValue]?.launchEnded(hadProcess: false)
        inform(running.id, .launchAbandoned)
    }

    private func fail(_ running: RunningWorker, _ problem: String) {
        let command = running.startPre?.command.map { "\($0) failed: " } ?? ""
        let isLasting = running.startPre?.isHopeless ?? false
        running.startPre?.problem = LaunchError(
            stage: isLasting ? .preparation : .precondition, errno: 0, subject: command + problem)
    }

    /// How often what a command has left is looked for: a process that forks meanwhile shows at the next look.
    private static let leftoverRounds = 8

    /// What a command has started and left is ended before anything else of the worker runs.
    ///
    /// A group that is launched into again must never have been killed as a whole: Linux 6.18 compares how often a group was killed
    /// with how often the parent's was, and sends SIGKILL to each child that is cloned into it from then on.
    private func endLeftovers(of process: HookProcess, _ running: RunningWorker, keepsGroup: Bool) {
        if running.group != nil, keepsGroup {
            for _ in 0..<Self.leftoverRounds {
                let members = (try? running.group?.processes()) ?? []
                guard !members.isEmpty else { return }
                send(.kill, to: members, of: running)
            }
            return
        }
        if let group = running.group, (try? group.kill()) != nil { return }
        guard process.pid > 0 else { return }
        process.kill(members: ProcessTree.snapshot().members(ofSession: process.pid).sorted())
    }

    /// Tells that the launch has failed when nothing of it is left.
    private func clearAway(_ running: RunningWorker) {
        guard workers[running.id] === running, running.reaping == nil else { return }
        let pre = running.startPre
        let launch = RunningWorker.FailedLaunch(
            problem: pre?.problem
                ?? LaunchError(stage: .precondition, errno: 0, subject: "it was abandoned"),
            isAbandoned: pre?.isAbandoned ?? false)
        guard let process = pre?.process, process.pid > 0 else { return launchEnded(running, launch) }
        running.leader = process.pid
        running.main = process.pid
        running.stage = .reaping(
            RunningWorker.Reaping(
                status: .unknown, oomKilled: false, killsAt: now + running.configuration.leftoverGrace,
                launch: launch))
        continueReaping(running)
    }
}
