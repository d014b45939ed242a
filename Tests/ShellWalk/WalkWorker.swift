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
    var group: String?
    var dependencies = Dependencies()
    /// Whether it has a connection of its own.
    let connects: Bool
    /// Whether hooks of its file take notifications.
    let hooksNotifications: Bool
    var wakesForSilentPosts = false
    var untilForeground: Set<Topic> = []
    /// Whether its file is there.
    var isDefined = true
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
        configuration.foregroundGroup = group
        configuration.dependencies = dependencies
        configuration.hasWorkerSocket = connects
        configuration.wakesForSilentPosts = wakesForSilentPosts
        configuration.untilForeground = untilForeground
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

/// A worker's own connection: it answers what it is told, sooner or later, or never, as long as its process runs.
final class WalkConnection: CallbackReceiver {
    let worker: WalkWorker
    let pid: Int32
    let callbacks: CallbackSet
    unowned let walk: Walk
    /// The supervisor at its other end is gone.
    var isBroken = false
    /// What it has in mind while it cannot run.
    var deferred: [() -> Void] = []

    init(_ worker: WalkWorker, pid: Int32, _ callbacks: CallbackSet, _ walk: Walk) {
        (self.worker, self.pid, self.callbacks, self.walk) = (worker, pid, callbacks, walk)
    }

    func deliver(_ message: CallbackMessage) {
        guard !walk.isKilled else { return }
        walk.deliver(message, on: self)
    }

    func ask(_ number: UInt32, _ type: ActivityType, within limit: TimeSpan) {}
}
