package import ConfigurationSyntax

/// A worker as its files define it.
///
/// A definition is a kilobyte: copies of this share one, however many keep it.
package struct LoadedWorker: Hashable, Sendable {
    private final class Content: Hashable, Sendable {
        let definition: WorkerDefinition
        let files: [String]
        let warnings: [Diagnostic]

        init(_ definition: WorkerDefinition, _ files: [String], _ warnings: [Diagnostic]) {
            self.definition = definition
            self.files = files
            self.warnings = warnings
        }

        static func == (a: Content, b: Content) -> Bool {
            a === b || a.definition == b.definition && a.files == b.files && a.warnings == b.warnings
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(definition)
            hasher.combine(files)
            hasher.combine(warnings)
        }
    }

    /// Its name.
    package let name: WorkerName
    private let content: Content

    /// What its files say.
    package var definition: WorkerDefinition { _read { yield content.definition } }
    /// The paths of its files: its own, then the drop-ins.
    package var files: [String] { content.files }
    /// What is odd about them; `verify` counts these as errors.
    package var warnings: [Diagnostic] { content.warnings }

    /// A worker that was put together another way than by a loader.
    package init(name: WorkerName, definition: WorkerDefinition, files: [String], warnings: [Diagnostic]) {
        self.name = name
        content = Content(definition, files, warnings)
    }
}
