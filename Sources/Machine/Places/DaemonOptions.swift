internal import Glibc
package import Linux
package import WorkerFile

/// The options of `torpord`, and its directories.
package struct DaemonOptions: Hashable, Sendable {
    /// The configuration directories; later ones win.
    package var configurationDirectories: [String]
    /// Where what must outlive the daemon is kept.
    package var stateDirectory: String
    /// Where its sockets are.
    package var runtimeDirectory: String
    /// How much is logged; nil is what torpord.conf says.
    package var logLevel: LogLevel?
    /// The file in which a predecessor in this process has handed everything over; nil where there is none.
    package var takeover: String?

    /// The places of this user's supervisor: the system's for root, the XDG directories for another user.
    ///
    /// `runtimeDirectory` is one that was given, which a user needs where the session has made none.
    package init(
        runtimeDirectory given: String? = nil, environment: Environment = .current,
        isRoot: Bool = ThisProcess.isRoot
    ) throws(NoRuntimeDirectory) {
        if isRoot {
            configurationDirectories = ["/usr/lib/torpor", "/run/torpor", "/etc/torpor"]
            stateDirectory = "/var/lib/torpor"
            runtimeDirectory = given ?? "/run/torpor"
            return
        }
        let home = environment.path("HOME") ?? "/"
        let runtime = UserRuntimeDirectory.find(environment).map { "\($0)/torpor" }
        configurationDirectories =
            ["/usr/lib/torpor/user"] + [runtime].compactMap(\.self)
            + ["\(environment.path("XDG_CONFIG_HOME") ?? "\(home)/.config")/torpor"]
        stateDirectory = "\(environment.path("XDG_STATE_HOME") ?? "\(home)/.local/state")/torpor"
        guard let chosen = given ?? runtime else { throw NoRuntimeDirectory() }
        runtimeDirectory = chosen
    }

    /// Whether `path` is that of a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path of the control socket.
    package var socketPath: String { "\(runtimeDirectory)/\(DaemonOptions.socketName)" }

    /// The name of the control socket in its directory.
    package static let socketName = "io.torpor.Supervisor"
}
