import Glibc
import Systemd

/// A connection to the server's socket, of one question at a time.
final class RedisClient {
    private let descriptor: Int32
    private var source: IOSource?
    private var received: [UInt8] = []

    /// Connects to the socket at `path`; `heard` is called whenever something has come.
    init(_ path: String, on loop: EventLoop, heard: @escaping () -> Void) throws {
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let connected = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw DemoFailure("redis takes no connection on \(path): \(reason)")
        }
        source = try IOSource(on: loop, descriptor: descriptor, events: .readable, priority: .clients) {
            [unowned self] _ in
            receive()
            heard()
        }
    }

    deinit {
        source = nil
        close(descriptor)
    }

    /// Asks; the answer comes when it comes.
    func ask(_ command: String) throws(DemoFailure) {
        received = []
        let line = Array("\(command)\r\n".utf8)
        guard write(descriptor, line, line.count) == line.count else {
            throw DemoFailure("redis does not take \(command): \(String(cString: strerror(errno)))")
        }
    }

    /// The answer, once it is there: a status line, or what a bulk string holds.
    var answer: String? {
        let text = String(decoding: received, as: UTF8.self)
        guard text.hasSuffix("\r\n") else { return nil }
        guard text.hasPrefix("$") else { return String(text.dropFirst().dropLast(1)) }
        guard let head = text.firstIndex(of: "\r\n"), let length = Int(text[..<head].dropFirst()) else {
            return nil
        }
        let body = text[text.index(after: head)...].dropLast(1)
        return body.utf8.count == length ? String(body) : nil
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { received += buffer.prefix(count) }
            // A peer that has gone would be readable for ever.
            if count == 0 { source = nil }
            if count < buffer.count { return }
        }
    }
}
