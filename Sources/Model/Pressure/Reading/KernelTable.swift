/// What a text file of the kernel says in lines of a name and a number (`memory.events`, `/proc/meminfo`).
///
/// It is read byte by byte, and only as far as the caller asks: each look at the machine asks for a few of some fifty lines.
struct KernelTable {
    private var text: String

    /// A table with the lines of `text` that have both, whatever stands around them; the first of two lines of one name counts.
    init(_ text: String) {
        self.text = text
        self.text.makeContiguousUTF8()
    }

    /// The number of this name.
    subscript(name: String) -> Int64? {
        let (bytes, wanted) = (text.utf8.span, name.utf8.span)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            if let number = Self.number(of: wanted, in: bytes.extracting(start..<end)) { return number }
            start = end + 1
        }
        return nil
    }

    /// The bytes that a line in kB tells; nil when there is none, or when so much cannot be.
    func bytes(_ name: String) -> Int64? {
        guard let kilobytes = self[name] else { return nil }
        let (bytes, overflow) = kilobytes.multipliedReportingOverflow(by: 1024)
        return overflow ? nil : bytes
    }

    /// The second word of a line whose first is `name`, with or without a colon; nil when that is no number.
    private static func number(of name: borrowing Span<UInt8>, in line: borrowing Span<UInt8>) -> Int64? {
        var at = 0
        while at < line.count, isBlank(line[at]) { at += 1 }
        guard line.count - at > name.count else { return nil }
        for index in name.indices {
            guard line[at] == name[index] else { return nil }
            at += 1
        }
        if line[at] == UInt8(ascii: ":") { at += 1 }
        guard at < line.count, isBlank(line[at]) else { return nil }
        while at < line.count, isBlank(line[at]) { at += 1 }
        var end = at
        while end < line.count, !isBlank(line[end]) { end += 1 }
        return digits(line.extracting(at..<end))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func digits(_ word: borrowing Span<UInt8>) -> Int64? {
        guard !word.isEmpty else { return nil }
        var number: Int64 = 0
        for index in word.indices {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= word[index] else { return nil }
            let (tens, isTooBig) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Int64(word[index] - UInt8(ascii: "0")))
            guard !isTooBig, !overflow else { return nil }
            number = sum
        }
        return number
    }

    /// A number that consists of digits: no sign, and nothing that does not fit.
    static func number(_ word: Substring) -> Int64? { digits(word.utf8.span) }
}

extension String {
    /// The words between any of `separators`, cut byte by byte: characters of many code points are nothing to the kernel.
    func words(between separators: String) -> [Substring] {
        let separators = Array(separators.utf8)
        return utf8.split { separators.contains($0) }.map { Substring($0) }
    }
}

extension Substring {
    /// The words between spaces, cut byte by byte.
    var words: [Substring] { utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) } }
}
