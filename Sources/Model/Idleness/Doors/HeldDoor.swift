package import Lifecycle

/// What is done with the sockets that are held for a worker, as it stands (section 5 of the spec's `5-waking`).
package enum HeldDoor: Hashable, Sendable {
    /// Clients wait in them, and the first one brings the worker.
    case watched
    /// They are open, and the worker sees to its clients itself, or is on its way.
    case open
    /// They are closed, so that clients are told at once instead of waiting for nothing.
    case closed(Closed)

    /// Why they are closed.
    package enum Closed: String, Hashable, Sendable, CaseIterable {
        /// It was started too often (`StartLimitBurst=`): an operator's launch opens them again.
        case startLimit = "start-limit"
        /// An operator has forced it to quit: likewise.
        case forceQuit = "force-quit"
        /// Connections would have to be passed on (`ForwardTo=`), and there is no program for that.
        case noRelay = "no-relay"

        /// As operators are told.
        package var words: String {
            switch self {
            case .startLimit:
                "closed, since the worker was started too often: 'torpor launch' opens it again"
            case .forceQuit: "closed, since the worker was forced to quit: 'torpor launch' opens it again"
            case .noRelay:
                "closed, since ForwardTo= needs torpor-relay and it is not there: install it, and restart the supervisor"
            }
        }
    }

    /// How a worker stands.
    package struct Facts: Hashable, Sendable {
        package var state: State
        /// Why it has no process; nil where it has one, or is being launched.
        package var rest: RestReason?
        /// Whether another program stopped it.
        package var isHeld = false
        /// Whether its last start was refused by the start limit.
        package var isStartLimited = false
        /// Whether its own descriptors are watched, those of held sockets among them, while it sleeps.
        package var seesItself = false
        /// Whether its connections are to be passed on, and nothing is there to do that.
        package var lacksRelay = false

        /// A worker in `state`.
        package init(
            _ state: State, rest: RestReason? = nil, isHeld: Bool = false, isStartLimited: Bool = false,
            seesItself: Bool = false
        ) {
            self.state = state
            self.rest = rest
            self.isHeld = isHeld
            self.isStartLimited = isStartLimited
            self.seesItself = seesItself
        }
    }

    /// What is done for a worker that stands like this, with these rules.
    package init(_ facts: Facts, _ rules: WakeRules) {
        guard !facts.lacksRelay else {
            self = .closed(.noRelay)
            return
        }
        switch facts.state {
        case .inactive, .active, .background: self = .open
        case .suspended:
            let isOthers = facts.isHeld || facts.seesItself || rules.watching == .no
            self = isOthers ? .open : .watched
        case .notRunning:
            switch facts.rest {
            // It is on its way, by itself or for a client.
            case nil, .backingOff: self = .open
            case .forceQuit: self = .closed(.forceQuit)
            case .failed where facts.isStartLimited: self = .closed(.startLimit)
            case .neverLaunched, .exited, .evicted, .failed: self = rules.watching == .no ? .open : .watched
            }
        }
    }

    /// Whether descriptors that a worker has stored are dropped as it comes to rest: with its end for good, as systemd does.
    package static func dropsStored(_ rest: RestReason?) -> Bool {
        switch rest {
        case .exited, .failed, .forceQuit: true
        case nil, .neverLaunched, .evicted, .backingOff: false
        }
    }
}
