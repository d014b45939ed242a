internal import ConfigurationSyntax
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
        return (definition, configuration.diagnostics)
    }

    /// Throws what would keep a daemon with these options from starting: a torpord.conf that does not hold.
    package static func checkSettings(_ options: DaemonOptions) throws {
        _ = try settings(options, at: .here())
    }

    /// The exit status for what kept a daemon from starting: 75 when another runs, 77 not allowed, 78 configuration, 69 else.
    package static func exitStatus(for error: any Error) -> Int32 {
        switch error {
        case let failure as InstanceLock.Failure: failure.exitStatus
        case is BadConfiguration: 78
        case let failure as LinuxError where [EACCES, EPERM, EROFS].contains(failure.errno): 77
        default: 69
        }
    }
}
