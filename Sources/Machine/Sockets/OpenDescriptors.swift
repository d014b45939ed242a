internal import CLinux
internal import Glibc
package import Idleness
internal import Linux

/// The descriptors of another process, as /proc/PID/fd and /proc/PID/fdinfo show them (proc_pid_fd(5)).
///
/// They are those of its first thread: a thread without the others' table (`CLONE_FILES`, clone(2)) is not looked at.
package enum OpenDescriptors {
    /// What `pid` has open, of its `most` lowest descriptors; nil where there is no such process.
    ///
    /// Listing costs some 4 µs a descriptor, and an epoll instance some 2 µs for each that it watches: more than a few hundred are looked at
    /// on a thread of their own. A number that was given to another process meanwhile is told by a ``Pidfd`` that the caller has.
    package static func read(of pid: Int32, atMost most: Int) -> Inventory.Descriptors? {
        let directory = "/proc/\(pid)/fd"
        guard let stream = unsafe opendir(directory) else {
            let isGone = errno == ENOENT || errno == ESRCH
            return isGone ? nil : Inventory.Descriptors(process: pid, isListed: false)
        }
        defer { unsafe _ = closedir(stream) }
        var found = Inventory.Descriptors(process: pid)
        var count = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)
            }
            guard let descriptor = unsafe number(name) else { continue }
            guard count < most else {
                found.isCut = true
                break
            }
            count += 1
            switch unsafe look(at: name, in: dirfd(stream)) {
            case .kind(let kind): add(descriptor, kind, to: &found, most)
            case .file: break
            case .forbidden: return Inventory.Descriptors(process: pid, isListed: false)
            }
        }
        return found
    }

    /// How many `pid` has open, which costs one system call; nil where the kernel does not tell, before Linux 6.2, or there is no such
    /// process.
    package static func count(of pid: Int32) -> Int? {
        var facts = stat()
        guard unsafe stat("/proc/\(pid)/fd", &facts) == 0, facts.st_size > 0 else { return nil }
        return Int(facts.st_size)
    }

    private static func add(
        _ descriptor: Int32, _ kind: Inventory.Kind, to found: inout Inventory.Descriptors, _ most: Int
    ) {
        found.kinds[descriptor] = kind
        let path = "/proc/\(found.process)/fdinfo/\(descriptor)"
        switch kind {
        case .eventPoll: found.members[descriptor] = .some(members(path, most))
        case .pipe:
            // Ignoring a failure: it has been closed meanwhile.
            guard let text = try? KernelFile.text(path), let flags = OpenFlags(fdinfo: text) else { return }
            if flags.mayRead { found.readable.insert(descriptor) }
        case .socket, .eventCounter, .timer, .signals, .inotify, .pidfd, .ioUring, .other: break
        }
    }

    /// The bytes that the kernel writes of one member, at most.
    private static let memberSize = 128

    /// What an epoll instance watches; nil where that is more than `most`, or cannot be read.
    private static func members(_ path: String, _ most: Int) -> [EpollMember]? {
        let limit = 4096 + Self.memberSize * most
        // Ignoring why it cannot be read: what is watched is unknown then. One that is cut short may end within a number.
        guard let bytes = try? KernelFile.read(path, limit: limit), bytes.count < limit else { return nil }
        guard let members = EpollMember.all(in: String(decoding: bytes, as: UTF8.self)) else { return nil }
        return members.count <= most ? members : nil
    }

    /// The number that an entry of the directory is named by; nil for `.` and `..`.
    @unsafe private static func number(_ name: UnsafePointer<CChar>) -> Int32? {
        var number: Int32 = 0
        var next = unsafe name
        while unsafe next.pointee != 0 {
            guard case let digit = unsafe next.pointee - 48, (0...9).contains(digit) else { return nil }
            number = number &* 10 &+ Int32(digit)
            unsafe next += 1
        }
        return number
    }

    /// What one entry of the directory is.
    private enum Look {
        case kind(Inventory.Kind)
        /// A file or a device, or it has been closed meanwhile.
        case file
        /// The process may not be looked at, although its descriptors may be counted.
        case forbidden
    }

    @unsafe private static func look(at name: UnsafePointer<CChar>, in directory: Int32) -> Look {
        // Only paths are longer, of which the first byte is enough.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
            guard let start = room.baseAddress else { return .file }
            let length = unsafe readlinkat(directory, name, start, room.count)
            guard length > 0 else { return errno == EACCES || errno == EPERM ? .forbidden : .file }
            guard unsafe start[0] == 0x2f else {
                let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
                return .kind(Inventory.Kind(link: unsafe String(decoding: bytes, as: UTF8.self)))
            }
            var inode: UInt64 = 0
            return unsafe torpor_link_is_fifo(directory, name, &inode) == 1
                ? .kind(.pipe(inode: inode)) : .file
        }
    }
}
