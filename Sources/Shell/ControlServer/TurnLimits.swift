package import Lifecycle
internal import SupervisorPorts

/// How long calls are carried out before anything else gets its turn.
package struct TurnLimits: Hashable, Sendable {
    /// Of one connection, until the next account has its turn: no call is begun later.
    package var slice: TimeSpan
    /// Of all connections, until the loop looks at everything else.
    package var turn: TimeSpan
    /// The share of one processor that one account may use in the long run, in percent; nil is all of it.
    package var percent: Int?

    /// All at once.
    package init(slice: TimeSpan, turn: TimeSpan, percent: Int? = nil) {
        self.slice = slice
        self.turn = turn
        self.percent = percent
    }

    /// The work of an account, in microseconds: a tenth of a second at once.
    var bucket: TokenBucket? {
        percent.map { percent in
            let burst: Int64 = 100_000
            return TokenBucket(
                holding: burst, refilledIn: TimeSpan(microseconds: burst * 100 / Int64(max(percent, 1))))
        }
    }
}
