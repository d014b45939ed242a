package import Lifecycle
package import Linux
package import Systemd

/// One stream of what a worker prints, read by the supervisor and passed on unchanged to where it would have gone.
///
/// While its destination takes nothing, nothing is read either, so that the worker waits as it would without the supervisor. Once no
/// process reads the destination any more, what comes is read and dropped.
package final class CapturedStream: WorkerOutput {
    /// The most bytes that are read ahead of a destination that takes nothing.
    private static let readAhead = 1 << 20

    private var pipe: Fifo?
    private var reader: PipeReader?
    private let destination: SharedStream
    /// Keeps a destination open that is not a standard stream of this process.
    private let kept: OwnedDescriptor?
    private let writable = SourceBox<IOSource>()
    private let loop: EventLoop
    private var waiting: [UInt8] = []
    private var isGone = false
    /// When the destination took something last.
    package private(set) var lastProgress: Instant
    private let heard: (ArraySlice<UInt8>) -> Void
    private let flushed: () -> Void

    /// Passes on to `descriptor`; `kept` is that, where it is to be closed after.
    ///
    /// `pace` says how much may be read in one turn, `heard` is told of all that comes, `flushed` when the destination has taken what it had not before.
    package init(
        _ pipe: consuming Fifo, to descriptor: Int32, keeping kept: consuming OwnedDescriptor?,
        on loop: EventLoop, pace: @escaping () -> Int = { PipeReader.turn },
        heard: @escaping (ArraySlice<UInt8>) -> Void, flushed: @escaping () -> Void
    ) throws {
        let ours = try pipe.openOurs(for: .reading)
        self.pipe = consume pipe
        destination = SharedStream(descriptor, for: .writing)
        self.kept = kept
        self.loop = loop
        self.heard = heard
        self.flushed = flushed
        lastProgress = Instant(microseconds: KernelClock.monotonic)
        reader = try PipeReader(ours, on: loop, took: { [weak self] in self?.took($0) }, pace: pace)
    }

    deinit { close() }

    package var isHeard: Bool { true }

    package var descriptor: Int32? { reader?.rawValue }

    /// Takes the pipe away; its name is free at once.
    package func close() {
        writable.handle = nil
        reader = nil
        pipe = nil
    }

    /// Reads all that is there now, whether it can be passed on or not.
    package func drain() { reader?.drain(Self.readAhead) }

    /// What was read and not passed on yet.
    package var unpassed: [UInt8] { waiting }

    /// Passes on what a predecessor has read.
    package func passOn(_ bytes: [UInt8]) {
        let rest = pass(bytes[...])
        if !rest.isEmpty { wait(with: Array(rest)) }
    }

    /// Whether all that was read has been passed on.
    package var isFlushed: Bool { waiting.isEmpty }

    /// What hears of it may stop this process, as `torpor run` does when the line completes the way to sleep: it is passed on first.
    private func took(_ bytes: ArraySlice<UInt8>) {
        passOrKeep(bytes)
        heard(bytes)
    }

    private func passOrKeep(_ bytes: ArraySlice<UInt8>) {
        guard !isGone else { return }
        guard waiting.isEmpty else {
            waiting += bytes
            return
        }
        let rest = pass(bytes)
        if !rest.isEmpty { wait(with: Array(rest)) }
    }

    /// Writes what the destination takes, and returns the rest.
    private func pass(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while !rest.isEmpty {
            switch destination.write(rest) {
            case .moved(let count):
                rest = rest.dropFirst(count)
                lastProgress = Instant(microseconds: KernelClock.monotonic)
            case .wouldWait: return rest
            case .ended:
                isGone = true
                return []
            }
        }
        return rest
    }

    private func wait(with rest: [UInt8]) {
        waiting = rest
        reader?.pause(true)
        writable.handle = try? IOSource(
            on: loop, descriptor: destination.rawValue, events: .writable, priority: .clients
        ) { [weak self] _ in self?.goOn() }
        // What cannot be waited for cannot be written to later.
        if writable.handle == nil {
            isGone = true
            goOn()
        }
    }

    private func goOn() {
        waiting = isGone ? [] : Array(pass(waiting[...]))
        guard waiting.isEmpty else { return }
        writable.handle = nil
        reader?.pause(false)
        flushed()
    }
}
