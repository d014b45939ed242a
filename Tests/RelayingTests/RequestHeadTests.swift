import Relaying
import Testing

@Suite struct `The head of a request` {
    private static let browser =
        "GET /a?b=1 HTTP/1.1\r\nHost: app.test\r\nUser-Agent: Mozilla/5.0\r\n"
        + "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nConnection: keep-alive\r\n\r\n"

    private static func judge(_ text: String) -> RequestHead { RequestHead(Array(text.utf8)[...]) }

    @Test(arguments: [
        (browser, false), ("HEAD / HTTP/1.0\r\nAccept: text/html\r\n\r\n", true),
        ("GET / HTTP/1.1\naccept:text/html\n\n", false),
        ("GET / HTTP/1.1\r\nACCEPT: TEXT/HTML;q=0.5\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nAccept: image/png\r\nAccept: text/html\r\n\r\n", false),
        ("GET http://app.test/ HTTP/1.1\r\nAccept: a/b, text/html ; level=1\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nContent-Length: 0\r\nAccept: text/html\r\n\r\n", false),
    ])
    func `asks for a page`(_ text: String, _ isHead: Bool) {
        #expect(Self.judge(text) == .page(length: text.utf8.count, isHead: isHead))
        // However it comes in parts.
        for length in 0..<text.utf8.count {
            #expect(RequestHead(Array(text.utf8).prefix(length)) == .incomplete, "\(length)")
        }
    }

    @Test(arguments: [
        // Other programs, and other methods.
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: application/json\r\n\r\n", "POST / HTTP/1.1\r\nAccept: text/html\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html;q=0\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html;q=0.000\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html2\r\n\r\n", "get / HTTP/1.1\r\nAccept: text/html\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\n\r\n", "GETX", "HEAT",
        // A body, another protocol, a second request.
        "GET / HTTP/1.1\r\nAccept: text/html\r\nContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html\r\nUpgrade: websocket\r\n\r\n",
        "GET / HTTP/1.1\r\nAccept: text/html\r\n\r\nGET / HTTP/1.1\r\n",
        // HTTP/2 with prior knowledge, HTTP/0.9, and what is no request.
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /\r\n", "GET  / HTTP/1.1\r\n", "GET / HTTP/2.0\r\n",
        "GET / HTTP/1.11\r\n", "GET \r\n", "GET * HTTP/1.1\r\n", "\r\n", " GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nAccept\r\n", "GET / HTTP/1.1\r\n: a\r\n", "GET / HTTP/1.1\r\nA b: c\r\n",
        "GET / HTTP/1.1\r\nAccept: a\r\n text/html\r\n", "GET /\u{1} HTTP/1.1\r\n", "*1\r\n$4\r\nPING\r\n",
        "\u{16}\u{3}\u{1}",
        "GET / HTTP/1.1\r\nA: \u{0}\r\n",
    ])
    func `is left to the worker`(_ text: String) {
        #expect(Self.judge(text) == .other)
    }

    @Test func `is left to the worker when it is a TLS hello`() {
        let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]
        for length in 1...hello.count { #expect(RequestHead(hello.prefix(length)) == .other) }
    }

    @Test func `is left to the worker when it is too long`() {
        let long = "GET / HTTP/1.1\r\nAccept: text/html\r\nCookie: " + String(repeating: "a", count: 9000)
        let bytes = Array(long.utf8)
        #expect(RequestHead(bytes.prefix(8191)) == .incomplete)
        #expect(RequestHead(bytes.prefix(8192)) == .other)
        #expect(RequestHead(bytes[...]) == .other)
    }
}
