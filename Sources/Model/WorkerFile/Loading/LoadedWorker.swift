/// A worker as its files define it.
///
/// A definition is a kilobyte: copies of this share one, however many keep it.
public struct LoadedWorker: Hashable, Sendable {
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
    public let name: WorkerName
    private let content: Content

    /// What its files say.
    public var definition: WorkerDefinition { _read { yield content.definition } }
    /// The paths of its files: its own, then the drop-ins.
    public var files: [String] { content.files }
    /// What is odd about them; `verify` counts these as errors.
    public var warnings: [Diagnostic] { content.warnings }

    /// A worker that was put together another way than by a loader.
    public init(name: WorkerName, definition: WorkerDefinition, files: [String], warnings: [Diagnostic]) {
        self.name = name
        content = Content(definition, files, warnings)
    }
}
