internal import ConfigurationSyntax

extension WorkerDefinition {
    /// What stands in `Wants=` for a worker that is not launched into the background before its protected data was available once since boot.
    ///
    /// It is no worker: one of this name cannot be wanted.
    package static let firstUnlock = "firstUnlock"

    /// Whether `Wants=firstUnlock` is said.
    package var awaitsFirstUnlock: Bool { wants.contains { $0.name.text == Self.firstUnlock } }
}
