package import Lifecycle

/// How far a launch is that has come to no process yet.
package struct LaunchPreparation: Hashable, Sendable {
    /// When it was begun.
    package let since: Instant
    /// The command that runs before the main process.
    package let command: ServiceCommand?
    /// The workers that it waits for, by name.
    package let awaited: [String]

    package init(since: Instant, command: ServiceCommand?, awaited: [String]) {
        self.since = since
        self.command = command
        self.awaited = awaited
    }

    /// What is under way, in a clause.
    package var words: String {
        if let command { return "\(command) is running" }
        return awaited.isEmpty
            ? "its process is being created" : "it waits for \(awaited.joined(separator: ", "))"
    }
}
