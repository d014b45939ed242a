/// What a transfer prints: its last lines, and what it tells in them of its progress.
///
/// Two ways of telling are understood. A line `X_TORPOR_PROGRESS=DONE/TOTAL TEXT`, of which all but DONE may be left out, is no output, and is
/// not kept. And of any other line the last percentage counts, as curl, rsync and wget print one in their meters; those write over their
/// line by a carriage return, and what is written over is not kept either.
package struct TransferOutput: Hashable, Sendable {
    /// How many lines are kept.
    package static let mostLines = 20
    /// The most bytes of a line that are kept.
    package static let longestLine = 240
    /// The most bytes of a text of progress that are kept.
    package static let longestText = 120
    private static let sign = Array("X_TORPOR_PROGRESS=".utf8)

    /// The last whole lines, the oldest first.
    package private(set) var lines: [String] = []
    /// What was told of the progress.
    package private(set) var progress = TransferProgress()
    /// How many bytes it has printed.
    package private(set) var count: UInt64 = 0
    private var line: [UInt8] = []

    /// Nothing is printed yet.
    package init() {}

    /// Takes what was printed.
    package mutating func take(_ bytes: some Collection<UInt8>) {
        count &+= UInt64(bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"): endLine()
            case UInt8(ascii: "\r"):
                read()
                line.removeAll(keepingCapacity: true)
            default: if line.count < Self.longestLine { line.append(byte) }
            }
        }
    }

    /// The output is over: what is left of a line is one.
    package mutating func finish() {
        if !line.isEmpty { endLine() }
    }

    private mutating func endLine() {
        defer { line.removeAll(keepingCapacity: true) }
        guard !read(), !line.isEmpty else { return }
        if lines.count == Self.mostLines { lines.removeFirst() }
        lines.append(Self.text(line[...]))
    }

    /// Takes out of the line what it tells of the progress; true where it is for nothing else.
    @discardableResult
    private mutating func read() -> Bool {
        guard line.starts(with: Self.sign) else {
            if let percent = Self.percent(in: line) { progress.percent = percent }
            return false
        }
        let rest = line[Self.sign.count...]
        let figures = rest.prefix { $0 != UInt8(ascii: " ") }
        let parts = figures.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else { return true }
        let done = Self.number(first)
        // Only words: what was told of figures before still holds.
        if done == nil, !first.isEmpty { return true }
        if let done { (progress.done, progress.total) = (done, nil) }
        if parts.count == 2, done != nil { progress.total = Self.number(parts[1]) }
        let text = rest.dropFirst(figures.count + 1).prefix(Self.longestText)
        progress.text = Self.text(text)
        return true
    }

    /// A number of decimal digits; nil for anything else, and for one that is too large.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 20 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(digit - 0x30))
            if isTooLarge || overflows { return nil }
            number = sum
        }
        return number
    }

    /// The last whole percentage in a line, as `45%` or `45.2%`; nil where there is none from 0 to 100.
    private static func percent(in line: [UInt8]) -> UInt8? {
        guard let sign = line.lastIndex(of: UInt8(ascii: "%")) else { return nil }
        var start = sign
        while start > 0, (0x30...0x39).contains(line[start - 1]) || line[start - 1] == UInt8(ascii: ".") {
            start -= 1
        }
        guard let whole = line[start..<sign].split(separator: UInt8(ascii: ".")).first,
            let number = number(whole), number <= 100
        else { return nil }
        return UInt8(number)
    }

    /// The bytes as text, with a replacement for what is none and for control characters: it is shown on terminals.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 && scalar != "\t" || (0x7f...0x9f).contains(scalar.value)
            text.unicodeScalars.append(isControl ? "\u{fffd}" : scalar)
        }
        return text
    }
}
