import Foundation
import Glibc
import Linux
import TestSupport

/// A `torpord` of its own, with its files in a temporary directory; nothing of it is left when the value ends.
final class DaemonUnderTest {
    let directory: String
    let socket: String
    private let line: [String]
    private(set) var process: Wrapper

    /// Starts a daemon for workers with these files, by name, and waits until it serves.
    ///
    /// `through` is put in front of its command line; it keeps its state in `state`, or in its own directory.
    init(_ files: [String: String], through prefix: [String] = [], state: String? = nil) throws {
        directory = "/tmp/torpor-test-\(UUID().uuidString.prefix(8))"
        socket = "\(directory)/run/io.torpor.Supervisor"
        try FileManager.default.createDirectory(
            atPath: "\(directory)/conf/workers", withIntermediateDirectories: true)
        try Self.unmoved.write(toFile: "\(directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        for (name, text) in files {
            // A file may name the daemon's own directory.
            let text = text.replacingOccurrences(of: "DIRECTORY", with: directory)
            try text.write(
                toFile: "\(directory)/conf/workers/\(name).worker", atomically: false, encoding: .utf8)
        }
        line =
            prefix + [
                Self.program, "--config-dir", "\(directory)/conf", "--state-dir",
                state ?? "\(directory)/state",
                "--runtime-dir", "\(directory)/run",
            ]
        process = try Self.start(line)
    }

    /// A worker that shows that a second has passed for the daemon: it is idle from its launch on.
    static let witness = "[Worker]\nExecStart=/bin/sleep 1000\n[Foreground]\nIdleSec=1s"

    /// Waits until the daemon has put ``witness`` to sleep: by then it has done what was due before.
    func awaitWitness() throws {
        _ = try torpor("activate", "witness")
        try eventually("the witness to fall asleep") {
            try list().contains { $0.name == "witness" && $0.state == "suspended" } ? () : nil
        }
    }

    /// The settings of a daemon that ends no worker when the machine is short of memory: other tests make it so.
    static let unmoved = "[Memory]\nPolicy=observe\n"

    /// How the verbs name the user of this process: a caller of the daemon.
    static let user: String = {
        let name = (try? UserAccount.numbered(getuid()))?.name ?? "uid \(getuid())"
        return getuid() == 0 ? "root" : name
    }()

    /// The daemon's program.
    static let program = (Wrapper.program as NSString).deletingLastPathComponent + "/torpord"

    private static func start(_ line: [String]) throws -> Wrapper {
        let process = try Wrapper([], [], line: line)
        while let line = try process.errors.next() { if line.contains("started;") { return process } }
        throw TimedOut(description: "torpord did not start")
    }

    /// Kills the daemon, and starts the program at `path` in its place.
    func restart(as path: String) throws {
        process.send(SIGKILL)
        _ = try process.wait()
        process = try Self.start(line.map { $0 == Self.program ? path : $0 })
    }

    /// Kills the daemon, and starts another one in its place; in between, `action` is done.
    func killAndRestart(doing action: () throws -> Void = {}) throws {
        process.send(SIGKILL)
        _ = try process.wait()
        try action()
        process = try Self.start(line)
    }

    deinit {
        process.send(SIGTERM)
        _ = try? process.wait()
        try? FileManager.default.removeItem(atPath: directory)
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(directory)/conf/workers/\(name)", atomically: true, encoding: .utf8)
    }

    /// Runs `torpor VERB ARGUMENTS --socket …` to its end.
    func torpor(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        let verb = try Wrapper(
            [], [], line: [Wrapper.program, arguments[0], "--socket", socket] + arguments.dropFirst())
        let result = try Self.result(of: verb)
        // In the log of the run: a failure is told as the status alone.
        if result.status != 0 {
            print("torpor \(arguments.joined(separator: " ")): \(result.status), \(result.errors)")
        }
        return result
    }

    /// Runs a Python script with PyPI's `varlink` at hand to its end.
    func python(_ script: String) throws -> (status: Int32, output: String, errors: String) {
        let python = try Wrapper(
            [], [], line: [Self.pythonWithVarlink ?? "python3", "-c", script, "unix:\(socket)"])
        return try Self.result(of: python)
    }

    /// A Python that has PyPI's `varlink`; nil where there is none.
    static let pythonWithVarlink: String? = {
        let given = ProcessInfo.processInfo.environment["TORPOR_PYTHON"]
        return [given, ".build/venv/bin/python"].compactMap(\.self).first { access($0, X_OK) == 0 }
    }()

    static func result(of program: Wrapper) throws -> (status: Int32, output: String, errors: String) {
        var output = ""
        while let line = try program.output.next() { output += line + "\n" }
        var errors = ""
        while let line = try program.errors.next() { errors += line + "\n" }
        guard case .exited(let status) = try program.wait() else { return (-1, output, errors) }
        return (status, output, errors)
    }
}
