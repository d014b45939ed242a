// A message is the number of its kind and its fields, each the number of its name, the length of its value in four bytes, and the value.
// Fields that are not known are passed over: the two programs may be of different versions while one of them is replaced.

extension RelayCommand {
    /// The longest message, which the socket's own limit has room for.
    package static let longest = 128 << 10

    /// The message.
    package var bytes: [UInt8] {
        switch self {
        case .route(let route):
            var fields = RelayFields(kind: 1)
            if let target = route.target { fields.add(1, target.kernelBytes) }
            if let header = route.header { fields.add(2, UInt64(header.rawValue)) }
            fields.add(3, UInt64(route.limit))
            fields.add(4, UInt64(route.patience))
            return fields.bytes
        case .listen: return RelayFields(kind: 2).bytes
        case .take: return RelayFields(kind: 3).bytes
        case .release: return RelayFields(kind: 4).bytes
        case .open: return RelayFields(kind: 5).bytes
        case .shut: return RelayFields(kind: 6).bytes
        case .page(let page):
            var fields = RelayFields(kind: 7)
            if let page {
                fields.add(1, page.head)
                fields.add(2, page.body)
            }
            return fields.bytes
        case .drain(let milliseconds):
            var fields = RelayFields(kind: 8)
            if let milliseconds { fields.add(1, UInt64(milliseconds)) }
            return fields.bytes
        }
    }

    /// Reads a message; nil where it is none, or of a kind that is not known.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = RelayFields(reading: bytes) else { return nil }
        switch fields.kind {
        case 1:
            var route = RelayRoute(to: nil)
            if let target = fields[1] {
                // A route that leads elsewhere than it says is worse than none.
                guard let address = RelayAddress(kernelBytes: target) else { return nil }
                route.target = address
            }
            if let number = fields.number(2) {
                guard let header = UInt8(exactly: number).flatMap(ProxyHeader.init(rawValue:)) else {
                    return nil
                }
                route.header = header
            }
            if let limit = fields.number(3) { route.limit = UInt32(clamping: limit) }
            if let patience = fields.number(4) { route.patience = UInt32(clamping: patience) }
            self = .route(route)
        case 2: self = .listen
        case 3: self = .take
        case 4: self = .release
        case 5: self = .open
        case 6: self = .shut
        case 7:
            guard let head = fields[1] else {
                self = .page(nil)
                return
            }
            self = .page(RelayPage(head: Array(head), body: Array(fields[2] ?? [])))
        case 8: self = .drain(milliseconds: fields.number(1).map { UInt32(clamping: $0) })
        default: return nil
        }
    }
}

extension RelayReport {
    /// The message.
    package var bytes: [UInt8] {
        switch self {
        case .ready(let unfiltered):
            var fields = RelayFields(kind: 1)
            if let unfiltered { fields.add(1, Array(unfiltered.utf8)) }
            return fields.bytes
        case .knocked(let peer):
            var fields = RelayFields(kind: 2)
            fields.add(1, Array(peer.utf8))
            return fields.bytes
        case .counts(let counts):
            var fields = RelayFields(kind: 3)
            fields.add(1, UInt64(counts.waiting))
            fields.add(2, UInt64(counts.open))
            fields.add(3, counts.forwarded)
            fields.add(4, counts.pages)
            return fields.bytes
        case .released(let waiting):
            var fields = RelayFields(kind: 4)
            fields.add(1, UInt64(waiting))
            return fields.bytes
        case .gaveUp(let count, let errno):
            var fields = RelayFields(kind: 5)
            fields.add(1, UInt64(count))
            fields.add(2, UInt64(UInt32(bitPattern: errno)))
            return fields.bytes
        case .failed(let problem):
            var fields = RelayFields(kind: 6)
            fields.add(1, Array(problem.utf8))
            return fields.bytes
        }
    }

    /// Reads a message; nil where it is none, or of a kind that is not known.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let fields = RelayFields(reading: bytes) else { return nil }
        func count(_ name: UInt8) -> UInt32 { UInt32(clamping: fields.number(name) ?? 0) }
        func text(_ name: UInt8) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }
        switch fields.kind {
        case 1: self = .ready(unfiltered: text(1))
        case 2: self = .knocked(text(1) ?? "")
        case 3:
            var counts = RelayCounts()
            (counts.waiting, counts.open) = (count(1), count(2))
            counts.forwarded = fields.number(3) ?? 0
            counts.pages = fields.number(4) ?? 0
            self = .counts(counts)
        case 4: self = .released(waiting: count(1))
        case 5: self = .gaveUp(count(1), errno: Int32(bitPattern: count(2)))
        case 6: self = .failed(text(1) ?? "")
        default: return nil
        }
    }
}

/// The parts of a message.
private struct RelayFields {
    let kind: UInt8
    private(set) var bytes: [UInt8]
    private var values: [UInt8: ArraySlice<UInt8>] = [:]

    init(kind: UInt8) {
        self.kind = kind
        bytes = [kind]
    }

    init?(reading bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.first else { return nil }
        self.init(kind: kind)
        var rest = bytes.dropFirst()
        while let name = rest.popFirst() {
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { return nil }
            values[name] = rest.prefix(length)
            rest = rest.dropFirst(length)
        }
    }

    subscript(_ name: UInt8) -> ArraySlice<UInt8>? { values[name] }

    /// A field that is a number of one to eight bytes, the highest first.
    func number(_ name: UInt8) -> UInt64? {
        guard let value = values[name], (1...8).contains(value.count) else { return nil }
        return value.reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func add(_ name: UInt8, _ value: [UInt8]) {
        bytes.append(name)
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value.count >> shift)) }
        bytes += value
    }

    mutating func add(_ name: UInt8, _ number: UInt64) {
        add(name, stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) })
    }
}
