internal import Glibc

/// Copies between two descriptors of ours and a connection, both ways, until the connection's peer has said all.
///
/// The end of the input is passed on by shutdown(2), and what the peer still sends is copied: a client may have asked its last question.
/// Each direction holds at most ``room`` bytes, and reads on when those are written: a reader that is slow slows the peer down. Another
/// process may share the descriptors: they stay as they are.
package enum StreamRelay {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        /// The peer has closed the connection, and all that it sent is written.
        case peerClosed
        /// No process reads what is written to the output.
        case readerGone
    }

    /// How many bytes one direction holds.
    static let room = 64 << 10

    /// Copies `input` to `socket` and `socket` to `output`; it waits as long as it takes.
    ///
    /// SIGPIPE is ignored from here on.
    package static func run(
        input: Int32, output: Int32, socket: borrowing StreamSocket
    ) throws(LinuxError) -> Ending {
        signal(SIGPIPE, SIG_IGN)
        let source = SharedStream(input, for: .reading)
        let sink = SharedStream(output, for: .writing)
        var (outbound, inbound) = (Direction(), Direction())
        var buffer = [UInt8](repeating: 0, count: room)
        while true {
            // A closed peer and nothing left of it: what may still come of the input has no receiver.
            if inbound.isOver, inbound.bytes.isEmpty { return .peerClosed }
            var entries = [
                entry(source.rawValue, outbound.wantsMore ? POLLIN : 0),
                entry(
                    socket.rawValue,
                    (inbound.wantsMore ? POLLIN : 0) | (outbound.bytes.isEmpty ? 0 : POLLOUT)),
                // Always there: that its reader is gone is told without being asked for (poll(2)).
                pollfd(
                    fd: sink.rawValue, events: Int16(inbound.bytes.isEmpty ? 0 : POLLOUT), revents: 0),
            ]
            let result = unsafe poll(&entries, nfds_t(entries.count), -1)
            if result < 0, errno == EINTR { continue }
            try check(result, "poll")
            let ready = entries.map { Int32($0.revents) }
            if ready[2] & (POLLERR | POLLHUP | POLLNVAL) != 0 { return .readerGone }
            if ready[0] != 0 { read(source, &buffer, into: &outbound) }
            if ready[1] & (POLLIN | POLLHUP | POLLERR) != 0, inbound.wantsMore {
                read(socket, &buffer, into: &inbound)
            }
            write(&outbound, to: socket)
            if !inbound.bytes.isEmpty {
                switch sink.write(inbound.bytes) {
                case .moved(let count): inbound.bytes = inbound.bytes.dropFirst(count)
                case .wouldWait: break
                case .ended: return .readerGone
                }
            }
        }
    }

    /// What is on its way in one direction.
    private struct Direction {
        /// Read, and not written yet.
        var bytes: ArraySlice<UInt8> = []
        /// Nothing more comes.
        var isOver = false
        /// The end has been passed on.
        var isClosed = false

        var wantsMore: Bool { !isOver && bytes.isEmpty }
    }

    /// A descriptor of which nothing is wanted is left out: poll(2) would tell of its hangup again and again.
    private static func entry(_ descriptor: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    private static func read(
        _ source: borrowing SharedStream, _ buffer: inout [UInt8], into direction: inout Direction
    ) {
        switch source.read(into: &buffer) {
        case .moved(let count): direction.bytes = ArraySlice(buffer[..<count])
        case .wouldWait: break
        case .ended: direction.isOver = true
        }
    }

    private static func read(
        _ socket: borrowing StreamSocket, _ buffer: inout [UInt8], into direction: inout Direction
    ) {
        do throws(LinuxError) {
            guard let count = try socket.read(into: &buffer) else { return }
            if count == 0 { direction.isOver = true } else { direction.bytes = ArraySlice(buffer[..<count]) }
        } catch {
            // Ignoring which error it was: each means that the peer is gone.
            direction.isOver = true
        }
    }

    private static func write(_ direction: inout Direction, to socket: borrowing StreamSocket) {
        do throws(LinuxError) {
            if !direction.bytes.isEmpty {
                let bytes = Array(direction.bytes)
                let count = try socket.write(bytes.span)
                direction.bytes = direction.bytes.dropFirst(count)
            }
            if direction.isOver, direction.bytes.isEmpty, !direction.isClosed {
                direction.isClosed = true
                try socket.endOutput()
            }
        } catch {
            // Ignoring which error it was: the peer takes nothing more, and what it has sent is still read.
            (direction.isOver, direction.isClosed, direction.bytes) = (true, true, [])
        }
    }
}
