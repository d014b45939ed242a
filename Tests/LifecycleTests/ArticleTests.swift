import Foundation
import Testing

@Suite struct `The documentation of Lifecycle` {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let module = here.appending(path: "../../Sources/Model/Lifecycle")

    private func page(_ name: String) throws -> String {
        try String(contentsOf: Self.module.appending(path: "Lifecycle.docc/\(name).md"), encoding: .utf8)
    }

    /// The lines between `// snippet: …` and `// end` of the compiled example, without their indentation.
    private func compiled() throws -> [String] {
        let text = try String(contentsOf: Self.here.appending(path: "ArticleExample.swift"), encoding: .utf8)
        return text.components(separatedBy: "// snippet: ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").dropFirst()
                .prefix { $0.trimmingCharacters(in: .whitespaces) != "// end" }
            let depth = lines.first.map { $0.prefix { $0 == " " }.count } ?? 0
            return lines.map { String($0.dropFirst(depth)) }.joined(separator: "\n")
        }
    }

    @Test func `shows code that compiles, word for word`() throws {
        let shown = try page("A-life-in-a-few-lines").components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(shown.count == 2)
        #expect(shown == (try compiled()))
    }

    @Test func `says what its example prints`() throws {
        let printed = "print(states)  // \(ArticleExample.states())\n"
        #expect(try page("A-life-in-a-few-lines").contains(printed), "\(printed)")
    }

    @Test func `lists every public type, and no other`() throws {
        var types: Set<String> = ["Lifecycle"]
        // With those of Instants, which it exports.
        let modules = [Self.module, Self.module.deletingLastPathComponent().appending(path: "Instants")]
        let files = try modules.flatMap { module in
            try FileManager.default.contentsOfDirectory(atPath: module.path).map {
                module.appending(path: $0)
            }
        }
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?m)^public (?:final )?(?:struct|enum|class|protocol) (\w+)/) {
                types.insert(String(match.1))
            }
        }
        let listed = try page("Lifecycle").matches(of: /``(\w+)``/).map { String($0.1) }
        #expect(Set(listed) == types)
    }
}
