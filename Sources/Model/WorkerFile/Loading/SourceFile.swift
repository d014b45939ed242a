internal import ConfigurationSyntax

/// A configuration file as it was found.
package struct SourceFile: Hashable, Sendable {
    /// Its path.
    package let path: String
    /// Its bytes.
    package let bytes: [UInt8]

    /// The file at `path`.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

extension [SourceFile] {
    /// The files under a line `# /path` each, with an empty line in between, as `systemctl cat` shows them.
    package var catalogue: [UInt8] {
        var text: [UInt8] = []
        for file in self {
            if !text.isEmpty { text.append(.newline) }
            text += "# ".utf8
            text += file.path.utf8
            text.append(.newline)
            text += file.bytes
            if file.bytes.last.map({ $0 != .newline }) ?? false { text.append(.newline) }
        }
        return text
    }
}
