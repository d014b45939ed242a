/// A caller at a socket, as far as it is told of in logs and to workers: the user and the process that the kernel vouches for, and the
/// program, as that process had it when it was looked up.
///
/// A scheduled post keeps it beyond the process, which may be another one's number by then: it is told, and nothing is decided by it.
package struct CallerIdentity: Hashable, Sendable {
    /// The user.
    package let uid: UInt32
    /// The process.
    package let pid: Int32
    /// The program: its path, or its name where the path is not to be read.
    package let program: String?

    /// A caller, by its parts.
    package init(uid: UInt32, pid: Int32, program: String? = nil) {
        self.uid = uid
        self.pid = pid
        self.program = program
    }
}
