import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux
@testable import Processes

/// A real process that leaves nothing behind: its whole session or group is killed and it is reaped.
final class Child {
    let pid: Int32
    let ownsTerminal: Bool
    private let pidfd: Pidfd
    private let reader: FileHandle
    private var isReaped = false

    /// Starts `request` with its standard output to us.
    init(_ request: LaunchRequest) throws {
        let pipe = Pipe()
        var request = request
        if request.standardOutput == .inherited {
            request.standardOutput = .copied(from: pipe.fileHandleForWriting.fileDescriptor)
        }
        var launched = try request.launch()
        pid = launched.pid
        ownsTerminal = launched.ownsTerminal
        guard let pidfd = launched.takePidfd() else { throw TimedOut() }
        self.pidfd = pidfd
        reader = pipe.fileHandleForReading
        try pipe.fileHandleForWriting.close()
    }

    /// Starts a shell that runs `script`.
    convenience init(script: String, _ change: (inout LaunchRequest) -> Void = { _ in }) throws {
        var request = LaunchRequest("/bin/sh", ["-c", ByteString(script)], environment: .current)
        change(&request)
        try self.init(request)
    }

    deinit {
        // What others had stopped as well: so by session and tree, once nothing new can come.
        let family = ProcessFreezer(roots: isReaped ? [] : [pid], sessions: [pid])
        #expect(throws: Never.self) { _ = try family.stop(patience: 30_000_000) }
        let tree = ProcessTree.snapshot()
        for member in tree.members(ofSession: pid).union(isReaped ? [] : tree.descendants(of: pid)) {
            kill(member, SIGKILL)
        }
        if !isReaped {
            try? pidfd.send(.kill)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    /// All that it writes until it and every process that shares its output have closed that.
    func output() -> [UInt8] { Array(reader.readDataToEndOfFile()) }

    /// The words it wrote, as text.
    func words() -> [String] {
        String(decoding: output(), as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The next line that it writes, or what is left of one.
    func line() -> String {
        var bytes: [UInt8] = []
        while let byte = reader.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for its next event and takes it.
    func next() throws -> ChildEvent.Change {
        let change = try eventually {
            try ChildReaper(scope: .process(pid)).drain(limit: 1).events.first?.change
        }
        switch change {
        case .exited, .killed: isReaped = true
        case .stopped, .continued: break
        }
        return change
    }

    /// Sends it `signal`.
    func send(_ signal: Signal) throws { try pidfd.send(signal) }

    /// How it ended, as the kernel's record of the pidfd tells.
    func exitInfo() throws -> ChildEvent.Change? { try pidfd.exitInfo() }

    var hasEnded: Bool { pidfd.hasEnded }

    var stat: ProcessStat? { ProcessStat.read(pid: pid) }

    /// One line's value of its /proc/PID/status.
    func status(_ key: String) throws -> String {
        let text = try KernelFile.text("/proc/\(pid)/status")
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key + ":\t") })
        return line.dropFirst(key.count + 2).trimmingCharacters(in: .whitespaces)
    }

    /// What its descriptors are open on.
    func descriptors() -> [Int: String] {
        let directory = "/proc/\(pid)/fd"
        return Dictionary(
            uniqueKeysWithValues: Directory.entries(of: directory).compactMap { name in
                guard let number = Int(name) else { return nil }
                return (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)"))
                    .map {
                        (number, $0)
                    }
            })
    }
}

/// What our own descriptor is open on.
func target(of descriptor: Int32) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
}

/// A pseudo-terminal that is no process's controlling terminal: our end and the program's, as in pty(7).
func pseudoTerminal() throws -> (master: Int32, slave: Int32) {
    let (unlock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: Int32 = 0
    try #require(ioctl(master, unlock, &locked) == 0)
    let slave = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    return (master, slave)
}
