import ConfigurationSyntax
import HostContract
import Launching
import Lifecycle
import Linux
import Notifications
import Supervisor
import SupervisorPorts
import WorkerFile

/// A worker of a walk: what its file says, and what is remembered of it whatever supervisor there is.
final class WalkWorker {
    let name: String
    /// Its number on the machine.
    let key: WorkerID
    let program: ByteString
    var policy: Policy
    /// Whether it has a connection of its own.
    let connects: Bool
    /// Whether hooks of its file take notifications.
    var hooksNotifications: Bool
    var wakesForSilentPosts = false
    /// Its file; nil where it was defined without one.
    var file: WalkFile?
    /// Whether it was active when it joined its foreground group, and has been since.
    var hasJoinedActive = false
    /// What was read of the file before it went.
    var lastRead: (revision: Int, idle: Int?)?
    /// Its connection, and the process that has it.
    var connection: WalkConnection?
    /// The processes of which the end has been recorded.
    var recorded: Set<Int32> = []
    /// The process that a supervisor launched or took over and of which it has not recorded the end.
    var launched: Int32?

    init(
        _ name: String, _ key: UInt32, runs program: String, _ policy: Policy, connects: Bool = false,
        hooksNotifications: Bool = false
    ) {
        self.name = name
        self.key = WorkerID(key)
        self.program = ByteString(program)
        self.policy = policy
        self.connects = connects
        self.hooksNotifications = hooksNotifications
    }

    /// Whether anything of it takes what is posted.
    var takesPosts: Bool { connects || hooksNotifications }

    /// What a supervisor has to know of it.
    var configuration: WorkerConfiguration {
        let program = program
        let configuration = WorkerConfiguration(
            name: name, policy: policy, hasNotifySocket: true, leftoverGrace: .seconds(1)
        ) { _ in
            LaunchRequest(program, environment: Environment())
        }
        configuration.hasWorkerSocket = connects
        configuration.wakesForSilentPosts = wakesForSilentPosts
        for callback in Callback.allCases
        where policy.hooks.contains(callback) && callback != .didReceiveNotifications {
            configuration.hooks[callback] = Hook(.command, completes: .exit)
        }
        if hooksNotifications {
            for topic in ["each", "tick"] {
                configuration.notificationHooks[topic] = Hook(.command, completes: .exit)
            }
        }
        return configuration
    }
}

/// A worker's own connections, as the libraries have them: one is attached, the other makes the calls.
///
/// It answers what it is told, sooner or later, or never, as long as its process runs.
final class WalkConnection {
    /// What it has called and not heard the end of.
    enum OpenCall {
        /// Sent at a moment at which the disk was well; nil where it was not.
        case complete(Callback, Completion, numbers: [Int], sent: Instant?)
        case beginTask(TimeSpan)
        case post(Int)
        case other
    }

    let worker: WalkWorker
    let pid: Int32
    let callbacks: CallbackSet
    let attached: WalkSocket
    let calls: WalkSocket
    /// It has heard its standing.
    var isAttached = false
    /// It is closed, or the supervisor at its other end is gone.
    var isBroken = false
    /// What it has in mind while it cannot run.
    var deferred: [() -> Void] = []
    /// Calls in the order in which they are answered.
    var open: [OpenCall] = []

    init(_ worker: WalkWorker, pid: Int32, _ callbacks: CallbackSet, _ attached: Int32, _ calls: Int32) {
        (self.worker, self.pid, self.callbacks) = (worker, pid, callbacks)
        (self.attached, self.calls) = (WalkSocket(attached), WalkSocket(calls))
    }

    /// Attaches, with the callbacks that it wants.
    func attach() {
        let names = Callback.allCases.filter(callbacks.contains).map { "\"\($0.rawValue)\"" }
        attached.leave(
            #"{"method":"io.torpor.Worker.Attach","more":true,"parameters":{"callbacks":[\#(names.joined(separator: ","))]}}"#
        )
    }

    func call(_ member: String, _ parameters: String, _ call: OpenCall) {
        open.append(call)
        calls.leave(#"{"method":"io.torpor.Worker.\#(member)","parameters":\#(parameters)}"#)
    }

    func sendAll() {
        attached.send(attached.unsentCount)
        calls.send(calls.unsentCount)
    }

    func close() {
        isBroken = true
        attached.close()
        calls.close()
    }

    /// Whether a completion is under way of which it is not known what has become.
    var awaitsCompletion: Bool {
        open.contains { if case .complete = $0 { true } else { false } }
    }
}
