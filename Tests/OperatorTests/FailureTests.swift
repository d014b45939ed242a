import ControlAPI
import Testing
import Varlink

@testable import Operator

private typealias API = SupervisorInterface

@Suite
struct `Failures` {
    struct Case: Sendable {
        let error: MethodError
        let status: OperatorExit
        let mentions: String
    }

    @Test(arguments: [
        Case(error: API.noSuchWorker(name: "w\u{1b}b"), status: .noSuchWorker, mentions: "“w\\x1bb”"),
        Case(error: API.invalidName(name: "a/b", why: "a slash"), status: .usage, mentions: "a slash"),
        Case(
            error: API.workerMasked(name: "web", file: "/etc/x"), status: .configuration, mentions: "/etc/x"),
        Case(
            error: API.badDefinition(name: "web", message: "no such user", file: "/f", line: 3, key: "User"),
            status: .configuration, mentions: "/f:3: User=: no such user"),
        Case(
            error: API.goalNotReached(
                name: "web", goal: .active, state: .background, why: "the time is over"),
            status: .tryAgain, mentions: "web is background, not active: the time is over"),
        Case(
            error: API.refused(name: "web", why: "held outside"), status: .tryAgain, mentions: "held outside"),
        Case(
            error: API.launchFailed(name: "web", why: "command not found: /x"), status: .configuration,
            mentions: "web: command not found: /x"),
        Case(
            error: API.notPosted(name: "web", obstacle: .notWanted, why: "nothing takes it"), status: .usage,
            mentions: "nothing takes it"),
        Case(
            error: API.notPosted(name: "web", obstacle: .full, why: "its queue is full"), status: .tryAgain,
            mentions: "full"),
        Case(error: API.alreadyExists(name: "web"), status: .usage, mentions: "--name"),
        Case(error: API.shuttingDown, status: .tryAgain, mentions: "shutting down"),
        Case(error: API.tooManyConnections(limit: 64), status: .tryAgain, mentions: "limit: 64"),
        Case(
            error: API.tooManyConnections(limit: 0, why: "it may have 70 open files"), status: .tryAgain,
            mentions: "cannot accept another connection: it may have 70 open files"),
        Case(
            error: API.tryAgain(why: "too many questions"), status: .tryAgain, mentions: "too many questions"),
        Case(error: API.slowReader(limit: 1), status: .tryAgain, mentions: "disconnected"),
        Case(error: .permissionDenied, status: .notAllowed, mentions: "permission denied: only root"),
        Case(error: .invalidParameter("names[0]"), status: .usage, mentions: "names[0]"),
        Case(error: .methodNotFound("x"), status: .unavailable, mentions: "its version differs"),
        Case(
            error: MethodError("com.example.Odd", ["a": 1]), status: .unavailable,
            mentions: #"com.example.Odd {"a":1}"#),
    ])
    func `have an exit code and a sentence`(_ test: Case) {
        let failure = Failure(test.error, calling: API.Kill.name)
        #expect(failure.status == test.status)
        #expect(failure.description.contains(test.mentions), "\(failure)")
        #expect(failure.isNoSuchWorker == test.error.name.hasSuffix(".NoSuchWorker"))
    }

    @Test(arguments: [
        (API.Post.name, "topic", "invalid topic"), (API.Open.name, "url", "invalid URL"),
        (API.Send.name, "text", "one line"), (API.Hold.name, "limitUsec", "limit"),
    ])
    func `of what was typed say what is wrong with it`(method: String, parameter: String, words: String) {
        let failure = Failure(.invalidParameter(parameter), calling: method)
        #expect(failure.status == .usage && failure.description.contains(words), "\(failure)")
        #expect(!failure.description.contains("parameter"), "\(failure)")
    }

    @Test func `of a goal that another replaced mix up neither state nor wish`() {
        let result = API.GoalResult(
            name: "one", state: .notRunning, goal: .suspended, wanted: .active, reached: false,
            error: "io.torpor.Supervisor.GoalNotReached", message: "another has the foreground")
        let failures = GoalOutcome([result], waited: true).failures
        #expect(
            failures.map(\.description) == ["one is notRunning, not active: another has the foreground"])
        let never = API.GoalResult(
            name: "web", state: .active, goal: .active, reached: false,
            error: "io.torpor.Supervisor.Unsupported", message: "it has no ExecReload=")
        #expect(GoalOutcome([never], waited: true).status == .usage)
    }

    @Test func `of a goal are those of its workers`() {
        let results: [API.GoalResult] = [
            .init(name: "a", state: .active, goal: .active, reached: true),
            .init(name: "b", state: .background, goal: .active, reached: false),
            .init(
                name: "c", state: .notRunning, goal: .active, reached: false,
                error: "io.torpor.Supervisor.BadDefinition", message: "ExecStart= is missing"),
            .init(
                name: "d", state: .notRunning, goal: .active, reached: false,
                error: "io.torpor.Supervisor.WorkerMasked", message: "/etc/x is a link to /dev/null"),
        ]
        let outcome = GoalOutcome(results, waited: true)
        #expect(outcome.status == .tryAgain)
        #expect(
            outcome.failures.map(\.description) == [
                "b is background, not yet active; see 'torpor why b'", "c: ExecStart= is missing",
                "d: /etc/x is a link to /dev/null",
            ])
        #expect(outcome.failures.map(\.status) == [.tryAgain, .configuration, .configuration])
        #expect(GoalOutcome(Array(results.prefix(2)), waited: false).status == .success)
    }

    @Test func `of a goal that was replaced name the one that was asked for`() {
        let result = API.GoalResult(
            name: "a", state: .inactive, goal: .suspended, wanted: .active, reached: false,
            error: "io.torpor.Supervisor.GoalNotReached", message: "another worker takes the foreground")
        #expect(
            GoalOutcome([result], waited: true).failures.map(\.description) == [
                "a is inactive, not active: another worker takes the foreground"
            ])
    }

    @Test func `show what a worker printed last that has ended instead`() {
        let result = API.GoalResult(
            name: "a", state: .notRunning, goal: .notRunning, reached: false,
            error: "io.torpor.Supervisor.GoalNotReached", message: "it ended",
            lastOutput: ["one", "tw\u{1b}o"])
        let outcome = GoalOutcome(
            [.init(name: "b", state: .active, goal: .active, reached: true), result], waited: true)
        #expect(outcome.failures.count == 1)
        #expect(outcome.failures.first.map(outcome.output) == ["  | one", "  | tw\\x1bo"])
        #expect(outcome.output(of: Failure(.usage, "another")).isEmpty)
    }

    @Test func `are not expected of goals that are on their way`() {
        var progress = GoalProgress(names: ["a", "b", "c\u{1b}"], expectation: "to be active")
        #expect(progress.line(Style()) == "Waiting for a, b and c\\x1b to be active…")
        let settled = [API.GoalResult(name: "a", state: .active, goal: .active, reached: true)]
        progress.settled(settled)
        progress.settled([])
        #expect(progress.line(Style()) == "[1/3] Waiting for b and c\\x1b to be active…")
        #expect(progress.line(Style(width: 20)).columns == 19)
        var many = GoalProgress(names: ["w*", "b", "c", "d", "e"], expectation: "to end")
        many.settled(settled)
        #expect(many.line(Style(isUnicode: false)) == "[1] Waiting for w*, b, c and 2 more to end...")
        var all = GoalProgress(ofAll: "to end")
        all.settled(settled)
        #expect(all.line(Style()) == "Waiting for all workers to end…")
    }
}

@Suite
struct `Properties` {
    @Test(arguments: [
        ("Memory.MemoryMax=1G", "Memory", "MemoryMax", "1G"),
        ("Worker.ExecStart=a=b.c", "Worker", "ExecStart", "a=b.c"),
        ("MemoryMax=", "Memory", "MemoryMax", ""),
    ])
    func `are read`(text: String, section: String, key: String, value: String) throws {
        #expect(try API.Property(parsing: text) == API.Property(section: section, key: key, value: value))
    }

    @Test(arguments: ["", "=x", "MemoryMax", "Nonsense=1", "CPUWeight=10"])
    func `say what was expected`(text: String) {
        #expect(throws: Failure.self) { try API.Property(parsing: text) }
    }
}
