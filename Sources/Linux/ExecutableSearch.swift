internal import Glibc

/// Where execvp(3) would look for a program.
enum ExecutableSearch {
    /// The paths to try in order for `name`, searched in `path` when there is no slash in it.
    ///
    /// An empty element means the working directory; without a `path` the C library's default serves. No name is no
    /// path. An element too long for the kernel is passed over.
    static func candidates(for name: ByteString, path: ByteString?) -> [ByteString] {
        let slash = UInt8(ascii: "/")
        if name.bytes.isEmpty { return [] }
        if name.bytes.contains(slash) { return [name] }
        let path = path?.bytes ?? Array("/bin:/usr/bin".utf8)
        let directories = path.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return directories.compactMap { directory in
            guard directory.count + name.bytes.count + 2 <= Int(PATH_MAX) else { return nil }
            return ByteString(directory.isEmpty ? name.bytes : Array(directory) + [slash] + name.bytes)
        }
    }
}
