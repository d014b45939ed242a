import Foundation
import Linux
import TestSupport

/// A client that sends what it is told, be it Varlink or not; NUL is written as `|`.
final class RawClient {
    let socket: StreamSocket
    private var pending: [UInt8] = []
    private var hasEnded = false

    init(_ path: String) throws { socket = try StreamSocket(connectingTo: UnixSocketAddress(path)) }

    /// Sends it all, and returns how many bytes the server took before it went away.
    @discardableResult
    func send(_ text: String) throws -> Int {
        try send(bytes: text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 })
    }

    @discardableResult
    func send(bytes: [UInt8]) throws -> Int {
        var sent = 0
        while sent < bytes.count {
            do {
                let count = try socket.write(bytes.span.extracting(sent...))
                if count == 0 { usleep(500) }
                sent += count
            } catch {
                return sent
            }
        }
        return sent
    }

    /// What it takes at once.
    func sendSome(_ text: String) throws -> Int {
        let bytes = text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 }
        return try socket.write(bytes.span)
    }

    /// The next message; nil at the end.
    func next() throws -> String? {
        while true {
            if let end = pending.firstIndex(of: 0) {
                let message = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                return message
            }
            guard !hasEnded else { return nil }
            guard try socket.wait(writing: false, timeout: 60_000_000) == .ready else { throw TimedOut() }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            do {
                guard let count = try socket.read(into: &buffer) else { continue }
                hasEnded = count == 0
                pending += buffer.prefix(count)
            } catch {
                hasEnded = true
            }
        }
    }

    /// The messages up to the end of the stream.
    func rest() throws -> [String] {
        var messages: [String] = []
        while let message = try next() { messages.append(message) }
        return messages
    }

    /// Whether the server answers.
    func isServed() throws -> Bool {
        try send(Self.ping)
        return try next()?.contains(#""version":"1""#) == true
    }

    static let ping = #"{"method":"io.torpor.Supervisor.Ping"}|"#
    static let watch = #"{"method":"io.torpor.Supervisor.Watch","more":true}|"#
    static let why = #"{"method":"io.torpor.Supervisor.Why","parameters":{"name":"a"}}|"#
    static let cat = #"{"method":"io.torpor.Supervisor.Cat","parameters":{"name":"a"}}|"#
    static let publish = #"{"method":"io.torpor.Supervisor.SetLogLevel","parameters":{"level":"info"}}|"#
    static let publishOneway =
        #"{"method":"io.torpor.Supervisor.SetLogLevel","parameters":{"level":"info"},"oneway":true}|"#
}
