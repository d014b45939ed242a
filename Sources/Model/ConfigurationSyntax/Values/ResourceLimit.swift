internal import Lifecycle

/// A limit on a process, of setrlimit(2): what `LimitNOFILE=` and its kin set.
package struct ResourceLimit: Hashable, Sendable {
    /// Which resource; the raw value is what stands behind `Limit` in the directive.
    package enum Resource: String, CaseIterable, Hashable, Sendable {
        /// CPU time in seconds.
        case cpu = "CPU"
        /// The size of a file in bytes.
        case fileSize = "FSIZE"
        /// The data segment in bytes.
        case data = "DATA"
        /// The stack in bytes.
        case stack = "STACK"
        /// The size of a core file in bytes.
        case core = "CORE"
        /// Resident memory in bytes; Linux ignores it.
        case residentSet = "RSS"
        /// Open descriptors.
        case openFiles = "NOFILE"
        /// The address space in bytes.
        case addressSpace = "AS"
        /// Processes and threads of the user.
        case processes = "NPROC"
        /// Locked memory in bytes.
        case lockedMemory = "MEMLOCK"
        /// File locks; Linux ignores it.
        case locks = "LOCKS"
        /// Pending signals.
        case pendingSignals = "SIGPENDING"
        /// POSIX message queues in bytes.
        case messageQueues = "MSGQUEUE"
        /// 20 minus the lowest nice level.
        case nice = "NICE"
        /// The highest real-time priority.
        case realTimePriority = "RTPRIO"
        /// CPU time between two blocking calls under real-time scheduling, in microseconds.
        case realTimeTime = "RTTIME"

        /// What its directive takes, as a clause.
        package var expectation: String {
            switch self {
            case .cpu: "a time span of at least a second"
            case .realTimeTime: "a time span (microseconds without a unit)"
            case .nice: "0 to 40, or a nice level from -20 to +19 with its sign"
            case .fileSize, .data, .stack, .core, .residentSet, .addressSpace, .lockedMemory, .messageQueues:
                ByteSize.expectation
            case .openFiles, .processes, .locks, .pendingSignals, .realTimePriority: "a number"
            }
        }
    }

    /// The soft limit; nil is RLIM_INFINITY.
    package let soft: UInt64?
    /// The hard limit; nil is RLIM_INFINITY.
    package let hard: UInt64?

    /// A limit of `soft`, which the process may raise to `hard`.
    package init(soft: UInt64?, hard: UInt64?) {
        self.soft = soft
        self.hard = hard
    }

    /// Reads `both` or `soft:hard` in the units of `resource`; `infinity` lifts a limit.
    package init(parsing text: String, for resource: Resource) throws(ValueError) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            String(cut: $0)
        }
        let values = parts.compactMap { Self.value(of: $0, for: resource) }
        guard parts.count <= 2, values.count == parts.count, let soft = values.first, let hard = values.last
        else {
            throw ValueError(text, isNot: "\(resource.expectation) or infinity, alone or as SOFT:HARD")
        }
        guard soft <= hard else {
            throw ValueError("the soft limit of \(text.quoted) is above the hard one", expected: "SOFT:HARD")
        }
        self.soft = soft == .max ? nil : soft
        self.hard = hard == .max ? nil : hard
    }

    /// A value in the kernel's unit; `.max` is infinity.
    private static func value(of text: String, for resource: Resource) -> UInt64? {
        if text.isExactly("infinity") { return .max }
        let value: UInt64?
        switch resource {
        case .cpu:
            value = (try? TimeLimit(parsing: text))?.span.map {
                UInt64($0.microseconds.roundedUp(to: 1_000_000))
            }
        case .realTimeTime:
            value = (try? TimeSpan(parsing: text, bareUnit: TimeSpan(microseconds: 1))).map {
                UInt64($0.microseconds)
            }
        case .nice: value = niceCeiling(text)
        case .fileSize, .data, .stack, .core, .residentSet, .addressSpace, .lockedMemory, .messageQueues:
            value = (try? ByteSize(parsing: text))?.bytes
        case .openFiles, .processes, .locks, .pendingSignals, .realTimePriority:
            value = UInt64(systemd: text)
        }
        return value == .max ? nil : value
    }

    private static func niceCeiling(_ text: String) -> UInt64? {
        guard let number = Int(systemd: text) else { return nil }
        switch text.utf8.first {
        case UInt8(ascii: "+"): return (0...19).contains(number) ? UInt64(20 - number) : nil
        case UInt8.dash: return (-20...0).contains(number) ? UInt64(20 - number) : nil
        default: return (0...40).contains(number) ? UInt64(number) : nil
        }
    }
}

extension Int64 {
    fileprivate func roundedUp(to unit: Int64) -> Int64 {
        self / unit + (self % unit == 0 ? 0 : 1)
    }
}
