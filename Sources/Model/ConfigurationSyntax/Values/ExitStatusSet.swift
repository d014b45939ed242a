/// Exit codes and signals, as `SuccessExitStatus=` lists them.
package struct ExitStatusSet: Hashable, Sendable {
    /// The exit codes.
    package var codes: Set<UInt8> = []
    /// The signals.
    package var signals: Set<SignalNumber> = []

    /// A set with nothing in it.
    package init() {}

    /// Whether nothing is in it.
    package var isEmpty: Bool { codes.isEmpty && signals.isEmpty }

    /// Whether an exit with `code` is one of them.
    package func contains(code: Int32) -> Bool {
        UInt8(exactly: code).map(codes.contains) ?? false
    }

    /// Whether an end by `signal` is one of them.
    package func contains(signal: Int32) -> Bool {
        signals.contains(SignalNumber(number: signal))
    }

    /// Adds the words of `text`: codes, their names as `systemd-analyze exit-status` lists them, and signals by name.
    package mutating func insert(parsing text: String) throws(ValueError) {
        for word in try Words.split(text) {
            if let code = Self.names.first(where: { $0.name.isExactly(word) })?.code ?? UInt8(systemd: word) {
                codes.insert(code)
            } else if !word.utf8.allSatisfy(\.isDigit), let signal = try? SignalNumber(parsing: word) {
                signals.insert(signal)
            } else {
                throw ValueError(word, isNot: Self.expectation)
            }
        }
    }

    package static let expectation = "exit codes (0 to 255 or names such as TEMPFAIL) and signals by name"

    private static let names: [(name: String, code: UInt8)] = [
        ("SUCCESS", 0), ("FAILURE", 1), ("INVALIDARGUMENT", 2), ("NOTIMPLEMENTED", 3), ("NOPERMISSION", 4),
        ("NOTINSTALLED", 5), ("NOTCONFIGURED", 6), ("NOTRUNNING", 7), ("USAGE", 64), ("DATAERR", 65),
        ("NOINPUT", 66),
        ("NOUSER", 67), ("NOHOST", 68), ("UNAVAILABLE", 69), ("SOFTWARE", 70), ("OSERR", 71), ("OSFILE", 72),
        ("CANTCREAT", 73), ("IOERR", 74), ("TEMPFAIL", 75), ("PROTOCOL", 76), ("NOPERM", 77), ("CONFIG", 78),
        ("CHDIR", 200), ("NICE", 201), ("FDS", 202), ("EXEC", 203), ("MEMORY", 204), ("LIMITS", 205),
        ("OOM_ADJUST", 206), ("SIGNAL_MASK", 207), ("STDIN", 208), ("STDOUT", 209), ("CHROOT", 210),
        ("IOPRIO", 211),
        ("TIMERSLACK", 212), ("SECUREBITS", 213), ("SETSCHEDULER", 214), ("CPUAFFINITY", 215), ("GROUP", 216),
        ("USER", 217), ("CAPABILITIES", 218), ("CGROUP", 219), ("SETSID", 220), ("CONFIRM", 221),
        ("STDERR", 222),
        ("PAM", 224), ("NETWORK", 225), ("NAMESPACE", 226), ("NO_NEW_PRIVILEGES", 227), ("SECCOMP", 228),
        ("SELINUX_CONTEXT", 229), ("PERSONALITY", 230), ("APPARMOR", 231), ("ADDRESS_FAMILIES", 232),
        ("RUNTIME_DIRECTORY", 233), ("CHOWN", 235), ("SMACK_PROCESS_LABEL", 236), ("KEYRING", 237),
        ("STATE_DIRECTORY", 238), ("CACHE_DIRECTORY", 239), ("LOGS_DIRECTORY", 240),
        ("CONFIGURATION_DIRECTORY", 241),
        ("NUMA_POLICY", 242), ("CREDENTIALS", 243), ("BPF", 244), ("EXCEPTION", 255),
    ]
}
