internal import ControlAPI
internal import Glibc
internal import Linux
package import Varlink

/// Why a call to a supervisor has no result.
package struct ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: Hashable, Sendable {
        /// No process listens there.
        case noSupervisor
        /// We may not connect.
        case notAllowed
        /// The time is over.
        case timedOut
        /// A signal came.
        case interrupted
        /// The answers are read by no process any more.
        case readerGone
        /// The method answered an error.
        case failed(MethodError)
        /// The supervisor refused the connection, or cut it off.
        case refused(MethodError)
        /// The connection ended before the answer came.
        case disconnected
        /// What came is no answer to what was asked.
        case badAnswer
        /// The command that leads to the supervisor cannot be started.
        case noBridge
        /// A system call failed.
        case system
    }

    /// What kind of failure it is.
    package let code: Code
    /// The kernel's reason, as in errno(3); 0 where there was none.
    package let errno: Int32
    /// One sentence.
    package let description: String

    init(_ code: Code, errno: Int32 = 0, _ description: String) {
        self.code = code
        self.errno = errno
        self.description = description
    }

    init(_ error: LinuxError, at path: String) {
        let code: Code
        switch error.errno {
        case ENOENT, ECONNREFUSED, ENOTDIR, ENAMETOOLONG, EAFNOSUPPORT, EINVAL: code = .noSupervisor
        case EACCES, EPERM: code = .notAllowed
        case EAGAIN, EINTR: code = .timedOut
        case EPIPE, ECONNRESET: code = .disconnected
        default: code = .system
        }
        let sentence =
            switch code {
            case .noSupervisor: "no supervisor listens at \(path): \(error)"
            case .notAllowed: "permission denied for the supervisor at \(path): \(error)"
            case .timedOut: "the supervisor at \(path) does not accept connections: \(error)"
            default: "\(path): \(error)"
            }
        self.init(code, errno: error.errno, sentence)
    }

    /// The exit status that is due.
    package var exitStatus: Int32 {
        switch code {
        case .noSupervisor, .noBridge: 69
        case .notAllowed: 77
        case .timedOut, .refused: 75
        case .failed(let error): error == .permissionDenied ? 77 : 1
        case .disconnected: 69
        case .interrupted, .readerGone, .badAnswer, .system: 1
        }
    }
}

extension ControlClientError {
    /// Whether the command that leads to the supervisor is not there at all.
    package var isMissing: Bool { code == .noBridge && errno == ENOENT }
}
