import Glibc
import TestSupport
import Testing

@testable import Linux

@Suite(.timeLimit(.minutes(60))) struct `A relay between two descriptors and a connection` {
    private func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Runs a relay on a thread of its own, between `input`, `output` and the peer that is returned.
    private func start(
        input: Int32, output: Int32
    ) throws -> (peer: Int32, ending: Task<StreamRelay.Ending, any Error>) {
        var peer: Int32 = -1
        let socket = try StreamSocket.pair { (other: Int32) throws(LinuxError) in
            peer = fcntl(other, F_DUPFD_CLOEXEC, 0)
        } failing: {
            $0
        }
        let number = fcntl(socket.rawValue, F_DUPFD_CLOEXEC, 0)
        let ending = Task {
            try await onThread {
                let socket = try StreamSocket(inheriting: number)
                return try StreamRelay.run(input: input, output: output, socket: socket)
            }
        }
        return (peer, ending)
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &room, room.count)
            guard count > 0 else { return bytes }
            bytes += room.prefix(count)
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    @Test func `passes on the end of the input, and copies until the peer has said all`() async throws {
        let (input, output) = (try makePipe(), try makePipe())
        let (peer, ending) = try start(input: input.read, output: output.write)
        // More than a pipe, a socket and the relay hold together.
        let (question, answer) = (
            [UInt8](repeating: 7, count: 3 << 20), [UInt8](repeating: 9, count: 3 << 20)
        )
        let asking = Task {
            try await onThread {
                Self.writeAll(question, to: input.write)
                close(input.write)
            }
        }
        let answering = Task {
            try await onThread { () -> [UInt8] in
                let heard = Self.readAll(peer)
                Self.writeAll(answer, to: peer)
                close(peer)
                return heard
            }
        }
        let reading = Task { try await onThread { Self.readAll(output.read) } }
        try await asking.value
        #expect(try await answering.value == question)
        #expect(try await ending.value == .peerClosed)
        close(output.write)
        #expect(try await reading.value == answer)
        for descriptor in [input.read, output.read] { close(descriptor) }
    }

    @Test func `ends when no process reads its output any more`() async throws {
        let (input, output) = (try makePipe(), try makePipe())
        let (peer, ending) = try start(input: input.read, output: output.write)
        close(output.read)
        #expect(try await ending.value == .readerGone)
        for descriptor in [input.read, input.write, output.write, peer] { close(descriptor) }
    }

    @Test func `ends with the peer, whatever its input still has`() async throws {
        let (input, output) = (try makePipe(), try makePipe())
        let (peer, ending) = try start(input: input.read, output: output.write)
        close(peer)
        #expect(try await ending.value == .peerClosed)
        for descriptor in [input.read, input.write, output.read, output.write] { close(descriptor) }
    }
}
