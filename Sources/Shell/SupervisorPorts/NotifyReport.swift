package import Lifecycle
package import Systemd

/// What a worker said in one notify message, as far as it concerns its life (sd_notify(3)).
package struct NotifyReport: Hashable, Sendable {
    /// A change of readiness.
    package enum Phase: Hashable, Sendable {
        /// READY=1.
        case ready
        /// RELOADING=1.
        case reloading
        /// RELOADING=1 and READY=1 in one message: a reload that is over.
        case reloaded
        /// STOPPING=1.
        case stopping
    }

    /// The change of readiness, if there is one.
    package var phase: Phase?
    /// STATUS=.
    package var status: String?
    /// ERRNO=.
    package var errno: Int32?
    /// WATCHDOG=1.
    package var isAlive = false
    /// WATCHDOG=trigger.
    package var triggersWatchdog = false
    /// WATCHDOG_USEC=.
    package var watchdogPeriod: TimeSpan?
    /// EXTEND_TIMEOUT_USEC=.
    package var extendTimeout: TimeSpan?
    /// MAINPID=, if that process is one of the worker's.
    package var mainProcess: Int32?

    /// X_TORPOR_IN_USE=.
    package var isInUse: Bool?
    /// X_TORPOR_USER_ACTIVITY=.
    package var userActivity: ActivityNotice?

    /// A message that says nothing.
    package init() {}

    package init(_ message: NotifyMessage) {
        phase =
            switch message.phase {
            case .ready: .ready
            case .reloading: .reloading
            case .reloaded: .reloaded
            case .stopping: .stopping
            case nil: nil
            }
        status = message.status
        errno = message.errno
        isAlive = message.watchdog == .alive
        triggersWatchdog = message.watchdog == .trigger
        watchdogPeriod = message.watchdogPeriod.map(TimeSpan.init(microseconds:))
        extendTimeout = message.extendTimeout.map(TimeSpan.init(microseconds:))
        mainProcess = message.mainPID
        isInUse = message.isInUse
        userActivity = message.userActivity.flatMap { ActivityNotice($0) }
    }

    /// The events it means to the model, in the order in which they apply.
    package var events: [Event] {
        var events: [Event] = []
        if let mainProcess { events.append(.mainProcessChanged(pid: mainProcess)) }
        if let extendTimeout { events.append(.extendTimeout(extendTimeout)) }
        if let watchdogPeriod {
            events.append(.watchdogChanged(watchdogPeriod == .zero ? nil : watchdogPeriod))
        }
        if isAlive { events.append(.watchdogPinged) }
        if let isInUse { events.append(.saidInUse(isInUse)) }
        switch phase {
        case .ready: events.append(.ready)
        case .reloading: events.append(.reloading)
        case .reloaded: events += [.reloading, .ready]
        case .stopping: events.append(.stopping)
        case nil: break
        }
        if triggersWatchdog { events.append(.watchdogTriggered) }
        return events
    }
}
