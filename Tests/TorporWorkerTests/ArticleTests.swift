import Foundation
import Testing

@Suite
struct `The articles of the libraries for workers` {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    /// The lines between `// snippet: …` and `// end` of the compiled sources, without their indentation.
    private func compiled(_ names: [String]) throws -> [String] {
        var snippets: [String] = []
        for name in names {
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

    private struct Article: Sendable {
        let path: String
        let sources: [String]
        let count: Int
    }

    private static let articles = [
        Article(
            path: "TorporWorker/TorporWorker.docc/Adopting-the-life-cycle.md",
            sources: ["AdoptingExamples.swift", "AdoptingServiceExample.swift"], count: 11),
        Article(
            path: "TorporWorkerTesting/TorporWorkerTesting.docc/TorporWorkerTesting.md",
            sources: ["TestingExamples.swift"], count: 3),
    ]

    @Test(arguments: articles.indices) func `show code that compiles, word for word`(_ index: Int) throws {
        let article = Self.articles[index]
        let place = Self.here.appending(path: "../../Sources/Clients/\(article.path)")
        let text = try String(contentsOf: place, encoding: .utf8)
        let shown = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(shown.count == article.count)
        #expect(shown.sorted() == (try compiled(article.sources)).sorted())
    }
}
