import Glibc
import Testing

@testable import Systemd

@Suite struct `Passed environment` {
    /// An environment and what process 42 must make of it.
    struct Case: CustomTestStringConvertible {
        let environment: [String: String]
        var notifySocket: String?
        var watchdogPeriod: Int64?
        var names: [String] = []
        var rejected: [String] = []
        var testDescription: String { "\(environment.sorted { $0.key < $1.key })" }
    }

    static let cases: [Case] = [
        Case(environment: [:]),
        Case(environment: ["NOTIFY_SOCKET": "/run/notify"], notifySocket: "/run/notify"),
        Case(environment: ["NOTIFY_SOCKET": ""]),
        Case(environment: ["WATCHDOG_USEC": "30000000"], watchdogPeriod: 30_000_000),
        Case(environment: ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "42"], watchdogPeriod: 5),
        Case(environment: ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "43"]),
        Case(environment: ["WATCHDOG_USEC": "5", "WATCHDOG_PID": ""], rejected: ["WATCHDOG_PID"]),
        Case(environment: ["WATCHDOG_USEC": "0"], rejected: ["WATCHDOG_USEC"]),
        Case(environment: ["WATCHDOG_USEC": "18446744073709551615"], rejected: ["WATCHDOG_USEC"]),
        Case(environment: ["WATCHDOG_USEC": "30s"], rejected: ["WATCHDOG_USEC"]),
        Case(environment: ["LISTEN_FDS": "2"]),
        Case(environment: ["LISTEN_FDS": "2", "LISTEN_PID": "1"]),
        Case(environment: ["LISTEN_FDS": "2", "LISTEN_PID": "42"], names: ["unknown", "unknown"]),
        Case(environment: ["LISTEN_FDS": "0", "LISTEN_PID": "42"]),
        Case(
            environment: ["LISTEN_FDS": "3", "LISTEN_PID": "42", "LISTEN_FDNAMES": "http::stored"],
            names: ["http", "", "stored"]),
        Case(
            environment: ["LISTEN_FDS": "1", "LISTEN_PID": "42", "LISTEN_FDNAMES": "a:b"], names: ["unknown"],
            rejected: ["LISTEN_FDNAMES"]),
        Case(environment: ["LISTEN_FDS": "-1", "LISTEN_PID": "42"], rejected: ["LISTEN_FDS"]),
        Case(environment: ["LISTEN_FDS": "65537", "LISTEN_PID": "42"], rejected: ["LISTEN_FDS"]),
        Case(environment: ["LISTEN_FDS": "1", "LISTEN_PID": "42 "], rejected: ["LISTEN_PID"]),
    ]

    @Test(arguments: cases) func `is read as its addressee reads it`(example: Case) {
        let passed = PassedEnvironment(pid: 42) { example.environment[$0] }
        #expect(passed.notifySocket == example.notifySocket)
        #expect(passed.watchdogPeriod == example.watchdogPeriod)
        #expect(passed.descriptors.map(\.name) == example.names)
        #expect(passed.descriptors.map(\.number) == example.names.indices.map { Int32($0) + 3 })
        #expect(passed.rejected.map(\.variable) == example.rejected)
    }

    @Test func `passed descriptors are closed on exec, and must be open`() async {
        // In a process of its own: the environment belongs to the whole process.
        await #expect(processExitsWith: .success) {
            guard fcntl(0, F_DUPFD, 900) == 900, fcntl(0, F_DUPFD, 900) == 901 else { exit(1) }
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "a:b", 1)
            let passed = PassedEnvironment.inherited(from: 900)
            guard passed.descriptors.map(\.name) == ["a", "b"] else { exit(2) }
            guard fcntl(900, F_GETFD) == FD_CLOEXEC, fcntl(901, F_GETFD) == FD_CLOEXEC else { exit(3) }
            setenv("LISTEN_FDS", "4000", 1)
            unsetenv("LISTEN_FDNAMES")
            let absent = PassedEnvironment.inherited(from: 900)
            guard absent.descriptors.isEmpty, absent.rejected.map(\.variable) == ["LISTEN_FDS"] else {
                exit(4)
            }
            exit(0)
        }
    }
}
