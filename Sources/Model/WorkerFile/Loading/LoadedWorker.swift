package import ConfigurationSyntax

/// A worker as its files define it.
package struct LoadedWorker: Hashable, Sendable {
    /// Its name.
    package let name: WorkerName
    /// What its files say, which others that say the same may share.
    package var shared: SharedDefinition
    /// The paths of its files: its own, then the drop-ins.
    package let files: [String]
    /// What is odd about them; `verify` counts these as errors.
    package let warnings: [Diagnostic]

    /// What its files say.
    package var definition: WorkerDefinition { _read { yield shared.value } }

    /// A worker that was put together another way than by a loader.
    package init(name: WorkerName, definition: WorkerDefinition, files: [String], warnings: [Diagnostic]) {
        self.name = name
        shared = SharedDefinition(definition)
        self.files = files
        self.warnings = warnings
    }
}

/// A definition, which is more than a kilobyte: copies share one, and so can workers that are defined alike.
package final class SharedDefinition: Hashable, Sendable {
    /// The definition itself.
    package let value: WorkerDefinition

    /// `value`, to be shared.
    package init(_ value: WorkerDefinition) {
        self.value = value
    }

    /// Whether both say the same.
    package static func == (a: SharedDefinition, b: SharedDefinition) -> Bool {
        a === b || a.value == b.value
    }

    /// Adds what the definition says.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}
