import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

extension Capability {
    /// A program on the PATH, or one that `make setup` has installed.
    static func installed(_ name: String) -> Capability {
        Capability(name) { ForeignProgram.path(of: name) == nil ? "it is not installed" : nil }
    }
}

/// Other supervisors.
private enum ForeignProgram {
    /// Where a program is; nil where it is not installed.
    static func path(of name: String) -> String? {
        ["/usr/bin", "/bin", "/usr/sbin", FileManager.default.currentDirectoryPath + "/.build/venv/bin"].map {
            "\($0)/\(name)"
        }
        .first { access($0, X_OK) == 0 }
    }
}

/// What `probe.py` has written down of one program.
private struct Probe: Hashable {
    struct Start: Hashable {
        var line: [String] = []
        var environment: [String: String] = [:]
        var directory = ""
        var umask = ""
        var user = ""
        var limits: [String: String] = [:]
    }

    var starts: [Start] = []
    var signals: [String] = []
    var isWaiting = false

    /// What only one of the supervisors sets, or a shell in between.
    private static let additions = [
        "TORPOR_", "SUPERVISOR_", "NOTIFY_SOCKET", "MEMORY_PRESSURE_", "LISTEN_", "HONCHO_", "PATH", "LANG",
        "LC_CTYPE", "PWD", "OLDPWD",
        "SHLVL", "_", "HOME", "USER", "LOGNAME", "SHELL",
    ]

    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                continue
            }
            if let signal = event["signal"] as? String { signals.append(signal) }
            if event["waiting"] != nil { isWaiting = true }
            guard let command = event["start"] as? [String] else { continue }
            var start = Start(line: command)
            for (name, value) in event["environment"] as? [String: String] ?? [:]
            where !Self.additions.contains(where: {
                name == $0 || $0.hasSuffix("_") && $0 != "_" && name.hasPrefix($0)
            }) {
                start.environment[name] = value
            }
            start.directory = event["directory"] as? String ?? ""
            start.umask = event["umask"] as? String ?? ""
            start.user = "\(event["user"] ?? "")"
            for (name, value) in event["limits"] as? [String: [Int]] ?? [:] {
                start.limits[name] = "\(value)"
            }
            starts.append(start)
            isWaiting = false
        }
    }
}

/// Workers that were imported beside the programs as their own supervisor starts them: the same processes, surroundings and ends.
@Suite(.long, .timeLimit(.minutes(60)), .serialized) struct `Imported workers` {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Import"

    /// A directory for one comparison: the probe, its reports, and the other supervisor's files, with `DIRECTORY` in their place.
    private func withFiles(_ files: [String: String], _ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: "\(directory)/reports", withIntermediateDirectories: false)
            chmod("\(directory)/reports", 0o1777)
            try FileManager.default.copyItem(
                atPath: "\(Self.fixtures)/probe.py", toPath: "\(directory)/probe")
            for (name, text) in files {
                let path = "\(directory)/\(name)"
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try text.replacingOccurrences(of: "DIRECTORY", with: directory)
                    .write(toFile: path, atomically: false, encoding: .utf8)
                if name.hasSuffix("/run") || name.hasSuffix("/finish") { chmod(path, 0o755) }
            }
            try body(directory)
        }
    }

    /// The reports so far.
    private func probes(_ directory: String) throws -> [String: Probe] {
        var probes: [String: Probe] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(directory)/reports") {
            probes[name] = try Probe(String(contentsOfFile: "\(directory)/reports/\(name)", encoding: .utf8))
        }
        return probes
    }

    /// Waits until programs wait after so many starts, ends them by `end`, and takes their reports away.
    private func observe(_ expected: [String: Int], in directory: String, _ end: () throws -> Void) throws
        -> [String: Probe]
    {
        _ = try eventually("the programs to start: \(expected)") {
            let probes = try probes(directory)
            let are = expected.allSatisfy { name, count in
                guard let probe = probes[name] else { return false }
                return probe.starts.count >= count && (probe.isWaiting || Self.ends.contains(name))
            }
            return are ? true : nil
        }
        try end()
        let result = try eventually("the programs to be told to end") {
            let probes = try probes(directory)
            let areTold = expected.keys.allSatisfy { name in
                Self.ends.contains(name) || !(probes[name]?.signals.isEmpty ?? true)
            }
            return areTold ? probes : nil
        }
        for name in result.keys { try FileManager.default.removeItem(atPath: "\(directory)/reports/\(name)") }
        return result
    }

    /// Programs of the fixtures that end and are not started again.
    private static let ends: Set<String> = ["once", "never"]

    /// Imports `paths` of `directory` and has torpord run what comes of them.
    private func imported(
        _ paths: [String], in directory: String, _ expected: [String: Int],
        environment: [String: String] = [:]
    ) throws -> [String: Probe] {
        let out = "\(directory)/workers"
        let result = try DaemonUnderTest.result(
            of: Wrapper(
                [], [], environment: environment,
                line: [Wrapper.program, "import", "--output", out] + paths.map { "\(directory)/\($0)" }))
        try #require(result.status == 0, "\(result)")
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: out) {
            files[String(name.dropLast(7))] = try String(contentsOfFile: "\(out)/\(name)", encoding: .utf8)
        }
        let daemon = try DaemonUnderTest(files)
        return try observe(expected, in: directory) {
            let shutdown = try daemon.torpor("shutdown")
            #expect(shutdown.status == 0, "\(shutdown)")
        }
    }

    /// Starts another supervisor with little in its environment.
    private func start(_ line: [String], in directory: String, _ environment: [String] = []) throws -> Wrapper
    {
        try Wrapper(
            [], [],
            line: ["/usr/bin/env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"] + environment
                + line,
            directory: directory)
    }

    private func expectSame(_ ours: [String: Probe], _ theirs: [String: Probe]) {
        #expect(ours.keys.sorted() == theirs.keys.sorted())
        for (name, probe) in theirs {
            guard let other = ours[name] else { continue }
            #expect(other.starts.count == probe.starts.count, "\(name)")
            #expect(other.signals == probe.signals, "\(name)")
            guard let start = other.starts.first, let original = probe.starts.first else { continue }
            #expect(start.line == original.line, "\(name)")
            #expect(start.environment == original.environment, "\(name)")
            #expect(start.directory == original.directory, "\(name)")
            #expect(start.umask == original.umask, "\(name)")
            #expect(start.user == original.user, "\(name)")
            #expect(start.limits == original.limits, "\(name)")
        }
    }

    @Test(.requires(.root), .requires(.installed("supervisord")))
    func `of supervisord run as under supervisord`() throws {
        let configuration = """
            [supervisord]
            nodaemon=true
            logfile=/dev/null
            logfile_maxbytes=0
            pidfile=DIRECTORY/pid
            environment=COMMON="a, b",LEVEL=1
            [program:web]
            command=DIRECTORY/probe DIRECTORY/reports web wait "two words" 50%% '$HOME' %(ENV_SUPERVISOR_GREETING)s
            directory=DIRECTORY/reports
            user=nobody
            umask=027
            environment=LEVEL="2",QUOTED='x "y',PERCENT="5%%"
            stopsignal=INT
            stdout_logfile=DIRECTORY/web.log
            redirect_stderr=true
            [program:pool]
            command=DIRECTORY/probe DIRECTORY/reports %(program_name)s%(process_num)d wait
            directory=/tmp
            process_name=%(program_name)s_%(process_num)02d
            numprocs=2
            [program:crash]
            command=DIRECTORY/probe DIRECTORY/reports crash exit:3:2
            directory=/
            startsecs=0
            [program:killed]
            command=DIRECTORY/probe DIRECTORY/reports killed kill:15:1
            directory=/
            startsecs=0
            [program:expected]
            command=DIRECTORY/probe DIRECTORY/reports expected exit:5:1
            directory=/
            startsecs=0
            exitcodes=0
            autorestart=true
            [program:once]
            command=DIRECTORY/probe DIRECTORY/reports once exit:7
            directory=/
            startsecs=0
            exitcodes=0,7
            [program:never]
            command=DIRECTORY/probe DIRECTORY/reports never exit:1
            directory=/
            startsecs=0
            autorestart=false
            [program:manual]
            command=DIRECTORY/probe DIRECTORY/reports manual wait
            autostart=false
            """
        let expected = [
            "web": 1, "pool0": 1, "pool1": 1, "crash": 3, "killed": 2, "expected": 2, "once": 1, "never": 1,
        ]
        try withFiles(["supervisord.conf": configuration]) { directory in
            let supervisord = try start(
                [
                    try #require(ForeignProgram.path(of: "supervisord")), "-c",
                    "\(directory)/supervisord.conf",
                ], in: "/", ["SUPERVISOR_GREETING=hello"])
            let theirs = try observe(expected, in: directory) {
                supervisord.send(SIGTERM)
                _ = try supervisord.wait()
            }
            let ours = try imported(
                ["supervisord.conf"], in: directory, expected, environment: ["SUPERVISOR_GREETING": "hello"])
            expectSame(ours, theirs)
            let log = try String(contentsOfFile: "\(directory)/web.log", encoding: .utf8)
            #expect(log == "web started\nweb started\n", "of both")
        }
    }

    @Test(.requires(.installed("honcho"))) func `of a Procfile run as under honcho`() throws {
        let files = [
            "Procfile":
                "web: exec DIRECTORY/probe DIRECTORY/reports web wait $PORT \"$GREETING\"\nworker: exec DIRECTORY/probe DIRECTORY/reports worker wait $PORT\n",
            ".env": "GREETING=\"hello, world\"\n# no\nEMPTY=''\nJOINED=a b\n",
        ]
        let expected = ["web": 1, "worker": 1]
        try withFiles(files) { directory in
            let honcho = try start([try #require(ForeignProgram.path(of: "honcho")), "start"], in: directory)
            let theirs = try observe(expected, in: directory) {
                honcho.send(SIGTERM)
                _ = try honcho.wait()
            }
            let ours = try imported(["Procfile"], in: directory, expected)
            expectSame(ours, theirs)
        }
    }

    @Test(.requires(.root), .requires(.installed("s6-svscan"))) func `of s6 run as under s6`() throws {
        try serviceDirectories(
            start: { directory in
                try start([ForeignProgram.path(of: "s6-svscan") ?? "", "\(directory)/services"], in: "/")
            },
            stop: { directory, svscan in
                let control = try Wrapper(
                    [], [],
                    line: [ForeignProgram.path(of: "s6-svscanctl") ?? "", "-t", "\(directory)/services"])
                #expect(try control.wait() == .exited(0))
                _ = try svscan.wait()
            },
            more: [
                "services/web/down-signal": "INT\n", "services/web/timeout-kill": "5000\n",
                "services/web/notification-fd": "3\n",
            ])
    }

    @Test(.requires(.root), .requires(.installed("runsvdir"))) func `of runit run as under runit`() throws {
        try serviceDirectories(
            start: { directory in
                try start(
                    [ForeignProgram.path(of: "runsvdir") ?? "", "-P", "\(directory)/services"], in: "/")
            },
            stop: { directory, runsvdir in
                // runsvdir alone would leave its runsv processes for a moment.
                let down = ["web", "crash", "manual"].map { "\(directory)/services/\($0)" }
                let stop = try Wrapper([], [], line: [ForeignProgram.path(of: "sv") ?? "", "exit"] + down)
                _ = try stop.wait()
                runsvdir.send(SIGHUP)
                _ = try runsvdir.wait()
            }, more: [:])
    }

    private func serviceDirectories(
        start: (String) throws -> Wrapper, stop: (String, Wrapper) throws -> Void, more: [String: String]
    ) throws {
        let files = [
            "services/web/run":
                "#!/bin/sh\numask 027\nulimit -Sn 512\nexport GREETING='hello, world'\nexec DIRECTORY/probe DIRECTORY/reports web wait\n",
            "services/crash/run": "#!/bin/sh\nexec DIRECTORY/probe DIRECTORY/reports crash exit:0:1\n",
            "services/manual/run": "#!/bin/sh\nexec DIRECTORY/probe DIRECTORY/reports manual wait\n",
            "services/manual/down": "",
        ]
        let expected = ["web": 1, "crash": 2]
        try withFiles(files.merging(more) { $1 }) { directory in
            let original = try start(directory)
            let theirs = try observe(expected, in: directory) { try stop(directory, original) }
            let ours = try imported(["services"], in: directory, expected)
            expectSame(ours, theirs)
        }
    }

    @Test(.requires(.root)) func `of a compose file run as it says`() throws {
        let file = """
            x-probe: &probe
              entrypoint: [DIRECTORY/probe, DIRECTORY/reports]
              working_dir: /tmp
            services:
              web:
                <<: *probe
                image: example
                command: web wait "two words" $$HOME
                user: "65534:65534"
                stop_signal: SIGINT
                environment: {GREETING: "${GREETING:-hello}, world", LEVEL: 2}
                env_file: [web.env]
                ulimits: {nofile: {soft: 100, hard: 200}, core: 0}
                restart: always
                depends_on: [db]
              db:
                <<: *probe
                command: [db, "exit:143:1"]
                restart: on-failure
              once:
                <<: *probe
                command: [once, "exit:0"]
                restart: on-failure
            """
        try withFiles(["compose.yaml": file, "web.env": "LEVEL=1\nFROM_FILE=yes\n"]) { directory in
            let ours = try imported(["compose.yaml"], in: directory, ["web": 1, "db": 2, "once": 1])
            let web = try #require(ours["web"]?.starts.first)
            #expect(web.line.suffix(5) == ["\(directory)/reports", "web", "wait", "two words", "$HOME"])
            #expect(web.environment == ["GREETING": "hello, world", "LEVEL": "2", "FROM_FILE": "yes"])
            #expect(web.directory == "/tmp" && web.umask == "0o22" && web.user.contains("65534"))
            #expect(web.limits["RLIMIT_NOFILE"] == "[100, 200]" && web.limits["RLIMIT_CORE"] == "[0, 0]")
            #expect(ours["web"]?.signals == ["SIGINT"] && ours["db"]?.signals == ["SIGTERM"])
            #expect(ours["db"]?.starts.count == 2 && ours["once"]?.starts.count == 1)
        }
    }

    // MARK: the verb

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program, "import"] + arguments))
    }

    @Test func `are written once, and again only by force`() throws {
        try withFiles(["Procfile": "web: x\nworker: y\n"]) { directory in
            let (file, out) = ("\(directory)/Procfile", "\(directory)/out/workers")
            let check = try run(["--check", "--output", out, file])
            #expect(check.status == 0 && check.output.hasSuffix("Nothing was written.\n"), "\(check)")
            #expect(!FileManager.default.fileExists(atPath: out))
            let first = try run(["--output", out, file])
            #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: out).sorted() == [
                    "web.worker", "worker.worker",
                ])
            let verify = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, "verify", "\(out)/web.worker"]))
            #expect(verify.errors.contains("x") || verify.status == 0, "\(verify)")
            try "own\n".write(toFile: "\(out)/worker.worker", atomically: false, encoding: .utf8)
            unlink("\(out)/web.worker")
            let second = try run(["--output", out, file])
            #expect(
                second.status == 64
                    && second.errors
                        == "torpor: \(out)/worker.worker exists, and nothing was written; --force replaces it\n"
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["worker.worker"])
            #expect(try run(["--force", "--output", out, file]).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 2)
            #expect(
                try String(contentsOfFile: "\(out)/worker.worker", encoding: .utf8).contains("ExecStart="))
        }
    }

    @Test func `are none of them written where one file is refused`() throws {
        try withFiles(["Procfile": "web: x\n", "bad.service": "[Service\n", "odd": "?\n"]) { directory in
            let out = "\(directory)/out"
            let refused = try run([
                "--output", out, "\(directory)/Procfile", "\(directory)/bad.service", "\(directory)/odd",
                "\(directory)/none.yaml",
            ])
            #expect(refused.status == 78 && refused.output.isEmpty)
            let lines = refused.errors.split(separator: "\n")
            #expect(
                lines.count == 3 && lines.allSatisfy { $0.hasPrefix("torpor: \(directory)/") },
                "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: out))
            #expect(try run(["--format", "odd", "\(directory)/Procfile"]).status == 64)
            #expect(try run([]).status == 64)
        }
    }

    @Test func `are told of as JSON`() throws {
        try withFiles(["Procfile": "web: x\njunk\n"]) { directory in
            let result = try run(["--check", "--json=short", "\(directory)/Procfile"])
            let reply = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            #expect((reply["workers"] as? [[String: Any]])?.first?["name"] as? String == "web")
            #expect((reply["notTakenOver"] as? [[String: Any]])?.first?["line"] as? Int == 2)
            #expect(reply["written"] as? Bool == false)
        }
    }

    @Test func `keep values of variables from other users`() throws {
        try withFiles([
            "compose.yaml": "services:\n  web: {command: x, environment: {PASSWORD: y}}\n  db: {command: x}\n"
        ]) { directory in
            let written = try run(["--output", "\(directory)/out", "\(directory)/compose.yaml"])
            #expect(written.status == 0, "\(written)")
            var status = stat()
            #expect(stat("\(directory)/out/web.worker", &status) == 0 && status.st_mode & 0o077 == 0)
            #expect(stat("\(directory)/out/db.worker", &status) == 0 && status.st_mode & 0o044 != 0)
        }
    }
}
