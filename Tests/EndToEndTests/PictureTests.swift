import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.long, .timeLimit(.minutes(60))) struct `What is seen of the past` {
    private func daemon() throws -> DaemonUnderTest {
        try DaemonUnderTest([
            "web": """
            [Worker]
            Description=A <b>shop</b>
            ExecStart=/bin/sleep 1000
            Requires=db
            [Callbacks]
            DidEnterBackground=exec:/bin/true
            """,
            "db": "[Worker]\nExecStart=/bin/sleep 1000\n",
            "bad@": "[Worker]\nExecStart=/bin/sh -c 'exit 3'\n",
        ])
    }

    @Test func `is filtered by kind, reason and time, and listed`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        _ = try daemon.torpor("launch", "bad@1")
        _ = try eventually("it to have ended") {
            try daemon.torpor("report", "--list").output.contains("bad@1") ? true : nil
        }
        let launches = try daemon.torpor("history", "--kind", "launched").output
        #expect(launches.split(separator: "\n").allSatisfy { $0.hasSuffix("launched") } && !launches.isEmpty)
        #expect(try daemon.torpor("history", "--reason", "nothing").output.isEmpty)
        #expect(try daemon.torpor("history", "--until", "-1h").output.isEmpty)
        #expect(try daemon.torpor("history", "--kind", "nonsense").status == 64)
        #expect(try daemon.torpor("history", "-S", "now", "-U", "-1h").status == 64)
        let list = try daemon.torpor("report", "--list", "--reason", "failed,crashed").output
        #expect(list.contains("bad@1") && list.contains("1 process listed."))
        #expect(try daemon.torpor("list", "-o", "name,state", "--tree").output.hasPrefix("NAME"))
        #expect(try daemon.torpor("list", "-o", "nonsense").status == 64)
    }

    @Test func `is a timeline, as text, picture and page`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        let text = try daemon.torpor("timeline", "--since", "-10s").output
        #expect(text.contains("Timeline of all workers") && text.contains("web "))
        let (svg, page) = ("\(daemon.directory)/t.svg", "\(daemon.directory)/t.html")
        #expect(try daemon.torpor("timeline", "--svg", svg, "--html", page).status == 0)
        #expect(try String(contentsOfFile: svg, encoding: .utf8).hasSuffix("</svg>\n"))
        #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
        #expect(try daemon.torpor("timeline", "--svg", "\(daemon.directory)/no/t.svg").status == 64)
        #expect(try daemon.torpor("timeline", "nothing").status == 4)
    }

    @Test func `shows the states of a worker, and what belongs together`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        let states = try daemon.torpor("graph", "web").output
        #expect(states.contains("A <b>shop</b>") && states.contains("active (it is here)"))
        #expect(states.contains("requires db") && states.contains("DidEnterBackground: exec:/bin/true"))
        #expect(try daemon.torpor("graph").output.contains("web (active)\n  requires db\n"))
        #expect(try daemon.torpor("graph", "--dot").output.contains("\"web\" -> \"db\""))
        let svg = try daemon.torpor("graph", "web", "--svg", "-").output
        #expect(svg.contains("&lt;b&gt;shop") && !svg.contains("<b>"))
        #expect(try daemon.torpor("graph", "nothing").status == 4)
        #expect(try daemon.torpor("graph", "no*").status == 4)
    }
}
