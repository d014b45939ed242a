internal import SupervisorPorts
internal import WorkerIO

/// A hook whose completion has not come.
final class HookUnderway {
    let call: HookCall
    /// Looks for the line that completes it.
    var watch: OutputWatch?

    init(_ call: HookCall) { self.call = call }
}

/// All that hooks make of one worker; there is none of it for a worker without them.
final class HookState {
    /// Those that are not over, the oldest first.
    var underway: [HookUnderway] = []
    /// Looks for the line that shows that the worker is ready.
    var readiness: OutputWatch?
    /// That line has come before the loop knew of the process.
    var isReadyEarly = false
    /// Processes of commands, until they have ended and none can print any more.
    var processes: [HookProcess] = []
    /// Sessions that a command's process has left when it ended, where no group keeps them together.
    var sessions: [Int32] = []

    /// How much of what the worker prints may be read in one turn, since these look at it.
    var bytesPerTurn: Int {
        let watches =
            underway.compactMap { $0.watch?.bytesPerTurn } + [readiness?.bytesPerTurn].compactMap(\.self)
        return max(1, (watches.min() ?? PipeReader.turn) / max(watches.count, 1))
    }

    /// The hook of this id.
    func underway(_ id: UInt32) -> HookUnderway? { underway.first { $0.call.id == id } }

    /// The process that a hook runs as.
    func process(_ id: UInt32) -> HookProcess? { processes.first { $0.call.id == id } }
}
