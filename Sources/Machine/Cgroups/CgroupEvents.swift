internal import Linux

/// What a group's `cgroup.events` says, as in cgroups(7).
package struct CgroupEvents: Hashable, Sendable {
    /// Whether any process lives in the group or below it.
    package let isPopulated: Bool
    /// Whether everything in it is frozen, by itself or by a group above it.
    ///
    /// An empty group can be frozen too.
    package let isFrozen: Bool

    /// A state as it would be read.
    package init(isPopulated: Bool, isFrozen: Bool) {
        self.isPopulated = isPopulated
        self.isFrozen = isFrozen
    }

    /// Reads the file's text: `key value` lines in any order.
    ///
    /// Unknown keys and unreadable lines are passed over, since kernels may add some; what is missing
    /// (`frozen` before Linux 5.2) is false.
    package init(parsing text: String) {
        self.init(parsing: text.utf8Span.span)
    }

    /// The same of bytes, as they were read; each freeze and thaw waits for it.
    init(parsing text: Span<UInt8>) {
        var (isPopulated, isFrozen) = (false, false)
        var start = 0
        for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: "\n") {
            let line = text.extracting(start..<index)
            if Self.line(line, is: "populated 1") { isPopulated = true }
            if Self.line(line, is: "frozen 1") { isFrozen = true }
            start = index + 1
        }
        self.init(isPopulated: isPopulated, isFrozen: isFrozen)
    }

    private static func line(_ line: Span<UInt8>, is text: StaticString) -> Bool {
        guard line.count == text.utf8CodeUnitCount else { return false }
        for index in line.indices where unsafe line[index] != text.utf8Start[index] { return false }
        return true
    }
}

/// Flat-keyed kernel files: `key number` on each line.
enum KeyedCounters {
    static func parse(_ text: String) -> [Substring: UInt64] {
        var counters: [Substring: UInt64] = [:]
        for line in text.lines {
            let words = line.fields(at: " ", keepingEmpty: true)
            guard words.count == 2, let number = UInt64(words[1]) else { continue }
            counters[words[0]] = number
        }
        return counters
    }

    /// The counter called `key`, where `text` begins with it; nil else, and where its number may be cut off.
    static func first(_ key: StaticString, in text: [UInt8]) -> UInt64? {
        let start = key.utf8CodeUnitCount + 1
        guard text.count > start, text[start - 1] == 0x20,
            unsafe text.starts(with: UnsafeBufferPointer(start: key.utf8Start, count: start - 1))
        else { return nil }
        var number: UInt64?
        for byte in text[start...] {
            if byte == 0x0a { return number }
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(byte - 0x30))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return nil
    }
}
