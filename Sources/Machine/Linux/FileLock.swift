internal import CLinux
internal import Glibc

/// A file that only one process holds at a time; the lock of a process ends with it.
///
/// It is a POSIX lock (fcntl_locking(2)): a child does not inherit it, and the kernel names the holder. Within one
/// process it excludes no caller, and closing the file once more would lose it; so nothing else opens it here.
package struct FileLock: ~Copyable, Sendable {
    /// Why a lock was not taken.
    package enum Failure: Error, Hashable, Sendable {
        /// Another process holds it; its pid, where our pid namespace knows it.
        case held(by: Int32?)
        /// The file could not be opened or locked.
        case system(LinuxError)
    }

    private let descriptor: OwnedDescriptor
    /// The file.
    package let path: String

    /// Locks the file at `path`, which is made when it is not there, and stays when the lock goes.
    ///
    /// Only this user may open it: a process that can read it could hold it too.
    package init(_ path: String) throws(Failure) {
        let descriptor: OwnedDescriptor
        do {
            descriptor = try Self.open(path)
        } catch {
            throw .system(error)
        }
        var holder: pid_t = 0
        let result = unsafe torpor_file_lock(descriptor.rawValue, &holder)
        switch result {
        case 0: break
        case -EAGAIN: throw .held(by: holder > 0 ? holder : nil)
        default: throw .system(LinuxError(errno: -result, call: "fcntl", subject: path))
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Goes on holding the lock that came through execve(2) with its descriptor.
    package init(inheriting descriptor: Int32, _ path: String) throws(Failure) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .system(LinuxError(errno: errno, call: "fcntl", subject: "FD_CLOEXEC"))
        }
        // Kernels before 5.11 lose it where there was more than one thread; on others this changes nothing.
        var holder: pid_t = 0
        let result = unsafe torpor_file_lock(descriptor, &holder)
        guard result == 0 else { throw .held(by: holder > 0 ? holder : nil) }
        self.descriptor = OwnedDescriptor(adopting: descriptor)
        self.path = path
    }

    /// The lock's descriptor, borrowed: a process that executes another program passes it along, or the lock is lost.
    package var rawValue: Int32 { descriptor.rawValue }

    private static func open(_ path: String) throws(LinuxError) -> OwnedDescriptor {
        // The file itself and no link that was put there.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        return OwnedDescriptor(adopting: try unsafe check(Glibc.open(path, flags, 0o600), "open", path))
    }
}
