import ConfigurationSyntax
import TestSupport
import Testing
import WorkerFile

@testable import Supervisor
@testable import SupervisorPorts
@testable import WorkerIO

@Suite struct `A watch for a line of output` {
    private func watch(_ pattern: String) throws -> OutputWatch {
        OutputWatch(for: try OutputPattern(parsing: pattern))
    }

    private func hears(_ watch: inout OutputWatch, _ text: String, from channel: Int = 0) -> Bool {
        watch.hears(ArraySlice(text.utf8), from: channel)
    }

    @Test func `hears a line in whatever pieces it comes`() throws {
        let text = "no\r\nsaved ä€😀 7 files\r\nmore"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var watch = try watch("^saved ä€😀 [0-9]+ files$")
            var isThere = false
            var rest = bytes[...]
            while !rest.isEmpty {
                isThere = watch.hears(rest.prefix(size), from: 0) || isThere
                rest = rest.dropFirst(size)
            }
            #expect(isThere, "pieces of \(size)")
        }
    }

    @Test func `hears a prompt, which has no end, and each channel by itself`() throws {
        var watch = try watch("^>>> $")
        #expect(!hears(&watch, ">>"))
        #expect(!hears(&watch, "> ", from: 1))
        #expect(!hears(&watch, ">x\n"))
        #expect(hears(&watch, "\n>>> ", from: 1))
    }

    @Test func `looks at no more of a line than its beginning`() throws {
        var watch = try watch("Q")
        let most = OutputWatch.longest
        #expect(!hears(&watch, String(repeating: "a", count: most - 1)))
        #expect(!hears(&watch, "a"))
        #expect(!hears(&watch, "Q"), "it is behind what is looked at")
        #expect(hears(&watch, "\nQ"))
    }

    @Test func `has so much read in a turn as its pattern costs`() throws {
        #expect(try watch("ready").bytesPerTurn > 8000)
        let costly = try watch("([a-z]{1,200}x?){1,9}Q")
        #expect(costly.bytesPerTurn < 64 && costly.bytesPerTurn >= 32)
        #expect(OutputWatch.bytesPerTurn(forPatternOf: 1) == PipeReader.turn)
        #expect(OutputWatch.bytesPerTurn(forPatternOf: 4096) == 32)
    }

    @Test func `costs the same for each piece, however much came before`() throws {
        let ratio = try WorkRatio(from: 20, to: 320) { size in
            var watch = try watch("([a-z]{1,20}x?){1,9}Q")
            for _ in 0..<size { _ = hears(&watch, "aaaaaaaa") }
        }
        #expect(ratio.value < 80, "\(ratio.value)")
    }

    @Test func `lines are blanked in a bounded number of steps`() throws {
        let patterns = [try OutputPattern(parsing: "key=[a-z]+"), try OutputPattern(parsing: "a|a.*Q")]
        #expect(["key=abc", "so"].redacted(by: patterns) == ["***", "so"])
        let lines = Array(repeating: String(repeating: "a", count: 1024), count: 64)
        let blanked = lines.redacted(by: patterns, steps: 20_000)
        #expect(blanked.count == 64 && blanked.last == "***")
        #expect(lines.redacted(by: [], steps: 1) == lines)
    }
}
