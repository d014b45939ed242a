/// A system call that failed: which one, on what, and why.
public struct LinuxError: Error, Hashable, Sendable {
    /// The kernel's reason, as in errno(3).
    public let errno: Int32
    /// The call that failed, by its kernel name.
    public let call: String
    /// What it was applied to: a path, a pid or a socket; empty where the call says it all.
    public let subject: String

    /// A failure of `call` on `subject`.
    public init(errno: Int32, call: String, subject: String = "") {
        self.errno = errno
        self.call = call
        self.subject = subject
    }
}
