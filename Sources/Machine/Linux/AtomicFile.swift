internal import Glibc

/// Files of this program that are replaced whole: a reader sees the old content or the new.
///
/// Every call may wait for the disk.
package enum AtomicFile {
    /// Puts `bytes` at `path`, readable by `user` and `group` alone, in the place of what is there.
    ///
    /// Written beside it and renamed over it (rename(2)) after fsync(2), so that no crash leaves half of it. What need not outlive the
    /// machine's run does without the fsync (`outlivesMachine`), and so without a wait for a disk: no crash of the process leaves half of
    /// that.
    package static func write(
        _ bytes: [UInt8], to path: String, user: UInt32? = nil, group: UInt32? = nil,
        outlivesMachine: Bool = true
    ) throws(LinuxError) {
        let draft = path + ".new"
        // Ignoring the result: there is none, as a rule.
        _ = unsafe unlink(draft)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = OwnedDescriptor(adopting: try unsafe check(open(draft, flags, 0o600), "open", draft))
        do throws(LinuxError) {
            try fill(file, with: bytes, draft)
            if user != nil || group != nil {
                let none = UInt32.max
                try check(fchown(file.rawValue, user ?? none, group ?? none), "fchown", draft)
            }
            if outlivesMachine { try check(fsync(file.rawValue), "fsync", draft) }
            try unsafe check(rename(draft, path), "rename", draft)
        } catch {
            // Ignoring the result: what is left is overwritten by the next attempt.
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Moves what is at `path` to `aside`, in the place of what is there; nothing is moved where nothing is.
    package static func move(_ path: String, to aside: String) throws(LinuxError) {
        guard unsafe rename(path, aside) != 0, errno != ENOENT else { return }
        throw .last("rename", path)
    }

    /// Gives what is at `path` a second name, in the place of what has it (link(2)).
    package static func link(_ path: String, as second: String) throws(LinuxError) {
        try remove(second)
        try unsafe check(Glibc.link(path, second), "link", second)
    }

    /// Removes what is at `path`, if anything is.
    package static func remove(_ path: String) throws(LinuxError) {
        guard unsafe unlink(path) != 0, errno != ENOENT else { return }
        throw .last("unlink", path)
    }

    private static func fill(
        _ file: borrowing OwnedDescriptor, with bytes: [UInt8], _ path: String
    ) throws(LinuxError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    file.rawValue, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("write", path) }
            written += count
        }
    }
}
