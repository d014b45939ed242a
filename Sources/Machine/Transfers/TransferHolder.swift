internal import CLinux
internal import Glibc
package import Launching
internal import Linux
internal import Processes
internal import Transferring

/// Runs the command of a transfer to its end, and says in a file how it stands (torpor-transfer(8)).
///
/// It is what outlives the supervisor: it reads what the command prints, reaps what the command leaves behind, and knows the exit status.
/// It runs as the user of the worker. Only the supervisor, and that user, can end it.
package final class TransferHolder {
    private var file: TransferFile
    private let words: [String]
    private let limits: [Confinement.ResourceLimit]
    private var report: TransferReport
    private var output = TransferOutput()
    /// What the command prints; nil when no process can print any more.
    private var reading: OwnedDescriptor?
    private var isReading: Bool { number >= 0 }
    private var number: Int32 = -1
    /// When the next signal is due to what has not ended: it was asked to at first, and is killed then.
    private var killAt: Int64?
    private var isAsked = false
    /// What was not written yet is written then.
    private var writeAt: Int64?

    /// How long what is asked to end may take before it is killed, in microseconds.
    private static let grace: Int64 = 5_000_000
    /// How soon what has changed is written, in microseconds.
    private static let pace: Int64 = 200_000

    /// A holder whose file came as descriptor `number`, of a command with these limits.
    package init(file number: Int32, _ words: [String], limits: [Confinement.ResourceLimit]) {
        file = TransferFile(inheriting: number)
        self.words = words
        self.limits = limits
        report = TransferReport(holder: ThisProcess.pid)
    }

    /// Runs the command, and returns when nothing of it is left.
    package func run() {
        // Another process of the worker's user could write the file through /proc otherwise.
        _ = torpor_prctl(PR_SET_DUMPABLE, 0)
        _ = torpor_transfer_signals()
        try? ThisProcess.becomeSubreaper()
        file.write(report)
        do {
            try start()
        } catch {
            report.lines = ["\(error)"]
            report.stage = .over(.notStarted)
            return file.write(report)
        }
        file.write(report)
        while isUnfinished { turn() }
        drain()
        if let status = report.status { report.stage = .over(status) }
        write()
    }

    private func start() throws {
        var ends: [Int32] = [-1, -1]
        let result = unsafe torpor_transfer_pipe(&ends)
        guard result == 0 else { throw LinuxError(errno: -result, call: "pipe") }
        let theirs = OwnedDescriptor(adopting: ends[1])
        reading = OwnedDescriptor(adopting: ends[0])
        number = ends[0]
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var request = LaunchRequest(
            ByteString(words[0]), words.dropFirst().map { ByteString($0) }, environment: .current)
        request.standardOutput = .copied(from: theirs.rawValue)
        request.standardError = .copied(from: theirs.rawValue)
        request.wantsPidfd = false
        request.confinement.limits = limits.map(\.fitted)
        report.command = try request.launch().pid
    }

    private var isUnfinished: Bool { report.status == nil || ChildReaper.hasChildren() }

    private func turn() {
        let now = KernelClock.monotonic
        let next = [killAt, writeAt].compactMap(\.self).min()
        let wait = next.map { Int32(clamping: max(0, $0 - now) / 1000 + 1) } ?? -1
        let news = torpor_transfer_wait(number, wait)
        if news & 1 != 0 { read() }
        reap()
        if news & 2 != 0, !isAsked { ask() }
        let later = KernelClock.monotonic
        if let due = killAt, due <= later { kill() }
        if let due = writeAt, due <= later { write() }
    }

    // MARK: output

    private func read() {
        var room = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe Glibc.read(number, &room, room.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            reading = nil
            number = -1
            return
        }
        output.take(room.prefix(count))
        changed()
    }

    /// Reads what is left; a process that has left this one's tree may hold the other end for ever.
    private func drain() {
        for _ in 0..<64 where isReading {
            guard torpor_transfer_wait(number, 0) & 1 != 0 else { break }
            read()
        }
        output.finish()
    }

    private func changed() {
        if writeAt == nil { writeAt = KernelClock.monotonic + Self.pace }
    }

    private func write() {
        writeAt = nil
        report.lines = output.lines
        report.progress = output.progress
        report.printed = output.count
        file.write(report)
    }

    // MARK: processes

    private func reap() {
        while let harvest = try? ChildReaper().drain(), !harvest.events.isEmpty {
            for event in harvest.events where event.pid == report.command && report.status == nil {
                switch event.change {
                case .exited(let code): ended(.exited(code))
                case .killed(let signal, _): ended(.killed(signal: signal.rawValue))
                case .stopped, .continued: break
                }
            }
            if !harvest.hasMore { break }
        }
    }

    /// The main process has ended: what it has left is no part of the transfer, and ends with it.
    private func ended(_ status: TransferStatus) {
        report.stage = .ended(status)
        let left = descendants
        // What is ended with it was not left behind.
        if !isAsked { report.leftovers = UInt32(clamping: left.count) }
        write()
        guard !left.isEmpty else { return }
        send(.terminate, to: left)
        killAt = KernelClock.monotonic + Self.grace
    }

    /// The supervisor has the transfer end.
    private func ask() {
        isAsked = true
        // First, so that it does not see the others end before it is asked itself.
        if report.status == nil { send(.terminate, to: [report.command]) }
        let others = descendants
        send(.terminate, to: others.subtracting([report.command]))
        // One that is stopped could not hear it.
        send(.resume, to: others)
        killAt = KernelClock.monotonic + Self.grace
    }

    /// What has not ended by now is killed, again and again until nothing is left.
    private func kill() {
        send(.kill, to: descendants)
        killAt = KernelClock.monotonic + Self.grace / 50
    }

    private var descendants: Set<Int32> { ProcessTree.snapshot().descendants(of: ThisProcess.pid) }

    private func send(_ signal: Signal, to processes: Set<Int32>) {
        // Ignoring failures: one that is gone needs no signal, and one that has another user by now is not ours to end.
        for process in processes { try? signal.send(toProcess: process) }
    }
}
