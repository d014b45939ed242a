import Foundation
import Glibc
import TestSupport

/// What gives the built programs a bad kernel or disk, by seccomp(2): `refuse` and `bad-luck` of the attacker.
enum BadLuck {
    static let program = Wrapper.testPrograms + "/attacker"

    /// In front of a command line: the kernel answers these calls with these errors, CALL=ERRNO[,CALL=ERRNO…].
    static func refusing(_ calls: String) -> [String] { [program, "refuse", calls] }

    /// In front of a command line: fsync(2) takes so long.
    static func slowDisk(milliseconds: Int) -> [String] { [program, "slow-fsync", "\(milliseconds)"] }

    /// Calls fail while it holds rules.
    final class Rules {
        private let path = "/tmp/torpor-luck-\(UUID().uuidString.prefix(8))"

        /// In front of a command line.
        var prefix: [String] { [program, "bad-luck", path] }

        /// Lines of CALL ERRNO TEXT, where TEXT is part of the path of the call's descriptor, or `-`; none mends everything.
        func set(_ rules: String...) throws {
            guard !rules.isEmpty else { return _ = unlink(path) }
            try rules.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        }

        deinit { unlink(path) }
    }

    /// Executes its arguments where PATH of the machine is what `mounting` makes of it, in a mount namespace of its own.
    static func mounting(_ command: String) -> [String] {
        ["unshare", "-m", "/bin/sh", "-c", "\(command) && exec \"$@\"", "sh"]
    }
}

/// Waits until a process has ended, whoever reaps it.
func awaitEnd(of pid: Int32) throws {
    _ = try eventually("the end of process \(pid)") { [nil, "Z"].contains(state(of: pid)) ? true : nil }
}

extension Capability {
    /// Filters of system calls whose notices another process answers.
    static let badLuck = Capability("seccomp filters, with user_notif") {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/seccomp/actions_avail", encoding: .utf8)
        guard text?.contains("user_notif") == true else { return "the kernel has none" }
        return access(BadLuck.program, X_OK) == 0 ? nil : "\(BadLuck.program) is not built"
    }
}

extension DaemonUnderTest {
    /// Posts what a daemon has to keep, with this number.
    func post(_ number: Int, to worker: String = "idle") throws -> (
        status: Int32, output: String, errors: String
    ) {
        try torpor("post", worker, "chat", "--rule", "each", "--payload", "{\"n\":\(number)}")
    }

    /// The numbers of the posts that wait for a worker.
    func posts(of worker: String = "idle") throws -> [Int] {
        let listed = try torpor("notifications", worker, "--json=short").output
        return listed.components(separatedBy: #"{"n":"#).dropFirst().compactMap { rest in
            Int(rest.prefix(while: \.isNumber))
        }.sorted()
    }

    /// The pid of `web` once it runs, as it is launched at boot.
    func awaitWeb() throws -> Int32 {
        try eventually("web to run") {
            try list().first { $0.name == "web" && $0.state == "active" }?.pid
        }
    }
}
