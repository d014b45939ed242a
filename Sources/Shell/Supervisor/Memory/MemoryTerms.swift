public import Lifecycle

/// What a worker's definition says of its memory, as far as the machine has to do it.
public struct MemoryTerms: Hashable, Sendable {
    /// Whether it is told of memory pressure by systemd's protocol, as `MemoryPressureWatch=` of
    /// systemd.resource-control(5).
    public enum Watch: Hashable, Sendable {
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
    public var maximum: Int64?
    /// Above what it is throttled (`MemoryHigh=`); nil is never.
    public var high: Int64?
    /// The same in the background and asleep (`BackgroundMemoryHigh=`); nil is never.
    public var backgroundHigh: Int64?
    /// Whether what it holds is given back while it sleeps (`ReclaimOnSuspend=`).
    public var reclaimsOnSuspend = true
    /// Whether it is told of memory pressure.
    public var watch = Watch.auto
    /// From which stall on within 2 s.
    public var threshold = TimeSpan.milliseconds(200)

    /// No limits.
    public init() {}

    /// The limits in a state.
    public func limits(in state: State) -> MemoryLimits {
        MemoryLimits(maximum: maximum, high: state.isForeground ? high : backgroundHigh)
    }
}

/// The limits of memory that a worker has at a time, in bytes; nil is none.
public struct MemoryLimits: Hashable, Sendable {
    /// What it cannot have more of.
    public var maximum: Int64?
    /// Above what it is throttled.
    public var high: Int64?

    /// These limits.
    public init(maximum: Int64? = nil, high: Int64? = nil) {
        self.maximum = maximum
        self.high = high
    }

    /// None.
    public static let none = MemoryLimits()
}
