internal import Glibc

/// A call of the event loop that failed: which one, and why.
///
/// libsystemd returns `-errno`; the few system calls beneath it that this module makes itself are reported alike.
package struct SystemdError: Error, Hashable, Sendable {
    /// The reason, as in errno(3), positive.
    package let errno: Int32
    /// The function that failed, by its C name.
    package let operation: String

    /// A failure of `operation`.
    package init(errno: Int32, operation: String) {
        self.errno = errno
        self.operation = operation
    }
}

extension SystemdError: CustomStringConvertible {
    /// One sentence: the function and what the kernel says of it.
    package var description: String {
        if errno == ELIBACC { return "libsystemd.so.0 cannot be loaded: install libsystemd" }
        return "\(operation): \(unsafe String(cString: strerror(errno)))"
    }
}

/// The result of a libsystemd function, or its `-errno` as an error that names `operation`.
@discardableResult
func checkSystemd(_ result: CInt, _ operation: @autoclosure () -> String) throws(SystemdError) -> CInt {
    guard result >= 0 else { throw SystemdError(errno: -result, operation: operation()) }
    return result
}
