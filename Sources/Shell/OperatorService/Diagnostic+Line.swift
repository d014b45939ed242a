package import ConfigurationSyntax
package import ControlAPI
internal import WorkerFile

extension SupervisorInterface.Diagnostic {
    package init(_ diagnostic: Diagnostic, worker: String?) {
        self.init(
            worker: worker, file: diagnostic.file, line: diagnostic.line > 0 ? Int64(diagnostic.line) : nil,
            key: diagnostic.key.isEmpty ? nil : diagnostic.key,
            message: diagnostic.expected.isEmpty
                ? diagnostic.problem : "\(diagnostic.problem); expected \(diagnostic.expected)")
    }

    /// One line that says what is wrong, and where.
    package var oneLine: String {
        var text = file
        if let number = line { text += ":\(number)" }
        if let key { text += ": \(key)=" }
        return "\(text): \(message)"
    }
}
