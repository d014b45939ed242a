import Foundation
import Glibc
import TestSupport
import Testing

/// URLs that more than one worker opens.
@Suite(.timeLimit(.minutes(60))) struct `Several openers of a scheme` {
    private static func opener(_ exit: Int) -> String {
        """
        [Worker]
        ExecStart=/bin/sleep 1000
        URLSchemes=game
        [Callbacks]
        OpenURL=exec:/bin/sh -c 'echo %n $$TORPOR_URL >> DIRECTORY/asked; exit \(exit)'
        """
    }

    @Test func `are asked one after the other until one accepts`() throws {
        let daemon = try DaemonUnderTest([
            "a": Self.opener(1), "b": Self.opener(0), "c": Self.opener(0),
        ])
        let can = try daemon.torpor("open", "--can", "game:1")
        #expect(can.status == 0 && can.output == "a\nb\nc\n", "\(can)")
        // Nothing was launched for the question.
        #expect(try daemon.list().allSatisfy { $0.state == "notRunning" })
        #expect(daemon.lines(of: "asked").isEmpty)
        let opened = try daemon.torpor("open", "game:1")
        #expect(opened.status == 0 && opened.output == "Opened by b.\n", "\(opened)")
        #expect(daemon.lines(of: "asked") == ["a game:1", "b game:1"])
        #expect(try daemon.torpor("open", "--can", "other:1").status != 0)
        #expect(try daemon.torpor("open", "--can", "no url").status == 64)
    }

    @Test func `are told who opens it, whether they run or are launched for it`() throws {
        let daemon = try DaemonUnderTest([
            "a": """
            [Worker]
            ExecStart=/bin/sleep 1000
            URLSchemes=game
            [Callbacks]
            OpenURL=exec:/bin/sh -c 'echo "$$TORPOR_SOURCE_APPLICATION" >> DIRECTORY/sources'
            """
        ])
        for url in ["game:1", "game:2"] { #expect(try daemon.torpor("open", url).status == 0) }
        let sources = try daemon.lines(of: "sources").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(sources.count == 2)
        for source in sources {
            #expect(source["uid"] as? UInt32 == getuid() && source["pid"] as? Int ?? 0 > 1, "\(source)")
            #expect((source["program"] as? String)?.hasSuffix("/torpor") == true, "\(source)")
        }
    }

    @Test func `that all refuse are told by the first`() throws {
        let daemon = try DaemonUnderTest(["a": Self.opener(1), "b": Self.opener(1)])
        let opened = try daemon.torpor("open", "game:2")
        #expect(opened.status != 0, "\(opened)")
        #expect(opened.errors.contains("a cannot open the URL now: it did not accept the URL"), "\(opened)")
        #expect(daemon.lines(of: "asked") == ["a game:2", "b game:2"])
    }
}
