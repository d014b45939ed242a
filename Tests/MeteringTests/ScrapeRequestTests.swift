import Metering
import Testing

@Suite struct `A request for the metrics` {
    private struct Case {
        let head: String
        let request: ScrapeRequest
    }

    private static let cases = [
        Case(head: "", request: .incomplete),
        Case(head: "GET /metrics HTTP/1.1\r\nHost: a\r\n", request: .incomplete),
        Case(
            head: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", request: .metrics(.prometheus, withText: true)),
        Case(head: "GET /metrics?name[]=x HTTP/1.0\n\n", request: .metrics(.prometheus, withText: true)),
        Case(head: "GET / HTTP/1.1\r\n\r\nrest", request: .metrics(.prometheus, withText: true)),
        Case(
            head:
                "GET /metrics HTTP/1.1\r\nACCEPT: text/plain;q=0.5,application/openmetrics-text;version=1.0.0\r\n\r\n",
            request: .metrics(.openmetrics, withText: true)),
        Case(head: "HEAD /metrics HTTP/1.1\r\n\r\n", request: .metrics(.prometheus, withText: false)),
        Case(head: "POST /metrics HTTP/1.1\r\n\r\n", request: .methodNotAllowed),
        Case(head: "GET /metric HTTP/1.1\r\n\r\n", request: .notFound),
        Case(head: "GET /metrics/x HTTP/1.1\r\n\r\n", request: .notFound),
        Case(head: "GET metrics HTTP/1.1\r\n\r\n", request: .malformed),
        Case(head: "GET /metrics HTTP/2\r\n\r\n", request: .malformed),
        Case(head: "GET /metrics\r\n\r\n", request: .malformed),
        Case(head: "GET  /metrics HTTP/1.1\r\n\r\n", request: .malformed),
        Case(head: "\u{0}\u{1}\n\n", request: .malformed),
        Case(head: String(repeating: "x", count: ScrapeRequest.longest), request: .tooLong),
    ]

    @Test func `is what its head says`() {
        for one in Self.cases {
            #expect(ScrapeRequest(Array(one.head.utf8)) == one.request, "\(one.head)")
        }
    }

    @Test func `is answered with the length of what follows, and nothing more where the head is enough`() {
        let whole =
            ScrapeRequest.metrics(.openmetrics, withText: true).response { _ in Array("abc".utf8) } ?? []
        let head =
            ScrapeRequest.metrics(.openmetrics, withText: false).response { _ in Array("abc".utf8) } ?? []
        let text = String(decoding: whole, as: UTF8.self)
        #expect(
            text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0"))
        #expect(text.contains("\r\nContent-Length: 3\r\n") && text.hasSuffix("\r\n\r\nabc"))
        #expect(whole == head + Array("abc".utf8))
        #expect(ScrapeRequest.incomplete.response { _ in [] } == nil)
        for refusal in [ScrapeRequest.notFound, .methodNotAllowed, .malformed, .tooLong] {
            #expect(refusal.response { _ in [] }?.isEmpty == false)
        }
    }
}
