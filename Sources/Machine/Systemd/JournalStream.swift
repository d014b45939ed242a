internal import CSystemd
internal import Glibc
package import Linux

/// The journal as a stream of lines: what a worker's standard output and error are connected to.
package enum JournalStream {
    /// Where the journal listens for streams.
    private static let path = "/run/systemd/journal/stdout"

    /// Whether there is a journal.
    package static var isThere: Bool { unsafe access(path, F_OK) == 0 }

    /// A stream whose lines are logged under `identifier`, by sd_journal_stream_fd(3).
    ///
    /// Lines are of level `info` unless they begin with `<n>` (sd-daemon(3)). Fails with ENOENT where there is no journal.
    package static func open(identifier: String) throws(SystemdError) -> OwnedDescriptor {
        // Where there is none, one look instead of a socket: each launch asks anew, in case it has come.
        guard unsafe access(path, F_OK) == 0 else {
            throw SystemdError(errno: errno, operation: "sd_journal_stream_fd")
        }
        // LOG_INFO of syslog(3).
        let descriptor = try unsafe checkSystemd(
            sd_journal_stream_fd(identifier, 6, 1), "sd_journal_stream_fd")
        return OwnedDescriptor(adopting: descriptor)
    }
}
