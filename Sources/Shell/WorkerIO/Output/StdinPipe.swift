package import Linux
package import Systemd

/// A worker's standard input, held by the supervisor: what is typed or piped to the supervisor passes through, and hooks put lines between.
///
/// A hook's line never falls into the middle of another one. An idle worker costs no descriptor: the supervisor's end is opened when there
/// is something to write. Writing never blocks: what the pipe does not take yet waits here, bounded.
package final class StdinPipe {
    /// The most bytes of hooks' lines that may wait here.
    package static let most = 64 << 10
    /// The number of an operator's line, in the place of a hook's.
    package static let operators = UInt32.max

    /// What waits to be written.
    private struct Piece {
        var bytes: ArraySlice<UInt8>
        /// The hook whose line it is; nil for what passes through.
        let hook: UInt32?
        /// Whether some of it has been written: it cannot be taken back then.
        var isBegun = false
        /// Hears what went wrong, nil when it is written.
        let then: (String?) -> Void
    }

    /// An operator's line that a predecessor had, until its sender asks for it again.
    private final class HandedLine {
        let bytes: [UInt8]
        private var then: ((String?) -> Void)?
        private var outcome: String??

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func ends(_ problem: String?) {
            outcome = .some(problem)
            then?(problem)
        }

        func awaitEnd(_ body: @escaping (String?) -> Void) {
            if let outcome { body(outcome) } else { then = body }
        }
    }

    private var handed: [HandedLine] = []
    private var pipe: Fifo?
    private let loop: EventLoop
    private var descriptor: OwnedDescriptor?
    private let writable = SourceBox<IOSource>()
    private var waiting: [Piece] = []
    /// Lines of hooks that wait for the end of a line that passes through.
    private var behindLine: [Piece] = []
    private var isMidLine = false
    private var endsWhenWritten = false

    package init(_ pipe: consuming Fifo, on loop: EventLoop) {
        self.pipe = consume pipe
        self.loop = loop
    }

    deinit { close() }

    /// Takes the pipe away; its name is free at once.
    package func close() {
        writable.handle = nil
        descriptor = nil
        pipe = nil
        waiting = []
        behindLine = []
    }

    /// What waits, and whose hook's line it is.
    package var unwritten: [(bytes: [UInt8], hook: UInt32?)] {
        (waiting + behindLine).map { (Array($0.bytes), $0.hook) }
    }

    /// Lines of operators that wait, for ``goOn(withLines:)``; the first is empty where another's is before them.
    package var unsent: [[UInt8]] {
        let pieces = waiting + behindLine
        let isBehind = pieces.first.map { $0.hook != Self.operators } ?? false
        return (isBehind ? [[]] : []) + pieces.filter { $0.hook == Self.operators }.map { Array($0.bytes) }
    }

    /// Writes what waited with a predecessor.
    package func goOn(_ bytes: [UInt8], hook: UInt32?, then: @escaping (String?) -> Void) {
        waiting.append(Piece(bytes: bytes[...], hook: hook, then: then))
        flush()
    }

    /// Writes lines of operators that waited with a predecessor, of which the first one may have been written in part.
    ///
    /// A sender that waits asks for the same line once more in this turn of the loop, and hears what becomes of it then.
    package func goOn(withLines lines: ArraySlice<[UInt8]>) {
        for bytes in lines where !bytes.isEmpty {
            let line = HandedLine(bytes)
            handed.append(line)
            goOn(bytes, hook: Self.operators) { line.ends($0) }
        }
        if !handed.isEmpty { loop.callSoon { [weak self] in self?.handed = [] } }
    }

    /// The line of a predecessor that this is the whole of: of several the longest, which has been written least.
    private func takeHanded(_ line: [UInt8]) -> HandedLine? {
        let fitting = handed.indices.filter { line.suffix(handed[$0].bytes.count) == handed[$0].bytes[...] }
        return fitting.max { handed[$0].bytes.count < handed[$1].bytes.count }.map { handed.remove(at: $0) }
    }

    /// Whether nothing waits here.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Writes a hook's line, and a newline; `then` hears nil when it is written, or what is in the way.
    package func write(line: String, for hook: UInt32, then: @escaping (String?) -> Void) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        if hook == Self.operators, let line = takeHanded(bytes) { return line.awaitEnd(then) }
        let held = (waiting + behindLine).reduce(0) { $0 + ($1.hook == nil ? 0 : $1.bytes.count) }
        guard held + bytes.count <= Self.most else {
            return then("its standard input is full: \(held) bytes are unread")
        }
        let piece = Piece(bytes: bytes[...], hook: hook, then: then)
        if isMidLine { behindLine.append(piece) } else { waiting.append(piece) }
        flush()
    }

    /// Passes on what has come for it, whether a line is complete or not; `then` hears when it is written.
    ///
    /// Lines of hooks that wait for the end of a line go in between where that end has come.
    package func pass(_ bytes: [UInt8], then: @escaping () -> Void = {}) {
        guard let last = bytes.last else { return then() }
        var rest = bytes[...]
        if !behindLine.isEmpty, let end = rest.firstIndex(of: UInt8(ascii: "\n")), end < rest.endIndex - 1 {
            waiting.append(Piece(bytes: rest[...end], hook: nil) { _ in })
            waiting += behindLine
            behindLine = []
            rest = rest[(end + 1)...]
        }
        waiting.append(Piece(bytes: rest, hook: nil) { _ in then() })
        isMidLine = last != UInt8(ascii: "\n")
        if !isMidLine {
            waiting += behindLine
            behindLine = []
        }
        flush()
    }

    /// Ends it, when all that waits is written; for a pipe that ends with this process.
    package func end() {
        endsWhenWritten = true
        flush()
    }

    /// Takes back a hook's line that nothing of has been written.
    package func cancel(_ hook: UInt32) {
        waiting.removeAll { $0.hook == hook && !$0.isBegun }
        behindLine.removeAll { $0.hook == hook }
    }

    private func flush() {
        var answers: [(then: (String?) -> Void, problem: String?)] = []
        while let piece = waiting.first {
            guard let outcome = write(piece.bytes) else { break }
            switch outcome {
            case .moved(let count):
                waiting[0].bytes = piece.bytes.dropFirst(count)
                waiting[0].isBegun = true
                guard waiting[0].bytes.isEmpty else { continue }
                answers.append((piece.then, nil))
            case .ended, .wouldWait:
                answers.append((piece.then, "it closed its standard input"))
            }
            waiting.removeFirst()
        }
        if waiting.isEmpty {
            writable.handle = nil
            descriptor = nil
            if endsWhenWritten { pipe = nil }
        }
        // Last: a callback may write again.
        for answer in answers { answer.then(answer.problem) }
    }

    /// Writes what the pipe takes; nil when it takes nothing now, which is when it will be tried again.
    private func write(_ bytes: ArraySlice<UInt8>) -> SharedStream.Outcome? {
        if descriptor == nil {
            guard let opened = try? pipe?.openOurs(for: .writing) else { return .ended }
            descriptor = consume opened
        }
        let outcome = descriptor?.write(bytes) ?? .ended
        guard outcome == .wouldWait else {
            if outcome == .ended {
                writable.handle = nil
                descriptor = nil
            }
            return outcome
        }
        if writable.handle == nil, let number = descriptor?.rawValue {
            writable.handle = try? IOSource(
                on: loop, descriptor: number, events: .writable, priority: .clients
            ) { [weak self] _ in self?.flush() }
        }
        return writable.handle == nil ? .ended : nil
    }
}
