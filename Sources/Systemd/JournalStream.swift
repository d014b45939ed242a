internal import CSystemd
public import Linux

/// The journal as a stream of lines: what a worker's standard output and error are connected to.
public enum JournalStream {
    /// A stream whose lines are logged under `identifier`, by sd_journal_stream_fd(3).
    ///
    /// Lines are of level `info` unless they begin with `<n>` (sd-daemon(3)). Fails with ENOENT where there is no journal.
    public static func open(identifier: String) throws(SystemdError) -> OwnedDescriptor {
        // LOG_INFO of syslog(3).
        let descriptor = try unsafe check(sd_journal_stream_fd(identifier, 6, 1), "sd_journal_stream_fd")
        return OwnedDescriptor(adopting: descriptor)
    }
}
