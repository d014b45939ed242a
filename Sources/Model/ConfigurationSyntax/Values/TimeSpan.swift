package import Lifecycle

extension TimeSpan: PlainValue {
    /// Reads a time span as systemd.time(7) describes it: numbers with units, added up; seconds without a unit.
    package init(parsing text: String) throws(ValueError) {
        self = try TimeSpan(parsing: text, bareUnit: .seconds(1))
    }

    /// What a time span looks like.
    package static var expectation: String { "a time span such as 90, 1h 30min or 500ms" }
    /// A time span is units and numbers.
    package static var isClosed: Bool { true }

    /// Reads a time span in which a number without a unit counts `bareUnit`.
    package init(parsing text: String, bareUnit: TimeSpan) throws(ValueError) {
        guard let total = Self.microseconds(of: text, bareUnit: bareUnit) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.init(microseconds: total)
    }

    private static func microseconds(of text: String, bareUnit: TimeSpan) -> Int64? {
        var cursor = ByteCursor(text)
        var total: Int64 = 0
        cursor.skipBlanks()
        guard !cursor.isAtEnd else { return nil }
        while !cursor.isAtEnd {
            guard let part = Self.part(&cursor, bareUnit: bareUnit) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
            cursor.skipBlanks()
        }
        return total
    }

    /// One number with its unit; the number may lack what stands before or after its point, not both.
    private static func part(_ cursor: inout ByteCursor, bareUnit: TimeSpan) -> Int64? {
        _ = cursor.take(UInt8(ascii: "+"))
        let whole = cursor.take(while: \.isDigit)
        var fraction: ArraySlice<UInt8> = []
        if cursor.take(.dot) {
            fraction = cursor.take(while: \.isDigit)
            guard !fraction.isEmpty else { return nil }
        }
        guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
        let blank = cursor.skipBlanks()
        let unit = TimeUnit.read(&cursor)
        // `1h30` is two parts, `12.34.56` is nothing.
        guard unit != nil || blank || cursor.isAtEnd else { return nil }
        let scale = unit ?? bareUnit.microseconds
        guard let count = whole.isEmpty ? 0 : Int64(String(cut: whole)) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: scale)
        guard !overflow else { return nil }
        var sum = product
        var step = scale / 10
        for digit in fraction {
            let (next, overflow) = sum.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")) * step)
            guard !overflow else { return nil }
            sum = next
            step /= 10
        }
        return sum
    }

    /// The span as people read it everywhere: as systemd writes it, as fine as its length makes sensible.
    package var legible: String {
        let accuracy: TimeSpan = self >= .seconds(60) ? .seconds(1) : .milliseconds(1)
        return (self < .zero ? .zero : self).written(accuracy: accuracy)
    }

    /// The span as systemd writes it, `5min 3s` or `1.500ms`, down to units of `accuracy`.
    package func written(accuracy: TimeSpan = TimeSpan(microseconds: 1)) -> String {
        guard microseconds > 0 else { return "0" }
        var rest = microseconds
        var parts: [String] = []
        for unit in TimeUnit.written where rest >= unit.microseconds {
            if !parts.isEmpty, rest < accuracy.microseconds { break }
            let count = rest / unit.microseconds
            let below = rest % unit.microseconds
            if rest < TimeSpan.seconds(60).microseconds, below > 0,
                let fraction = Self.fraction(below, of: unit.microseconds, accuracy: accuracy.microseconds)
            {
                parts.append("\(count).\(fraction)\(unit.name)")
                break
            }
            parts.append("\(count)\(unit.name)")
            rest = below
            if rest == 0 { break }
        }
        return parts.joined(separator: " ")
    }

    /// The digits behind the point, as many as `accuracy` leaves; nil where it leaves none.
    private static func fraction(_ below: Int64, of unit: Int64, accuracy: Int64) -> String? {
        var below = below
        var digits = String(unit).utf8.count - 1
        var step = accuracy
        while step > 1 {
            below /= 10
            digits -= 1
            step /= 10
        }
        guard digits > 0 else { return nil }
        let text = String(below)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }
}

/// The units of systemd.time(7).
private enum TimeUnit {
    /// Those that are written, biggest first.
    static let written: [(name: String, microseconds: Int64)] = [
        ("y", 31_557_600_000_000), ("month", 2_629_800_000_000), ("w", 604_800_000_000),
        ("d", 86_400_000_000),
        ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("us", 1),
    ]

    /// Those that are read; of two that begin alike the longer one stands first.
    private static let read: [(name: String, microseconds: Int64)] = [
        ("seconds", 1_000_000), ("second", 1_000_000), ("sec", 1_000_000), ("s", 1_000_000),
        ("minutes", 60_000_000), ("minute", 60_000_000), ("min", 60_000_000),
        ("months", 2_629_800_000_000), ("month", 2_629_800_000_000), ("M", 2_629_800_000_000),
        ("msec", 1000), ("ms", 1000), ("m", 60_000_000),
        ("hours", 3_600_000_000), ("hour", 3_600_000_000), ("hr", 3_600_000_000), ("h", 3_600_000_000),
        ("days", 86_400_000_000), ("day", 86_400_000_000), ("d", 86_400_000_000),
        ("weeks", 604_800_000_000), ("week", 604_800_000_000), ("w", 604_800_000_000),
        ("years", 31_557_600_000_000), ("year", 31_557_600_000_000), ("y", 31_557_600_000_000),
        ("usec", 1), ("us", 1), ("µs", 1), ("μs", 1),
    ]

    static func read(_ cursor: inout ByteCursor) -> Int64? {
        for unit in read where cursor.take(unit.name) { return unit.microseconds }
        return nil
    }
}

/// A time span that may be without end.
package enum TimeLimit: Hashable, Sendable, PlainValue {
    /// It passes after this span.
    case after(TimeSpan)
    /// It never passes.
    case infinity

    /// Reads a time span or `infinity`.
    package init(parsing text: String) throws(ValueError) {
        guard !text.isExactly("infinity") else {
            self = .infinity
            return
        }
        do throws(ValueError) { self = .after(try TimeSpan(parsing: text)) } catch {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a limit looks like.
    package static var expectation: String { TimeSpan.expectation + ", or infinity" }
    /// A time span is units and numbers.
    package static var isClosed: Bool { true }

    /// The span, or nil where there is no end.
    package var span: TimeSpan? {
        switch self {
        case .after(let span): span
        case .infinity: nil
        }
    }

    /// What systemd makes of a timeout: zero switches it off.
    package var withZeroAsInfinity: TimeLimit {
        self == .after(.zero) ? .infinity : self
    }

    /// The limit as systemd writes it.
    package func written(accuracy: TimeSpan = TimeSpan(microseconds: 1)) -> String {
        switch self {
        case .after(let span): span.written(accuracy: accuracy)
        case .infinity: "infinity"
        }
    }
}
