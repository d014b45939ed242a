internal import CLinux
internal import Glibc

/// A terminal that we have open, for job control as in tty_ioctl(4) and credentials(7).
package struct Terminal: Hashable, Sendable {
    /// The descriptor it is open as; it stays the caller's.
    package let descriptor: Int32

    /// The terminal open as `descriptor`; nil when that is none, as isatty(3).
    package init?(descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        self.descriptor = descriptor
    }

    /// How many characters fit onto it, as TIOCGWINSZ of TIOCGWINSZ(2const); nil where it has no size.
    package var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The process group in the foreground, as tcgetpgrp(3); fails with ENOTTY when this is not our session's terminal.
    package func foregroundGroup() throws(LinuxError) -> Int32 {
        try check(tcgetpgrp(descriptor), "tcgetpgrp")
    }

    /// Puts `group` in the foreground, as tcsetpgrp(3).
    ///
    /// The caller may be in the background itself: SIGTTOU is held back meanwhile, so that the call neither stops the caller nor fails.
    package func setForegroundGroup(_ group: Int32) throws(LinuxError) {
        try check(torpor_terminal_set_foreground(descriptor, group), "tcsetpgrp", "group \(group)")
    }

    /// Makes it the controlling terminal of the session that we lead, as TIOCSCTTY of TIOCSCTTY(2const).
    ///
    /// Fails with EPERM when we lead none, have one already, or another session has it.
    package func acquire() throws(LinuxError) {
        try check(torpor_terminal_acquire(descriptor), "TIOCSCTTY")
    }

    /// Gives up the controlling terminal, as TIOCNOTTY.
    ///
    /// When the caller leads the session, every process in it loses the terminal, and the foreground group gets SIGHUP and SIGCONT. If
    /// that is the caller's they are kept from it, provided that other threads block them and read no signals meanwhile.
    package func release() throws(LinuxError) {
        try check(torpor_terminal_release(descriptor), "TIOCNOTTY")
    }

    /// The session whose terminal it is, as tcgetsid(3); fails with ENOTTY when it is not the caller's controlling terminal.
    package func session() throws(LinuxError) -> Int32 {
        try check(tcgetsid(descriptor), "tcgetsid")
    }
}
