import Foundation
import Importing
import TestSupport
import Testing

extension Capability {
    /// `python3` with PyYAML.
    static let pyYAML = Capability("PyYAML") {
        YAMLReference.nodes(of: []) == nil ? "python3 has no module yaml (Debian's python3-yaml)" : nil
    }
}

/// PyYAML, another reader of the same documents.
enum YAMLReference {
    /// The nodes of files, a line for each; nil where PyYAML cannot be asked.
    static func nodes(of paths: [String]) -> [String]? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/yaml_nodes.py"
        process.arguments = ["python3", script] + paths
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return text.split(separator: "\n").map(String.init)
    }
}

@Suite struct `YAML` {
    private func written(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, let isPlain):
            (isPlain ? "P[" : "Q[") + text.utf8.map { "\($0)" }.joined(separator: ",") + "]"
        case .sequence(let items): "[" + items.map(written).joined(separator: ",") + "]"
        case .mapping(let pairs):
            "{" + pairs.map { written($0.key) + ":" + written($0.value) }.joined(separator: ",") + "}"
        }
    }

    private static let documents = [
        "services:\n  web:\n    image: nginx:latest # c\n    command: [nginx, -g, \"daemon off;\"]\n    ports:\n    - \"80:80\"\n    - 1\n",
        "a: |\n  x\n   y\n\n  z\n\nb: >-\n  f g\n  h\n\n   more\n  i\nc: >+\n  x\n\n\nd: |2\n   x\n",
        "- a\n-  - b\n   - c\n- d: 1\n  e: 2\n-\n  f: g\n-\n- 'it''s'\n- \"a\\n b\\\n   c\n\n  d\"\n",
        "{a: 1, b: [x, y z, {q: r}], 'c':d, \"e\":f, g}\n",
        "a: &x\n  b: 1\nc: *x\nd: &y foo\ne: [*y, &z w, *z]\n",
        "---\na: b\n...\n", "plain\n multi\n\n line # c\n", "a: b\n  c d\n   e\nf: 'x\n  y'\ng:\n- 1\n- 2\n",
        "a:\n  - b: |\n      t\n    c: d\n  - {}\n  - []\n# end\n",
        "\"k\": v\n'k2' : v\nk 3: v:w http://x#y\n", "a: ?x\nb: -y\nc: :z\n",
        "[a: b, c, e: ]\n", "", "# only\n", "a:\n\n\n  b: c\n", "x: \"\\u00e4\\x41\\t\\/\"\n",
        "a: &b\n- 1\n- 2\n", "? \n", "a: [b\n  c,\n  d]\n",
    ]

    @Test func `is read as PyYAML reads it`() throws {
        guard Capability.pyYAML.missing() == nil else {
            print("skipped: YAML is compared with PyYAML: \(Capability.pyYAML.missing() ?? "")")
            return
        }
        try withTemporaryDirectory { directory in
            var generator = SplitMix64(seed: 20)
            let pieces = [
                ": ", "- ", "\n", "  ", " ", "#", " #", "'", "\"", "[", "]", "{", "}", ",", "|", ">", "&a ",
                "*a", "~", "\n\n", "\n  ", "-",
                "?", ":", "\\n", "\\", "|-\n", ">+\n", "---\n", "...", "\t", "x", "%", "@", "1", "\n- ",
                "|2\n",
            ]
            var texts = Self.documents
            for _ in 0..<1500 {
                var text = Array((Self.documents.randomElement(using: &generator) ?? "").unicodeScalars)
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let place = Int.random(in: 0...text.count, using: &generator)
                    if Bool.random(using: &generator) {
                        text.insert(
                            contentsOf: (pieces.randomElement(using: &generator) ?? "").unicodeScalars,
                            at: place)
                    } else {
                        text.removeSubrange(place..<min(text.count, place + 3))
                    }
                }
                texts.append(String(String.UnicodeScalarView(text)))
            }
            var paths: [String] = []
            for (index, text) in texts.enumerated() {
                paths.append("\(directory)/\(index)")
                try text.write(toFile: paths[index], atomically: false, encoding: .utf8)
            }
            let reference = try #require(YAMLReference.nodes(of: paths))
            try #require(reference.count == texts.count)
            var agreed = 0
            for (text, expected) in zip(texts, reference) {
                // What only one of them takes is no difference in what is read: keys of several lines, say.
                guard let node = try? YAMLParser.read(text), !expected.hasPrefix("error") else { continue }
                #expect(written(node) == expected, "\(text)")
                agreed += 1
            }
            #expect(agreed > 500)
        }
        for text in Self.documents where text != "? \n" {
            #expect(throws: Never.self, "\(text)") { try YAMLParser.read(text) }
        }
    }

    @Test(arguments: [
        ("a: b: c\n", 1, "a mapping cannot begin on this line"),
        ("a: - b\n", 1, "a list cannot begin on this line"),
        ("a:\n  b: 1\n c: 2\n", 3, "the indentation fits no list or mapping above"),
        ("a: 'b\n", 1, "an unterminated quote"),
        ("a: \"\\q\"\n", 1, "an unknown escape in a quoted text"),
        ("a: @b\n", 1, "a value cannot begin with this sign; quote it"),
        ("? a\n: b\n", 1, "keys of several lines are not supported"),
        ("a\nb: c\n", 2, "a mapping cannot begin on this line"),
        ("a: [b\n", 1, "an unterminated “[” or “{”"), ("a: [b c: d}\n", 1, "expected “,” or “]”"),
        ("%TAG x\n", 1, "an unknown directive"),
        ("a: \"b\" c\n", 1, "nothing more is expected on this line"),
        ("a: |x\n", 1, "an unknown indicator of a block"),
    ])
    func `is refused with the line`(_ text: String, _ line: Int, _ problem: String) {
        #expect(throws: YAMLError.self) { try YAMLParser.read(text) }
        do { _ = try YAMLParser.read(text) } catch { #expect((error.line, error.problem) == (line, problem)) }
    }

    @Test func `is refused where it goes too deep`() {
        for deep in ["[", "{a: ", "- "] {
            #expect(throws: YAMLError.self) { try YAMLParser.read(String(repeating: deep, count: 100_000)) }
        }
    }
}
