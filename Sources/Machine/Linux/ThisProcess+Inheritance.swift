internal import CLinux

extension ThisProcess {
    /// Keeps the capabilities of this process from children: they would keep inheritable or ambient ones when they execute a program
    /// (capabilities(7)).
    ///
    /// For the start, while there is one thread. It fails for no process that has its own capabilities; where it does, nothing
    /// has changed.
    package static func clearInheritableCapabilities() throws(LinuxError) {
        try check(torpor_clear_inheritable(), "capset")
    }
}
