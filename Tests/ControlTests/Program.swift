import Foundation
import TestSupport

/// Another program, run to its end or for as long as it is held.
final class Program {
    private let process = Process()
    private let output = Pipe()

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var pid: Int32 { process.processIdentifier }

    /// The first of what it writes.
    func some() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// What it writes, all of it.
    func all() -> String {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws
        -> String
    {
        try Program(name, arguments, environment: environment).all()
    }

    /// The lines of a script's output.
    static func lines(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws
        -> [String]
    {
        try run(name, arguments, environment: environment).split(separator: "\n").map(String.init)
    }

    /// The lines that a Python script writes as user and group 65534, given up after the interpreter has been loaded, which need
    /// not be anybody's to read.
    static func stranger(_ script: String, _ arguments: [String], groups: [UInt32] = []) throws -> [String] {
        let prelude = """
            import os, socket, sys, encodings.idna
            os.setgroups(\(groups))
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)

            """
        return try lines("python3", ["-c", prelude + script] + arguments)
    }
}

extension Capability {
    /// `python3` with PyPI's `varlink` 31.0.0, which is fetched into a directory of its own.
    static let varlinkPackage = Capability("PyPI's varlink 31.0.0") {
        Package.directory == nil ? "python3 or the package index cannot be reached" : nil
    }
}

/// Where the package is.
enum Package {
    static let directory: String? = {
        // Where `make setup` has put it.
        if let given = ProcessInfo.processInfo.environment["TORPOR_PYTHON_PACKAGES"],
            FileManager.default.fileExists(atPath: given + "/varlink/client.py")
        {
            return given
        }
        let path = "/tmp/torpor-varlink-31.0.0"
        if FileManager.default.fileExists(atPath: path + "/varlink/client.py") { return path }
        let arguments = ["-m", "pip", "install", "-q", "--no-deps", "--target", path, "varlink==31.0.0"]
        _ = try? Program.run("python3", arguments)
        return FileManager.default.fileExists(atPath: path + "/varlink/client.py") ? path : nil
    }()
}
