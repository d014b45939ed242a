package import Lifecycle
internal import Places

/// How many lines of one worker are let through: a burst, and from there on so many a second.
///
/// The figures are those of journald.conf(5), `RateLimitBurst=` and `RateLimitIntervalSec=`.
package struct LineQuota {
    /// The most lines at once.
    package static let burst = 10_000
    /// How long it takes until as many are let through again.
    package static let period = TimeSpan.seconds(30)
    private static let price = period.microseconds / Int64(burst)

    /// What has been saved up, in microseconds of waiting.
    private var saved = period.microseconds
    private var last: Instant?

    /// Lets one line through; false when that is one too many.
    package mutating func take(at now: Instant) -> Bool {
        if let last, now > last {
            // What is longer than the period saves no more than that.
            saved = min(
                Self.period.microseconds, saved + min((now - last).microseconds, Self.period.microseconds))
        }
        last = now
        guard saved >= Self.price else { return false }
        saved -= Self.price
        return true
    }
}

/// Makes lines of a log of what a worker prints: each marked with the worker, escaped, cut at a bound, and no more of them than
/// its quota.
///
/// What comes out are whole lines. None of them can be taken for a line of the supervisor's own, whatever the worker prints.
package struct LineRelay {
    /// The most bytes of a line that are let through; with its mark it fits into one write(2) that no other can part
    /// (PIPE_BUF of pipe(7)).
    package static let longest = 2048

    private var quota = LineQuota()
    /// What has come of a line whose end has not.
    package private(set) var partial: [UInt8] = []
    private var isCut = false
    /// Lines that were left out and not told of.
    package private(set) var leftOut = 0

    /// Takes the next piece and returns the lines that it ends, each with `mark` before it.
    package mutating func take(_ bytes: ArraySlice<UInt8>, mark: String, at now: Instant) -> [UInt8] {
        var lines: [UInt8] = []
        var rest = bytes
        while let end = rest.firstNewline {
            finish(rest[..<end], mark, now, into: &lines)
            rest = rest[(end + 1)...]
        }
        keep(rest)
        return lines
    }

    /// The line that nothing has ended, and how many were left out last.
    package mutating func finish(mark: String, at now: Instant) -> [UInt8] {
        var lines: [UInt8] = []
        if !partial.isEmpty { finish([], mark, now, into: &lines) }
        if leftOut > 0 { tellLeftOut(mark, into: &lines) }
        return lines
    }

    /// Goes on with the beginning of a line that a predecessor has read.
    package mutating func goOn(with begun: ArraySlice<UInt8>) { keep(begun) }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.longest - partial.count
        partial += bytes.prefix(room)
        if bytes.count > room { isCut = true }
    }

    private mutating func finish(
        _ bytes: ArraySlice<UInt8>, _ mark: String, _ now: Instant, into lines: inout [UInt8]
    ) {
        defer {
            partial.removeAll(keepingCapacity: partial.capacity <= 256)
            isCut = false
        }
        guard quota.take(at: now) else {
            leftOut += 1
            return
        }
        if leftOut > 0 { tellLeftOut(mark, into: &lines) }
        keep(bytes)
        if !isCut, partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        let text = String(decoding: partial, as: UTF8.self) + (isCut ? "…" : "")
        lines += "\(mark)\(text.printable(limit: Self.longest))\n".utf8
    }

    private mutating func tellLeftOut(_ mark: String, into lines: inout [UInt8]) {
        let seconds = LineQuota.period.microseconds / 1_000_000
        lines += "\(mark)(\(leftOut) lines dropped: more than \(LineQuota.burst) in \(seconds) s)\n".utf8
        leftOut = 0
    }
}
