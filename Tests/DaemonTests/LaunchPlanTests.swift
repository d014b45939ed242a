import ConfigurationSyntax
import Foundation
import Launching
import Linux
import TestSupport
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Definitions
@testable import Lifecycle
@testable import Supervisor
@testable import SupervisorPorts

@Suite struct `Launches` {
    private let launch = Launch(
        incarnation: 1, reason: .operator, intoForeground: true, restoresState: false)

    private func environment(_ lines: String, _ context: LaunchContext = .fake()) throws
        -> Environment
    {
        try LaunchPlan(try loaded(lines), in: context).environment(for: launch, LaunchDetails())
    }

    @Test func `the environment is small, and begins with what is ours to say`() throws {
        let ours = Environment(entries: ["SECRET=1", "LANG=de_DE.UTF-8", "PATH=/mine", "NOTIFY_SOCKET=/n"])
        #expect(
            try environment("", .fake(ours)).entries.map(\.description) == [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=de_DE.UTF-8",
                "TORPOR_WORKER=web", "TORPOR_LAUNCH_STATE=foreground", "TORPOR_LAUNCH_REASON=operator",
                "TORPOR_LAUNCH_OPTIONS={}",
            ])
        let user = try environment(
            "WatchdogSec=2\nStateDirectory=a b/c\nRuntimeDirectory=d", .fake(isRoot: false))
        let expected = [
            "USER": "boss", "LOGNAME": "boss", "HOME": "/home/boss", "SHELL": "/bin/zsh",
            "XDG_RUNTIME_DIR": "/nowhere/run", "WATCHDOG_USEC": "2000000",
            "STATE_DIRECTORY": "/nowhere/state/a:/nowhere/state/b/c", "RUNTIME_DIRECTORY": "/nowhere/run/d",
        ]
        for (name, value) in expected { #expect(user[name]?.description == value, "\(name)") }
    }

    @Test func `later sources go over earlier ones, in systemd's order`() throws {
        try withTemporaryDirectory { path in
            try Data("A=file1\nB=file1\n".utf8).write(to: URL(filePath: path + "/1.env"))
            try Data("B=file2\n".utf8).write(to: URL(filePath: path + "/2.env"))
            let ours = Environment(entries: ["A=ours", "B=ours", "C=ours", "D=ours", "HOME=/ours"])
            let result = try environment(
                """
                User=root
                PassEnvironment=A B C D HOME MISSING
                Environment=C=set "D=two words" LANG=C
                EnvironmentFile=\(path)/*.env
                EnvironmentFile=-\(path)/missing.env
                UnsetEnvironment=D=other LANG C=set
                """, .fake(ours))
            let expected: [(String, ByteString?)] = [
                ("A", "file1"), ("B", "file2"), ("C", nil), ("D", "two words"), ("LANG", nil),
                ("HOME", "/ours"), ("USER", "root"), ("MISSING", nil),
            ]
            for (name, value) in expected { #expect(result[name] == value, "\(name)") }
            #expect(throws: LaunchError.self) { try environment("EnvironmentFile=\(path)/missing*.env") }
            #expect(mkfifo(path + "/3.env", 0o600) == 0)
            let error = #expect(throws: LaunchError.self) { try environment("EnvironmentFile=\(path)/*.env") }
            #expect(
                error?.description == "EnvironmentFile=: cannot read “\(path)/3.env”: is not a regular file")
        }
    }

    @Test func `commands are expanded with the final environment`() throws {
        let rows: [(command: String, name: String?, executable: String, arguments: [String])] = [
            (
                "/bin/echo $WORDS ${WORDS} $$HOME ${NONE}x $NONE", "/bin/echo", "/bin/echo",
                ["a", "b", "a b", "$HOME", "x"]
            ),
            ("@/bin/sh -login $WORDS", "-login", "/bin/sh", ["a", "b"]),
            (":/bin/echo $WORDS", "/bin/echo", "/bin/echo", ["$WORDS"]),
            ("-@:/bin/echo me ${WORDS}", "me", "/bin/echo", ["${WORDS}"]),
            ("sh -c true", "sh", "/bin/sh", ["-c", "true"]),
            ("no-such-program-here", "no-such-program-here", "no-such-program-here", []),
        ]
        for row in rows {
            let lines = "ExecStart=\nExecStart=\(row.command)\nEnvironment=\"WORDS=a b\" PATH=/elsewhere"
            let prepared = try LaunchPlan(try loaded(lines), in: .fake()).prepare(launch)
            let request: LaunchRequest = prepared.request
            #expect(request.name?.description == row.name)
            #expect(
                request.executable.description == row.executable
                    || request.executable.description == "/usr" + row.executable)
            #expect(request.arguments.map(\.description) == row.arguments, "\(row.command)")
        }
    }

    @Test func `how it is confined`() throws {
        let plan = try LaunchPlan(
            try loaded(
                "Nice=5\nOOMScoreAdjust=100\nUMask=0077\nNoNewPrivileges=yes\nLimitNOFILE=64:128\nLimitCORE=0\nWorkingDirectory=-/nowhere"
            ), in: .fake())
        let prepared = try plan.prepare(launch)
        let request = prepared.request
        let confinement = request.confinement
        #expect(confinement.nice == 5 && confinement.oomScoreAdjustment == 100 && confinement.umask == 0o77)
        #expect(
            confinement.limits == [
                .init(resource: 4, soft: 0, hard: 0), .init(resource: 7, soft: 64, hard: 128),
            ])
        #expect(confinement.noNewPrivileges && request.session == .ownSession)
        #expect(request.workingDirectory == "/" && request.credentials == nil)
        let numbers = Set(ConfigurationSyntax.ResourceLimit.Resource.allCases.map(\.number))
        #expect(numbers == Set(0...15))
        #expect(ConfigurationSyntax.ResourceLimit.Resource.openFiles.number == Int32(RLIMIT_NOFILE.rawValue))
        #expect(ConfigurationSyntax.ResourceLimit.Resource.addressSpace.number == Int32(RLIMIT_AS.rawValue))
    }

    @Test func `limits that may not be raised are set as high as they go`() {
        var own = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &own) == 0)
        let limit = Confinement.ResourceLimit(resource: 7, soft: .max, hard: .max).fitted
        #expect(limit.hard == own.rlim_max && limit.soft == own.rlim_max)
        let low = Confinement.ResourceLimit(resource: 7, soft: 3, hard: 4)
        #expect(low.fitted == low)
    }

    @Test func `accounts are looked up once, and missing ones are errors of the definition`() throws {
        #expect(try UserAccount.named("root")?.id == 0 && GroupAccount.named("root")?.id == 0)
        #expect(try UserAccount.numbered(0)?.name == "root")
        #expect(try UserAccount.named("no-such-user-here") == nil)
        #expect(try GroupAccount.named("no-such-group-here") == nil)
        let nobody = try #require(try UserAccount.named("nobody"))
        let rows: [(String, LaunchRequest.Credentials?)] = [
            ("", nil),
            // Groups of root's are none of a worker's that has a group of its own.
            ("Group=7", .init(group: 7, supplementaryGroups: geteuid() == 0 ? [] : nil)),
            ("SupplementaryGroups=7 8", .init(supplementaryGroups: [7, 8])),
            (
                "User=nobody",
                .init(user: nobody.id, group: nobody.group, supplementaryGroups: [nobody.group])
            ),
            (
                "User=nobody\nGroup=7\nSupplementaryGroups=8 7",
                .init(user: nobody.id, group: 7, supplementaryGroups: [7, 8])
            ),
            (
                "User=4242\nGroup=7", .init(user: 4242, group: 7, supplementaryGroups: [7])
            ),
        ]
        for (lines, credentials) in rows {
            #expect(
                try WorkerIdentity(try loaded(lines).definition.execution).credentials == credentials,
                "\(lines)")
        }
        let errors = [
            ("User=no-such-user-here", "User=: user “no-such-user-here” does not exist"),
            ("Group=no-such-group-here", "Group=: group “no-such-group-here” does not exist"),
            ("User=4242", "User=: user 4242 has no entry and therefore no group: set Group= as well"),
        ]
        for (lines, text) in errors {
            let error = #expect(throws: Diagnostic.self) { try LaunchPlan(try loaded(lines), in: .fake()) }
            #expect(error?.description == "/etc/torpor/workers/web.worker: \(text)")
        }
    }

    // MARK: real processes

    /// Launches what `lines` say, and returns when it has ended.
    private func run(_ lines: String, _ context: LaunchContext) throws {
        var prepared = try LaunchPlan(try loaded(lines), in: context).prepare(launch)
        prepared.request.wantsPidfd = false
        let pid = try prepared.request.launch().pid
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `output goes to files as it is told, and nothing stays open`() throws {
        try withTemporaryDirectory { path in
            let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            let say = "ExecStart=\nExecStart=/bin/sh -c 'cat; echo out; echo err >&2'"
            try run("\(say)\nStandardOutput=append:\(path)/log", .fake())
            try run("\(say)\nStandardOutput=append:\(path)/log\nStandardError=append:\(path)/log", .fake())
            #expect(try text(path + "/log") == "out\nerr\nout\nerr\n")
            try run("\(say)\nStandardOutput=truncate:\(path)/log\nStandardError=null", .fake())
            #expect(try text(path + "/log") == "out\n")
            try Data("12345678".utf8).write(to: URL(filePath: path + "/log"))
            try run("\(say)\nStandardOutput=file:\(path)/log\nStandardError=null", .fake())
            #expect(try text(path + "/log") == "out\n5678")
            try Data("given\n".utf8).write(to: URL(filePath: path + "/in"))
            try run(
                "\(say)\nStandardInput=file:\(path)/in\nStandardOutput=truncate:\(path)/log\nStandardError=null",
                .fake())
            #expect(try text(path + "/log") == "given\nout\n")
            // Other tests open files at the same time: a leak would be one for each launch and stream.
            #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 8)
        }
    }

    @Test func `output that cannot be opened fails the launch with one clause, and never waits`() throws {
        try withTemporaryDirectory { path in
            #expect(mkfifo(path + "/fifo", 0o600) == 0)
            let rows = [
                (
                    "StandardOutput=append:\(path)/fifo",
                    "cannot open \(path)/fifo for standard output of web: No such device or address"
                ),
                (
                    "StandardError=file:\(path)/a/b",
                    "cannot open \(path)/a/b for standard error of web: No such file or directory"
                ),
                (
                    "StandardInput=file:\(path)/none",
                    "cannot open \(path)/none for standard input of web: No such file or directory"
                ),
                (
                    "StandardOutput=truncate:\(path)",
                    "cannot open \(path) for standard output of web: Is a directory"
                ),
            ]
            for (lines, text) in rows {
                let error = #expect(throws: LaunchError.self) { try run(lines, .fake()) }
                #expect(error?.description == text)
                #expect(error?.exitStatus == 126)
            }
        }
    }

    @Test(.requires(.root)) func `it runs as its user, in directories of its own`() throws {
        try withTemporaryDirectory { path in
            chmod(path, 0o755)
            try run(
                """
                ExecStart=
                ExecStart=/bin/sh -c 'id -u; id -g; umask; ulimit -n; pwd; touch $STATE_DIRECTORY/x && echo made'
                User=nobody
                UMask=0027
                LimitNOFILE=77
                WorkingDirectory=/usr
                StateDirectory=web/data
                StandardOutput=truncate:\(path)/log
                """, .fake(state: path))
            let nobody = try #require(try UserAccount.named("nobody"))
            #expect(try text(path + "/log") == "\(nobody.id)\n\(nobody.group)\n0027\n77\n/usr\nmade\n")
            var status = stat()
            #expect(stat(path + "/state/web/data", &status) == 0)
            #expect(status.st_uid == nobody.id && status.st_mode & 0o7777 == 0o755)
            #expect(stat(path + "/state/web", &status) == 0)
            #expect(status.st_uid == 0)
        }
    }

    @Test(.requires(.root)) func `no file is opened through a link that the worker may have made`() throws {
        try withTemporaryDirectory { path in
            chmod(path, 0o755)
            mkdir("\(path)/theirs", 0o755)
            try Data("SECRET=1\n".utf8).write(to: URL(filePath: "\(path)/secret"))
            chmod("\(path)/secret", 0o600)
            symlink("\(path)/secret", "\(path)/theirs/link")
            chown("\(path)/theirs", 4202, 4202)
            symlink("\(path)/secret", "\(path)/link")
            let refused =
                "refusing \(path)/theirs/link: it is a symbolic link that another user may have created (\(path)/theirs belongs to user 4202)"
            for (setting, stream) in [
                ("StandardOutput=append:", "output"), ("StandardOutput=file:", "output"),
                ("StandardError=truncate:", "error"), ("StandardInput=file:", "input"),
            ] {
                let error = #expect(throws: LaunchError.self) {
                    try run("\(setting)\(path)/theirs/link", .fake())
                }
                let clause = "cannot open \(path)/theirs/link for standard \(stream) of web"
                #expect(error?.description == "\(clause): \(refused)")
                try run("\(setting)\(path)/link", .fake())
                let isEmptied = setting.contains("truncate")
                #expect(try text("\(path)/secret") == (isEmptied ? "" : "SECRET=1\n"))
                if isEmptied { try Data("SECRET=1\n".utf8).write(to: URL(filePath: "\(path)/secret")) }
            }
            for dash in ["", "-"] {
                let error = #expect(throws: LaunchError.self) {
                    try environment("EnvironmentFile=\(dash)\(path)/theirs/*")
                }
                #expect(
                    error?.description.contains("it is a symbolic link that another user may have created")
                        == true)
            }
            #expect(try environment("EnvironmentFile=\(path)/link")["SECRET"] == "1")
        }
    }

    @Test func `a symlink in a directory's place is not followed`() throws {
        try withTemporaryDirectory { path in
            try FileManager.default.createDirectory(
                atPath: path + "/state", withIntermediateDirectories: false)
            symlink("/etc", path + "/state/web")
            let error = #expect(throws: LaunchError.self) {
                try run("StateDirectory=web", .fake(state: path))
            }
            #expect(
                error?.description
                    == "cannot create the state directory \(path)/state/web: refusing \(path)/state/web: it is a symbolic link, which is not followed here"
            )
        }
    }
}
