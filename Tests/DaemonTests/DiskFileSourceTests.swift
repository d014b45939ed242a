import ConfigurationSyntax
import DaemonCore
import Foundation
import Linux
import Places
import Supervisor
import TestSupport
import Testing
import WorkerFile

@Suite struct `Files on disk` {
    private let source = DiskFileSource()

    @Test func `each kind of thing is what the loader takes it for, and nothing is waited for`() throws {
        try withTemporaryDirectory { path in
            try Data("x".utf8).write(to: URL(filePath: path + "/file"))
            try Data().write(to: URL(filePath: path + "/empty"))
            try FileManager.default.createDirectory(atPath: path + "/sub", withIntermediateDirectories: false)
            #expect(mkfifo(path + "/fifo", 0o600) == 0)
            symlink("/dev/null", path + "/mask")
            symlink("file", path + "/link")
            symlink("nowhere", path + "/broken")
            symlink("loop", path + "/loop")
            let kinds: [(String, FileKind?)] = [
                ("file", .file), ("empty", .file), ("sub", .directory), ("fifo", .other), ("mask", .null),
                ("link", .file), ("broken", .other), ("loop", .other), ("missing", nil), ("file/below", nil),
            ]
            for (name, kind) in kinds {
                #expect(try source.kind(of: "\(path)/\(name)") == kind, "\(name)")
            }
            #expect(
                Set(try source.names(in: path)) == [
                    "file", "empty", "sub", "fifo", "mask", "link", "broken", "loop",
                ])
            #expect(try source.names(in: path + "/missing") == [])
            #expect(try source.read(path + "/empty", limit: 10) == [])
            #expect(try source.read(path + "/link", limit: 1) == Array("x".utf8))
        }
    }

    @Test func `what cannot be read says why`() throws {
        try withTemporaryDirectory { path in
            #expect(mkfifo(path + "/fifo", 0o600) == 0)
            try Data(repeating: 65, count: 101).write(to: URL(filePath: path + "/big"))
            try Data().write(to: URL(filePath: path + "/endless"))
            // A sparse file that no limit lets in: not a byte of it is read.
            #expect(truncate(path + "/endless", 1 << 40) == 0)
            let reasons = [
                ("fifo", "is not a regular file"), ("big", "exceeds 100 bytes"),
                ("endless", "exceeds 100 bytes"), ("missing", "no such file"), ("", "is a directory"),
            ]
            for (name, reason) in reasons {
                #expect(throws: FileSourceError(path: "\(path)/\(name)", reason: reason)) {
                    try source.read("\(path)/\(name)", limit: 100)
                }
            }
            #expect(throws: FileSourceError(path: path + "/big", reason: "is not a directory")) {
                try source.names(in: path + "/big")
            }
        }
    }

    @Test func `a file of the kernel's is read although it claims to be empty`() throws {
        #expect(try !source.read("/proc/self/status", limit: 1 << 16).isEmpty)
        #expect(throws: FileSourceError.self) { try source.read("/proc/self/status", limit: 16) }
    }

    @Test func `the loader finds workers on disk`() throws {
        try withTemporaryDirectory { path in
            try FileManager.default.createDirectory(
                atPath: path + "/workers/web.worker.d", withIntermediateDirectories: true)
            try Data("[Worker]\nExecStart=/bin/true %H\n".utf8).write(
                to: URL(filePath: path + "/workers/web.worker"))
            try Data("[Worker]\nNice=3\n".utf8).write(
                to: URL(filePath: path + "/workers/web.worker.d/10.conf"))
            symlink("/dev/null", path + "/workers/off.worker")
            let loader = WorkerLoader(directories: [path], source: source, place: .here())
            #expect(loader.names().names.map(\.text) == ["off", "web"])
            guard case .worker(let worker) = loader.load(try WorkerName("web")) else {
                throw Unexpected(found: "no worker")
            }
            #expect(worker.definition.execution.nice == 3)
            #expect(worker.definition.command?.argumentVector().last == Machine.current.hostName)
            guard case .masked = loader.load(try WorkerName("off")) else {
                throw Unexpected(found: "not masked")
            }
        }
    }
}

@Suite struct `This place` {
    @Test func `root has the system's directories, a user those of XDG`() {
        let user = Environment(entries: [
            "HOME=/home/me", "XDG_CONFIG_HOME=/cfg/", "XDG_RUNTIME_DIR=/run/user/7", "TMPDIR=/scratch",
        ])
        #expect(ConfigurationDirectories.standard(environment: user, isRoot: false) == ["/cfg/torpor"])
        #expect(
            ConfigurationDirectories.standard(environment: Environment(entries: ["HOME=/h"]), isRoot: false)
                == [
                    "/h/.config/torpor"
                ])
        #expect(
            ConfigurationDirectories.standard(environment: user, isRoot: true) == [
                "/usr/lib/torpor", "/run/torpor", "/etc/torpor",
            ])
        let place = SpecifierContext.Place.here(environment: user, isRoot: false)
        #expect(place.runtimeDirectory == "/run/user/7" && place.configurationDirectory == "/cfg")
        #expect(place.stateDirectory == "/home/me/.local/state" && place.cacheDirectory == "/home/me/.cache")
        #expect(place.temporaryDirectory == "/scratch" && place.home == "/home/me")
        let system = SpecifierContext.Place.here(environment: Environment(), isRoot: true)
        #expect(system.runtimeDirectory == "/run" && system.stateDirectory == "/var/lib")
        #expect(system.uid == geteuid() && system.bootID?.utf8.count == 32)
    }
}
