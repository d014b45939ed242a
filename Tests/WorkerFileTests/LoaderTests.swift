import Lifecycle
import Pressure
import TestSupport
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Loader` {
    private func loader(_ files: [String: String?]) -> WorkerLoader<FakeFiles> {
        WorkerLoader(directories: ["/usr", "/run", "/etc"], source: FakeFiles(files))
    }

    private func load(_ name: String, _ files: [String: String?]) throws -> WorkerLoader<FakeFiles>.Found {
        loader(files).load(try WorkerName(name))
    }

    @Test func `the last directory's file wins, drop-ins come from all in the order of their names`() throws {
        let found = try load(
            "web",
            [
                "/usr/workers/web.worker": "[Worker]\nExecStart=usr\n",
                "/etc/workers/web.worker": "[Worker]\nExecStart=etc\n",
                "/etc/workers/web.worker.d/10-a.conf": "[Worker]\nNice=1\n",
                "/usr/workers/web.worker.d/20-b.conf": "[Worker]\nNice=2\n",
                "/usr/workers/web.worker.d/10-a.conf": "[Worker]\nNice=7\nUser=nobody\n",
                "/usr/workers/web.worker.d/30-c.conf": "[Worker]\nNice=3\n",
                "/run/workers/web.worker.d/30-c.conf": nil,
                "/run/workers/web.worker.d/README": "no",
                "/run/workers/web.worker.d/.40.conf": "no",
            ])
        guard case .worker(let worker) = found else { throw Unexpected(found: "\(found)") }
        #expect(worker.definition.command?.program == "etc" && worker.definition.execution.nice == 2)
        #expect(worker.definition.execution.user == nil)
        #expect(
            worker.files == [
                "/etc/workers/web.worker", "/etc/workers/web.worker.d/10-a.conf",
                "/usr/workers/web.worker.d/20-b.conf",
            ])
    }

    /// Counts which directories are listed, and what else is asked for.
    private final class Counting: FileSource, @unchecked Sendable {
        // Proof of `@unchecked Sendable`: a test is one thread.
        let files: FakeFiles
        var listed: [String] = []
        var asked: [String] = []

        init(_ files: FakeFiles) { self.files = files }

        func names(in directory: String) throws(FileSourceError) -> [String] {
            listed.append(directory)
            return try files.names(in: directory)
        }

        func kind(of path: String) throws(FileSourceError) -> FileKind? {
            asked.append(path)
            return try files.kind(of: path)
        }

        func read(_ path: String, limit: Int) throws(FileSourceError) -> [UInt8] {
            try files.read(path, limit: limit)
        }
    }

    private func summary<Source>(_ found: WorkerLoader<Source>.Found) -> [AnyHashable] {
        switch found {
        case .missing: []
        case .masked(let path): [path]
        case .worker(let worker): [worker]
        case .invalid(let diagnostics): diagnostics
        }
    }

    @Test(arguments: [nil, "/run/workers"])
    func `a pass over all finds the same, lists each directory once and asks for nothing that is not there`(
        _ unreadable: String?
    ) throws {
        var files = FakeFiles([
            "/usr/workers/web.worker": "[Worker]\nExecStart=usr\n", "/etc/workers/web.worker": nil,
            "/usr/workers/cron.worker": "[Worker]\nExecStart=a\n",
            "/etc/workers/cron.worker.d/10.conf": "[Worker]\nNice=1\n",
            "/usr/workers/job@.worker": "[Worker]\nExecStart=a %i\n",
            "/etc/workers/job@1.worker.d/10.conf": "[Worker]\nNice=2\n",
        ])
        files.unreadable = Set([unreadable].compactMap(\.self))
        let loader = WorkerLoader(directories: ["/usr", "/run", "/etc"], source: files)
        let counting = Counting(files)
        let pass = WorkerLoader(directories: loader.directories, source: counting).listing()
        #expect(pass.names().names == loader.names().names)
        #expect(pass.names().unlisted == [unreadable].compactMap(\.self))
        for name in ["web", "cron", "job@1", "job@2", "missing"] {
            let name = try WorkerName(name)
            #expect(summary(pass.load(name)) == summary(loader.load(name)))
        }
        #expect(
            counting.listed.filter { !$0.contains(".d") && $0 != unreadable }
                == ["/usr/workers", "/run/workers", "/etc/workers"].filter { $0 != unreadable })
        guard unreadable == nil else { return }
        #expect(counting.listed.count { $0.hasSuffix(".d") } == 2)
        #expect(!counting.asked.contains { $0.contains("missing") || $0.hasPrefix("/run") })
    }

    @Test func `an instance has its template's file and drop-ins, and its own over them`() throws {
        let files: [String: String?] = [
            "/usr/workers/web@.worker": "[Worker]\nExecStart=a %i\nDescription=%n\n",
            "/etc/workers/web@.worker.d/10.conf": "[Worker]\nNice=1\n",
            "/etc/workers/web@1.worker.d/10.conf": "[Worker]\nNice=2\n",
            "/etc/workers/web@3.worker": "[Worker]\nExecStart=own\n",
        ]
        guard case .worker(let one) = try load("web@1", files),
            case .worker(let two) = try load("web@2", files),
            case .worker(let three) = try load("web@3", files)
        else { throw Unexpected(found: "no worker") }
        #expect(one.definition.command?.argumentVector() == ["a", "1"] && one.definition.execution.nice == 2)
        #expect(two.definition.description?.text == "web@2" && two.definition.execution.nice == 1)
        #expect(three.definition.command?.program == "own" && three.definition.execution.nice == 1)
        guard case .invalid(let problems) = try load("web@", files) else {
            throw Unexpected(found: "a template")
        }
        #expect(
            problems.map(\.description) == [
                "web@.worker: a template itself cannot be launched; expected an instance such as web@1"
            ])
    }

    @Test func `masks hide what is below them`() throws {
        let worker = "[Worker]\nExecStart=a\n"
        guard
            case .masked("/etc/workers/web.worker") = try load(
                "web", ["/usr/workers/web.worker": worker, "/etc/workers/web.worker": nil]),
            case .masked("/etc/workers/web.worker") = try load(
                "web", ["/usr/workers/web.worker": worker, "/etc/workers/web.worker": ""]),
            case .masked = try load(
                "web@1", ["/usr/workers/web@.worker": worker, "/etc/workers/web@1.worker": nil]),
            case .worker = try load(
                "web", ["/usr/workers/web.worker": nil, "/etc/workers/web.worker": worker]),
            case .missing = try load("web", ["/usr/workers/web.worker.d/a.conf": worker])
        else { throw Unexpected(found: "something else") }
    }

    @Test func `what cannot be read is an error of that worker alone`() throws {
        var files = FakeFiles([
            "/etc/workers/a.worker": "[Worker]\nExecStart=a",
            "/etc/workers/b.worker": "[Worker]\nExecStart=b",
        ])
        files.unreadable = ["/etc/workers/a.worker"]
        files.directories = ["/etc/workers/c.worker"]
        var loader = WorkerLoader(directories: ["/usr", "/etc"], source: files)
        guard case .invalid(let problems) = loader.load(try WorkerName("a")),
            case .invalid = loader.load(try WorkerName("c")), case .worker = loader.load(try WorkerName("b"))
        else { throw Unexpected(found: "something else") }
        #expect(
            problems.map(\.description) == [
                "/etc/workers/a.worker: cannot read “/etc/workers/a.worker”: permission denied"
            ])
        loader.bounds.file = 4
        guard case .invalid(let big) = loader.load(try WorkerName("b")) else {
            throw Unexpected(found: "a big file")
        }
        #expect(big.map(\.problem) == ["cannot read “/etc/workers/b.worker”: exceeds 4 bytes"])
    }

    @Test func `names are sorted, and bad ones are told`() {
        let (names, diagnostics, unlisted) = loader([
            "/usr/workers/b.worker": "", "/etc/workers/a@.worker": "", "/etc/workers/b.worker": nil,
            "/etc/workers/x\ny.worker": "",
            "/etc/workers/b.worker.d/x.conf": "", "/etc/workers/cgroup.procs.worker": "",
            "/etc/workers/README": "",
        ]).names()
        #expect(names.map(\.text) == ["a@", "b"])
        #expect(diagnostics.count == 2 && unlisted.isEmpty)
        #expect(diagnostics.allSatisfy { !$0.description.contains("\n") })
    }

    @Test func `cat shows every file under its path`() throws {
        let loader = loader([
            "/usr/workers/web.worker": "[Worker]\nExecStart=a",
            "/etc/workers/web.worker.d/x.conf": "[Worker]\nNice=1\n",
        ])
        guard case .files(let files) = try loader.files(for: try WorkerName("web")) else {
            throw Unexpected(found: "none")
        }
        #expect(
            String(decoding: files.catalogue, as: UTF8.self)
                == "# /usr/workers/web.worker\n[Worker]\nExecStart=a\n\n# /etc/workers/web.worker.d/x.conf\n[Worker]\nNice=1\n"
        )
    }

    @Test func `the daemon's configuration is read the same way`() throws {
        let files = FakeFiles([
            "/usr/torpord.conf": "[Daemon]\nLogLevel=debug\n",
            "/etc/torpord.conf": "[Daemon]\nSocketMode=0660\n[Memory]\nPolicy=observe\nWarningMaxSec=1min\n",
            "/usr/torpord.conf.d/a.conf": "[Daemon]\nOperatorsGroup=ops\n",
        ])
        let daemon = try #require(
            DaemonLoader(directories: ["/usr", "/etc"], source: files).load().definition)
        #expect(
            daemon.logLevel == .info && daemon.socketMode.bits == 0o660
                && daemon.operatorsGroup == .name("ops"))
        #expect(daemon.memoryPolicy == .observe)
        #expect(PressureSettings(daemon).longestWarning == .seconds(60))
        #expect(PressureSettings(DaemonDefinition()) == PressureSettings())
        #expect(DaemonLoader(directories: ["/none"], source: files).load().definition == DaemonDefinition())
        let bad = DaemonLoader(
            directories: ["/d"], source: FakeFiles(["/d/torpord.conf": "[Memory]\nCriticalAvailable=50%\n"])
        ).load()
        #expect(bad.definition == nil && bad.diagnostics.map(\.line) == [2])
    }

    /// Numbers that once ended the daemon or locked operators out.
    @Test(arguments: [
        (
            "MaxMessageSize", ["0", "65535", "64M 1", "8E", "15E 1023P", "16E", "-1", "1e3", ""],
            ["64K", "1.5M", "64M"]
        ),
        ("MaxBacklog", ["0", "63K", "1025M", "8E", "15E", "-64K"], ["64K", "4M", "1G"]),
        ("OutputBuffer", ["65M", "8E"], ["0", "64K", "64M"]),
        ("HistoryMaxSize", ["0", "1023K", "2T", "8E"], ["1M", "64M", "1T"]),
        ("MaxConnectionsPerUID", ["0", "-1", "100001", "9223372036854775808"], ["1", "100000"]),
        ("MaxSubscriptionsPerConnection", ["0", "9223372036854775807"], ["1", "64"]),
        ("DefaultStartLimitBurst", ["-1", "9223372036854775807"], ["0", "5"]),
        ("HistoryMaxAgeSec", ["-1", "9223372036854775807", "300000y"], ["0", "30d", "infinity", "290000y"]),
        ("DefaultRestartSec", ["-1", "9223372036854775807"], ["0", "100ms", "9223372036854"]),
        ("SampleSec", ["0", "9ms", "10001ms", "infinity", "-1"], ["10ms", "100ms", "10s"]),
        ("SpliceMax", ["0", "65537", "-1", "infinity"], ["1", "256", "65536"]),
        ("DescriptorsMax", ["0", "15", "65537", "-1", "infinity"], ["16", "512", "65536"]),
        ("DefaultStartLimitIntervalSec", ["99999999999999999999"], ["0", "infinity", "9223372036854"]),
    ])
    func `Settings of the daemon have sane ranges, and what is out of them is an error of its line`(
        key: String, bad: [String], good: [String]
    ) throws {
        let section = try #require(DaemonDefinition.directives.first { $0.key == key }).section
        func load(_ value: String) -> DefinitionReading<DaemonDefinition> {
            DaemonLoader(
                directories: ["/d"],
                source: FakeFiles(["/d/torpord.conf": "[\(section)]\n# A comment.\n\(key)=\(value)\n"])
            ).load()
        }
        for value in good {
            #expect(load(value).definition != nil && load(value).diagnostics == [], "\(key)=\(value)")
        }
        for value in bad where !value.isEmpty {
            let reading = load(value)
            #expect(reading.definition == nil, "\(key)=\(value)")
            #expect(reading.diagnostics.map(\.line) == [3] && reading.diagnostics.first?.severity == .error)
        }
    }

    @Test func `The groups that may steer and those that may define are two settings`() {
        let text = "[Daemon]\nOperatorsGroup=ops\nDefinersGroup=4711\n"
        let daemon = DaemonLoader(directories: ["/d"], source: FakeFiles(["/d/torpord.conf": text])).load()
            .definition
        #expect(daemon?.operatorsGroup == .name("ops"))
        #expect(daemon?.definersGroup == .id(4711))
        #expect(DaemonDefinition().definersGroup == nil)
    }

    private struct Unexpected: Error {
        let found: String
    }
}
