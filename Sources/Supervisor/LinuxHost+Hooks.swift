internal import Lifecycle
internal import Linux

extension LinuxHost {
    /// Carries out a hook.
    public func run(_ hook: HookCall, of worker: WorkerID) {
        switch hook.hook.action {
        case .signal(let signal):
            guard let hosted = workers[worker], hosted.burial == nil else { return }
            try? signal.send(toProcess: hosted.main)
            facts(worker, .hookEnded(id: hook.id, .done, HookResult()))
        case .command, .input:
            facts(worker, .hookEnded(id: hook.id, .failed, HookResult(problem: "not yet")))
        }
    }

    /// Gives a hook up.
    public func cancelHook(_ id: UInt32, of worker: WorkerID) {}

    /// Looks for what it holds.
    public func inspect(_ worker: WorkerID) { facts(worker, .inspected(nil, detail: nil)) }

    /// Holds its CPU use down.
    public func throttle(_ worker: WorkerID, _ isHeldDown: Bool) {}

    /// The last lines that it printed.
    public func lastOutput(of worker: WorkerID) -> [String] { [] }
}
