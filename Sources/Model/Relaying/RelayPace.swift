/// How many connections to the worker may be begun: never more than its backlog has room for (section 5 of the spec's `5-waking`).
///
/// A connection that finds the backlog full is dropped by the kernel, and tried again by it after a second.
package struct RelayPace: Hashable, Sendable {
    /// What the kernel tells of the listener behind the target's address.
    package enum Look: Hashable, Sendable {
        /// So many connections wait to be accepted, and so many may.
        case queue(length: UInt32, limit: UInt32)
        /// No socket of this network namespace listens there: the target is elsewhere, or its own kernel refuses.
        case elsewhere
        /// The kernel does not tell.
        case unknown
    }

    /// What to do with the first of those that wait.
    package enum Decision: Hashable, Sendable {
        /// Connect it.
        case begin
        /// Look at the listener first.
        case look
        /// Ask again in so many milliseconds.
        case wait(Int32)
        /// The target is not there; ``RelayPace/open()`` says when it is.
        case hold
    }

    /// Where nothing is known of the backlog, so many are begun at a time.
    private static let careful = 4
    /// How long a backlog without room is left alone, in milliseconds.
    private static let breath: Int32 = 1
    /// How long a target that refuses is left alone, in milliseconds: twice as long each time.
    private static let longestRetry: Int32 = 128

    private enum Gate: Hashable, Sendable {
        case shut
        case open
    }

    private var gate = Gate.shut
    /// How many may be begun before the next look; nil where that is not to be counted.
    private var room: Int? = 0
    /// Whether the latest look told of no room, or of too little to go on at once.
    private var isFull = false
    /// The latest look told nothing.
    private var isBlind = false
    /// How many were begun and are not connected.
    private var underWay = 0
    /// How long the target is left alone that has refused; 0 where it has not.
    private var retry: Int32 = 0
    private var isLeftAlone = false

    /// A target that is not there.
    package init() {}

    /// Whether connections are begun.
    package var isOpen: Bool { gate == .open }

    /// The target is there.
    package mutating func open() {
        gate = .open
        (room, isFull, retry, isLeftAlone) = (0, false, 0, false)
    }

    /// The target is not there any more.
    package mutating func shut() { gate = .shut }

    /// What to do with the first of those that wait.
    package var decision: Decision {
        guard gate == .open else { return .hold }
        if isLeftAlone { return .wait(retry) }
        guard let room, room <= 0 else { return .begin }
        return isFull ? .wait(Self.breath) : .look
    }

    /// The time of ``Decision/wait(_:)`` is over.
    package mutating func waited() { (isFull, isLeftAlone) = (false, false) }

    /// The listener was looked at.
    package mutating func looked(_ look: Look) {
        isBlind = look == .unknown
        switch look {
        case .queue(let length, let limit):
            let free = Int(limit) - Int(length) - underWay
            room = max(0, free)
            isFull = free <= 0
        case .elsewhere:
            room = nil
            isFull = false
        case .unknown:
            room = max(0, Self.careful - underWay)
            isFull = room == 0
        }
    }

    /// A connection was begun.
    package mutating func began() {
        underWay += 1
        guard let left = room else { return }
        room = left - 1
        if isBlind, left <= 1 { isFull = true }
    }

    /// One of those that were begun is connected.
    package mutating func connected() {
        underWay -= min(1, underWay)
        retry = 0
    }

    /// One of those that were begun was refused, or its backlog was full: it waits on.
    package mutating func refused() {
        underWay -= min(1, underWay)
        // Those of one batch are refused together.
        if !isLeftAlone { retry = min(Self.longestRetry, max(1, retry * 2)) }
        isLeftAlone = true
        if room == nil { room = 0 }
    }

    /// One of those that were begun was given up, for a reason of its own.
    package mutating func forgot() { underWay -= min(1, underWay) }
}
