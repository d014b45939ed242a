import Foundation
import TestSupport
import Testing

/// URLs that more than one worker opens.
@Suite(.timeLimit(.minutes(15))) struct `Several openers of a scheme` {
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

    @Test func `that all refuse are told by the first`() throws {
        let daemon = try DaemonUnderTest(["a": Self.opener(1), "b": Self.opener(1)])
        let opened = try daemon.torpor("open", "game:2")
        #expect(opened.status != 0, "\(opened)")
        #expect(opened.errors.contains("a cannot open the URL now: it did not accept the URL"), "\(opened)")
        #expect(daemon.lines(of: "asked") == ["a game:2", "b game:2"])
    }
}
