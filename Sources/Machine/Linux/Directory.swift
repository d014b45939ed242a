internal import Glibc

/// The names in a directory.
package enum Directory {
    /// The names in the directory at `path` in no order, `.` and `..` left out; at most `limit` of them, else EFBIG.
    package static func names(in path: String, limit: Int = 100_000) throws(LinuxError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last("opendir", path) }
        return try unsafe names(in: stream, path, limit: limit)
    }

    /// The same of a directory that is open.
    static func names(
        in directory: consuming OwnedDescriptor, _ path: String, limit: Int
    ) throws(LinuxError) -> [String] {
        let number = directory.release()
        guard let stream = unsafe fdopendir(number) else {
            let error = LinuxError.last("fdopendir", path)
            close(number)
            throw error
        }
        return try unsafe names(in: stream, path, limit: limit)
    }

    /// The same of a stream, which is closed.
    @unsafe private static func names(
        in stream: OpaquePointer, _ path: String, limit: Int
    ) throws(LinuxError) -> [String] {
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let name = unsafe next(stream) {
            guard names.count < limit else { throw LinuxError(errno: EFBIG, call: "readdir", subject: path) }
            names.append(name.text)
        }
        return names
    }

    /// The entries of the kernel's directory at `path` in no order, `.` and `..` left out; none when it cannot be read.
    package static func entries(of path: String, onlyDirectories: Bool = false) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let name = unsafe next(stream) {
            if !onlyDirectories || name.type == Int32(DT_DIR) { names.append(name.text) }
        }
        return names
    }

    @unsafe private static func next(_ stream: OpaquePointer) -> (text: String, type: Int32)? {
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { return (name, Int32(unsafe entry.pointee.d_type)) }
        }
        return nil
    }
}
