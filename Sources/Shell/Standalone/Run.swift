internal import Cgroups
internal import Glibc
package import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import Places
internal import Systemd
internal import WorkerIO

/// `torpor run`: one supervisor, one worker, no daemon; as a container's init and a systemd service too (3.5).
package struct Run {
    private let options: RunOptions
    private let environment: Environment

    /// A run with `options` of a child that inherits what is left of `environment` after scrubbing.
    package init(_ options: RunOptions, environment: Environment = .current) {
        self.options = options
        self.environment = environment
    }

    /// Supervises the command to its end and returns the exit status that is due for it.
    ///
    /// To be called once, on the first thread, before any other exists: it blocks every signal that can be caught. It does not return
    /// where the command has died of a signal that the terminal sent: the process dies of the same one.
    package func callAsFunction() throws -> Int32 {
        let (status, signal) = try supervise()
        // The kernel protects a container's init from what it does not handle.
        if let signal, ThisProcess.pid != 1 { ThisProcess.end(by: signal) }
        return status
    }

    private func supervise() throws -> (status: Int32, signal: Signal?) {
        StandardDescriptors.fill()
        // A launch's thread would make an arena of its own for one launch.
        ThisProcess.sharesArena()
        // Read before this process blocks its own: the command gets the inherited ones.
        let blocked = ThisProcess.blockedSignals
        try SignalSource.block(Signal.catchable.map(\.rawValue))
        let passed = PassedEnvironment.inherited()
        // libsystemd, with the six libraries behind it, is loaded while the command starts.
        let loop = try EventLoop(loadsLater: Libsystemd.isAtItsPlace)
        // What was made to see whether groups can be is the command's.
        let groupName = RunSession.uniqueName
        let method = FreezeMethod.detect(keeping: CgroupName(groupName))
        let memory = options.wantsMemoryController ? ControllerDelegation(method) : nil
        defer { memory?.withdraw() }
        if let gap = memory?.gap, options.memoryMax != nil {
            StandardError.write("torpor: --memory-max is enforced by torpor instead of the kernel: \(gap)\n")
        }
        let environment = environment
        do {
            // No successor of this process opens its pipes.
            let host = try LinuxHost(
                on: loop, method: method,
                places: SocketPlaces(directories: RunDirectory.candidates(environment), namesPipes: false),
                ownsAllDescendants: true)
            let session = try RunSession(
                on: loop, options, environment, passed, blocked: blocked, host: host, groupName: groupName,
                memoryGap: memory?.gap)
            return (try session.run(), session.fatalSignal)
        } catch {
            // Ignoring a failure: the next sweep removes it.
            if case .cgroup(let tree) = method, let name = CgroupName(groupName) {
                try? tree.base.child(name).remove(patience: 100_000)
            }
            throw error
        }
    }
}
