internal import CLinux
internal import Glibc
package import Linux

/// Gives the pages of a process back without a memory controller: process_madvise(2) with MADV_PAGEOUT (Linux 5.10).
///
/// Pages of files go unless others use them too, the others as far as there is swap. What the process needs of them comes back
/// when it runs.
package enum PageOut {
    /// How much is gone through between two looks at whether it is still wanted.
    static let piece = 16 << 20

    /// Why nothing can be given back so, by trying it on no page of this process; nil where it can.
    ///
    /// Another user's process needs CAP_SYS_NICE and the right to trace it besides.
    package static func problem() -> LinuxError? {
        do throws(LinuxError) {
            let own = try Pidfd(pid: ThisProcess.pid)
            guard torpor_pidfd_pageout(own.descriptor, nil, 0) < 0 else { return nil }
            return .last("process_madvise")
        } catch {
            return error
        }
    }

    /// Goes through the memory of `process`, and waits for the disk where it must: not for a loop.
    ///
    /// It ends early when `isWanted` says no, and when the process has ended. Ranges that cannot be reclaimed (locked, huge
    /// pages, devices) are passed over. Fails with EPERM where this process has no right to, with ENOSYS before Linux 5.10.
    package static func run(on process: ProcessIdentity, while isWanted: () -> Bool) throws(LinuxError) {
        do throws(LinuxError) { try goThrough(process, while: isWanted) } catch {
            if !error.isGone { throw error }
        }
    }

    private static func goThrough(
        _ process: ProcessIdentity, while isWanted: () -> Bool
    ) throws(LinuxError) {
        let pidfd = try Pidfd(pid: process.pid)
        let maps = String(
            decoding: try KernelFile.read("/proc/\(process.pid)/maps", limit: 64 << 20), as: UTF8.self)
        // The descriptor was taken first: what is said now is said of its process.
        guard ProcessIdentity(pid: process.pid) == process else { return }
        for range in ranges(inMaps: maps) {
            var start = range.lowerBound
            while start < range.upperBound {
                guard isWanted() else { return }
                let end = min(start + piece, range.upperBound)
                guard try advise(pidfd, start, end - start) else { break }
                start = end
            }
        }
    }

    /// False when this range is not one that can be reclaimed.
    private static func advise(_ pidfd: borrowing Pidfd, _ start: Int, _ length: Int) throws(LinuxError)
        -> Bool
    {
        var part = unsafe iovec(iov_base: UnsafeMutableRawPointer(bitPattern: start), iov_len: length)
        while unsafe torpor_pidfd_pageout(pidfd.descriptor, &part, 1) < 0 {
            switch errno {
            case EINTR, EAGAIN: continue
            // Not of this kind, unmapped meanwhile, or the process has ended.
            case EINVAL, ENOMEM, ESRCH, EBADF, EFAULT: return false
            default: throw .last("process_madvise")
            }
        }
        return true
    }

    /// The ranges of a /proc/PID/maps file (proc_pid_maps(5)) that may hold pages of its own or of files.
    static func ranges(inMaps text: String) -> [Range<Int>] {
        text.lines.compactMap { line in
            let fields = line.fields(at: " ")
            guard fields.count >= 5 else { return nil }
            // What the kernel puts there cannot be reclaimed.
            if fields.count > 5, fields[5].hasPrefix("[v") { return nil }
            // Nothing can have come to be where nothing may be read or written.
            if fields[1].hasPrefix("---") { return nil }
            let ends = fields[0].fields(at: "-", keepingEmpty: true)
            guard ends.count == 2, let start = Int(ends[0], radix: 16), let end = Int(ends[1], radix: 16),
                start > 0, start < end
            else { return nil }
            return start..<end
        }
    }
}
