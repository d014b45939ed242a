import ConfigurationSyntax
import Foundation
import Linux
import TestSupport
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Places
@testable import Supervisor

@Suite struct `Directories of the daemon` {
    @Test func `a user's are those of the session, and never a name that can be guessed`() throws {
        let session = Environment(entries: ["HOME=/home/me", "XDG_RUNTIME_DIR=/run/user/7"])
        let options = try DaemonOptions(environment: session, isRoot: false)
        #expect(options.runtimeDirectory == "/run/user/7/torpor")
        #expect(
            options.configurationDirectories == [
                "/usr/lib/torpor/user", "/run/user/7/torpor", "/home/me/.config/torpor",
            ])
        #expect(options.stateDirectory == "/home/me/.local/state/torpor")
        let system = try DaemonOptions(environment: session, isRoot: true)
        #expect(system.runtimeDirectory == "/run/torpor" && system.stateDirectory == "/var/lib/torpor")
        let given = try DaemonOptions(runtimeDirectory: "/srv/run", environment: session, isRoot: false)
        #expect(given.runtimeDirectory == "/srv/run" && given.socketPath.hasPrefix("/srv/run/"))
    }

    @Test func `without a session's directory a user's daemon does not start, and says what to do`() throws {
        let none = Environment(entries: ["HOME=/home/me", "XDG_RUNTIME_DIR=relative"])
        try withTemporaryDirectory { path in
            #expect(UserRuntimeDirectory.find(none, below: path) == nil)
            let own = "\(path)/\(ThisProcess.user)"
            mkdir(own, 0o700)
            #expect(UserRuntimeDirectory.find(none, below: path) == own)
            chmod(own, 0o777)
            #expect(UserRuntimeDirectory.find(none, below: path) == nil)
        }
        #expect(NoRuntimeDirectory().description.contains("set XDG_RUNTIME_DIR"))
        #expect(Daemon.exitStatus(for: NoRuntimeDirectory()) == 69)
        let usual = "/run/user/\(ThisProcess.user)"
        if FileManager.default.fileExists(atPath: usual) { return }
        #expect(throws: NoRuntimeDirectory.self) { try DaemonOptions(environment: none, isRoot: false) }
        let given = try DaemonOptions(runtimeDirectory: "/srv/run", environment: none, isRoot: false)
        #expect(given.configurationDirectories.allSatisfy { !$0.hasPrefix("/tmp") })
    }

    @Test(.requires(.root)) func `a directory of sockets that another user has made is refused`() throws {
        try withTemporaryDirectory { path in
            chmod(path, 0o755)
            mkdir("\(path)/run", 0o755)
            chown("\(path)/run", 4201, 4201)
            var options = try DaemonOptions(runtimeDirectory: "\(path)/run")
            options.stateDirectory = "\(path)/state"
            let error = #expect(throws: LinuxError.self) {
                try OwnDirectories.makeRuntime(options.runtimeDirectory)
            }
            #expect(error.map { Daemon.exitStatus(for: $0) } == 77)
            #expect(error?.description == "refusing a path: \(path)/run belongs to user 4201")
            #expect(throws: LinuxError.self) { try OwnDirectories.makeState("\(path)/run/state") }
            // What cannot be made is the store's to complain of.
            try Data().write(to: URL(filePath: "\(path)/file"))
            try OwnDirectories.makeState("\(path)/file/state")
        }
    }

    @Test(.requires(.root)) func `definitions of another user are not read`() throws {
        try withTemporaryDirectory { path in
            chmod(path, 0o755)
            for folder in ["good/workers/web.worker.d", "bad/workers", "open/workers"] {
                try FileManager.default.createDirectory(
                    atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
            }
            let text = Data("[Worker]\nExecStart=/bin/true\n".utf8)
            for file in [
                "good/workers/web", "good/workers/theirs", "good/workers/loose", "bad/workers/evil",
                "open/workers/odd",
            ] {
                try text.write(to: URL(filePath: "\(path)/\(file).worker"))
            }
            try Data("[Daemon]\n".utf8).write(to: URL(filePath: "\(path)/bad/torpord.conf"))
            chown("\(path)/bad", 4201, 4201)
            chmod("\(path)/open/workers", 0o777)
            chown("\(path)/good/workers/theirs.worker", 4201, 4201)
            chmod("\(path)/good/workers/loose.worker", 0o666)
            let source = DiskFileSource(trusting: .whole)
            let loader = WorkerLoader(
                directories: ["\(path)/good", "\(path)/bad", "\(path)/open"], source: source)
            let (names, problems, unlisted) = loader.names()
            #expect(names.map(\.text) == ["loose", "theirs", "web"])
            #expect(unlisted == ["\(path)/bad/workers", "\(path)/open/workers"])
            #expect(
                problems.map(\.problem) == [
                    "cannot read “\(path)/bad/workers”: \(path)/bad belongs to user 4201",
                    "cannot read “\(path)/open/workers”: \(path)/open/workers is writable by other users (mode 0777)",
                ])
            for (name, reason) in [
                ("theirs", "it belongs to user 4201, not to root or the supervisor's user"),
                ("loose", "it is writable by other users (mode 0666)"),
            ] {
                guard case .invalid(let diagnostics) = loader.load(try WorkerName(name)) else {
                    throw Unexpected(found: "\(name) is read")
                }
                #expect(diagnostics.count == 1 && diagnostics[0].problem.hasSuffix(reason))
            }
            guard case .worker = loader.load(try WorkerName("web")) else {
                throw Unexpected(found: "not read")
            }
            // Neither can another user say that a worker is masked, or that there are settings.
            symlink("/dev/null", "\(path)/open/workers/web.worker")
            guard case .invalid = loader.load(try WorkerName("web")) else {
                throw Unexpected(found: "masked")
            }
            let daemon = DaemonLoader(directories: ["\(path)/bad"], source: source).load()
            #expect(daemon.definition == nil && daemon.diagnostics.count == 1)
        }
    }
}
