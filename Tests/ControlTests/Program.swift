import Foundation

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

    /// The lines that a Python script writes as user and group 65534.
    ///
    /// It changes to them after the interpreter has been loaded, since other users may not be able to read the interpreter's files.
    static func stranger(_ script: String, _ arguments: [String], groups: [UInt32] = []) throws -> [String] {
        let prelude = """
            import os, socket, sys, encodings.idna
            os.setgroups(\(groups))
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)

            """
        return try lines("python3", ["-c", prelude + script] + arguments)
    }

    /// The answers that user and group 65534 gets to `calls`, each a method of the supervisor and its parameters as JSON.
    static func stranger(calls: [(method: String, parameters: String)], at path: String) throws -> [String] {
        let script = """
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            for method, parameters in zip(sys.argv[2::2], sys.argv[3::2]):
                s.sendall(('{"method":"io.torpor.Supervisor.%s","parameters":%s}' % (method, parameters)).encode() + b"\\0")
                answer = b""
                while not answer.endswith(b"\\0"):
                    answer += s.recv(4096)
                print(answer[:-1].decode())
            """
        return try stranger(script, [path] + calls.flatMap { [$0.method, $0.parameters] })
    }
}
