internal import Glibc

/// Small files that the kernel makes up: read whole, written in one call.
package enum KernelFile {
    /// The content of the file at `path`, at most `limit` bytes of it.
    package static func read(_ path: String, limit: Int = 1 << 20) throws(LinuxError) -> [UInt8] {
        let descriptor = try unsafe check(open(path, O_RDONLY | O_CLOEXEC), "open", path)
        defer { close(descriptor) }
        var content: [UInt8] = []
        var size = 4096
        while content.count < limit {
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
                repeat {
                    count = unsafe Glibc.read(descriptor, buffer.baseAddress, size)
                } while count < 0 && errno == EINTR
                used = max(count, 0)
            }
            guard count >= 0 else { throw .last("read", path) }
            if count == 0 { break }
            // Most are one chunk: no copy then.
            if content.isEmpty { content = chunk } else { content += chunk }
            size = min(size * 2, 1 << 16)
        }
        return content
    }

    /// How the file at `path` begins, in one read(2): of a file with several lines the first one at least, where it is no longer than 128 bytes.
    ///
    /// A relative path begins at `directory`, by default where the process is (openat(2)): the shorter it is, the cheaper.
    package static func head(of path: String, at directory: Int32 = AT_FDCWD) throws(LinuxError) -> [UInt8] {
        let descriptor = try unsafe check(openat(directory, path, O_RDONLY | O_CLOEXEC), "open", path)
        defer { close(descriptor) }
        var count = 0
        let head = unsafe [UInt8](unsafeUninitializedCapacity: 128) { buffer, used in
            repeat {
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            used = max(count, 0)
        }
        guard count >= 0 else { throw .last("read", path) }
        return head
    }

    /// The content of the file at `path` as text; the kernel writes ASCII, names in it may be anything.
    package static func text(_ path: String) throws(LinuxError) -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    /// Writes `text` to the existing file at `path` in one write(2), which is how the kernel takes a command.
    package static func write(_ text: String, to path: String) throws(LinuxError) {
        let descriptor = try unsafe check(open(path, O_WRONLY | O_CLOEXEC), "open", path)
        defer { close(descriptor) }
        var text = text
        let count = text.withUTF8 { bytes in
            var count = 0
            repeat {
                count = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            } while count < 0 && errno == EINTR
            return count
        }
        guard count >= 0 else { throw .last("write", path) }
    }
}
