import ConfigurationSyntax
import Lifecycle
import Linux
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Definitions
@testable import Places
@testable import Supervisor
@testable import SupervisorPorts

/// The worker that `lines` define below [Worker] and the sections in it.
func loaded(_ lines: String, name: String = "web", place: SpecifierContext.Place = .init()) throws
    -> LoadedWorker
{
    let text = "[Worker]\nExecStart=/bin/true\n" + lines + "\n"
    let loader = WorkerLoader(directories: [], source: DiskFileSource(), place: place)
    let file = SourceFile(path: "/etc/torpor/workers/\(name).worker", bytes: Array(text.utf8))
    switch loader.read([file], as: try WorkerName(name)) {
    case .worker(let worker): return worker
    case .invalid(let problems): throw Unexpected(found: "\(problems)")
    case .missing, .masked: throw Unexpected(found: "no worker")
    }
}

@Suite struct `Definitions as policies` {
    private struct Row: Sendable, CustomStringConvertible {
        let description: String
        let isSo: @Sendable (Policy) -> Bool

        init(_ description: String, _ isSo: @escaping @Sendable (Policy) -> Bool) {
            self.description = description
            self.isSo = isSo
        }
    }

    private static let rows: [Row] = [
        Row("", { $0.readiness == .exec && $0.limits == .daemon }),
        Row("", { !$0.killsOverrun && !$0.killsOverrunInBackground }),
        Row("", { $0.idle == nil && $0.restart.condition == .no && $0.restart.delay == .milliseconds(100) }),
        Row("", { $0.restart.limitBurst == 5 && $0.restart.limitInterval == .seconds(10) && $0.hooks == [] }),
        Row("", { $0.evictable == nil && $0.heldResources == .warn && !$0.runsContinuously }),
        Row("Type=notify", { $0.readiness == .notify && $0.limits == .daemon }),
        Row("Type=exec", { $0.readiness == .exec && $0.limits == .daemon }),
        Row("Type=oneshot", { $0.readiness == .exit && $0.limits.launch == nil }),
        Row("ReadyWhen=port:80", { $0.readiness == .notify }),
        Row("ReadyWhen=output:up", { $0.readiness == .notify }),
        Row("ExecStartPost=/bin/true", { $0.hooks.contains(.didFinishLaunching) }),
        Row("Type=app", { $0.readiness == .app && $0.limits == .app }),
        Row("Type=app", { $0.killsOverrun && $0.killsOverrunInBackground }),
        Row("Type=app\nTimeoutStopSec=7", { $0.limits.terminate == .seconds(7) && $0.limits.stop == .zero }),
        Row("TimeoutStartSec=3", { $0.limits.launch == .seconds(3) && $0.limits.stop == .seconds(90) }),
        Row("TimeoutStartSec=infinity", { $0.limits.launch == nil }),
        Row(
            "TimeoutSec=0", { $0.limits.launch == nil && $0.limits.stop == nil && $0.limits.terminate == nil }
        ),
        Row(
            "TimeoutStopSec=2min", { $0.limits.stop == .seconds(120) && $0.limits.terminate == .seconds(120) }
        ),
        Row("WatchdogSec=30", { $0.limits.watchdog == .seconds(30) }),
        Row("WatchdogSec=infinity", { $0.limits.watchdog == nil }),
        Row("[Background]\nResumeTimeoutSec=4", { $0.limits.resume == .seconds(4) }),
        Row("[Background]\nTaskLimitSec=infinity", { $0.limits.backgroundTasks == nil }),
        Row("[Background]\nModes=continuous fetch", { $0.runsContinuously }),
        Row("[Background]\nEnterOnLaunch=yes", { $0.tellsBackgroundAfterWake }),
        Row("[Background]\nHeldLocks=kill", { $0.heldResources == .kill }),
        Row(
            "[Background]\nReleaseInBackground=/dev/fb0",
            { $0.releasesDevices && !$0.releasesDevicesInBackground }),
        Row(
            "[Background]\nReleaseInBackground=/dev/fb0 /dev/dri/*:always",
            { $0.releasesDevices && $0.releasesDevicesInBackground }),
        Row("[Memory]\nEvictable=no", { $0.evictable == .no }),
        Row("ExitsOnSuspend=yes", { $0.exitsOnSuspend }),
        Row(
            "[Foreground]\nIdleSec=10min",
            { $0.idle?.delay == .seconds(600) && $0.idle?.longest == .seconds(3600) }),
        Row("[Foreground]\nIdleSec=2h", { $0.idle?.longest == .seconds(7200) }),
        Row("Restart=always", { $0.restart.condition == .always }),
        Row("Restart=on-success", { $0.restart.condition == .onSuccess }),
        Row("Restart=on-failure", { $0.restart.condition == .onFailure }),
        Row("Restart=on-abnormal", { $0.restart.condition == .onAbnormal }),
        Row("Restart=on-watchdog", { $0.restart.condition == .onWatchdog }),
        Row("Restart=on-abort", { $0.restart.condition == .onAbort }),
        Row("RestartSec=5", { $0.restart.delay == .seconds(5) && $0.restart.delay(after: 9) == .seconds(5) }),
        Row("RestartMaxDelaySec=9", { $0.restart.delay(after: 9) == .milliseconds(100) }),
        Row("StartLimitIntervalSec=infinity", { $0.restart.limitInterval.microseconds == .max }),
        Row(
            "StartLimitIntervalSec=0\nStartLimitBurst=2",
            { $0.restart.limitInterval == .zero && $0.restart.limitBurst == 2 }),
        Row("SuccessExitStatus=3 SIGUSR1", { $0.restart.success == .init(codes: [3], signals: [10]) }),
        Row("RestartPreventExitStatus=TEMPFAIL", { $0.restart.prevent == .init(codes: [75]) }),
        Row("RestartForceExitStatus=9", { $0.restart.force == .init(codes: [9]) }),
        Row(
            "ExecStart=\nExecStart=-/bin/false",
            {
                $0.restart.success.contains(.exited(1))
                    && $0.restart.success.contains(.killed(signal: 9, coreDumped: false))
            }),
    ]

    @Test(arguments: rows) private func `each directive has its place`(row: Row) throws {
        #expect(row.isSo(Policy(try loaded(row.description).definition)))
    }

    @Test func `what the file does not say comes from the daemon`() throws {
        var daemon = DaemonDefinition()
        daemon.restartDelay = .seconds(3)
        daemon.startLimitBurst = 9
        daemon.startLimitInterval = .infinity
        let policy = Policy(try loaded("").definition, daemon: daemon)
        #expect(policy.restart.delay == .seconds(3) && policy.restart.limitBurst == 9)
        #expect(policy.restart.limitInterval.microseconds == .max)
    }

    @Test func `the delay grows in steps by systemd's formula`() throws {
        let restart = Policy(try loaded("RestartSec=1\nRestartSteps=4\nRestartMaxDelaySec=16").definition)
            .restart
        let delays = (0..<6).map { restart.delay(after: $0).microseconds }
        #expect(zip(delays, [1, 2, 4, 8, 16, 16]).allSatisfy { abs($0 - $1 * 1_000_000) <= 1 }, "\(delays)")
        let many = Policy(try loaded("RestartSec=1\nRestartSteps=10000\nRestartMaxDelaySec=1d").definition)
            .restart
        #expect(many.delay(after: 10_000) == .seconds(86_400))
        #expect(abs(many.delay(after: 5000).microseconds - 293_938_769) < 1000)
    }

    @Test func `a notify socket is there for whoever may say something`() throws {
        let rows = [
            ("", false), ("Type=notify", true), ("Type=app", true), ("NotifyAccess=all", true),
            ("WatchdogSec=1", true), ("WatchdogSec=0", false),
        ]
        for (lines, has) in rows {
            let plan = try LaunchPlan(try loaded(lines), in: .fake())
            #expect(plan.configuration().hasNotifySocket == has, "\(lines)")
        }
    }

    @Test func `hooks and the signal that ends it are those of the file`() throws {
        let plan = try LaunchPlan(
            try loaded(
                "[Callbacks]\nWillTerminate=signal:USR1\n"
                    + "[Notifications]\nsettingsChanged=signal:HUP\nWatchSettings=/etc/x\n"
                    + "[Background]\nModes=path device transfer"),
            in: .fake())
        #expect(plan.configuration().policy.hooks == CallbackSet([.willTerminate, .didReceiveNotifications]))
        var hook = Hook(.signal(.user1), completes: .immediately)
        hook.text = "signal:SIGUSR1"
        #expect(plan.configuration().hooks == [.willTerminate: hook])
        var hangup = Hook(.signal(.hangup), completes: .immediately)
        hangup.text = "signal:SIGHUP"
        #expect(plan.configuration().notificationHooks == ["settingsChanged": hangup])
        let stop = try LaunchPlan(try loaded("KillSignal=SIGQUIT"), in: .fake()).configuration()
        #expect(stop.stopSignal.rawValue == 3 && stop.signalTarget == .everyProcess)
        #expect(stop.groupName == "worker-web")
    }

    @Test func `what a main process leaves has the time of a stop`() throws {
        for (lines, grace) in [
            ("", TimeSpan.seconds(90)), ("TimeoutStopSec=20", .seconds(20)), ("Type=app", .seconds(5)),
            ("Type=app\nTimeoutStopSec=7", .seconds(7)),
            ("TimeoutStopSec=infinity", WorkerConfiguration.endless),
        ] {
            let configuration = try LaunchPlan(try loaded(lines), in: .fake()).configuration()
            #expect(configuration.leftoverGrace == grace, "\(lines)")
        }
    }
}

extension LaunchContext {
    /// A context without a journal.
    static func fake(
        state: String = "/nowhere", _ environment: Environment = Environment(), isRoot: Bool = true
    ) -> LaunchContext {
        var place = SpecifierContext.Place()
        place.stateDirectory = state + "/state"
        place.runtimeDirectory = state + "/run"
        place.home = "/home/boss"
        place.user = "boss"
        place.shell = "/bin/zsh"
        return LaunchContext(
            place: place, environment: environment, isRoot: isRoot, journal: { _ in nil })
    }
}
