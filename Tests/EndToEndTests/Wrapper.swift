import Cgroups
import Foundation
import Glibc
import Launching
import Linux
import Processes
import TestSupport

/// A started `torpor run`, seen from outside; nothing of it is left when the value ends.
final class Wrapper {
    /// How a process ended.
    enum Ending: Hashable {
        case exited(Int32)
        case killed(Int32)
    }

    /// The directory of the programs that are built with the tests: beside the bundle that runs them.
    static let testPrograms: String = {
        let beside = Bundle.main.bundlePath
        let places = [
            beside, (beside as NSString).deletingLastPathComponent, ".build/release", ".build/debug",
        ]
        let found = places.first { access("\($0)/TestWorker", X_OK) == 0 } ?? "."
        return (found as NSString).isAbsolutePath
            ? found : FileManager.default.currentDirectoryPath + "/" + found
    }()

    /// The program under test: in `TORPOR_BIN_DIR`, else beside the bundle that runs the tests.
    static let program: String = {
        let given = ProcessInfo.processInfo.environment["TORPOR_BIN_DIR"]
        let beside = Bundle.main.bundlePath
        let places = [given, beside, (beside as NSString).deletingLastPathComponent, ".build/release"]
        let paths = places.compactMap(\.self).map { "\($0)/torpor" }
        let found = paths.first { access($0, X_OK) == 0 } ?? "torpor"
        return (found as NSString).isAbsolutePath
            ? found : FileManager.default.currentDirectoryPath + "/" + found
    }()

    /// The process that was started; the wrapper itself unless `through` put another in front of it.
    let pid: Int32
    let output: Lines
    let errors: Lines
    private var ending: Ending?

    /// Starts `torpor run OPTIONS -- COMMAND`.
    ///
    /// It leads a process group in our session, as a shell's job does. `through` is put in front of the whole command line.
    init(
        _ options: [String], _ command: [String], environment: [String: String] = [:],
        through prefix: [String] = [], line: [String]? = nil, directory: String? = nil,
        input: Int32 = nullDevice
    ) throws {
        let (outRead, outWrite) = try makePipe()
        let (errRead, errWrite) = try makePipe()
        let line = line ?? prefix + [Self.program, "run"] + options + ["--"] + command
        var variables = Environment.current.scrubbed()
        for (name, value) in environment { variables[name] = ByteString(value) }
        var request = LaunchRequest(
            ByteString(line[0]), line.dropFirst().map { ByteString($0) }, environment: variables)
        request.session = .ownProcessGroup(terminal: nil)
        request.workingDirectory = directory.map { ByteString($0) }
        request.standardInput = .copied(from: input)
        request.standardOutput = .copied(from: outWrite)
        request.standardError = .copied(from: errWrite)
        request.wantsPidfd = false
        defer { for descriptor in [outWrite, errWrite] { close(descriptor) } }
        output = Lines(outRead)
        errors = Lines(errRead)
        pid = try request.launch().pid
    }

    /// Starts `torpor run -- COMMAND`.
    convenience init(
        _ command: [String], environment: [String: String] = [:], through prefix: [String] = []
    ) throws {
        try self.init([], command, environment: environment, through: prefix)
    }

    /// Starts another program, which is to start the wrapper.
    convenience init(starter: [String]) throws {
        try self.init([], starter, line: starter)
    }

    /// Starts `torpor run` of a shell script.
    convenience init(
        _ options: [String] = [], script: String, environment: [String: String] = [:],
        through prefix: [String] = [], directory: String? = nil
    ) throws {
        try self.init(
            options, ["/bin/sh", "-c", script], environment: environment, through: prefix,
            directory: directory)
    }

    deinit {
        guard ending == nil else { return }
        // Stopped first, so that nothing is born meanwhile; then all of it, the wrapper last.
        try? ProcessFreezer(roots: [pid]).stop().forEach { _ = try? $0.send(.kill) }
        for process in ProcessTree.snapshot().descendants(of: pid) { kill(process, SIGKILL) }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        // Killed like that it leaves its socket.
        for name in Places.left(by: [pid]) where name.hasSuffix(".notify") { unlink("/run/\(name)") }
    }

    /// Sends a signal, unless its end has been seen: its number may be another's then.
    func send(_ signal: Int32) { if ending == nil { kill(pid, signal) } }

    /// Waits for its end and reaps it.
    func wait(_ limit: Int = 180) throws -> Ending {
        if let ending { return ending }
        let pidfd = try Pidfd(pid: pid)
        var query = pollfd(fd: pidfd.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&query, 1, Int32(limit * 1000)) == 1 else {
            throw TimedOut(description: "\(pid) has not ended; stderr: \(errors.pending)")
        }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        let result: Ending = status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .killed(status & 0x7f)
        ending = result
        return result
    }

}

/// Lines that come through a descriptor, which it owns.
final class Lines {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { Glibc.close(descriptor) }

    /// What has been read and not taken.
    var pending: String { String(decoding: buffer, as: UTF8.self) }

    /// The next line without its end; nil at the end of it all.
    func next() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            if isAtEnd {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
            }
            try fill()
        }
    }

    /// Reads on until a line holds `text`, and returns that line.
    @discardableResult
    func until(_ text: String) throws -> String {
        var seen: [String] = []
        do {
            while let line = try next() {
                if line.contains(text) { return line }
                seen.append(line)
            }
        } catch let error as TimedOut {
            throw TimedOut(description: "no '\(text)': \(error.description); there was \(seen)")
        }
        throw TimedOut(description: "no '\(text)' before the end; there was \(seen)")
    }

    /// Reads on until what has come holds `text`, whether its line is complete or not, and takes it all.
    func untilText(_ text: String) throws {
        while !pending.contains(text) {
            if isAtEnd { throw TimedOut(description: "no '\(text)' before the end; there was '\(pending)'") }
            try fill()
        }
        buffer = []
    }

    /// What has come and was not taken, without waiting.
    func arrived() throws -> String {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !isAtEnd, poll(&query, 1, 0) == 1 { try fill() }
        return pending
    }

    /// All lines to the end.
    func rest() throws -> [String] {
        var lines: [String] = []
        while let line = try next() { lines.append(line) }
        return lines
    }

    private func fill() throws {
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&query, 1, 180_000) == 1 else {
            throw TimedOut(description: "nothing more came after '\(pending)'")
        }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &chunk, chunk.count)
        // A pseudo-terminal that no process has open any more reads as EIO.
        if count <= 0 { isAtEnd = true } else { buffer += chunk[..<count] }
    }
}

/// Descriptors 0 of those that read nothing.
let nullDevice: Int32 = open("/dev/null", O_RDWR | O_CLOEXEC)

func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw TimedOut(description: "pipe: \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// The state letter of a process as /proc has it; nil when it is gone.
func state(of pid: Int32) -> Character? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
        let paren = text.lastIndex(of: ")")
    else { return nil }
    return text[paren...].dropFirst(2).first
}

/// Waits until a process is in the state of this letter.
///
/// A process that is continued is `R` for a moment, and so is one that is being stopped.
///
/// A process that waits in vfork(2) for a child of its own that was stopped there counts as stopped too.
func awaitState(_ letter: Character, of pid: Int32) throws {
    _ = try eventually("process \(pid) in state \(letter)") {
        let present = state(of: pid)
        if present == letter { return true }
        guard letter == "T", present == "D" else { return nil }
        return children(of: pid).contains { state(of: $0) == "T" } ? true : nil
    }
}

/// Whether a process has a handler for a signal, as /proc tells.
func catches(_ signal: Int32, _ pid: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
    return mask & 1 << UInt64(signal - 1) != 0
}

/// Writes over a file in one go, as editors without backups do: the text has the length of the one before.
func overwrite(_ path: String, _ text: String) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard pwrite(file, text, text.utf8.count, 0) == text.utf8.count else {
        throw TimedOut(description: "cannot write \(path): \(errno)")
    }
}

/// The children of a process, zombies too.
func children(of pid: Int32) -> [Int32] {
    ProcessTree.snapshot().children(of: pid)
}
