/// Hears of what happens to workers, at its place.
package protocol NoticeObserver: AnyObject {
    /// The kinds of notices that it acts upon: it may not hear of others. Asked once, when it begins to observe.
    var interest: NoticeKinds { get }

    /// Something has happened to `worker`; told once, in the order in which things happen.
    func hear(_ notice: Notice, of worker: WorkerID)
}

extension NoticeObserver {
    package var interest: NoticeKinds { .all }
}

/// Kinds of notices, as far as observers tell them apart.
///
/// Each change of state is told to a dozen observers, while a client may wait for the worker: those that have nothing to do with it are
/// not woken up for it.
package struct NoticeKinds: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A change of state.
    package static let changes = NoticeKinds(rawValue: 1 << 0)
    /// The end of a process, and a launch that came to none.
    package static let ends = NoticeKinds(rawValue: 1 << 1)
    /// What a worker was woken or launched by.
    package static let wakes = NoticeKinds(rawValue: 1 << 2)
    /// Something that will not be done.
    package static let refusals = NoticeKinds(rawValue: 1 << 3)
    /// Budgets, fetches and long work.
    package static let backgroundWork = NoticeKinds(rawValue: 1 << 4)
    /// All the rest.
    package static let others = NoticeKinds(rawValue: 1 << 5)

    /// Each kind.
    package static let all: NoticeKinds = [.changes, .ends, .wakes, .refusals, .backgroundWork, .others]
}

extension Notice {
    /// The kind that it is of.
    package var kind: NoticeKinds {
        switch self {
        case .changed: .changes
        case .ended, .launchFailed: .ends
        case .woken: .wakes
        case .refused: .refusals
        case .budget, .processing: .backgroundWork
        case .launchCompleted, .said, .warned, .surprised, .completed, .hookFailed, .hookPrinted, .watched,
            .opened,
            .interrupted, .interruptionOver, .handoff, .notificationSetAside, .notificationRemoved,
            .commandFailed,
            .commandPrinted, .ignored, .remarked:
            .others
        }
    }
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

/// An observer at its place, which is not kept alive for that.
///
/// An object of its own: to take a weak reference out of an array is to make another one.
package final class PlacedObserver {
    package let place: ObserverPlace
    package let interest: NoticeKinds
    package private(set) weak var observer: (any NoticeObserver)?

    /// `observer`, which is asked for its interest here.
    package init(_ place: ObserverPlace, _ observer: any NoticeObserver) {
        (self.place, interest, self.observer) = (place, observer.interest, observer)
    }
}
