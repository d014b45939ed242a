internal import Linux

extension BuildID {
    /// The build id of the regular file at `path` in hexadecimal digits; nil for a script, for a program without one, and for what cannot be
    /// read.
    ///
    /// Reads a few parts of the file, which may wait for a disk.
    package static func ofProgram(_ path: String) -> String? {
        try? RegularFile.withParts(of: path) { part in read(part) }
    }
}
