import Foundation
import Glibc
import Launching
import Linux
import Processes
import Sockets
import TestSupport
import Testing

extension Capability {
    /// Python, in which processes of a test are written.
    static let python = Capability.program("/usr/bin/python3")
    static let redis = Capability.program("/usr/bin/redis-server")

    /// A user to whom not every process is open.
    static let ordinaryUser = Capability("an ordinary user") {
        geteuid() == 0 ? "root may look at every process" : nil
    }

    /// Descriptors of this process's own children.
    static let duplicates = Capability("pidfd_getfd(2) of a child") {
        guard let child = try? Worker("/bin/sleep", ["1000"]) else { return "no process can be started" }
        do {
            _ = try child.pidfd.duplicate(0)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The loopback address of IPv6.
    static let ipv6 = Capability("::1") {
        (try? Listener(ipv6: true)) == nil ? "no socket can be bound to it" : nil
    }
}

/// A real process that is killed and reaped at the end.
final class Worker {
    let pid: Int32
    let pidfd: Pidfd
    private let reader: FileHandle

    init(_ program: String, _ arguments: [String]) throws {
        let pipe = Pipe()
        var request = LaunchRequest(
            ByteString(program), arguments.map { ByteString($0) }, environment: .current)
        request.standardOutput = .copied(from: pipe.fileHandleForWriting.fileDescriptor)
        var launched = try request.launch()
        pid = launched.pid
        guard let pidfd = launched.takePidfd() else { throw TimedOut(description: "no pidfd") }
        self.pidfd = pidfd
        reader = pipe.fileHandleForReading
        try pipe.fileHandleForWriting.close()
    }

    /// A process of Python that runs `script`, and sleeps at its end.
    convenience init(python script: String) throws {
        try self.init("/usr/bin/python3", ["-c", script + "\nimport signal\nwhile True: signal.pause()"])
    }

    deinit {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// The next line that it writes.
    func line() -> String {
        var bytes: [UInt8] = []
        while let byte = reader.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The numbers in that.
    func numbers() -> [Int32] { line().split(separator: " ").compactMap { Int32($0) } }

    /// Stops it, and waits until each of its threads is stopped.
    func stop() throws {
        try pidfd.send(.stop)
        try eventually("each thread is stopped") {
            let threads = Directory.entries(of: "/proc/\(pid)/task")
            let areStopped = threads.allSatisfy {
                ProcessStat.read(path: "/proc/\(pid)/task/\($0)/stat")?.state == .stopped
            }
            return areStopped ? () : nil
        }
    }

    func resume() throws { try pidfd.send(.resume) }
}

/// A redis-server that listens at a port of the loopback interface.
final class Redis {
    let worker: Worker
    let port: UInt16

    init() throws {
        // Another process may take the port between the two calls.
        for _ in 0..<10 {
            let port = try freePort()
            let worker = try Worker(
                "/usr/bin/redis-server",
                ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/"])
            let isUp = try eventually("redis listens or has ended") {
                if worker.pidfd.hasEnded { return false }
                // Closed by redis, so that nothing of this connection comes to its epoll instance any more.
                guard let client = try? Client(port: port), (try? client.ask("QUIT\r\n")) == "+OK\r\n",
                    (try? client.receive()) == ""
                else {
                    return nil
                }
                return true
            }
            if isUp {
                self.worker = worker
                self.port = port
                return
            }
        }
        throw TimedOut(description: "no port is free")
    }
}
