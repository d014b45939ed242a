package import Lifecycle

/// What a worker's definition says of its memory, as far as the machine has to do it.
package struct MemorySettings: Hashable, Sendable {
    /// Whether it is told of memory pressure by systemd's protocol, as `MemoryPressureWatch=` of
    /// systemd.resource-control(5).
    package enum Watch: Hashable, Sendable {
        /// Where that can be had.
        case auto
        /// It is; where that cannot be had, this is told.
        case on
        /// It is told not to watch.
        case off
        /// It is told nothing about it.
        case skip
    }

    /// The most it may have, in bytes (`MemoryMax=`); nil is as much as there is.
    package var maximum: Int64?
    /// Above what it is throttled (`MemoryHigh=`); nil is never.
    package var high: Int64?
    /// The same in the background and asleep (`BackgroundMemoryHigh=`); nil is never.
    package var backgroundHigh: Int64?
    /// Whether what it holds is reclaimed while it sleeps (`ReclaimOnSuspend=`).
    package var reclaimsOnSuspend = true
    /// Whether it is told of memory pressure.
    package var watch = Watch.auto
    /// From which stall on within 2 s.
    package var threshold = TimeSpan.milliseconds(200)

    /// No limits.
    package init() {}

    /// The limits in a state.
    package func limits(in state: State) -> MemoryLimits {
        MemoryLimits(maximum: maximum, high: state.isForeground ? high : backgroundHigh)
    }
}

/// The limits of memory that a worker has at a time, in bytes; nil is none.
package struct MemoryLimits: Hashable, Sendable {
    /// What it cannot have more of.
    package var maximum: Int64?
    /// Above what it is throttled.
    package var high: Int64?

    /// These limits.
    package init(maximum: Int64? = nil, high: Int64? = nil) {
        self.maximum = maximum
        self.high = high
    }

    /// None.
    package static let none = MemoryLimits()
}
