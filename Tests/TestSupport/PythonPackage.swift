internal import Foundation

extension Capability {
    /// `python3` with PyPI's `varlink` 31.0.0, which is fetched into a directory of its own.
    package static let varlinkPackage = Capability("PyPI's varlink 31.0.0") {
        PythonPackage.directory == nil ? "python3 or the package index cannot be reached" : nil
    }
}

/// Where PyPI's `varlink` is.
package enum PythonPackage {
    /// The directory for PYTHONPATH; nil where it cannot be had.
    package static let directory: String? = {
        // Where `make setup` has put it.
        if let given = ProcessInfo.processInfo.environment["TORPOR_PYTHON_PACKAGES"], isThere(given) {
            return given
        }
        let path = "/tmp/torpor-varlink-31.0.0"
        if isThere(path) { return path }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-m", "pip", "install", "-q", "--no-deps", "--target", path, "varlink==31.0.0",
        ]
        // Ignoring why it fails: what counts is whether the package is there afterwards.
        try? process.run()
        if process.isRunning { process.waitUntilExit() }
        return isThere(path) ? path : nil
    }()

    private static func isThere(_ directory: String) -> Bool {
        FileManager.default.fileExists(atPath: directory + "/varlink/client.py")
    }
}
