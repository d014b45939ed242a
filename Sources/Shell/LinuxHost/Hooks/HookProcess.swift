internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// The process of an `exec:` hook, and what it prints.
final class HookProcess {
    let call: HookCall
    /// The worker that it belongs to, while a process of that exists.
    private(set) weak var running: RunningWorker?
    /// It leads the session and the process group of this number; 0 before it executes its program.
    var pid: Int32 = 0
    /// Its launch, while that is under way.
    var launching: LaunchUnderway?
    /// The host has sent it SIGKILL: how it ends is not reported.
    private(set) var isGivenUp = false
    /// It has been reaped; what it started may still be there.
    var hasEnded = false
    private var lines: PipeReader?
    private var output: PipeReader?
    private var printed = PrintedLines()
    /// Its standard output, where that is the answer.
    private(set) var answer: [UInt8] = []
    /// It has printed more than an answer may hold.
    private(set) var isTooMuch = false
    private let tell: (String) -> Void
    private let overflowed: (HookProcess) -> Void

    init(
        _ call: HookCall, of running: RunningWorker, tell: @escaping (String) -> Void,
        overflowed: @escaping (HookProcess) -> Void
    ) {
        self.call = call
        self.running = running
        self.tell = tell
        self.overflowed = overflowed
    }

    /// Connects the pipes for the output of the process, and returns the process's ends.
    func connect(on loop: EventLoop) throws -> HookStreams {
        let errors = try pipe()
        lines = try PipeReader(
            errors.ours.take(), on: loop, took: { [weak self] in self?.took($0) },
            ended: { [weak self] in self?.nobodyPrints() })
        guard let limit = call.answerLimit else { return HookStreams(errors: errors.theirs, answer: nil) }
        let answer = try pipe()
        output = try PipeReader(
            answer.ours.take(), on: loop,
            took: { [weak self] in self?.answered($0, atMost: limit) })
        return HookStreams(errors: errors.theirs, answer: answer.theirs)
    }

    /// The pipes of what it prints, borrowed; nil where one is not open.
    var pipes: (lines: Int32?, answer: Int32?) {
        (lines.flatMap { $0.isAtEnd ? nil : $0.rawValue }, output.flatMap { $0.isAtEnd ? nil : $0.rawValue })
    }

    /// Goes on reading what it prints where a predecessor has.
    func goOn(
        _ pid: Int32, lines: Int32?, answer: Int32?, answered: [UInt8], on loop: EventLoop
    ) throws {
        self.pid = pid
        self.answer = answered
        if let lines {
            self.lines = try PipeReader(
                OwnedDescriptor(inheriting: lines), on: loop, took: { [weak self] in self?.took($0) },
                ended: { [weak self] in self?.nobodyPrints() })
        }
        if let answer, let limit = call.answerLimit {
            output = try PipeReader(
                OwnedDescriptor(inheriting: answer), on: loop,
                took: { [weak self] in self?.answered($0, atMost: limit) })
        }
    }

    private func pipe() throws(LinuxError) -> (
        theirs: Handoff<OwnedDescriptor>, ours: Handoff<OwnedDescriptor>
    ) {
        var pipe = try Fifo(anonymous: .reading, endsWithUs: true)
        return (
            Handoff(try pipe.openForWorker()), Handoff(try pipe.openOurs(for: .reading))
        )
    }

    private func took(_ bytes: ArraySlice<UInt8>) { for line in printed.take(bytes) { tell(line) } }

    private func answered(_ bytes: ArraySlice<UInt8>, atMost limit: Int) {
        guard !isTooMuch else { return }
        guard answer.count + bytes.count <= limit else {
            isTooMuch = true
            answer = []
            return overflowed(self)
        }
        answer += bytes
    }

    /// Reads what its end has left in the pipes.
    ///
    /// What it leaves behind may go on printing: that is read as well, so that no process dies of a pipe without a reader.
    func finish() {
        lines?.drain(Self.pipeSize)
        output?.drain(call.answerLimit.map { $0 + 1 } ?? 0)
        printedAll()
    }

    private func nobodyPrints() {
        printedAll()
        if hasEnded { running?.hooks.processes.removeAll { $0 === self } }
    }

    private func printedAll() { for line in printed.finish() { tell(line) } }

    /// Whether a process could still print.
    var isOpen: Bool { !(lines?.isAtEnd ?? true) }

    /// Reads no more.
    func close() {
        lines = nil
        output = nil
    }

    /// Sends SIGKILL to its process group, and to `members`: processes that have left the group but not the session.
    func kill(members: [Int32]) {
        isGivenUp = true
        // Ignoring failures: a process that is gone needs no signal.
        if !hasEnded, pid > 0 { try? Signal.kill.send(toGroup: pid) }
        for member in members { try? Signal.kill.send(toProcess: member) }
    }

    /// As much as a pipe holds, and more.
    private static let pipeSize = 1 << 20
}
