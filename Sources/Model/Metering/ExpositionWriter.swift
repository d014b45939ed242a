/// Writes either text format: families with their samples, each label value escaped as it demands.
struct ExpositionWriter {
    /// What kind of family it is.
    enum Kind: String {
        case counter
        case gauge
        case histogram
        case info
        case stateset

        /// What the names of its samples end with, which the older format has in the name of the family.
        fileprivate var suffix: StaticString {
            switch self {
            case .counter: "_total"
            case .info: "_info"
            case .gauge, .histogram, .stateset: ""
            }
        }

        /// Its name in the older format.
        fileprivate var older: StaticString {
            switch self {
            case .counter: "counter"
            case .histogram: "histogram"
            case .gauge, .info, .stateset: "gauge"
            }
        }
    }

    /// What the text is part of.
    enum Place {
        /// Nothing: it stands for itself.
        case alone
        /// It is the inside of a string of JSON (RFC 8259, section 7).
        case jsonString
    }

    /// The samples of one name that differ in their first label alone, written in one go each.
    struct Series {
        fileprivate let head: [UInt8]
        fileprivate let tail: [UInt8]
    }

    /// The samples of a stateset that differ in their first label alone: what stands before that label, between two, and after the last of them.
    struct StateSet {
        fileprivate let head: [UInt8]
        /// After the label in the sample of each state, with the head of the next: where that state is not the present one, and where it is.
        fileprivate let parts: [(absent: [UInt8], present: [UInt8])]
    }

    /// The text so far, as UTF-8.
    private(set) var bytes: [UInt8] = []

    private let format: MetricsFormat
    private let place: Place
    private let lineEnd: StaticString

    /// A writer whose text begins with `start` and takes about `capacity` bytes.
    init(_ format: MetricsFormat, as place: Place = .alone, start: StaticString = "", capacity: Int) {
        (self.format, self.place) = (format, place)
        lineEnd = place == .alone ? "\n" : "\\n"
        bytes.reserveCapacity(capacity)
        add(start)
    }

    /// Begins a family: its kind, its unit where it has one, which its name ends with, and what it means.
    mutating func family(_ name: StaticString, _ kind: Kind, unit: StaticString? = nil, _ help: StaticString)
    {
        switch format {
        case .openmetrics:
            add("# TYPE ", name, "", " ")
            add(kind.rawValue)
            if let unit {
                add(lineEnd)
                add("# UNIT ", name, " ", unit)
            }
            add(lineEnd)
            add("# HELP ", name, "", " ")
            add(help)
        case .prometheus:
            add("# HELP ", name, kind.suffix, " ")
            add(help)
            add(lineEnd)
            add("# TYPE ", name, kind.suffix, " ")
            add(kind.older)
        }
        add(lineEnd)
    }

    private mutating func add(
        _ one: StaticString, _ two: StaticString, _ three: StaticString, _ four: StaticString
    ) {
        add(one)
        add(two)
        add(three)
        add(four)
    }

    /// Writes a sample: a name with what its kind ends it with, labels that are text of the format already, a number.
    mutating func sample(_ name: StaticString, _ suffix: StaticString, _ labels: [UInt8], _ value: Int64) {
        head(name, suffix, labels)
        add(value)
        add(lineEnd)
    }

    /// Writes a sample that was measured in microseconds, in seconds.
    mutating func sample(
        _ name: StaticString, _ suffix: StaticString, _ labels: [UInt8], microseconds: Int64
    ) {
        head(name, suffix, labels)
        add(seconds: microseconds)
        add(lineEnd)
    }

    /// The samples of a name with what its kind ends it with; `more` follows the label that each of them has.
    func series(_ name: StaticString, _ suffix: StaticString = "", _ more: [UInt8] = []) -> Series {
        var head: [UInt8] = []
        for part in [name, suffix, "{"] { part.withUTF8Buffer { head.append(contentsOf: $0) } }
        let comma: [UInt8] = more.isEmpty ? [] : [UInt8(ascii: ",")]
        return Series(head: head, tail: comma + more + [UInt8(ascii: "}"), UInt8(ascii: " ")])
    }

    /// Writes a sample of a series.
    mutating func sample(_ series: Series, _ label: [UInt8], _ value: Int64) {
        head(series, label)
        add(value)
        add(lineEnd)
    }

    /// Writes a sample of a series that was measured in microseconds, in seconds.
    mutating func sample(_ series: Series, _ label: [UInt8], microseconds: Int64) {
        head(series, label)
        add(seconds: microseconds)
        add(lineEnd)
    }

    /// The samples of a stateset, whose other label is its name with one of `states`.
    func stateSet(_ name: StaticString, _ states: [String]) -> StateSet {
        let all = states.map { series(name, "", label(name, $0)) }
        let end = lineEnd.withUTF8Buffer { Array($0) }
        return StateSet(
            head: all.first?.head ?? [],
            parts: all.indices.map { place in
                let rest = end + (place + 1 < all.count ? all[place + 1].head : [])
                return (
                    all[place].tail + [UInt8(ascii: "0")] + rest, all[place].tail + [UInt8(ascii: "1")] + rest
                )
            })
    }

    /// Writes a sample for each state, of which the one at `place` is the present one.
    mutating func samples(_ set: StateSet, _ label: [UInt8], present place: Int?) {
        bytes += set.head
        for (index, part) in set.parts.enumerated() {
            bytes += label
            bytes += index == place ? part.present : part.absent
        }
    }

    private mutating func head(_ series: Series, _ label: [UInt8]) {
        bytes += series.head
        bytes += label
        bytes += series.tail
    }

    /// Ends the text, and what it is part of with `end`.
    mutating func end(_ end: StaticString = "") {
        if format == .openmetrics {
            add("# EOF")
            add(lineEnd)
        }
        add(end)
    }

    private mutating func head(_ name: StaticString, _ suffix: StaticString, _ labels: [UInt8]) {
        add(name)
        add(suffix)
        if !labels.isEmpty {
            bytes.append(UInt8(ascii: "{"))
            bytes.append(contentsOf: labels)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: " "))
    }

    mutating func add(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func add(_ number: Int64) {
        guard number >= 0 else { return add(String(number)) }
        guard number > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        let start = bytes.count
        var rest = number
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }

    /// A point and as many digits as matter; whole seconds have none.
    private mutating func add(seconds microseconds: Int64) {
        if microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        add(Int64(whole))
        guard rest > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (place, left): (UInt64, UInt64) = (100_000, rest)
        while left > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(left / place))
            left %= place
            place /= 10
        }
    }

    /// A label with its value: a backslash, a quote and a line feed are escaped, and what else is no text of a line becomes a question mark.
    func label(_ name: StaticString, _ value: String) -> [UInt8] {
        let label = Self.plainLabel(name, value)
        guard place == .jsonString else { return label }
        return label.flatMap { byte -> [UInt8] in
            byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
    }

    private static func plainLabel(_ name: StaticString, _ value: String) -> [UInt8] {
        var bytes: [UInt8] = []
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "=\"".utf8)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case 0..<0x20, 0x7f: bytes.append(UInt8(ascii: "?"))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }
}
