internal import Glibc
package import Linux

/// Where this user's session has its sockets (the XDG Base Directory Specification, pam_systemd(8)).
package enum UserRuntimeDirectory {
    /// `$XDG_RUNTIME_DIR`; without it the directory under `root` that belongs to this user, where there is one.
    ///
    /// No other place is tried: a name that another user can guess may have been taken by that user.
    package static func find(_ environment: Environment = .current, below root: String = "/run/user")
        -> String?
    {
        if let given = environment.path("XDG_RUNTIME_DIR") { return given }
        let usual = "\(root)/\(ThisProcess.user)"
        return (try? Directory.requireOwn(usual)) == nil ? nil : usual
    }
}

/// A user's daemon has no place for its sockets.
package struct NoRuntimeDirectory: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is missing.
    package var reason: String {
        """
        no runtime directory for this user: XDG_RUNTIME_DIR is not set, and /run/user/\(ThisProcess.user) is not a \
        directory of this user
        """
    }

    /// What is missing, and what to do about it.
    package var description: String {
        "\(reason); set XDG_RUNTIME_DIR, or use --runtime-dir"
    }
}

/// The daemon's own directories, checked before anything in them is believed.
package enum OwnDirectories {
    /// Makes the directory of the sockets, with those above it that are missing.
    ///
    /// Workers of other users connect to the sockets of root's daemon; those of a user's daemon are for that user alone.
    package static func makeRuntime(_ path: String) throws(LinuxError) {
        try Directory.makeOwn(path, mode: ThisProcess.isRoot ? 0o755 : 0o700)
        guard access(path, W_OK) == 0 else { throw LinuxError(errno: errno, call: "access", subject: path) }
    }

    /// Makes the directory of what outlives the daemon.
    ///
    /// One that cannot be made, or not be written, is no reason not to start: the store goes on without, and says so. One that
    /// another user has a say in is.
    package static func makeState(_ path: String) throws(LinuxError) {
        do throws(LinuxError) {
            try Directory.makeOwn(path, mode: 0o755)
        } catch {
            if error.refusal != nil { throw error }
        }
    }
}
