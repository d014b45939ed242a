/// What the first bytes of a connection are, as far as a waiting page goes (section 10 of the spec's `5-waking`).
///
/// Only a person's browser gets a page: everything that might be another program, or another protocol, waits for the worker.
package enum RequestHead: Hashable, Sendable {
    /// It may become a browser's request, when more has come.
    case incomplete
    /// A whole `GET` or `HEAD` of HTTP/1, of so many bytes, that asks for text/html and for nothing else.
    case page(length: Int, isHead: Bool)
    /// Anything else.
    case other

    /// A head that is longer is not looked at.
    package static let limit = 8192

    /// Judges what a connection has sent so far.
    package init(_ bytes: ArraySlice<UInt8>) {
        self = Self.read(bytes)
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> RequestHead {
        let methods = ["GET ", "HEAD "].map { Array($0.utf8) }
        guard let method = methods.first(where: { bytes.starts(with: $0) }) else {
            let isStart = methods.contains { $0.starts(with: bytes) }
            return isStart ? .incomplete : .other
        }
        let text = bytes.prefix(limit)
        // TLS, HTTP/2 and binary protocols were sorted out by the method; bytes that no head has sort out the rest.
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || [0x09, 0x0a, 0x0d].contains($0) }) else {
            return .other
        }
        var lines = Lines(rest: text)
        guard let request = lines.next() else { return open(bytes) }
        guard isRequestLine(request.dropFirst(method.count)) else { return .other }
        var acceptsPage = false
        while let line = lines.next() {
            guard !line.isEmpty else {
                // What follows is another request, which the worker has to answer.
                guard lines.rest.isEmpty, acceptsPage else { return .other }
                return .page(length: text.count, isHead: method.count == 5)
            }
            guard let (name, value) = field(line) else { return .other }
            switch name {
            case "accept": acceptsPage = acceptsPage || takesPage(value)
            // A body, or another protocol in this connection.
            case "transfer-encoding", "upgrade", "expect": return .other
            case "content-length":
                if !value.elementsEqual([UInt8(ascii: "0")]) { return .other }
            default: break
            }
        }
        return open(bytes)
    }

    /// A head without its end.
    private static func open(_ bytes: ArraySlice<UInt8>) -> RequestHead {
        bytes.count < limit ? .incomplete : .other
    }

    /// The target, and `HTTP/1.` with a digit.
    private static func isRequestLine(_ rest: ArraySlice<UInt8>) -> Bool {
        let parts = rest.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].first,
            [UInt8(ascii: "/"), UInt8(ascii: "h")].contains(first)
        else { return false }
        let version = parts[1]
        return version.count == 8 && version.starts(with: "HTTP/1.".utf8)
            && version.last.map { (0x30...0x39).contains($0) } ?? false
    }

    /// The name of a field in small letters, and its value without blanks around it; nil where the line is none, or goes on from the
    /// one before.
    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
        let name = line[..<colon]
        guard name.allSatisfy({ $0 > 0x20 }) else { return nil }
        return (String(decoding: name, as: UTF8.self).lowercased(), trimmed(line[(colon + 1)...]))
    }

    /// Whether text/html stands in a list of media types, and is not ruled out by `q=0`.
    private static func takesPage(_ value: ArraySlice<UInt8>) -> Bool {
        value.split(separator: UInt8(ascii: ",")).contains { entry in
            let parts = entry.split(separator: UInt8(ascii: ";")).map {
                String(decoding: trimmed($0), as: UTF8.self).lowercased()
            }
            guard parts.first == "text/html" else { return false }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return quality.map { $0.contains { ("1"..."9").contains($0) } } ?? true
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = bytes.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
        return start[...end]
    }

    /// Lines that end with LF, before which CR may stand.
    private struct Lines {
        var rest: ArraySlice<UInt8>

        /// The next whole line without its end; nil where there is none.
        mutating func next() -> ArraySlice<UInt8>? {
            guard let end = rest.firstIndex(of: 0x0a) else { return nil }
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            return line.last == 0x0d ? line.dropLast() : line
        }
    }
}
