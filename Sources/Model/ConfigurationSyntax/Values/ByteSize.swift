/// A number of bytes.
package struct ByteSize: Hashable, Comparable, Sendable, PlainValue {
    /// The bytes.
    package let bytes: UInt64

    /// A size of `bytes`.
    package init(bytes: UInt64) {
        self.bytes = bytes
    }

    /// So many times 1024 bytes.
    package static func kibibytes(_ count: UInt64) -> ByteSize { ByteSize(bytes: count << 10) }

    /// So many times 1024 kibibytes.
    package static func mebibytes(_ count: UInt64) -> ByteSize { ByteSize(bytes: count << 20) }

    /// So many times 1024 mebibytes.
    package static func gibibytes(_ count: UInt64) -> ByteSize { ByteSize(bytes: count << 30) }

    /// Reads a size with the suffixes K, M, G, T, P and E to the base 1024, as in systemd.resource-control(5); several are
    /// added up when each is smaller than the one before (`1G 512M`).
    package init(parsing text: String) throws(ValueError) {
        guard let bytes = Self.bytes(of: text) else { throw ValueError(text, isNot: Self.expectation) }
        self.bytes = bytes
    }

    /// What a size looks like.
    package static var expectation: String {
        "a size such as 4096, 512K or 1.5G (K, M, G, T, P and E to the base 1024)"
    }
    /// A size is numbers and suffixes.
    package static var isClosed: Bool { true }

    /// Whether `a` is smaller.
    package static func < (a: ByteSize, b: ByteSize) -> Bool { a.bytes < b.bytes }

    private static let suffixes: [(letter: Character, shift: UInt64)] = [
        ("E", 60), ("P", 50), ("T", 40), ("G", 30), ("M", 20), ("K", 10), ("B", 0),
    ]

    private static func bytes(of text: String) -> UInt64? {
        var cursor = ByteCursor(text)
        var total: UInt64 = 0
        var smallest: UInt64 = .max
        repeat {
            cursor.skipBlanks()
            _ = cursor.take(UInt8(ascii: "+"))
            let whole = cursor.take(while: \.isDigit)
            guard !whole.isEmpty, let count = UInt64(String(cut: whole)) else { return nil }
            let fraction = cursor.take(.dot) ? cursor.take(while: \.isDigit) : []
            cursor.skipBlanks()
            let suffix = suffixes.first { cursor.take(UInt8($0.letter.asciiValue ?? 0)) }
            // Without a suffix it is the last part: nothing is smaller.
            guard suffix.map({ $0.shift < smallest }) ?? (smallest > 0 && cursor.isAtEnd) else { return nil }
            smallest = suffix?.shift ?? 0
            guard let part = scaled(count, fraction, by: smallest) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow else { return nil }
            total = sum
        } while !cursor.isAtEnd
        return total
    }

    private static func scaled(_ count: UInt64, _ fraction: ArraySlice<UInt8>, by shift: UInt64) -> UInt64? {
        let factor: UInt64 = 1 << shift
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        // Eighteen digits fit; what stands behind them is less than a byte even of an exbibyte.
        var numerator: UInt64 = 0
        var denominator: UInt64 = 1
        for digit in fraction.prefix(18) {
            numerator = numerator * 10 + UInt64(digit - UInt8(ascii: "0"))
            denominator *= 10
        }
        let (high, low) = numerator.multipliedFullWidth(by: factor)
        let (sum, carry) = product.addingReportingOverflow(
            denominator.dividingFullWidth((high, low)).quotient)
        return carry ? nil : sum
    }

    /// The size as a file says it: `64K` where nothing is left over.
    package var spelling: String {
        let suffix = Self.suffixes.dropLast().first { bytes > 0 && bytes & ((1 << $0.shift) - 1) == 0 }
        return suffix.map { "\(bytes >> $0.shift)\($0.letter)" } ?? "\(bytes)"
    }

    /// The size as systemd writes it: one digit behind the point and a suffix (`3.1G`), bytes below 1024 as `512B`.
    package var written: String {
        for suffix in Self.suffixes.dropLast() where bytes >> suffix.shift > 0 {
            let below = (bytes >> (suffix.shift - 10)) & 1023
            return "\(bytes >> suffix.shift).\(below * 10 / 1024)\(suffix.letter)"
        }
        return "\(bytes)B"
    }
}

/// A share in ten-thousandths, which is how fine systemd takes percentages.
package struct Share: Hashable, Comparable, Sendable, PlainValue {
    /// Ten-thousandths of the whole.
    package let permyriad: Int

    /// A share of `permyriad` ten-thousandths.
    package init(permyriad: Int) {
        self.permyriad = permyriad
    }

    /// A share of whole percents.
    package static func percent(_ percent: Int) -> Share { Share(permyriad: percent * 100) }

    /// The share in whole percents, rounded down.
    package var percent: Int { permyriad / 100 }

    /// Reads `12.5%`, `125‰` or `1250‱`, up to the whole.
    package init(parsing text: String) throws(ValueError) {
        self = try Share(parsing: text, atMost: 10_000)
    }

    /// Reads a share of at most `limit` ten-thousandths; CPU time may be more than the whole of one CPU.
    package init(parsing text: String, atMost limit: Int) throws(ValueError) {
        guard let value = Self.permyriad(of: text), value <= limit else {
            throw ValueError(text, isNot: "a percentage from 0% to \(limit / 100)%")
        }
        permyriad = value
    }

    /// What a share looks like.
    package static var expectation: String { "a percentage from 0% to 100%" }
    /// A share is a number and a sign.
    package static var isClosed: Bool { true }

    /// Whether `a` is smaller.
    package static func < (a: Share, b: Share) -> Bool { a.permyriad < b.permyriad }

    /// This share of `whole`, rounded down.
    package func of(_ whole: UInt64) -> UInt64 {
        let (high, low) = whole.multipliedFullWidth(by: UInt64(max(permyriad, 0)))
        return high >= 10_000 ? .max : UInt64(10_000).dividingFullWidth((high, low)).quotient
    }

    private static func permyriad(of text: String) -> Int? {
        var cursor = ByteCursor(text)
        let whole = cursor.take(while: \.isDigit)
        guard !whole.isEmpty, whole.count <= 9, let count = Int(String(cut: whole)) else { return nil }
        var fraction: ArraySlice<UInt8> = []
        if cursor.take(.dot) {
            fraction = cursor.take(while: \.isDigit)
            guard !fraction.isEmpty else { return nil }
        }
        let scale: (unit: Int, digits: Int)
        if cursor.take("%") {
            scale = (100, 2)
        } else if cursor.take("‰") {
            scale = (10, 1)
        } else if cursor.take("‱") {
            scale = (1, 0)
        } else {
            return nil
        }
        guard cursor.isAtEnd, fraction.count <= scale.digits else { return nil }
        var step = scale.unit
        let below = fraction.reduce(0) { sum, digit in
            step /= 10
            return sum + Int(digit - UInt8(ascii: "0")) * step
        }
        return count * scale.unit + below
    }
}

/// A limit on memory: bytes, a share of the machine's memory, or none.
package enum MemoryLimit: Hashable, Sendable, PlainValue {
    /// So many bytes.
    case bytes(ByteSize)
    /// A share of physical memory.
    case share(Share)
    /// No limit.
    case infinity

    /// Reads a size, a percentage of physical memory or `infinity`; 0 is refused, as systemd does.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("infinity") {
            self = .infinity
        } else if let share = try? Share(parsing: text), share.permyriad > 0 {
            self = .share(share)
        } else if let size = try? ByteSize(parsing: text), size.bytes > 0 {
            self = .bytes(size)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a limit on memory looks like.
    package static var expectation: String {
        "a size above 0 such as 512M or 6G, a percentage of memory, or infinity"
    }
    /// A limit is numbers and suffixes.
    package static var isClosed: Bool { true }

    /// The limit in bytes on a machine with `memory` bytes; nil where there is none.
    package func bytes(ofMemory memory: UInt64) -> UInt64? {
        switch self {
        case .bytes(let size): size.bytes
        case .share(let share): share.of(memory)
        case .infinity: nil
        }
    }
}
