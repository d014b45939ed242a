import Foundation
import Glibc
import Launching
import Linux
import Relaying
import Relays
import TestSupport
import Testing

extension Capability {
    static let python = Capability.program("/usr/bin/python3")
    static let redis = Capability.program("/usr/bin/redis-server")
    static let nginx = Capability.program("/usr/sbin/nginx")
    static let haproxy = Capability.program("/usr/sbin/haproxy")

    /// Descriptors for thousands of clients and their servers in one process.
    static let manyDescriptors = Capability("12000 descriptors") {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return "no limit is told"
        }
        guard limit.rlim_max >= 12000 else { return "RLIMIT_NOFILE is \(limit.rlim_max)" }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return nil
    }

    /// An IPv4 address of this machine that is none of the loopback interface.
    static let ownAddress = Capability("an IPv4 address besides those of lo") {
        Loopback.otherAddress == nil ? "there is none" : nil
    }
}

enum Loopback {
    /// An IPv4 address of this machine that is none of the loopback interface.
    static var otherAddress: UInt32? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let address = entry?.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else {
                continue
            }
            let bits = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            if bits >> 24 != 127 { return bits }
        }
        return nil
    }

    static let address: UInt32 = 0x7f00_0001
}

/// A relay that runs, and the supervisor's end of its control socket; killed and reaped at the end.
final class RelayUnderTest {
    let pid: Int32
    private var control: RelayControl?
    private var isReaped = false
    /// What it has told and was not waited for.
    private(set) var reports: [RelayReport] = []

    /// Where the program is: with the release programs, or beside the tests.
    private static func program() throws -> String {
        let beside = Bundle.main.bundlePath
        let places = [
            ProcessInfo.processInfo.environment["TORPOR_BIN_DIR"], beside,
            (beside as NSString).deletingLastPathComponent, ".build/release",
        ]
        let paths = places.compactMap { $0.map { $0 + "/torpor-relay" } }
        return try #require(paths.first { access($0, X_OK) == 0 })
    }

    init(_ route: RelayRoute, listeners: [TestSocket] = [], isOpen: Bool = true) throws {
        var ours = try RelayControl()
        guard let theirs = ours.takeTheirs() else { throw TimedOut(description: "no control socket") }
        var request = LaunchRequest(ByteString(try Self.program()), [], environment: .current)
        request.passedDescriptors = [.init(theirs.rawValue)]
        request.announcesDescriptors = false
        pid = try request.launch().pid
        control = consume ours
        let ready = try awaitReport { if case .ready = $0 { true } else { false } }
        guard ready == .ready(unfiltered: nil) else {
            throw TimedOut(description: "its system calls are not filtered")
        }
        try send(.route(route))
        for listener in listeners { try send(.listen, [listener.descriptor]) }
        if isOpen { try send(.open) }
    }

    deinit {
        guard !isReaped else { return }
        kill(pid, SIGKILL)
        _ = status()
    }

    func send(_ command: RelayCommand, _ descriptors: [Int32] = []) throws {
        try control?.send(command, descriptors)
    }

    /// Lets go of the control socket, as a supervisor that ends.
    func letGo() { control = nil }

    /// The first report that is as wanted, from those that came and those that come.
    @discardableResult
    func awaitReport(_ isWanted: (RelayReport) -> Bool) throws -> RelayReport {
        try eventually("a report of the relay") {
            while case .report(let report)? = control?.receive() { reports.append(report) }
            guard let index = reports.firstIndex(where: isWanted) else { return nil }
            let report = reports[index]
            reports.removeFirst(index + 1)
            return report
        }
    }

    /// Counts that are as wanted.
    func awaitCounts(_ isWanted: (RelayCounts) -> Bool) throws {
        try awaitReport { if case .counts(let counts) = $0 { isWanted(counts) } else { false } }
    }

    /// Waits for its end: the exit code, or 128 and the signal.
    @discardableResult
    func status() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    var descriptorCount: Int { Directory.entries(of: "/proc/\(pid)/fd").count }

    /// A field of its /proc/PID/status.
    func field(_ name: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return try #require(line).dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }
}

extension Listener {
    /// The next connection to it.
    func accept() throws -> Accepted {
        try #require(Waiting.isReadable(descriptor))
        return try Accepted(Glibc.accept(descriptor, nil, nil))
    }

    /// Where it listens.
    var address: RelayAddress { .ipv4(Loopback.address, port: port) }
}

/// The server's end of a connection.
final class Accepted {
    private(set) var descriptor: Int32

    init(_ descriptor: Int32) throws {
        try #require(descriptor >= 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) throws {
        try #require(Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
    }

    func receive() throws -> String {
        try #require(Waiting.isReadable(descriptor))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        try #require(count >= 0)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// The port and address of its peer.
    var peer: (address: UInt32, port: UInt16) {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        return (UInt32(bigEndian: address.sin_addr.s_addr), UInt16(bigEndian: address.sin_port))
    }
}

extension TestSocket {
    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything up to the end; nil where the connection was broken.
    func readAll() throws -> String? {
        var text = ""
        while true {
            try #require(Waiting.isReadable(descriptor))
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == ECONNRESET { return nil }
            try #require(count >= 0)
            if count == 0 { return text }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }
}

/// A directory that is gone at the end.
final class OwnDirectory {
    let path = "/tmp/torpor-test-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
