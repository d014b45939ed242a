internal import CLinux
internal import Glibc

/// A system call that failed: which one, on what, and why.
package struct LinuxError: Error, Hashable, Sendable {
    /// The kernel's reason, as in errno(3).
    package let errno: Int32
    /// The call that failed, by its kernel name.
    package let call: String
    /// What it was applied to: a path, a pid or a socket; empty where the call says it all.
    package let subject: String
    /// Why we did not let it happen, as a clause; nil where it was the kernel that refused.
    package let refusal: String?

    /// A failure of `call` on `subject`.
    package init(errno: Int32, call: String, subject: String = "") {
        self.errno = errno
        self.call = call
        self.subject = subject
        refusal = nil
    }

    private init(errno: Int32, subject: String, refusal: String) {
        self.errno = errno
        call = ""
        self.subject = subject
        self.refusal = refusal
    }

    /// A path that we do not use, because of what `clause` says.
    static func refused(_ errno: Int32, _ path: String, _ clause: String) -> LinuxError {
        LinuxError(errno: errno, subject: path, refusal: clause)
    }

    /// The failure of the C function that just returned an error and left its reason in errno(3).
    package static func last(_ call: String, _ subject: @autoclosure () -> String = "") -> LinuxError {
        LinuxError(errno: Glibc.errno, call: call, subject: subject())
    }
}

extension LinuxError {
    /// Why, as a clause: our own reason, or the kernel's in the words of strerror(3).
    package var reason: String { refusal ?? errorText(errno) }

    /// Whether a descriptor of another process is not there any more, or the process.
    package var isOfGoneDescriptor: Bool { errno == EBADF || errno == ESRCH }

    /// Whether no further descriptor may be opened (`RLIMIT_NOFILE`, or the system's limit).
    package var isOfFullTable: Bool { errno == EMFILE || errno == ENFILE }

    /// Whether what it was applied to is not there, or not any more: a file, a group or a process.
    package var isGone: Bool { [ENOENT, ENODEV, ESRCH].contains(errno) }
}

extension LinuxError: CustomStringConvertible {
    /// One line: call, subject and the kernel's reason in words.
    package var description: String {
        if let refusal {
            // What is wrong with it may be said of the whole path, or of a directory on the way.
            return refusal.contains(subject)
                ? "refusing a path: \(refusal)" : "refusing \(subject): \(refusal)"
        }
        return "\(call)\(subject.isEmpty ? "" : " \(subject)"): \(errorText(errno))"
    }
}

/// The C library's sentence for `errno`, as strerror(3) has it.
package func errorText(_ errno: Int32) -> String {
    guard let text = unsafe torpor_error_text(errno) else { return "error \(errno)" }
    return unsafe String(cString: text)
}

/// The result of a C function that returns -1 and sets errno(3) when it fails.
@discardableResult
package func check(
    _ result: Int32, _ call: String, _ subject: @autoclosure () -> String = ""
) throws(LinuxError) -> Int32 {
    guard result >= 0 else { throw .last(call, subject()) }
    return result
}
