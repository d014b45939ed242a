package import Lifecycle
package import Linux
internal import WorkerFile

/// What `torpor run` was told (3.5).
package struct RunOptions: Sendable {
    /// The program and its arguments.
    package var command: [ByteString]
    /// Whether the child leads a session of its own; otherwise a process group in the session of `torpor run`.
    package var ownSession = true
    /// What becomes of a signal on its way to the child; zero drops it.
    package var rewrites: [Signal: Signal?] = [:]
    /// Whether the launch is complete at exec, or when READY=1 has come.
    package var waitsForReady = false
    /// How long the child may take to end once SIGTERM was forwarded; nil is for ever.
    package var stopTimeout: TimeSpan?
    /// What is done for callbacks.
    package var callbacks = RunCallbacks()
    /// How long the child may be unused before it is put to sleep; nil never puts it to sleep.
    package var idle: TimeSpan?
    /// What wakes the child while it sleeps.
    package var waking = RunWaking()
    /// What wakes the child into the background, and how often.
    package var background = RunBackground()
    /// The most memory that the child and all that descends from it may have, in bytes; nil is as much as there is.
    package var memoryMax: Int64?
    /// How the child may be evicted when memory is critical, to be launched again when it is wanted.
    package var evictable = Policy.Evictable.no
    /// Where the control socket is; nil is an abstract address that no other run has.
    package var control: UnixSocketAddress?
    /// Whether the life cycle is told on stderr.
    package var isVerbose = false

    /// Runs `command` with the defaults.
    package init(command: [ByteString]) {
        self.command = command
    }

    /// Whether the child has anything of the memory controller.
    var wantsMemoryController: Bool { memoryMax != nil || evictable != .no }

    /// Whether memory pressure is watched; `gap` is why there is no controller.
    ///
    /// A run that has asked for nothing of that is not woken for it.
    func watchesMemory(gap: String?) -> Bool {
        evictable != .no || callbacks.hears(.didReceiveMemoryWarning) || (memoryMax != nil && gap != nil)
    }
}
