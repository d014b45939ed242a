/// What a network namespace has received by TCP since it was made, as `/proc/net/snmp` counts it (RFC 4022), over IPv4 and IPv6.
///
/// Reading it takes as long as a dump of twenty sockets, however many there are.
package struct SegmentCounters: Hashable, Sendable {
    /// Connections that were made through a listening socket (`PassiveOpens`).
    package let connections: UInt64
    /// Segments that have come, with those that were of no use (`InSegs`).
    package let segments: UInt64

    /// Counters, by their values.
    package init(connections: UInt64, segments: UInt64) {
        self.connections = connections
        self.segments = segments
    }

    /// The counters in the text of the file; nil where it does not have both.
    ///
    /// It is read ten times a second while a sleeper is sampled: each byte is looked at once, up to the values, and nothing is allocated.
    package init?(snmp text: Span<UInt8>) {
        // A line of names, and one of their values.
        var end = 0
        guard var names = Self.line(of: text, from: &end), var values = Self.line(of: text, from: &end),
            Self.line(of: text, from: &end) == nil
        else { return nil }
        var found: (connections: UInt64?, segments: UInt64?)
        while let name = Self.word(of: text, &names), let value = Self.word(of: text, &values) {
            if Self.holds(text, Self.passiveOpens, name) { found.connections = Self.number(text, value) }
            if Self.holds(text, Self.segmentsIn, name) { found.segments = Self.number(text, value) }
        }
        guard let connections = found.connections, let segments = found.segments else { return nil }
        self.init(connections: connections, segments: segments)
    }

    /// What follows the prefix in the next line that has it; moves `start` behind that line.
    private static func line(of text: Span<UInt8>, from start: inout Int) -> Range<Int>? {
        while start < text.count {
            let first = start
            var end = start
            while end < text.count, text[end] != 0x0a { end += 1 }
            start = min(end + 1, text.count)
            let after = first + prefix.count
            if after <= end, holds(text, prefix, first..<after) { return after..<end }
        }
        return nil
    }

    /// Takes the next word of a line; nil at its end.
    private static func word(of text: Span<UInt8>, _ line: inout Range<Int>) -> Range<Int>? {
        var start = line.lowerBound
        while start < line.upperBound, text[start] == 0x20 { start += 1 }
        var end = start
        while end < line.upperBound, text[end] != 0x20 { end += 1 }
        line = end..<line.upperBound
        return start == end ? nil : start..<end
    }

    /// Whether these are the bytes of `name`.
    private static func holds(_ text: Span<UInt8>, _ name: [UInt8], _ range: Range<Int>) -> Bool {
        guard range.count == name.count else { return false }
        for index in name.indices where text[range.lowerBound + index] != name[index] { return false }
        return true
    }

    private static let prefix = Array("Tcp: ".utf8)
    private static let passiveOpens = Array("PassiveOpens".utf8)
    private static let segmentsIn = Array("InSegs".utf8)

    private static func number(_ text: Span<UInt8>, _ digits: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for index in digits {
            let digit = text[index]
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(digit - 0x30))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return digits.isEmpty ? nil : number
    }
}
