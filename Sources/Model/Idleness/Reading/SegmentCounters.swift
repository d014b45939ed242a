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
    /// It is read ten times a second while a sleeper is sampled: each byte is looked at once, up to the values.
    package init?(snmp text: ArraySlice<UInt8>) {
        // A line of names, and one of their values.
        var lines = Self.lines(of: text)
        guard var names = lines.next(), var values = lines.next(), lines.next() == nil else { return nil }
        var found: (connections: UInt64?, segments: UInt64?)
        while let name = Self.word(&names), let value = Self.word(&values) {
            if name.elementsEqual(Self.passiveOpens) { found.connections = Self.number(value) }
            if name.elementsEqual(Self.segmentsIn) { found.segments = Self.number(value) }
        }
        guard let connections = found.connections, let segments = found.segments else { return nil }
        self.init(connections: connections, segments: segments)
    }

    /// What follows the prefix in each of the lines that have it.
    private static func lines(of text: ArraySlice<UInt8>) -> some IteratorProtocol<ArraySlice<UInt8>> {
        var rest = text
        return AnyIterator {
            while !rest.isEmpty {
                let line = rest.prefix { $0 != 0x0a }
                rest = rest[line.endIndex...].dropFirst()
                if line.starts(with: prefix) { return line.dropFirst(prefix.count) }
            }
            return nil
        }
    }

    /// Takes the next word of a line; nil at its end.
    private static func word(_ line: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        line = line.drop { $0 == 0x20 }
        guard !line.isEmpty else { return nil }
        let word = line.prefix { $0 != 0x20 }
        line = line[word.endIndex...]
        return word
    }

    private static let prefix = Array("Tcp: ".utf8)
    private static let passiveOpens = Array("PassiveOpens".utf8)
    private static let segmentsIn = Array("InSegs".utf8)

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(digit - 0x30))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }
}
