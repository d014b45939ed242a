package import ConfigurationSyntax

/// What `torpor import` makes of foreign files: worker files, and what has no counterpart.
package struct ImportPlan: Hashable, Sendable {
    /// The workers, in the order of the foreign files; their names differ.
    package internal(set) var workers: [ImportedWorker] = []
    /// What belongs to no worker and was not taken over.
    package internal(set) var notes: [ImportNote] = []
    /// What is wrong with the foreign files; where there is any, nothing may be written.
    package internal(set) var problems: [Diagnostic] = []
}

/// A worker file that was made of foreign files; `WorkerLoader` reads it without a warning.
package struct ImportedWorker: Hashable, Sendable {
    /// The worker's name; a template's ends in `@`.
    package let name: WorkerName
    /// What it was made of, as a noun phrase with the file's path.
    package let origin: String
    /// The content of its file.
    package let text: String
    /// What was not taken over; the file has these lines as comments.
    package let notes: [ImportNote]
    /// Whether its file holds values of variables, which other users need not read.
    package let holdsVariables: Bool
}

/// What is known of the place at which files are imported.
package struct ImportContext: Sendable {
    /// The caller's environment, for `%(ENV_NAME)s` of supervisord and `${NAME}` of compose files.
    package var environment: [String: String]
    /// The host's name, for `%(host_node_name)s`.
    package var hostName: String
    /// Whether the workers are those of the system's supervisor; else a user's.
    package var isSystem: Bool

    /// A place with this environment and host name.
    package init(environment: [String: String] = [:], hostName: String = "localhost", isSystem: Bool = true) {
        self.environment = environment
        self.hostName = hostName
        self.isSystem = isSystem
    }
}
