/// The page that a browser sees while a worker is launched (section 10 of the spec's `5-waking`): it says what it waits for, and loads itself
/// again until the worker answers.
package struct PlaceholderPage: Hashable, Sendable {
    /// The worker's name.
    package var name: String
    /// What it is, for people; empty where its file does not say.
    package var description: String
    /// When the launch began, as text of the clock.
    package var since: String
    /// How many seconds ago that was.
    package var seconds: Int64
    /// What the launch is doing, as a clause.
    package var activity: String

    /// After so many seconds the page is loaded again.
    package static let refresh = 2
    /// The largest file that is shown instead.
    package static let largestFile = 64 << 10

    /// A page for a launch of which this is known.
    package init(name: String, description: String, since: String, seconds: Int64, activity: String) {
        self.name = name
        self.description = description
        self.since = since
        self.seconds = seconds
        self.activity = activity
    }

    /// The answer to a browser: 503, so that no program takes it for the worker's, and not to be stored.
    ///
    /// `template` is a file of the operator's, in which ``fields`` stand in double braces; nil is the page of Torpor.
    package func answer(_ template: [UInt8]? = nil) -> RelayPage {
        let body = template.map(filled) ?? Array(text.utf8)
        let head =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html; charset=utf-8\r\n"
            + "Content-Length: \(body.count)\r\nRetry-After: \(Self.refresh)\r\nRefresh: \(Self.refresh)\r\n"
            + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        return RelayPage(head: Array(head.utf8), body: body)
    }

    /// What a file of the operator's may name, with its value.
    package var fields: [(name: String, value: String)] {
        [
            ("name", name), ("description", title), ("since", since), ("seconds", String(seconds)),
            ("activity", activity),
        ]
    }

    private var title: String { description.isEmpty ? name : description }

    /// The file with the values in it, escaped; what is no field stays as it is.
    private func filled(_ template: [UInt8]) -> [UInt8] {
        let braces = UInt8(ascii: "{")
        var result: [UInt8] = []
        var rest = template[...]
        while let start = rest.firstIndex(of: braces) {
            result += rest[..<start]
            rest = rest[start...]
            let field = fields.first { rest.starts(with: "{{\($0.name)}}".utf8) }
            if let field {
                result += Self.escaped(field.value).utf8
                rest = rest.dropFirst(field.name.utf8.count + 4)
            } else {
                result.append(braces)
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// `text` with the characters that mean something in HTML, and in its attributes, as references.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Controls, of which HTML knows only the blanks.
            case _ where character.value < 0x20 || (0x7f..<0xa0).contains(character.value): result += " "
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

extension PlaceholderPage {
    /// Everything is in the page itself: a worker that is not there cannot serve its parts.
    private var text: String {
        let title = Self.escaped(title)
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>Starting \(title)</title>
            <style>\(Self.style)</style>
            <main>
            <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
            <circle cx="24" cy="24" r="20"/><circle class="turn" cx="24" cy="24" r="20" pathLength="100"/>
            </svg>
            <h1>\(title)</h1>
            <p role="status">is starting. This page reloads by itself.</p>
            <dl>
            <dt>Worker</dt><dd>\(Self.escaped(name))</dd>
            <dt>Since</dt><dd>\(Self.escaped(since)) <span>(\(Self.duration(seconds)))</span></dd>
            <dt>Now</dt><dd>\(Self.escaped(activity))</dd>
            </dl>
            </main>
            </html>

            """
    }

    /// `8 s`, `2 min 5 s`.
    private static func duration(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }

    private static let style = """
        :root{--back:#f4f5f7;--card:#fff;--text:#1c2024;--quiet:#5f6b78;--line:#e3e6ea;--accent:#2f6fed}
        @media(prefers-color-scheme:dark){:root{--back:#111418;--card:#1a1f25;--text:#e8ebee;--quiet:#98a3af;\
        --line:#2b323a;--accent:#7aa5ff}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);\
        color:var(--text);font:1rem/1.5 system-ui,sans-serif}
        main{width:100%;max-width:26rem;padding:2.5rem 2rem 2rem;border:1px solid var(--line);border-radius:1rem;\
        background:var(--card);box-shadow:0 1px 2px #0000000d,0 12px 32px #0000000f;text-align:center}
        h1{margin:1.25rem 0 0;font-size:1.375rem;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
        p{margin:.25rem 0 0;color:var(--quiet)}
        dl{display:grid;grid-template-columns:auto 1fr;gap:.5rem 1.25rem;margin:1.75rem 0 0;padding-top:1.5rem;\
        border-top:1px solid var(--line);text-align:left;font-size:.9375rem}
        dt{color:var(--quiet)}
        dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
        span{color:var(--quiet)}
        circle{fill:none;stroke:var(--line);stroke-width:4}
        .turn{stroke:var(--accent);stroke-linecap:round;stroke-dasharray:25 75;transform-origin:center;\
        animation:turn 1.1s linear infinite}
        @keyframes turn{to{transform:rotate(1turn)}}
        @media(prefers-reduced-motion:reduce){.turn{animation:none}}
        """
}
