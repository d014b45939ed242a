/// The head of a request by HTTP/1 for the metrics: what is asked for, as far as that decides the answer (RFC 9112).
package enum ScrapeRequest: Hashable, Sendable {
    /// The head has not come whole yet.
    case incomplete
    /// The metrics are wanted, in a format; with their text, or the head of the answer alone.
    case metrics(MetricsFormat, withText: Bool)
    /// There is no such path.
    case notFound
    /// Another method.
    case methodNotAllowed
    /// It is no request of HTTP/1.
    case malformed
    /// The head is longer than one of a scrape.
    case tooLong

    /// The longest head, in bytes.
    package static let longest = 8192

    /// What the bytes that have come so far ask for.
    package init(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else {
            self = bytes.count >= Self.longest ? .tooLong : .incomplete
            return
        }
        let line = bytes[..<end].prefix { $0 != 0x0a }
        let words = (line.last == 0x0d ? line.dropLast() : line).split(
            separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[2].starts(with: "HTTP/1.".utf8), words[2].count == 8,
            words[1].first == UInt8(ascii: "/")
        else {
            self = .malformed
            return
        }
        let path = words[1].prefix { $0 != UInt8(ascii: "?") }
        guard path.elementsEqual("/metrics".utf8) || path.elementsEqual("/".utf8) else {
            self = .notFound
            return
        }
        let format = Self.accepts(bytes[..<end]) ? MetricsFormat.openmetrics : .prometheus
        if words[0].elementsEqual("GET".utf8) {
            self = .metrics(format, withText: true)
        } else if words[0].elementsEqual("HEAD".utf8) {
            self = .metrics(format, withText: false)
        } else {
            self = .methodNotAllowed
        }
    }

    /// Whether a field `Accept` names OpenMetrics; a weight that it gives to it is not looked at.
    private static func accepts(_ head: ArraySlice<UInt8>) -> Bool {
        head.split(separator: 0x0a).dropFirst().contains { line in
            let text = String(decoding: line, as: UTF8.self).lowercased()
            return text.hasPrefix("accept:") && text.contains("application/openmetrics-text")
        }
    }

    /// Where the empty line after the head begins; nil where it has not come.
    ///
    /// Lines may end without a carriage return.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var lineStart = 0
        for index in bytes.indices where bytes[index] == 0x0a {
            let length = index - lineStart
            if lineStart > 0, length == 0 || (length == 1 && bytes[lineStart] == 0x0d) { return lineStart }
            lineStart = index + 1
        }
        return nil
    }

    /// The answer with `text`, which is asked for where it is needed alone; nil where no answer is due yet.
    package func response(_ text: (MetricsFormat) -> [UInt8]) -> [UInt8]? {
        switch self {
        case .incomplete: nil
        case .metrics(let format, let withText):
            {
                let text = text(format)
                let head = Self.head("200 OK", format.contentType, text.count)
                return withText ? head + text : head
            }()
        case .notFound: Self.refusal("404 Not Found", "the metrics are at /metrics")
        case .methodNotAllowed:
            Self.refusal("405 Method Not Allowed", "the metrics are read by GET", "Allow: GET, HEAD\r\n")
        case .malformed: Self.refusal("400 Bad Request", "this is no request by HTTP/1")
        case .tooLong:
            Self.refusal(
                "431 Request Header Fields Too Large",
                "the head of a request has at most \(Self.longest) bytes")
        }
    }

    private static func refusal(_ status: String, _ sentence: String, _ more: String = "") -> [UInt8] {
        let text = Array((sentence + "\n").utf8)
        return head(status, "text/plain; charset=utf-8", text.count, more) + text
    }

    private static func head(_ status: String, _ type: String, _ length: Int, _ more: String = "") -> [UInt8]
    {
        Array(
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\(more)Connection: close\r\n\r\n"
                .utf8)
    }
}
