import Relaying
import Testing

@Suite struct `The page of a worker that is launched` {
    private static let page = PlaceholderPage(
        name: "web", description: "Web <shop> & \"more\"", since: "12:03:21", seconds: 65,
        activity: "waits for READY=1")

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `is no answer of the worker, is not stored, and loads itself again`() {
        let answer = Self.page.answer()
        let head = text(answer.head)
        #expect(head.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
        for field in [
            "Content-Length: \(answer.body.count)", "Retry-After: 2", "Refresh: 2", "Cache-Control: no-store",
            "Connection: close", "Content-Type: text/html; charset=utf-8",
        ] {
            #expect(head.contains("\r\n\(field)\r\n"))
        }
    }

    @Test func `says what it waits for, with every value escaped`() {
        let body = text(Self.page.answer().body)
        #expect(body.contains("<h1>Web &lt;shop&gt; &amp; &quot;more&quot;</h1>"))
        #expect(body.contains("<dd>web</dd>") && body.contains("12:03:21 <span>(1 min 5 s)</span>"))
        #expect(body.contains("waits for READY=1"))
        #expect(!body.contains("<shop>"))
        // Nothing is fetched, neither from the worker nor from elsewhere.
        for part in ["http:", "https:", "src=", "href=", "@import", "url(", "<script"] {
            #expect(!body.contains(part))
        }
        #expect(body.utf8.count < 4096)
    }

    @Test func `is called by the worker's name where it has no description`() {
        var page = Self.page
        page.description = ""
        #expect(text(page.answer().body).contains("<title>Starting web</title>"))
    }

    @Test(arguments: [
        (
            "<p>{{description}} since {{since}}</p>",
            "<p>Web &lt;shop&gt; &amp; &quot;more&quot; since 12:03:21</p>"
        ),
        ("{{name}}{{name}}", "webweb"), ("{{seconds}} {{activity}}", "65 waits for READY=1"),
        ("{{unknown}} {name} {{name} {", "{{unknown}} {name} {{name} {"), ("", ""), ("{{{name}}}", "{web}"),
    ])
    func `may be a file with fields in it`(_ template: String, _ expected: String) {
        #expect(text(Self.page.answer(Array(template.utf8)).body) == expected)
    }

    @Test func `leaves the bytes of a file as they are`() {
        let bytes: [UInt8] = [0xff, 0x00, 0x7b, 0xfe]
        #expect(Self.page.answer(bytes).body == bytes)
    }
}
