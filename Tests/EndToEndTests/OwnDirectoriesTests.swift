import Foundation
import TestSupport
import Testing

/// A user's daemon, started as that user where no session has made it a directory.
@Suite(.timeLimit(.minutes(60))) struct `A daemon without a session` {
    /// Runs a daemon as user 4201 to its end.
    private func run(
        _ variables: [String] = [], _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Wrapper(
            [], [],
            line: ["env", "-i", "HOME=/nonexistent"] + variables + [
                "setpriv", "--reuid=4201", "--regid=4201", "--clear-groups", DaemonUnderTest.program,
            ] + arguments)
        return try DaemonUnderTest.result(of: program)
    }

    @Test(.requires(.root)) func `says in one line what to set, and takes no name in a shared directory`()
        throws
    {
        let result = try run()
        #expect(result.status == 69)
        #expect(
            result.errors.contains("XDG_RUNTIME_DIR is not set") && result.errors.contains("--runtime-dir"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/torpor-4201"))
    }

    @Test(.requires(.root)) func `uses no directory of another user`() throws {
        let directory = "/tmp/torpor-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: "\(directory)/theirs/workers", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for path in [directory, "\(directory)/theirs"] { chmod(path, 0o777) }
        chown("\(directory)/theirs", 4202, 4202)
        let expected = "\(directory) is writable by other users (mode 0777)"
        for result in [
            try run(["XDG_RUNTIME_DIR=\(directory)"]), try run([], "--runtime-dir", "\(directory)/theirs"),
        ] {
            #expect(result.status == 77 && result.errors.contains(expected), "\(result.errors)")
        }
        chmod(directory, 0o755)
        let result = try run(["XDG_RUNTIME_DIR=\(directory)/theirs"])
        #expect(result.errors.contains("\(directory)/theirs belongs to user 4202"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/theirs/torpor"))
    }
}
