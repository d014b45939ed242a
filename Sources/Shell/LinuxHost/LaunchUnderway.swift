internal import Cgroups
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
internal import SupervisorPorts
internal import WorkerIO

/// A launch that a thread carries out, as the loop sees it: of a worker's main process, or of a hook's command.
final class LaunchUnderway {
    let number: UInt64
    private(set) lazy var ticket = LaunchTicket()
    /// When it is ended; nil is never.
    var deadline: Instant?
    /// The limit that the deadline comes of, where it is one of a command.
    var limit: TimeSpan?
    /// When its child was sent SIGKILL.
    var killedAt: Instant?
    /// What is done with it when it is given up: its thread may hang for ever.
    var giveUp: (LaunchError) -> Void = { _ in }

    init(_ number: UInt64, deadline: Instant?) {
        self.number = number
        self.deadline = deadline
    }

    /// Why it is given up.
    var timeout: LaunchError { ticket.timeout }
}

/// A launch that waits until a thread can be given it.
struct UnbegunLaunch {
    let running: RunningWorker
    let underway: LaunchUnderway
    let launch: Launch
    let details: LaunchDetails
}

/// A child that executes its program, as its thread hands it to the loop.
struct LaunchedChild: Sendable {
    let pid: Int32
    /// When it started, which tells it from a later process of the same number.
    let startTime: UInt64?
    /// The environment that it was launched with.
    let environment: Environment
    /// Why it was started without its group, where the kernel would not have it there.
    var groupProblem: LaunchError?
}

/// How far a thread has come with a launch.
enum LaunchProgress: Sendable {
    case launched(LaunchedChild)
    /// Prepared, and to be completed on the loop.
    case prepared(Handoff<PreparedLaunch>)
}

/// What the host adds to a launch that a configuration has prepared.
struct LaunchSetting: Sendable {
    var group: Cgroup?
    /// Variables that count whatever the configuration says.
    var variables: [(String, ByteString)] = []
    /// Variables that count where the first one is not there yet.
    var defaults: [(String, ByteString)] = []
    /// Whether it is started without its group where the kernel will not have it there.
    var mayLackGroup = false
    /// What it is passed besides.
    var passed: PassedDescriptors?

    func apply(to environment: inout Environment) {
        for (name, value) in variables { environment[name] = value }
        guard let first = defaults.first, environment[first.0] == nil else { return }
        for (name, value) in defaults { environment[name] = value }
    }

    func apply(to request: inout LaunchRequest) {
        apply(to: &request.environment)
        request.cgroup = group
        request.wantsPidfd = false
        request.passedDescriptors += passed?.all ?? []
    }

    /// Launches on the calling thread, which may hang.
    func launch(
        _ prepared: consuming PreparedLaunch, _ ticket: LaunchTicket
    ) throws(LaunchError) -> LaunchedChild {
        var prepared = prepared
        var problem: LaunchError?
        var pid: Int32
        do throws(LaunchError) {
            pid = try prepared.request.launch(ticket: ticket).pid
        } catch {
            guard error.stage == .cgroup, mayLackGroup else { throw error }
            problem = error
            prepared.request.cgroup = nil
            pid = try prepared.request.launch(ticket: ticket).pid
        }
        return LaunchedChild(
            pid: pid, startTime: ProcessIdentity(pid: pid)?.startTime,
            environment: prepared.request.environment, groupProblem: problem)
    }
}
