/// When and after how long a worker is restarted after its process ended (systemd.service(5), `Restart=`).
public struct RestartPolicy: Hashable, Sendable {
    /// Which exit statuses cause a restart, with systemd's names and meaning.
    public enum Condition: String, Hashable, Sendable, CaseIterable {
        /// None.
        case no
        /// A clean exit.
        case onSuccess = "on-success"
        /// Anything but a clean exit.
        case onFailure = "on-failure"
        /// A signal, a deadline or the watchdog.
        case onAbnormal = "on-abnormal"
        /// The watchdog.
        case onWatchdog = "on-watchdog"
        /// A signal that is not one of the clean ones.
        case onAbort = "on-abort"
        /// Every end that was not requested.
        case always
    }

    /// Which exit statuses cause a restart.
    public var condition: Condition
    /// The first delay (`RestartSec=`).
    public var delay: TimeSpan
    /// The longest delay, reached after consecutive failures (`RestartMaxDelaySec=`).
    public var longestDelay: TimeSpan
    /// The number of failures in which the delay grows to the longest, by a constant factor (`RestartSteps=`); zero doubles it.
    public var steps: Int
    /// The maximum number of starts within `limitInterval` (`StartLimitBurst=`); zero disables the limit.
    public var limitBurst: Int
    /// The interval of `limitBurst` (`StartLimitIntervalSec=`).
    public var limitInterval: TimeSpan
    /// Exit statuses and signals that count as clean in addition to 0, SIGHUP, SIGINT, SIGTERM and SIGPIPE.
    public var success: ExitStatusSet
    /// Exit statuses that never cause a restart (`RestartPreventExitStatus=`).
    public var prevent: ExitStatusSet
    /// Exit statuses that always cause a restart (`RestartForceExitStatus=`).
    public var force: ExitStatusSet

    /// No restart, unless said otherwise; systemd's delay and start limit.
    public init(
        condition: Condition = .no, delay: TimeSpan = .milliseconds(100), longestDelay: TimeSpan? = nil,
        steps: Int = 0, limitBurst: Int = 5, limitInterval: TimeSpan = .seconds(10),
        success: ExitStatusSet = .init(), prevent: ExitStatusSet = .init(), force: ExitStatusSet = .init()
    ) {
        self.condition = condition
        self.delay = delay
        self.longestDelay = longestDelay ?? delay
        self.steps = steps
        self.limitBurst = limitBurst
        self.limitInterval = limitInterval
        self.success = success
        self.prevent = prevent
        self.force = force
    }

    /// How long to wait before the next start when `failures` came before this one, in a row.
    public func delay(after failures: Int) -> TimeSpan {
        if steps > 0 { return steppedDelay(after: failures) }
        return Backoff(first: delay, longest: longestDelay).delay(after: failures)
    }

    /// `delay × (longestDelay ÷ delay)^(failures ÷ steps)`, as systemd.service(5) has it.
    private func steppedDelay(after failures: Int) -> TimeSpan {
        guard delay > .zero, longestDelay > delay, failures > 0 else { return delay }
        guard failures < steps else { return longestDelay }
        let ratio = Double(longestDelay.microseconds) / Double(delay.microseconds)
        var (low, high) = (1.0, ratio)
        // The root by halving: a pure module has no pow(3), and 60 halvings are as exact as a Double.
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if Self.power(middle, steps) < ratio { low = middle } else { high = middle }
        }
        let stretched = Double(delay.microseconds) * Self.power(low, failures)
        return min(TimeSpan(clamping: stretched.rounded()), longestDelay)
    }

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }

    /// Whether an end of this kind is followed by a restart.
    func restarts(_ status: ExitStatus, _ cause: TerminationRecord.Cause) -> Bool {
        if prevent.contains(status) { return false }
        if force.contains(status) { return true }
        let clean = cause == .exited
        switch condition {
        case .no: return false
        case .onSuccess: return clean
        case .onFailure: return !clean
        case .onAbnormal: return !clean && cause != .failed && cause != .launchFailed
        case .onWatchdog: return cause == .watchdog
        case .onAbort: return cause == .crashed
        case .always: return true
        }
    }

    /// Whether `status` is a clean end (systemd.service(5), `SuccessExitStatus=`).
    func isClean(_ status: ExitStatus) -> Bool {
        switch status {
        case .exited(0): true
        case .killed(signal: let signal, coreDumped: false) where [1, 2, 13, 15].contains(signal): true
        case .exited, .killed, .unknown: success.contains(status)
        }
    }
}

/// The exit status of a process, as reported by waitid(2).
public enum ExitStatus: Hashable, Sendable {
    /// Exited with this status.
    case exited(Int32)
    /// Killed by this signal.
    case killed(signal: Int32, coreDumped: Bool)
    /// Unknown, as for an adopted process. It counts as a failure.
    case unknown
}

/// A set of exit statuses and signals, as `SuccessExitStatus=` lists them.
public struct ExitStatusSet: Hashable, Sendable {
    /// Exit statuses.
    public var codes: [Int32]
    /// Signal numbers.
    public var signals: [Int32]

    /// The set of `codes` and `signals`.
    public init(codes: [Int32] = [], signals: [Int32] = []) {
        self.codes = codes
        self.signals = signals
    }

    /// Whether `status` is one of the set.
    public func contains(_ status: ExitStatus) -> Bool {
        switch status {
        case .exited(let code): codes.contains(code)
        case .killed(signal: let signal, coreDumped: _): signals.contains(signal)
        case .unknown: false
        }
    }
}
