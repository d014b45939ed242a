internal import Linux
package import WorkerFile

/// Saved state on its way to the process that restores it.
package struct HandedState: Hashable, Sendable {
    /// The file with the state, which lasts as long as the process.
    package let file: String
    /// The file with the version that saved it, which need not be there.
    package let versionFile: String

    /// State, by its files.
    package init(file: String, versionFile: String) {
        (self.file, self.versionFile) = (file, versionFile)
    }

    /// The version that saved it; nil where none is known.
    ///
    /// Read from the disk, which may have to be waited for.
    package var version: String? {
        guard let bytes = try? RegularFile.read(versionFile, limit: 256),
            let text = String(validating: bytes, as: UTF8.self), StateVersion.isName(text)
        else { return nil }
        return text
    }
}

/// What a launch has found out about its program, on its thread (`StateVersion=`, 1.6).
package struct LaunchedProgram: Hashable, Sendable {
    /// The version with which it saves state; nil where none is known.
    package var version: String?
    /// What becomes of the state that is handed back; nil where none is.
    package var verdict: StateVersion.Verdict?

    /// Nothing.
    package init() {}
}
