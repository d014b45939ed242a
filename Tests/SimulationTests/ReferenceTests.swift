import Foundation
import Testing
import WorkerFile

@testable import Simulation

@Suite struct `The reference of scenarios` {
    private let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "packaging/examples/README.md"), encoding: .utf8)
    }

    @Test func `names every event`() {
        let words = Set(text.split { " `\n|".contains($0) })
        for verb in Verb.table { #expect(words.contains(Substring(verb.name)), "\(verb.name)") }
    }

    @Test func `names every key that is not a callback's`() {
        let keys = Program.directives.map(\.key).filter { key in
            key.prefix(1) == key.prefix(1).uppercased()
                && !Program.directives.contains {
                    $0.key == key.dropLast(3) + "Answer" && key.hasSuffix("Sec")
                }
                && !key.hasSuffix("Answer")
        }
        #expect(keys.count > 15)
        for key in keys + Scenario.Settings.directives.map(\.key) {
            #expect(text.contains("`\(key)=`"), "\(key)")
        }
    }
}
