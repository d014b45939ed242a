/// Hears of what happens to workers, at its place.
package protocol NoticeObserver: AnyObject {
    /// Something has happened to `worker`; told once, in the order in which things happen.
    func hear(_ notice: Notice, of worker: WorkerID)
}

/// The observers beyond the core, in the order in which they hear of one thing, whatever the order in which they have come.
///
/// A new one is a line here.
package enum ObserverPlace: CaseIterable, Comparable, Sendable {
    /// Clients of the control socket that watch.
    case clients
    /// What workers want to hear of the machine, which depends on whether they run.
    case systemSubscriptions
    /// The status line for the service manager.
    case serviceManager
    case log
    case history
    /// What is counted for the metrics.
    case metrics
    /// Sockets that are held for workers.
    case heldSockets
    /// Relays of workers that do not take their clients themselves.
    case relays
    /// Ends of transfers, which workers are told when they can be.
    case transfers
    /// When workers are woken for a fetch next.
    case fetches
    /// When workers do their long work.
    case processing
    /// Workers that are forgotten when they have ended.
    case departures
    /// CPU and I/O priorities by state.
    case priorities
    /// `CPULimit=` in the background.
    case backgroundCPU
    case memoryPressure
    /// The one worker of `torpor run`.
    case session
}
