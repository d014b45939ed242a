/// A worker as its files define it.
public struct LoadedWorker: Hashable, Sendable {
    /// Its name.
    public let name: WorkerName
    /// What its files say.
    public let definition: WorkerDefinition
    /// The paths of its files: its own, then the drop-ins.
    public let files: [String]
    /// What is odd about them; `verify` counts these as errors.
    public let warnings: [Diagnostic]

    /// A worker that was put together another way than by a loader.
    public init(name: WorkerName, definition: WorkerDefinition, files: [String], warnings: [Diagnostic]) {
        self.name = name
        self.definition = definition
        self.files = files
        self.warnings = warnings
    }
}
