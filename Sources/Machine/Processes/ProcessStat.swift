internal import Glibc
package import Linux

/// What /proc/PID/stat says of a process, or of one of its threads, as in proc_pid_stat(5).
package struct ProcessStat: Hashable, Sendable {
    /// What a process is doing, by the kernel's letters.
    package enum State: Hashable, Sendable {
        /// `R`: running, or about to.
        case running
        /// `S`: waiting for something; a process in a frozen cgroup shows this too.
        case sleeping
        /// `D`: waiting in the kernel, and no signal can end that.
        case uninterruptible
        /// `T`: stopped by a signal.
        case stopped
        /// `t`: stopped by its tracer.
        case traced
        /// `Z`: ended and not reaped.
        case zombie
        /// `X`: being taken away.
        case dead
        /// Any other: idle or parked kernel threads, and what later kernels may add.
        case other

        /// Whether it executes nothing until it is made to.
        package var isStill: Bool {
            switch self {
            case .stopped, .traced, .zombie, .dead: true
            case .running, .sleeping, .uninterruptible, .other: false
            }
        }

        init(letter: UInt8) {
            switch letter {
            case UInt8(ascii: "R"): self = .running
            case UInt8(ascii: "S"): self = .sleeping
            case UInt8(ascii: "D"): self = .uninterruptible
            case UInt8(ascii: "T"): self = .stopped
            case UInt8(ascii: "t"): self = .traced
            case UInt8(ascii: "Z"): self = .zombie
            case UInt8(ascii: "X"), UInt8(ascii: "x"): self = .dead
            default: self = .other
            }
        }
    }

    package let pid: Int32
    /// The program's short name, up to 15 bytes that may be anything.
    package let command: ByteString
    /// What it, or its first thread, is doing.
    package let state: State
    /// The same as the kernel's letter, as ps(1) shows it.
    package let stateCharacter: String
    /// The parent's process id; 0 when that is outside of our pid namespace.
    package let parent: Int32
    package let processGroup: Int32
    package let session: Int32
    /// Its threads, one at least.
    package let threadCount: Int
    /// Processor time used, in user and kernel mode together, in ticks of 10 ms.
    package let cpuTicks: UInt64
    /// The same of its children that have ended and that it has waited for, and of their children.
    package let childrenTicks: UInt64
    /// When it started, in ticks of 10 ms since boot; tells it from a later process of the same pid.
    package let startTime: UInt64

    /// Reads the file's bytes; nil when they are not one line of it.
    ///
    /// The name is what is between the first parenthesis and the last one: it may hold parentheses, spaces and newlines
    /// itself.
    package init?(parsing bytes: [UInt8]) {
        guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close, close + 2 < bytes.count
        else { return nil }
        // The third field, the state, comes first here.
        let fields = bytes[(close + 2)...].split(maxSplits: 20) { $0 == UInt8(ascii: " ") }
        func number<Number: FixedWidthInteger>(_ field: Int) -> Number? {
            Number(String(decoding: fields[field - 3], as: UTF8.self))
        }
        guard fields.count == 21, fields[0].count == 1, let letter = fields[0].first, open > 0,
            let pid = Int32(String(decoding: bytes[..<(open - 1)], as: UTF8.self)),
            let parent: Int32 = number(4), let group: Int32 = number(5), let session: Int32 = number(6),
            let user: UInt64 = number(14), let system: UInt64 = number(15),
            let childrenUser: Int64 = number(16), let childrenSystem: Int64 = number(17),
            let threads: Int = number(20),
            let start: UInt64 = number(22)
        else { return nil }
        self.pid = pid
        command = ByteString(Array(bytes[(open + 1)..<close]))
        state = State(letter: letter)
        stateCharacter = String(decoding: [letter], as: UTF8.self)
        self.parent = parent
        processGroup = group
        self.session = session
        threadCount = threads
        cpuTicks = user &+ system
        childrenTicks = UInt64(clamping: childrenUser) &+ UInt64(clamping: childrenSystem)
        startTime = start
    }

    /// What is said of process `pid` now; nil when there is none.
    package static func read(pid: Int32) -> ProcessStat? { read(path: "/proc/\(pid)/stat") }

    package static func read(path: String) -> ProcessStat? {
        // A process that goes meanwhile is ENOENT on opening, ESRCH on reading.
        guard let bytes = try? KernelFile.read(path) else { return nil }
        return ProcessStat(parsing: bytes)
    }

    /// The process that traces `pid` (ptrace(2)), from proc_pid_status(5); nil when none does or `pid` is gone.
    package static func tracer(of pid: Int32) -> Int32? {
        guard let status = try? KernelFile.text("/proc/\(pid)/status") else { return nil }
        let key = "TracerPid:\t"
        guard let line = status.lines.first(where: { $0.hasPrefix(key) }),
            let tracer = Int32(line.dropFirst(key.count)), tracer != 0
        else { return nil }
        return tracer
    }
}

extension ProcessStat {
    /// Whether it started at `moment` of the monotonic clock, in microseconds, or later, as far as ticks of 10 ms tell.
    package func hasStarted(since moment: Int64) -> Bool {
        // No clock of the kernel has come so far; the number in microseconds would be none.
        guard startTime < UInt64(Int64.max) / 10_000 else { return true }
        // The kernel counts the machine's sleep in here.
        return Int64(startTime + 1) * 10_000 >= moment + MachineSleep.total
    }
}
