/// A failure that libsystemd reported: it returns `-errno`.
public struct SystemdError: Error, Hashable, Sendable {
    /// The reason, as in errno(3), positive.
    public let errno: Int32
    /// The libsystemd function that failed.
    public let operation: String

    /// A failure of `operation`.
    public init(errno: Int32, operation: String) {
        self.errno = errno
        self.operation = operation
    }
}
