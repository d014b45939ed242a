/// The next moment at which local time does not simply go on: midnight, or another offset from UTC.
package struct DayTurn: Hashable, Sendable {
    /// What turns.
    package enum Kind: String, Hashable, Sendable {
        /// A day begins.
        case midnight
        /// Summer time begins or ends, or the zone's rules change.
        case offset
    }

    /// When: seconds since 1970.
    package let seconds: Int64
    /// What.
    package let kind: Kind

    /// The first one after `now`, where local time is ahead of UTC by `offset` of a moment.
    ///
    /// Pure. Offsets are asked for at steps of a quarter of an hour: none has ever lasted less long.
    package init(after now: Int64, offset: (Int64) -> Int64) {
        let offsetNow = offset(now)
        func day(_ seconds: Int64) -> Int64 { Self.floor(seconds + offset(seconds), 86400) }
        let today = day(now)
        func hasTurned(_ seconds: Int64) -> Bool { offset(seconds) != offsetNow || day(seconds) != today }
        var before = now
        var after = now
        repeat {
            before = after
            after = (Self.floor(after, 900) + 1) * 900
        } while !hasTurned(after)
        // Between two steps it turns once.
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if hasTurned(middle) { after = middle } else { before = middle }
        }
        seconds = after
        kind = offset(after) != offsetNow ? .offset : .midnight
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }
}
