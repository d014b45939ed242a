import ConfigurationSyntax
import Lifecycle
import Testing
import WorkerFile

/// Which commands of a file run in which order, and which files make no sense (systemd.service(5)).
@Suite struct `The commands of a launch` {
    struct Row: CustomTestStringConvertible, Sendable {
        let lines: String
        let before: [String]
        let main: String
        let after: [String]
        var testDescription: String { lines }

        init(_ lines: String, before: [String] = [], main: String, after: [String] = []) {
            self.lines = lines
            self.before = before
            self.main = main
            self.after = after
        }
    }

    private func read(_ lines: String) -> DefinitionReading<WorkerDefinition> {
        let file = ConfigurationFile(
            path: "f", bytes: Array("[Worker]\n\(lines)\n".utf8), sections: Set(WorkerDefinition.sections))
        return DefinitionReading(
            [file], named: "f", context: SpecifierContext(worker: try? WorkerName("web")))
    }

    @Test(arguments: [
        Row("ExecStart=a", main: "a"),
        Row("ExecStart=a\nType=exec", main: "a"),
        Row(
            "ExecStartPost=d\nExecStartPre=-b\nExecStart=c\nExecStartPre=a",
            before: ["ExecStartPre -b", "ExecStartPre a"], main: "c", after: ["ExecStartPost d"]),
        Row(
            "ExecStartPre=a\nExecStartPre=\nExecStartPre=b\nExecStart=c", before: ["ExecStartPre b"],
            main: "c"),
        Row("Type=oneshot\nExecStart=a", main: "a"),
        Row(
            "Type=oneshot\nExecStart=a\nExecStart=-b\nExecStart=c", before: ["ExecStart a", "ExecStart -b"],
            main: "c"),
        Row(
            "Type=oneshot\nExecStartPre=p\nExecStart=a\nExecStartPost=q",
            before: ["ExecStartPre p", "ExecStart a"], main: "q"),
        Row("Type=notify\nExecStart=a\nExecStartPost=b\nExecReload=c", main: "a", after: ["ExecStartPost b"]),
    ])
    func `run in the order of systemd`(_ row: Row) throws {
        let definition = try #require(read(row.lines).definition)
        let sequence = StartSequence(definition)
        func words(_ steps: [StartSequence.Step]) -> [String] {
            steps.map { "\($0.key) \($0.command.ignoresFailure ? "-" : "")\($0.command.program)" }
        }
        #expect(words(sequence.before) == row.before)
        #expect(sequence.main?.program == row.main && definition.command?.program == row.main)
        #expect(words(sequence.after) == row.after)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        let lines: String
        let problem: String
        var testDescription: String { lines }
    }

    @Test(arguments: [
        Bad(
            lines: "ExecStart=a\nExecStart=b",
            problem:
                "f:3: ExecStart=: more than one command; expected one (an empty ExecStart= resets the list), or Type=oneshot"
        ),
        Bad(
            lines: "Type=oneshot\nExecStart=a\nRestart=always",
            problem:
                "f:4: Restart=: a oneshot worker that succeeded cannot be restarted; expected no, on-failure, on-abnormal, on-watchdog or on-abort for Type=oneshot"
        ),
        Bad(
            lines: "Type=oneshot\nExecStartPre=a",
            problem: "f: ExecStart=: missing; expected a command line: a program and its arguments"),
        Bad(
            lines: "ExecStart=a\nExecStartPre=+b",
            problem:
                "f:3: ExecStartPre=: the prefix “+” of “+b” is not supported; expected “-”, “@” or “:” (a worker runs with the privileges of its User=)"
        ),
        Bad(
            lines: "ExecStart=a\nType=notify\nReadyWhen=port:80",
            problem:
                "f:4: ReadyWhen=: the type already defines readiness; expected Type=simple or Type=exec"
        ),
        Bad(
            lines: "ExecStart=a\nReadyWhen=port:0",
            problem: "f:3: ReadyWhen=: got “port:0”; expected output:REGEX or port:NUMBER"),
        Bad(
            lines: "ExecStart=a\nReadyWhen=port:65536",
            problem: "f:3: ReadyWhen=: got “port:65536”; expected output:REGEX or port:NUMBER"),
        Bad(
            lines: "ExecStart=a\nReadyWhen=soon",
            problem: "f:3: ReadyWhen=: got “soon”; expected output:REGEX or port:NUMBER"),
        Bad(
            lines: "ExecStart=a\nAfter=db@",
            problem: "f:3: After=: “db@” is a template; expected an instance such as db@1"),
    ])
    func `that make no sense are errors`(_ row: Bad) {
        let reading = read(row.lines)
        #expect(reading.definition == nil && reading.diagnostics.map(\.description) == [row.problem])
    }

    @Test func `may be shown to be over by what is printed, or by a port`() throws {
        let printing = try #require(read("ExecStart=a\nReadyWhen=output:ready to accept").definition)
        #expect(printing.readyWhen == .output(try OutputPattern(parsing: "ready to accept")))
        #expect(printing.capturesOutput)
        let listening = try #require(read("ExecStart=a\nReadyWhen=port:8080").definition)
        #expect(listening.readyWhen == .port(8080) && !listening.capturesOutput)
        #expect(try #require(read("ExecStart=a").definition).readyWhen == nil)
    }

    @Test func `of a oneshot worker take as long as they take, and nothing that it says counts`() throws {
        let definition = try #require(read("Type=oneshot\nExecStart=a").definition)
        #expect(definition.startTimeout == .infinity && definition.effectiveNotifyAccess == .none)
        let limited = try #require(read("Type=oneshot\nExecStart=a\nTimeoutStartSec=5").definition)
        #expect(limited.startTimeout == .after(.seconds(5)))
    }
}

/// `%h` where `User=` names the worker's user.
@Suite struct `The home of a worker` {
    struct Homes: FileSource {
        func names(in directory: String) throws(FileSourceError) -> [String] { [] }
        func kind(of path: String) throws(FileSourceError) -> FileKind? { nil }
        func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] { [] }
        func home(of user: Account) -> String? {
            switch user {
            case .name("web"): "/srv/web"
            case .id(7): "/srv/seven"
            case .name, .id: nil
            }
        }
    }

    private func load(_ lines: String, _ dropIn: String = "") throws -> WorkerLoader<Homes>.Found {
        var place = SpecifierContext.Place()
        place.home = "/root"
        let loader = WorkerLoader(directories: [], source: Homes(), place: place)
        let files = ["[Worker]\nExecStart=/bin/run %h\n\(lines)\n", "[Worker]\n\(dropIn)\n"]
        return loader.read(
            files.map { SourceFile(path: "f", bytes: Array($0.utf8)) }, as: try WorkerName("web"))
    }

    @Test(arguments: [
        ("", "", "/root"), ("User=web", "", "/srv/web"), ("User=7", "", "/srv/seven"),
        ("User=%n", "", "/srv/web"),
        ("User=web", "User=7", "/srv/seven"), ("User=web", "User=", "/root"),
    ])
    func `is that of its user`(_ lines: String, _ dropIn: String, _ home: String) throws {
        guard case .worker(let worker) = try load(lines, dropIn) else {
            Issue.record("it is not read")
            return
        }
        #expect(worker.definition.command?.argumentVector() == ["/bin/run", home])
    }

    @Test func `is an error where there is no such user`() throws {
        guard case .invalid(let problems) = try load("User=nobody-here") else {
            Issue.record("it is read")
            return
        }
        #expect(problems.first?.problem == "“%h” in “%h” has no value here")
    }
}
