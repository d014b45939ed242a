internal import CLinux

extension ThisProcess {
    /// Keeps capabilities of ours from children: what is inheritable or ambient would stay theirs when they execute a program
    /// (capabilities(7)).
    ///
    /// For the start, while there is one thread. It fails for no process that has its own capabilities; where it does, nothing
    /// has changed.
    package static func clearInheritableCapabilities() throws(LinuxError) {
        try check(torpor_clear_inheritable(), "capset")
    }
}
