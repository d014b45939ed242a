internal import Glibc
internal import Linux

/// What makes this supervisor the only one of its runtime directory, for as long as the value lives.
///
/// There is no pid file: the kernel knows who holds the lock, and forgets a holder that died. The lock's file stays, and
/// blocks nobody.
public struct InstanceLock: ~Copyable {
    private let lock: FileLock

    /// The name of the lock's file in the runtime directory.
    static let fileName = "torpord.lock"

    /// Why this cannot be the one supervisor.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What stands in the way.
        public enum Code: Hashable, Sendable {
            /// Another supervisor; its pid, where our pid namespace knows it.
            case held(by: Int32?)
            /// The lock's file can be neither made nor locked.
            case unusable
        }

        /// What stands in the way.
        public let code: Code
        /// The kernel's reason, as in errno(3); 0 where there was none.
        public let errno: Int32
        /// One sentence.
        public let description: String

        /// The exit status that is due (sysexits.h): try again, not allowed, or configuration.
        public var exitStatus: Int32 {
            switch code {
            case .held: 75
            case .unusable: errno == EACCES || errno == EPERM || errno == EROFS ? 77 : 78
            }
        }
    }

    /// Becomes the one supervisor of `directory`, which exists.
    public init(directory: String) throws(Failure) {
        do {
            lock = try FileLock("\(directory)/\(Self.fileName)")
        } catch {
            throw Failure(error, directory)
        }
    }

    /// Goes on being the one supervisor of `directory`, with the lock's descriptor.
    init(directory: String, inheriting descriptor: Int32) throws(Failure) {
        do {
            lock = try FileLock(inheriting: descriptor, "\(directory)/\(Self.fileName)")
        } catch {
            throw Failure(error, directory)
        }
    }

    /// The lock's descriptor, borrowed.
    var rawValue: Int32 { lock.rawValue }
}

extension InstanceLock.Failure {
    fileprivate init(_ failure: FileLock.Failure, _ directory: String) {
        switch failure {
        case .held(let pid):
            let holder = pid.map { "process \($0)" } ?? "a process outside of this pid namespace"
            code = .held(by: pid)
            errno = 0
            description = "another supervisor serves \(directory) already: \(holder)"
        case .system(let error):
            code = .unusable
            errno = error.errno
            description = "cannot lock the runtime directory: \(error)"
        }
    }
}
