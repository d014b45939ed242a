package import Lifecycle
package import Linux
package import Systemd

/// What a worker prints that passes through the supervisor.
package protocol WorkerOutput: AnyObject {
    /// Whether what comes is told to hooks, and its last lines are kept.
    var isHeard: Bool { get }
    /// Reads all that is there now, whether it can be passed on or not.
    func drain()
    /// Takes the pipe away; its name is free at once.
    func close()
    /// Its end to read, borrowed; nil once it is closed. What was written and not read is lost when no process has the pipe open.
    var descriptor: Int32? { get }
    /// What was read and not passed on yet.
    var unpassed: [UInt8] { get }
    /// Passes on what a predecessor has read.
    func passOn(_ bytes: [UInt8])
    /// Whether all that was read has been passed on.
    var isFlushed: Bool { get }
    /// When the destination took something last.
    var lastProgress: Instant { get }
}

/// What a worker prints that would go to the supervisor's own standard error: lines of it, marked, to the same place.
///
/// The worker gets a pipe and never the descriptor itself, with which it could empty the log, or write lines as the supervisor
/// does. One pipe serves its standard output and its standard error: it costs one descriptor.
package final class RelayedOutput: WorkerOutput {
    /// The most bytes that are read when the worker has ended: what a pipe holds.
    private static let rest = 1 << 20
    /// How long a worker that prints more than its quota has to wait before more of that is read: dropping lines is work, too.
    private static let pause = TimeSpan.milliseconds(100)
    /// How long the end of a worker waits for a log that takes nothing.
    private static let patience = TimeSpan.milliseconds(500)

    private var pipe: Fifo?
    private var reader: PipeReader?
    private let log: OutputLog
    private let loop: EventLoop
    private var relay = LineRelay()
    /// Whole lines that the log has not taken yet.
    private var waiting: [UInt8] = []
    private var isWaiting = false
    private var isClosed = false
    private let timer = SourceBox<TimeSource>()
    package private(set) var lastProgress: Instant
    private let mark: () -> String
    private let heard: ((ArraySlice<UInt8>) -> Void)?

    /// Passes on to `log` what comes through `pipe`, each line behind `mark`; `heard` is told of all that comes.
    ///
    /// `end` is its end to read, where that is open already.
    package init(
        _ pipe: consuming Fifo, _ end: consuming OwnedDescriptor? = nil, to log: OutputLog,
        on loop: EventLoop, mark: @escaping () -> String,
        heard: ((ArraySlice<UInt8>) -> Void)? = nil
    ) throws {
        let ours = if let end { end } else { try pipe.openOurs(for: .reading) }
        self.pipe = consume pipe
        self.log = log
        self.loop = loop
        self.mark = mark
        self.heard = heard
        lastProgress = Instant(microseconds: KernelClock.monotonic)
        reader = try PipeReader(ours, on: loop, took: { [weak self] in self?.took($0) })
    }

    deinit { close() }

    package var isHeard: Bool { heard != nil }

    package var descriptor: Int32? { reader?.rawValue }

    package func drain() { reader?.drain(Self.rest) }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        pass(relay.finish(mark: mark(), at: now))
        log.forget(self)
        timer.handle = nil
        reader = nil
        pipe = nil
    }

    /// Whole lines first, then the beginning of one.
    package var unpassed: [UInt8] { waiting + relay.partial }

    package func passOn(_ bytes: [UInt8]) {
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        pass(Array(bytes[..<end]))
        relay.goOn(with: bytes[end...])
    }

    package var isFlushed: Bool { waiting.isEmpty || now > lastProgress + Self.patience }

    private var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    private func took(_ bytes: ArraySlice<UInt8>) {
        heard?(bytes)
        let before = relay.leftOut
        pass(relay.take(bytes, mark: mark(), at: now))
        if relay.leftOut > before { rest() }
    }

    /// Reads nothing for a while.
    private func rest() {
        if timer.handle == nil {
            timer.handle = try? TimeSource(
                on: loop, accuracy: Self.pause.microseconds, priority: .clients
            ) { [weak self] _ in
                guard let self, !isWaiting else { return }
                reader?.pause(false)
            }
        }
        // Without a timer more is dropped, and faster.
        guard timer.handle != nil else { return }
        reader?.pause(true)
        timer.handle?.arm(at: (now + Self.pause).microseconds)
    }

    private func pass(_ lines: [UInt8]) {
        if waiting.isEmpty, !lines.isEmpty { lastProgress = now }
        waiting += lines
        flush()
    }

    /// Writes what the log takes.
    package func flush() {
        let taken = waiting.isEmpty ? 0 : log.write(waiting)
        if taken > 0 { lastProgress = now }
        waiting.removeFirst(taken)
        guard !isClosed else { return }
        guard waiting.isEmpty else {
            isWaiting = log.awaitRoom(for: self)
            if isWaiting { reader?.pause(true) } else { giveUp() }
            return
        }
        if isWaiting {
            isWaiting = false
            goOn()
        }
    }

    /// What cannot be waited for is lost, as the supervisor's own lines are.
    private func giveUp() {
        waiting = []
        goOn()
    }

    private func goOn() {
        // An idle worker keeps no room that it once needed.
        waiting = []
        if timer.handle?.isArmed != true { reader?.pause(false) }
    }
}

/// The supervisor's standard error, as the lines of all workers go there: one description for all, which does not block.
package final class OutputLog {
    private let output: SharedStream
    private let loop: EventLoop
    private let writable = SourceBox<IOSource>()
    private var waiting: [ObjectIdentifier: RelayedOutput] = [:]

    /// The log behind `descriptor`.
    package init(_ descriptor: Int32 = 2, on loop: EventLoop) {
        output = SharedStream(descriptor, for: .writing)
        self.loop = loop
    }

    deinit {
        // Before its descriptor is closed.
        writable.handle = nil
    }

    /// Writes as many of these whole lines as there is room for; returns how many bytes that were.
    ///
    /// Each write(2) is one that no other parts (PIPE_BUF of pipe(7)), so that no line of the supervisor's own comes to stand
    /// within one of these. A log that has no reader any more takes all.
    package func write(_ lines: [UInt8]) -> Int {
        var rest = lines[...]
        while !rest.isEmpty {
            switch output.write(LineOutput.chunk(of: rest)) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldWait: return lines.count - rest.count
            case .ended: return lines.count
            }
        }
        return lines.count
    }

    /// Has `stream` try again when there is room; false where that cannot be heard of.
    package func awaitRoom(for stream: RelayedOutput) -> Bool {
        if writable.handle == nil {
            writable.handle = try? IOSource(
                on: loop, descriptor: output.rawValue, events: .writable, priority: .clients
            ) { [weak self] _ in self?.goOn() }
        }
        guard writable.handle != nil else { return false }
        waiting[ObjectIdentifier(stream)] = stream
        return true
    }

    /// Calls `stream` no more.
    package func forget(_ stream: RelayedOutput) {
        waiting[ObjectIdentifier(stream)] = nil
        if waiting.isEmpty { writable.handle = nil }
    }

    private func goOn() {
        let streams = waiting.values
        waiting = [:]
        writable.handle = nil
        for stream in streams { stream.flush() }
    }
}
