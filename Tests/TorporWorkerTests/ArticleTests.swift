import Foundation
import Testing

@Suite
struct `The article “Adopting the life cycle”` {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    /// The lines between `// snippet: …` and `// end` of the compiled sources, without their indentation.
    private func compiled() throws -> [String] {
        var snippets: [String] = []
        for name in ["AdoptingExamples.swift", "AdoptingServiceExample.swift"] {
            var lines: [Substring]?
            let text = try String(contentsOf: Self.here.appending(path: name), encoding: .utf8)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let trimmed = line.trimmingCharacters(in: .whitespaces)
                if trimmed.hasPrefix("// snippet: ") {
                    lines = []
                } else if trimmed == "// end", let found = lines {
                    let depth = found.first.map { $0.prefix { $0 == " " }.count } ?? 0
                    snippets.append(found.map { String($0.dropFirst(depth)) }.joined(separator: "\n"))
                    lines = nil
                } else {
                    lines?.append(line)
                }
            }
        }
        return snippets
    }

    @Test func `shows code that compiles, word for word`() throws {
        let place = "../../Sources/Clients/TorporWorker/TorporWorker.docc/Adopting-the-life-cycle.md"
        let text = try String(contentsOf: Self.here.appending(path: place), encoding: .utf8)
        let shown = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(shown.count == 8)
        #expect(shown.sorted() == (try compiled()).sorted())
    }
}
