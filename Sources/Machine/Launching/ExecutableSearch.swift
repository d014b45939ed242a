internal import Glibc
internal import Linux

/// Where execvp(3) would look for a program.
package enum ExecutableSearch {
    /// The path of the first executable file called `name` in `directories`, as far as we may tell; nil when none has it.
    package static func find(_ name: String, in directories: [String]) -> String? {
        directories.lazy.map { "\($0)/\(name)" }.first { path in
            unsafe access(path, X_OK) == 0 && (try? RegularFile.kind(of: path)) == .regular
        }
    }

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
