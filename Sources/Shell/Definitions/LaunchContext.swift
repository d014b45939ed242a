package import ConfigurationSyntax
package import Linux
internal import Places
internal import Systemd
internal import WorkerFile

/// What all workers of one supervisor find around them when they are launched.
package final class LaunchContext: Sendable {
    /// The roots of state and runtime directories, and the supervisor's user.
    package let place: SpecifierContext.Place
    /// The supervisor's own environment: what `PassEnvironment=` takes from.
    package let environment: Environment
    /// Whether this is the system's supervisor.
    package let isRoot: Bool
    /// The supervisor's control socket: what tells its workers from those of another; nil where there is none.
    let supervisor: String?
    /// Whether resource limits may be raised above our own (CAP_SYS_RESOURCE).
    let raisesLimits: Bool
    /// Opens the journal for a worker's output under this identifier; nil when there is no journal.
    let journal: @Sendable (String) -> OwnedDescriptor?

    /// The context of this process.
    package convenience init(
        place: SpecifierContext.Place = .here(), environment: Environment = .current,
        isRoot: Bool = ThisProcess.isRoot, supervisor: String? = nil
    ) {
        self.init(place: place, environment: environment, isRoot: isRoot, supervisor: supervisor) {
            identifier in
            try? JournalStream.open(identifier: identifier)
        }
    }

    /// A context with a journal of its own.
    init(
        place: SpecifierContext.Place, environment: Environment, isRoot: Bool, supervisor: String? = nil,
        journal: @escaping @Sendable (String) -> OwnedDescriptor?
    ) {
        self.place = place
        self.environment = environment
        self.isRoot = isRoot
        self.supervisor = supervisor
        self.journal = journal
        raisesLimits = ThisProcess.mayRaiseLimits
    }

    /// Where a program without a slash is looked for, and the PATH that workers get (systemd.exec(5), `$PATH`).
    static let searchPath = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
    ]
}
