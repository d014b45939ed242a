internal import Glibc
internal import Linux

/// What makes this supervisor the only one of a directory, for as long as the value lives: of its sockets, or of its state.
///
/// There is no pid file: the kernel knows the holder of the lock, and forgets a holder that died. The lock's file stays, and
/// blocks no process.
package struct InstanceLock: ~Copyable {
    private let lock: FileLock

    /// The name of the lock's file in the runtime directory.
    package static let fileName = Purpose.runtime.fileName

    /// What is in a directory that only one supervisor may use.
    package enum Purpose: Hashable, Sendable {
        /// The sockets, and what is known of live workers.
        case runtime
        /// What outlives the supervisor.
        case state

        /// The name of the lock's file.
        ///
        /// They differ: where both are one directory, a file that is opened twice would lose its lock when it is closed once.
        package var fileName: String {
            switch self {
            case .runtime: "torpord.lock"
            case .state: "torpord-state.lock"
            }
        }
    }

    /// Why this cannot be the one supervisor.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What stands in the way.
        package enum Code: Hashable, Sendable {
            /// Another supervisor; its pid, where our pid namespace knows it.
            case held(by: Int32?)
            /// The lock's file can be neither made nor locked.
            case unusable
        }

        package let code: Code
        /// The kernel's reason, as in errno(3); 0 where there was none.
        package let errno: Int32
        /// One sentence.
        package let description: String

        /// The exit status that is due (sysexits.h): try again, not allowed, or configuration.
        package var exitStatus: Int32 {
            switch code {
            case .held: 75
            case .unusable: errno == EACCES || errno == EPERM || errno == EROFS ? 77 : 78
            }
        }
    }

    /// Becomes the one supervisor of `directory`, which exists.
    package init(directory: String) throws(Failure) { try self.init(.runtime, directory: directory) }

    /// Becomes the one supervisor of `directory`, which exists; goes on being that with the descriptor of a lock that is held.
    package init(_ purpose: Purpose, directory: String, inheriting descriptor: Int32? = nil) throws(Failure) {
        let path = "\(directory)/\(purpose.fileName)"
        do {
            lock =
                if let descriptor { try FileLock(inheriting: descriptor, path) } else { try FileLock(path) }
        } catch {
            throw Failure(error, purpose, directory)
        }
    }

    /// Becomes, or goes on being, the one supervisor that keeps its state in `directory`.
    ///
    /// Nil where no file can be locked there: nothing is kept in such a place either, and the store says so.
    package static func ofState(_ directory: String, inheriting descriptor: Int32? = nil) throws(Failure)
        -> InstanceLock?
    {
        do {
            return try InstanceLock(.state, directory: directory, inheriting: descriptor)
        } catch {
            guard case .held = error.code else { return nil }
            throw error
        }
    }

    /// The lock's descriptor, borrowed.
    package var rawValue: Int32 { lock.rawValue }
}

extension InstanceLock.Failure {
    fileprivate init(
        _ failure: FileLock.Failure, _ purpose: InstanceLock.Purpose, _ directory: String
    ) {
        switch failure {
        case .held(let pid):
            let holder = pid.map { "process \($0)" } ?? "a process outside this PID namespace"
            code = .held(by: pid)
            errno = 0
            description =
                switch purpose {
                case .runtime: "another supervisor already serves \(directory): \(holder)"
                case .state:
                    "another supervisor already stores its state in \(directory): \(holder); use another directory with --state-dir"
                }
        case .system(let error):
            code = .unusable
            errno = error.errno
            description = "cannot lock \(directory): \(error)"
        }
    }
}
