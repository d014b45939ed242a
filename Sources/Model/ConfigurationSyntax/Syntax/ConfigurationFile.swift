/// One `Key=Value` of a configuration file.
package struct Assignment: Hashable, Sendable {
    /// The section it stands in, without brackets; where sections have names, `Worker web`.
    package let section: String
    /// What stands before the first `=`, trimmed.
    package let key: String
    /// What stands behind it, trimmed; empty where a list is reset.
    package let value: String
    /// The file's path.
    package let file: String
    /// The line it begins in, from 1.
    package let line: Int

    /// An assignment of `value` to `key`.
    package init(section: String, key: String, value: String, file: String, line: Int) {
        self.section = section
        self.key = key
        self.value = value
        self.file = file
        self.line = line
    }
}

/// A file in the dialect of systemd.syntax(7): its assignments in order, and what is wrong with it.
///
/// As systemd does, lines end at LF, CR or both, a byte order mark at the beginning is skipped, a backslash at the very
/// end of a line joins the next one with a space, and comments in between are left out. Unlike systemd, NUL bytes and
/// invalid UTF-8 are errors, not line ends or ignored lines.
package struct ConfigurationFile: Hashable, Sendable {
    /// Bounds on what is read; systemd has the same one for lines.
    package struct Bounds: Hashable, Sendable {
        /// The longest line, continuation lines included, in bytes.
        package var line = 1 << 20
        /// The biggest file, in bytes.
        package var file = 4 << 20

        /// The usual bounds: lines of 1 MiB, files of 4 MiB.
        package init() {}
    }

    /// The file's path.
    package let path: String
    /// The assignments, in the file's order.
    package private(set) var assignments: [Assignment] = []
    /// What is wrong with the syntax.
    package private(set) var diagnostics: [Diagnostic] = []

    private var section: String?
    /// Whether an unknown section has been reported, so that its lines need not be.
    private var ignoresSection = false

    /// Reads `bytes`, the content of the file at `path`; sections other than `sections` are reported and ignored, silently
    /// when they begin with `X-`.
    package init(path: String, bytes: [UInt8], sections: Set<String>, bounds: Bounds = Bounds()) {
        self.init(path: path, bytes: bytes, sections: sections, named: [], bounds: bounds)
    }

    /// The same for a file in which the sections `named` say what they belong to: `[Worker web]`.
    package init(
        path: String, bytes: [UInt8], sections: Set<String>, named: Set<String>, bounds: Bounds = Bounds()
    ) {
        self.path = path
        read(bytes, sections: Sections(plain: sections, named: named), bounds: bounds)
    }

    private mutating func read(_ bytes: [UInt8], sections: Sections, bounds: Bounds) {
        guard bytes.count <= bounds.file else {
            return report(.error, 0, "the file has \(bytes.count) bytes", expected: "at most \(bounds.file)")
        }
        if let nul = bytes.firstIndex(of: 0) {
            let line = PhysicalLines(bytes[...nul]).reduce(0) { count, _ in count + 1 }
            return report(.error, line, "a NUL byte", expected: "text")
        }
        var joined: [UInt8] = []
        var start: Int?
        var number = 0
        for line in PhysicalLines(bytes) {
            number += 1
            var rest = line
            if number == 1, rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
            rest = rest.drop(while: \.isBlank)
            if let first = rest.first, first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { continue }
            guard joined.count + rest.count <= bounds.line else {
                return report(
                    .error, number, "the line is too long", expected: "at most \(bounds.line) bytes")
            }
            joined += rest
            if Self.endsEscaped(rest) {
                joined[joined.count - 1] = 0x20
                start = start ?? number
                continue
            }
            read(joined, line: start ?? number, sections: sections)
            joined = []
            start = nil
        }
        if let start { read(joined, line: start, sections: sections) }
    }

    /// Whether the last byte is a backslash that no other one escapes.
    private static func endsEscaped(_ line: ArraySlice<UInt8>) -> Bool {
        var count = 0
        for byte in line.reversed() {
            guard byte == .backslash else { break }
            count += 1
        }
        return !count.isMultiple(of: 2)
    }

    private mutating func report(
        _ severity: Diagnostic.Severity, _ line: Int, _ problem: String, expected: String = ""
    ) {
        diagnostics.append(
            Diagnostic(severity, file: path, line: line, problem: problem, expected: expected))
    }

    private mutating func read(_ bytes: [UInt8], line: Int, sections: Sections) {
        guard let text = String(validating: bytes, as: UTF8.self)?.trimmed else {
            return report(.error, line, "invalid UTF-8", expected: "text in UTF-8")
        }
        guard let first = text.utf8.first else { return }
        if first == UInt8(ascii: "[") { return enter(text, line: line, sections: sections) }
        guard let section else {
            if !ignoresSection {
                report(
                    .warning, line, "ignoring an assignment outside of any section",
                    expected: "[Section] first"
                )
            }
            return
        }
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return report(.warning, line, "ignoring \(text.quoted)", expected: "Key=Value")
        }
        let key = String(text[..<equals]).trimmed
        guard !key.isEmpty else {
            return report(.warning, line, "ignoring \(text.quoted), which has no key", expected: "Key=Value")
        }
        let value = String(text[text.utf8.index(after: equals)...]).trimmed
        assignments.append(Assignment(section: section, key: key, value: value, file: path, line: line))
    }

    private mutating func enter(_ header: String, line: Int, sections: Sections) {
        section = nil
        ignoresSection = true
        guard header.utf8.last == UInt8(ascii: "]"), header.utf8.count > 2 else {
            return report(.error, line, "invalid section header \(header.quoted)", expected: "[Section]")
        }
        let name = String(cut: header.utf8.dropFirst().dropLast())
        if let known = sections.known(name) {
            section = known
            ignoresSection = false
        } else if !name.utf8.starts(with: "X-".utf8) {
            let problem = "ignoring the unknown section \(name.quoted)"
            if let meant = sections.nearest(to: name) {
                report(.warning, line, "\(problem); did you mean [\(meant)]?")
            } else {
                report(.warning, line, problem, expected: "one of \(sections.listed)")
            }
        }
    }
}

/// The sections that a file may have.
private struct Sections {
    let plain: Set<String>
    let named: Set<String>

    /// The header `text` as assignments have it; nil when there is no such section.
    func known(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if plain.contains(text) { return text }
        let parts = text.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
        guard parts.count == 2, named.contains(String(parts[0])) else { return nil }
        return "\(parts[0]) \(String(parts[1]).trimmed)"
    }

    /// The section that was meant by a slip of the pen.
    func nearest(to name: String) -> String? { Spelling.nearest(to: name, of: plain.sorted()) }

    var listed: String {
        (plain.sorted().map { "[\($0)]" } + named.sorted().map { "[\($0) NAME]" }).joined(separator: ", ")
    }
}

/// The lines of a file; LF, CR, CR LF and LF CR end one, as systemd reads them.
private struct PhysicalLines: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) {
        rest = ArraySlice(bytes)
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        guard let end = rest.firstIndex(where: { $0 == .newline || $0 == .carriageReturn }) else {
            defer { rest = [] }
            return rest
        }
        let line = rest[..<end]
        var after = end + 1
        if after < rest.endIndex, rest[after] != rest[end],
            rest[after] == .newline || rest[after] == .carriageReturn
        {
            after += 1
        }
        rest = rest[after...]
        return line
    }
}
