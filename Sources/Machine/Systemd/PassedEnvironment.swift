internal import Glibc

/// What the supervisor of this process passed by the environment: sd_notify(3), sd_watchdog_enabled(3),
/// sd_listen_fds(3).
///
/// What is meant for another process, or cannot be understood, counts as not passed.
package struct PassedEnvironment: Hashable, Sendable {
    /// A descriptor that we were started with.
    package struct Descriptor: Hashable, Sendable {
        /// Its number: 3 and up.
        package let number: Int32
        /// Its name; `unknown` when none was passed.
        package let name: String
    }

    /// A variable that was left out.
    package struct Rejected: Hashable, Sendable {
        package let variable: String
        /// Why, as the end of a sentence about it.
        package let reason: String
    }

    /// `$NOTIFY_SOCKET`, as it stands; nil when no manager waits for messages.
    package private(set) var notifySocket: String?
    /// `$WATCHDOG_USEC` if it is for this process: the longest time between two signs of life, in microseconds.
    package private(set) var watchdogPeriod: Int64?
    /// `$LISTEN_FDS` if they are for this process: the passed descriptors in order.
    package private(set) var descriptors: [Descriptor] = []
    /// What was left out and why; that something is meant for another process is no fault and not listed.
    package private(set) var rejected: [Rejected] = []

    /// The number of the first passed descriptor (`SD_LISTEN_FDS_START`).
    package static let firstDescriptor: Int32 = 3
    /// The most descriptors that are believed to have been passed: more than any service manager's store.
    package static let descriptorLimit: UInt64 = 1 << 16
    /// The variables that this reads: none of them is a child's to inherit.
    package static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "LISTEN_PIDFDID",
    ]

    /// The environment of this process; from here on the passed descriptors are closed on exec.
    ///
    /// Read it once and early: the numbers mean what they say only until they are closed.
    package static func inherited() -> PassedEnvironment {
        inherited(from: firstDescriptor)
    }

    /// The same for numbers that begin elsewhere: those from 3 are a test process's own.
    static func inherited(from first: Int32) -> PassedEnvironment {
        var passed = PassedEnvironment(pid: getpid(), first: first) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        for descriptor in passed.descriptors where fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) != 0 {
            passed.reject("LISTEN_FDS", "includes descriptor \(descriptor.number), which is not open")
            passed.descriptors = []
            break
        }
        return passed
    }

    /// The environment that `lookup` reads, as the process `pid` understands it.
    package init(pid: Int32, reading lookup: (String) -> String?) {
        self.init(pid: pid, first: Self.firstDescriptor, reading: lookup)
    }

    private init(pid: Int32, first: Int32, reading lookup: (String) -> String?) {
        notifySocket = lookup("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        readWatchdog(pid, lookup)
        readDescriptors(pid, first, lookup)
    }

    private mutating func readWatchdog(_ pid: Int32, _ lookup: (String) -> String?) {
        guard let text = lookup("WATCHDOG_USEC") else { return }
        // Without a pid it is for any process that reads it.
        if let addressee = lookup("WATCHDOG_PID") {
            guard isOwn(addressee, pid, "WATCHDOG_PID") else { return }
        }
        guard let period = NotifyNumber.parse(text), period > 0, period <= UInt64(NotifyMessage.longest)
        else {
            reject("WATCHDOG_USEC", "is not a time in microseconds")
            return
        }
        watchdogPeriod = Int64(period)
    }

    private mutating func readDescriptors(_ pid: Int32, _ first: Int32, _ lookup: (String) -> String?) {
        guard let addressee = lookup("LISTEN_PID"), isOwn(addressee, pid, "LISTEN_PID"),
            let text = lookup("LISTEN_FDS")
        else { return }
        guard let count = NotifyNumber.parse(text), count <= Self.descriptorLimit else {
            reject("LISTEN_FDS", "is not a number of descriptors up to \(Self.descriptorLimit)")
            return
        }
        var names = lookup("LISTEN_FDNAMES").map {
            $0.split(separator: ":", omittingEmptySubsequences: false)
        }
        if let given = names?.count, given != Int(count) {
            reject("LISTEN_FDNAMES", "has \(given) names for \(count) descriptors")
            names = nil
        }
        for index in 0..<Int(count) {
            let name = names.map { String($0[index]) } ?? "unknown"
            descriptors.append(Descriptor(number: first + Int32(index), name: name))
        }
    }

    /// Whether `text` is our pid; another's is no fault, no pid at all is.
    private mutating func isOwn(_ text: String, _ pid: Int32, _ variable: String) -> Bool {
        guard let addressee = NotifyNumber.parse(text) else {
            reject(variable, "is not a PID")
            return false
        }
        return addressee == UInt64(clamping: pid)
    }

    private mutating func reject(_ variable: String, _ reason: String) {
        rejected.append(Rejected(variable: variable, reason: reason))
    }
}
