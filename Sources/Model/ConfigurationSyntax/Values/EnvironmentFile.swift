/// The content of an `EnvironmentFile=`, by the rules of systemd.exec(5): nearly a shell's assignments, nothing expanded.
package struct EnvironmentFile: Hashable, Sendable {
    /// The variables in the file's order; of two of one name the later one counts.
    package private(set) var variables: [EnvironmentVariable] = []
    /// Lines that were ignored, and files that cannot be read at all.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Reads `bytes`, the content of the file at `path`.
    package init(path: String, bytes: [UInt8], bounds: ConfigurationFile.Bounds = .init()) {
        guard bytes.count <= bounds.file else {
            diagnostics = [
                Diagnostic(
                    .error, file: path, problem: "the file has \(bytes.count) bytes",
                    expected: "at most \(bounds.file)")
            ]
            return
        }
        var reader = Reader(bytes)
        var found: [EnvironmentVariable] = []
        while let entry = reader.next() {
            guard let variable = variable(of: entry, path: path) else { continue }
            guard found.count < Self.mostVariables else {
                diagnostics.append(
                    Diagnostic(
                        .error, file: path, line: entry.line,
                        problem: "more than \(Self.mostVariables) variables", expected: "fewer"))
                break
            }
            found.append(variable)
        }
        // From behind, so that each name is looked up once: a file may have as many as fit into it.
        var names: Set<String> = []
        variables = found.reversed().filter { names.insert($0.name).inserted }.reversed()
    }

    /// The most assignments of one file: execve(2) takes some more at best, and each costs memory.
    static let mostVariables = 100_000
    /// The most lines that are complained of: a file that is nothing but mistakes costs no more than one that is right.
    static let mostDiagnostics = 100

    private mutating func variable(of entry: Reader.Entry, path: String) -> EnvironmentVariable? {
        func ignore(
            _ severity: Diagnostic.Severity, _ problem: @autoclosure () -> String, _ expected: String
        ) -> EnvironmentVariable? {
            // An error makes the file unusable, so that the first one is never left out.
            let isFirst = severity == .error && !diagnostics.contains { $0.severity == .error }
            guard diagnostics.count < Self.mostDiagnostics || isFirst else { return nil }
            diagnostics.append(
                Diagnostic(severity, file: path, line: entry.line, problem: problem(), expected: expected))
            return nil
        }
        guard let key = String(validating: entry.key, as: UTF8.self),
            let value = entry.value.map({ String(validating: $0, as: UTF8.self) }) ?? ""
        else { return ignore(.error, "invalid UTF-8", "text in UTF-8") }
        guard !entry.key.contains(0), !(entry.value ?? []).contains(0) else {
            return ignore(.error, "a NUL byte", "text")
        }
        guard entry.value != nil else { return ignore(.warning, "ignoring \(key.quoted)", "NAME=VALUE") }
        guard VariableName.isValid(key.utf8) else {
            return ignore(.warning, "ignoring \(key.quoted)", VariableName.expectation)
        }
        return EnvironmentVariable(name: key, value: value)
    }
}

/// Reads one assignment after the other.
private struct Reader {
    struct Entry {
        let line: Int
        let key: [UInt8]
        /// Nil where there was no `=`.
        let value: [UInt8]?
    }

    private var cursor: ByteCursor
    private var line = 1

    init(_ bytes: [UInt8]) {
        cursor = ByteCursor(bytes)
    }

    /// The next byte, counting lines.
    private mutating func advance() -> UInt8? {
        let byte = cursor.next()
        if byte == .newline { line += 1 }
        return byte
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == .newline || byte == .carriageReturn }

    mutating func next() -> Entry? {
        while let byte = advance() {
            if byte.isBlank { continue }
            guard byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") else { return entry(first: byte) }
            while let byte = advance(), !Self.endsLine(byte) {}
        }
        return nil
    }

    private mutating func entry(first: UInt8) -> Entry {
        let start = line
        var key: [UInt8] = []
        var byte: UInt8? = first
        while let current = byte, current != UInt8(ascii: "=") {
            if Self.endsLine(current) { return Entry(line: start, key: key, value: nil) }
            key.append(current)
            byte = advance()
        }
        key = key.trimmedEnd
        return Entry(line: start, key: key, value: byte == nil ? nil : value())
    }

    /// The value up to the end of its line.
    ///
    /// Quotes count only before the first bare character; blanks between quoted
    /// parts are left out.
    private mutating func value() -> [UInt8] {
        var value: [UInt8] = []
        while let byte = advance() {
            switch byte {
            case _ where Self.endsLine(byte): return value
            case UInt8(ascii: "'"): singleQuoted(&value)
            case UInt8(ascii: "\""): doubleQuoted(&value)
            case _ where byte.isBlank: continue
            default:
                bare(byte, &value)
                return value
            }
        }
        return value
    }

    private mutating func singleQuoted(_ value: inout [UInt8]) {
        while let byte = advance(), byte != UInt8(ascii: "'") { value.append(byte) }
    }

    private mutating func doubleQuoted(_ value: inout [UInt8]) {
        while let byte = advance(), byte != UInt8(ascii: "\"") {
            guard byte == .backslash else {
                value.append(byte)
                continue
            }
            guard let escaped = advance() else { return }
            if "\"\\`$".utf8.contains(escaped) {
                value.append(escaped)
            } else if escaped != .newline {
                value += [.backslash, escaped]
            }
        }
    }

    private mutating func bare(_ first: UInt8, _ value: inout [UInt8]) {
        var byte: UInt8? = first
        // Blanks at the end are cut off, escaped ones are not.
        var kept = value.count
        while let current = byte, !Self.endsLine(current) {
            if current == .backslash {
                if let escaped = advance(), !Self.endsLine(escaped) { value.append(escaped) }
                kept = value.count
            } else {
                value.append(current)
                if !current.isBlank { kept = value.count }
            }
            byte = advance()
        }
        value.removeSubrange(kept...)
    }
}

extension [UInt8] {
    fileprivate var trimmedEnd: [UInt8] {
        guard let last = lastIndex(where: { !$0.isBlank }) else { return [] }
        return Array(self[...last])
    }
}
