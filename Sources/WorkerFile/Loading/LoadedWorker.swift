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
}
