internal import ConfigurationSyntax
internal import ControlServer
internal import Glibc
internal import Linux
package import Places
internal import WorkerFile

/// A torpord.conf that does not hold.
package struct BadConfiguration: Error, CustomStringConvertible {
    /// What is wrong, where, and what was expected; one line each.
    package let description: String

    init(_ diagnostics: [Diagnostic]) {
        description = diagnostics.filter { $0.severity == .error }.map(\.description).joined(separator: "\n")
    }
}

/// A limit of open files (RLIMIT_NOFILE) with which a daemon could not serve its clients.
package struct DescriptorShortage: Error, Hashable, CustomStringConvertible {
    /// How many descriptors the process may have open.
    package let limit: Int

    /// A daemon has some thirty open by itself; a quarter of the limit is for its clients, and each worker that runs needs a few.
    package static let least = 64

    /// Nil where the limit is enough.
    package init?(limit: Int) {
        guard limit < Self.least else { return nil }
        self.limit = limit
    }

    /// What is too low, how much is needed, and what to do.
    package var description: String {
        "its limit of open files is \(limit), and it needs at least \(Self.least), and more for workers and clients; raise the "
            + "LimitNOFILE= of its unit, or the hard limit of the shell that starts it ('ulimit -Hn 1024')"
    }
}

extension Daemon {
    /// What torpord.conf says, with what is odd about it.
    static func settings(
        _ options: DaemonOptions, at place: SpecifierContext.Place
    ) throws -> (DaemonDefinition, [Diagnostic]) {
        let configuration = DaemonLoader(
            directories: options.configurationDirectories, source: DiskFileSource(trusting: .whole),
            place: place
        ).load()
        guard let definition = configuration.definition else {
            throw BadConfiguration(configuration.diagnostics)
        }
        return (definition, configuration.diagnostics + Authorization.problems(of: definition))
    }

    /// Throws what would keep a daemon with these options from starting: a torpord.conf that does not hold.
    package static func checkSettings(_ options: DaemonOptions) throws {
        _ = try settings(options, at: .here())
    }

    /// The exit status for what kept a daemon from starting: 75 when another runs, 77 not allowed, 78 configuration, 69 else.
    package static func exitStatus(for error: any Error) -> Int32 {
        switch error {
        case let failure as InstanceLock.Failure: failure.exitStatus
        case is BadConfiguration, is DescriptorShortage: 78
        case let failure as LinuxError where [EACCES, EPERM, EROFS].contains(failure.errno): 77
        default: 69
        }
    }
}
