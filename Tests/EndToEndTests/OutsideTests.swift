import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What others do to the child, and how it is told.
@Suite(.timeLimit(.minutes(60)))
struct OutsideTests {
    /// The lines of -v that tell a change of state, without the times in them.
    private func changes(_ lines: [String]) -> [String] {
        lines.filter { $0.contains(" → ") }.map { line in
            let text = line.split(separator: ": ", maxSplits: 2).last ?? ""
            return text.split(separator: ", ").filter { !$0.hasPrefix("asleep for") }.joined(separator: ", ")
        }
    }

    private func take(_ count: Int, from wrapper: Wrapper) throws -> [String] {
        try (0..<count).map { _ in changes([try wrapper.errors.until(" → ")])[0] }
    }

    private static let asleep = [
        "active → inactive (another program), not delivered: willResignActive",
        "inactive → background (another program), not delivered: didEnterBackground",
        "background → suspended (another program)",
    ]
    private static let awake = [
        "suspended → background (another program)", "background → inactive", "inactive → active",
    ]

    private func expectAwake(_ lines: [String]) {
        #expect(lines.count == 3)
        for (line, start) in zip(lines, Self.awake) { #expect(line.hasPrefix(start)) }
    }

    private func started(through prefix: [String] = []) throws -> (wrapper: Wrapper, child: Int32) {
        let wrapper = try Wrapper(["-v"], script: "echo $$; exec sleep 1000", through: prefix)
        let child = try #require(Int32(try wrapper.output.next() ?? ""))
        #expect(
            try take(2, from: wrapper) == [
                "notRunning → inactive (launch: operator)", "inactive → active (supervisor)",
            ])
        return (wrapper, child)
    }

    @Test func `-v tells each change in order, on stderr alone`() throws {
        let wrapper = try Wrapper(["-v"], script: "exit 3")
        #expect(try wrapper.wait() == .exited(3))
        let lines = try wrapper.errors.rest()
        #expect(lines.allSatisfy { $0.hasPrefix("torpor: ") })
        #expect(lines[0].hasPrefix("torpor: freeze method: "))
        #expect(
            changes(lines) == [
                "notRunning → inactive (launch: operator)", "inactive → active (supervisor)",
                "active → notRunning (failed)",
            ])
        #expect(lines.contains { $0.contains("ended: failed, status 3") })
        #expect(try wrapper.output.rest() == [])
    }

    @Test func `A stop and a continue of the child by somebody else are seen`() throws {
        let (wrapper, child) = try started()
        for _ in 0..<3 {
            kill(child, SIGSTOP)
            #expect(try take(3, from: wrapper) == Self.asleep)
            kill(child, SIGCONT)
            expectAwake(try take(3, from: wrapper))
        }
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
    }

    @Test(.requires(.cgroupV2Writable))
    func `A freeze and a thaw of its group by somebody else are seen`() throws {
        let (wrapper, child) = try started()
        let file = try Places.group(of: child) + "/cgroup.freeze"
        for _ in 0..<3 {
            try "1".write(toFile: file, atomically: false, encoding: .ascii)
            #expect(try take(3, from: wrapper) == Self.asleep)
            try "0".write(toFile: file, atomically: false, encoding: .ascii)
            expectAwake(try take(3, from: wrapper))
        }
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
        #expect(Places.left(by: [wrapper.pid]) == [])
    }

    @Test func `SIGTERM ends a child that somebody has stopped`() throws {
        let (wrapper, child) = try started()
        kill(child, SIGSTOP)
        #expect(try take(3, from: wrapper) == Self.asleep)
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
    }

    @Test(.requires(.cgroupV2Writable)) func `SIGTERM ends a child that somebody has frozen`() throws {
        let (wrapper, child) = try started()
        try "1".write(
            toFile: try Places.group(of: child) + "/cgroup.freeze", atomically: false, encoding: .ascii)
        #expect(try take(3, from: wrapper) == Self.asleep)
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
        #expect(Places.left(by: [wrapper.pid]) == [])
    }

    @Test(arguments: [SIGTSTP, SIGTTIN, SIGTTOU])
    func `The job's stop signals stop child and wrapper, SIGCONT continues both`(_ signal: Int32) throws {
        let (wrapper, child) = try started()
        wrapper.send(signal)
        for pid in [child, wrapper.pid] { try awaitState("T", of: pid) }
        #expect(try take(3, from: wrapper) == Self.asleep)
        wrapper.send(SIGCONT)
        expectAwake(try take(3, from: wrapper))
        #expect(state(of: child) != "T")
    }

    @Test func `SIGCONT right after a stop signal is not lost`() throws {
        let (wrapper, child) = try started()
        for _ in 0..<20 {
            wrapper.send(SIGTSTP)
            wrapper.send(SIGCONT)
            try eventually("both to run") {
                state(of: wrapper.pid) != "T" && state(of: child) != "T" ? () : nil
            }
        }
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
    }

    @Test(.requires(.root)) func `Where no group is writable, signals do, and -v says why`() throws {
        let (wrapper, child) = try started(through: ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"])
        kill(child, SIGSTOP)
        #expect(try take(3, from: wrapper) == Self.asleep)
        kill(child, SIGCONT)
        expectAwake(try take(3, from: wrapper))
        wrapper.send(SIGTSTP)
        for pid in [child, wrapper.pid] { try awaitState("T", of: pid) }
        #expect(try take(3, from: wrapper) == Self.asleep)
        wrapper.send(SIGCONT)
        expectAwake(try take(3, from: wrapper))
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(143))
    }

    @Test(.requires(.root)) func `Without groups what has a session of its own lives on too`() throws {
        let wrapper = try Wrapper(
            ["-v"],
            script:
                "trap 'exit 5' USR1; setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' & while :; do sleep 0.02; done",
            through: ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"])
        let daemon = try #require(Int32(try wrapper.output.next() ?? ""))
        wrapper.send(SIGUSR1)
        #expect(try wrapper.wait() == .exited(5))
        #expect(state(of: daemon) != nil)
        kill(daemon, SIGKILL)
        #expect(try wrapper.errors.next()?.hasPrefix("torpor: freeze method: SIGSTOP: ") == true)
    }
}
