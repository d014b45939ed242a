package import Linux
package import Systemd

/// Reads a pipe of this process whenever it has data, a bounded amount in one turn of the loop.
package final class PipeReader {
    /// The most bytes that are read in one turn.
    package static let turn = 64 << 10

    private let descriptor: OwnedDescriptor
    private let source = SourceBox<IOSource>()
    private let took: (ArraySlice<UInt8>) -> Void
    /// How many bytes may be read in a turn now, where that is less than ``turn``.
    private let pace: () -> Int
    private let ended: () -> Void
    /// Whether the other side has closed it.
    package private(set) var isAtEnd = false

    /// Reads `descriptor`, which does not block; `ended` is told once, and not while ``drain(_:)`` runs.
    package init(
        _ descriptor: consuming OwnedDescriptor, on loop: EventLoop,
        took: @escaping (ArraySlice<UInt8>) -> Void, ended: @escaping () -> Void = {},
        pace: @escaping () -> Int = { PipeReader.turn }
    ) throws(SystemdError) {
        self.descriptor = descriptor
        self.took = took
        self.ended = ended
        self.pace = pace
        source.handle = try IOSource(
            on: loop, descriptor: self.descriptor.rawValue, events: .readable, priority: .clients
        ) { [weak self] _ in
            guard let self else { return }
            self.read(atMost: 1, inPiecesOf: self.pace())
            if self.isAtEnd { self.ended() }
        }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Its descriptor, borrowed.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Reads what is there now, up to `limit` bytes.
    package func drain(_ limit: Int) { read(atMost: limit) }

    /// Reads pieces until there is nothing more, or `limit` bytes have been read.
    private func read(atMost limit: Int, inPiecesOf size: Int = PipeReader.turn) {
        var room = [UInt8](repeating: 0, count: max(1, min(size, Self.turn)))
        var count = 0
        while !isAtEnd, count < limit {
            switch descriptor.read(into: &room) {
            case .moved(let length):
                count += length
                took(room[..<length])
            case .wouldWait: return
            case .ended:
                isAtEnd = true
                source.handle = nil
            }
        }
    }

    /// Reads nothing for a while.
    package func pause(_ isPaused: Bool) {
        // Ignoring a failure: nothing but memory could be short, and then it is read a turn too early.
        if !isAtEnd { try? source.handle?.setEnabled(isPaused ? .off : .on) }
    }
}
