import ControlAPI
import Testing

@testable import Operator

/// The processes of a worker as `torpor status` draws them.
@Suite struct `A tree of processes` {
    private typealias Process = SupervisorInterface.WorkerProcess

    private func process(_ pid: Int64, _ parent: Int64, _ name: String = "p") -> Process {
        Process(pid: pid, parent: parent, name: name, residentBytes: nil)
    }

    private func drawn(_ all: [Process], isUnicode: Bool = true) -> [String] {
        ProcessTreeView(all).lines(Style(isUnicode: isUnicode))
    }

    @Test func `has children below their parents`() {
        let all = [process(10, 1, "sh"), process(11, 10, "a"), process(12, 10, "b"), process(13, 11, "c")]
        #expect(drawn(all) == ["└─10 sh", "  ├─11 a", "  │ └─13 c", "  └─12 b"])
        #expect(drawn(all, isUnicode: false) == ["`-10 sh", "  |-11 a", "  | `-13 c", "  `-12 b"])
    }

    @Test func `begins with those whose parent is not among them`() {
        #expect(drawn([process(10, 1), process(20, 1)]) == ["├─10 p", "└─20 p"])
    }

    @Test func `tells memory, and shows what a name has as text`() {
        let one = Process(pid: 7, parent: 1, name: "a\u{1b}[31mb", residentBytes: 2 << 20)
        #expect(drawn([one]) == ["└─7 " + "a\u{1b}[31mb".printable + " (2.0M)"])
        #expect(!drawn([one]).joined().contains("\u{1b}"))
    }

    @Test func `ends where parents go in a circle`() {
        #expect(drawn([process(5, 6), process(6, 5)]).isEmpty)
        #expect(drawn([process(5, 5)]) == ["└─5 p"])
    }
}

/// What a terminal shows while goals are waited for.
@Suite struct `The line of a verb that waits` {
    private typealias Waiting = SupervisorInterface.GoalWaiting

    private func waiting(_ name: String, on: String? = nil, _ deadline: (String, Int64)? = nil) -> Waiting {
        Waiting(
            name: name, state: .background, on: on,
            deadline: deadline.map { .init(name: $0.0, at: 0, remainingUsec: $0.1, then: "it is killed") })
    }

    private func line(_ names: [String], _ waiting: [Waiting]) -> String {
        GoalProgress(names: names, expectation: "to be suspended").line(
            waiting: waiting, Style(isUnicode: true))
    }

    @Test func `says what is waited for and how long still`() {
        #expect(line(["web"], []) == "Waiting for web to be suspended…")
        #expect(
            line(["web"], [waiting("web", on: "it saves", ("didEnterBackground", 4_000_000))])
                == "Waiting for web to be suspended: didEnterBackground, 4s left…")
        #expect(
            line(["web"], [waiting("web", on: "it saves")]) == "Waiting for web to be suspended: it saves…")
        #expect(line(["web"], [waiting("web")]) == "Waiting for web to be suspended…")
    }

    @Test func `names the worker whose time is over first`() {
        let both = [waiting("a", ("launch", 9_000_000)), waiting("b", ("stop", 2_000_000)), waiting("c")]
        #expect(line(["a", "b", "c"], both).hasSuffix("b: stop, 2s left…"))
    }
}
