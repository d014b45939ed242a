import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// Paths that another user can change (findings H11, M2, M4, M7).
    @Suite struct `Files` {
        private func owner(_ path: String) throws -> uid_t {
            var status = Glibc.stat()
            try #require(lstat(path, &status) == 0, "\(path)")
            return status.st_uid
        }

        /// A directory of the worker's user inside of the victim's.
        private func makeHome(_ directory: String) throws {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/home", withIntermediateDirectories: false)
            chown("\(directory)/home", uid_t(Uid.worker), gid_t(Uid.worker))
            // What root alone may read and write.
            try "root's\n".write(toFile: "\(directory)/secret", atomically: false, encoding: .utf8)
            chmod("\(directory)/secret", 0o600)
        }

        // MARK: H11

        @Test(arguments: [0o777, 0o755])
        func `A runtime directory in /tmp that another user has made is not used`(_ mode: Int) throws {
            let planted = "/tmp/torpor-\(Uid.other)"
            try #require(access(planted, F_OK) != 0, "\(planted) is there already")
            let program = Victim.programs + "/torpord"
            defer { try? FileManager.default.removeItem(atPath: planted) }
            for directory in ["", "/torpor", "/torpor/workers"] {
                mkdir(planted + directory, 0o777)
                chmod(planted + directory, mode_t(directory == "" ? mode : 0o777))
                chown(planted + directory, uid_t(Uid.stranger), gid_t(Uid.stranger))
            }
            try "[Worker]\nExecStart=/bin/sh -c 'id -u > \(planted)/torpor/taken; sleep 100'\nLaunch=boot\n"
                .write(
                    toFile: "\(planted)/torpor/workers/evil.worker", atomically: false, encoding: .utf8)
            chmod("\(planted)/torpor/workers/evil.worker", 0o644)
            let home = "/tmp/torpor-hostile-\(UUID().uuidString.prefix(8))"
            mkdir(home, 0o755)
            chown(home, uid_t(Uid.other), gid_t(Uid.other))
            defer { try? FileManager.default.removeItem(atPath: home) }
            let daemon = try Wrapper(
                [], [],
                line: [
                    "/usr/bin/setpriv", "--reuid=\(Uid.other)", "--regid=\(Uid.other)", "--clear-groups",
                    "/usr/bin/env", "-i", "HOME=\(home)", "PATH=/usr/bin:/bin", program,
                ])
            // It says that it cannot, and ends; or it has begun.
            let ending = try? daemon.wait(3)
            #expect(access("\(planted)/torpor/taken", F_OK) != 0, "the other user's worker has run")
            #expect(access("\(planted)/torpor/io.torpor.Supervisor", F_OK) != 0, "its socket is in there")
            if let ending {
                guard case .exited(let status) = ending else { return #expect(Bool(false), "\(ending)") }
                #expect(status != 0)
                #expect(try !daemon.errors.rest().isEmpty, "it says why")
            } else {
                daemon.send(SIGTERM)
                _ = try daemon.wait()
            }
        }

        // MARK: M2

        @Test(arguments: ["StateDirectory", "RuntimeDirectory"])
        func `A symlink in a worker's own directory leads root nowhere`(_ key: String) throws {
            let name = "torpor-hostile-\(UUID().uuidString.prefix(8))"
            let base = (key == "StateDirectory" ? "/var/lib/" : "/run/") + name
            defer { try? FileManager.default.removeItem(atPath: base) }
            let victim = try Victim(["victim": HostileWorkers.idle + "\(key)=\(name) \(name)/data/log\n"])
            #expect(try victim.torpor("launch", "victim").status == 0)
            #expect(try victim.torpor("terminate", "victim").status == 0)
            let secret = "\(victim.directory)/secret"
            for path in [secret, "\(secret)/log"] { mkdir(path, 0o700) }
            // The directory is there still, or a test has to make it as the worker could.
            try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
            chown(base, uid_t(Uid.worker), gid_t(Uid.worker))
            let change = try victim.attack(
                [
                    "run", "/bin/sh", "-c",
                    "rm -rf \(base)/data; mv \(base)/data \(base)/gone; ln -s \(secret) \(base)/data",
                ],
                as: Uid.worker)
            _ = try change.wait()
            // Where root has made what lies between, the worker cannot remove it but can move it away.
            try #require(
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(base)/data")) == secret)
            _ = try victim.torpor("launch", "victim")
            #expect(try owner("\(secret)/log") == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: secret) == ["log"])
        }

        // MARK: M4

        @Test(.requires(.noJournal)) func `A worker gets hold of no descriptor of the supervisor's own log`()
            throws
        {
            let forged = "uid 0 pid 1: permission denied for io.torpor.Supervisor.Kill"
            let victim = try Victim(
                [
                    "victim":
                        "[Worker]\nExecStart=ATTACKER truncate-output \"\(forged)\"\n\(HostileWorkers.credentials)Launch=boot\n"
                ], logging: .file)
            let pid = try victim.pid(of: "victim")
            _ = try eventually("what it prints") { victim.log.contains(forged) ? true : nil }
            #expect(victim.log.contains("started;"), "the log is as it was: \(victim.log)")
            #expect(
                !victim.log.split(separator: "\n").contains { $0.hasPrefix(forged) },
                "what it prints is marked: \(victim.log)")
            for number in 1...2 {
                var (theirs, ours) = (Glibc.stat(), Glibc.stat())
                try #require(
                    stat("/proc/\(pid)/fd/\(number)", &theirs) == 0
                        && stat("\(victim.directory)/log", &ours) == 0)
                #expect(
                    theirs.st_ino != ours.st_ino || theirs.st_dev != ours.st_dev, "descriptor \(number)")
            }
        }

        // MARK: held sockets

        @Test func `A held socket in a folder of the worker's gives and removes nothing elsewhere as root`()
            throws
        {
            let text =
                HostileWorkers.idle + "[Foreground]\nListenStream=DIRECTORY/home/sub/s\n"
                + "ListenFIFO=DIRECTORY/home/sub/f\nSocketMode=0666\nRemoveOnStop=yes\n"
            let victim = try Victim(["victim": text]) { directory in
                try makeHome(directory)
                mkdir("\(directory)/home/sub", 0o755)
                chown("\(directory)/home/sub", uid_t(Uid.worker), gid_t(Uid.worker))
                mkdir("\(directory)/rootonly", 0o755)
                mkfifo("\(directory)/rootonly/f", 0o600)
                mknod("\(directory)/rootonly/s", S_IFSOCK | 0o600, 0)
            }
            let theirs = "\(victim.directory)/rootonly"
            for name in ["s", "f"] {
                #expect(access("\(victim.directory)/home/sub/\(name)", F_OK) == 0, "\(name) is held")
            }
            let home = "\(victim.directory)/home"
            let change = try victim.attack(
                ["run", "/bin/sh", "-c", "mv \(home)/sub \(home)/real; ln -s \(theirs) \(home)/sub"],
                as: Uid.worker)
            #expect(try change.wait() == .exited(0))
            func expectUnchanged(_ after: String) throws {
                for name in ["s", "f"] {
                    var status = Glibc.stat()
                    try #require(lstat("\(theirs)/\(name)", &status) == 0, "\(name) after \(after)")
                    #expect(
                        status.st_uid == 0 && status.st_mode & 0o7777 == 0o600, "\(name) after \(after)")
                }
            }
            #expect(try victim.torpor("reexec").status == 0)
            try expectUnchanged("a replacement")
            let file = "\(victim.directory)/conf/workers/victim.worker"
            let changed = try String(contentsOfFile: file, encoding: .utf8) + "SocketUser=\(Uid.worker)\n"
            try changed.write(toFile: file, atomically: false, encoding: .utf8)
            _ = try victim.torpor("reload")
            try expectUnchanged("a reload")
            #expect(victim.log.contains("symbolic link that another user may have created"), "\(victim.log)")
            unlink(file)
            _ = try victim.torpor("reload")
            try expectUnchanged("its removal")
        }

        @Test(.requires(.program("/usr/bin/curl")))
        func `A page in a folder of the worker's follows no symlink as root`() throws {
            let (door, own) = (try freePort(), try freePort())
            let victim = try Victim(
                [
                    "victim":
                        "[Worker]\nExecStart=/bin/sleep 1000\nType=notify\n\(HostileWorkers.credentials)"
                        + "[Foreground]\nListenStream=127.0.0.1:\(door)\nForwardTo=127.0.0.1:\(own)\n"
                        + "Placeholder=DIRECTORY/home/page.html\nPlaceholderAfterSec=100ms\n"
                ], preparing: makeHome)
            #expect(symlink("\(victim.directory)/secret", "\(victim.directory)/home/page.html") == 0)
            let client = try Wrapper(
                [], [],
                line: [
                    "/usr/bin/curl", "-s", "-m", "60", "-H", "Accept: text/html", "http://127.0.0.1:\(door)/",
                ])
            let page = try client.output.rest().joined(separator: "\n")
            #expect(page.contains("<title>") && !page.contains("root's"), "\(page)")
            #expect(victim.log.contains("symbolic link that another user may have created"), "\(victim.log)")
        }

        // MARK: M7

        @Test(arguments: ["append", "file", "truncate"])
        func `Output into a folder of the worker's follows no symlink as root`(_ kind: String) throws {
            let victim = try Victim(
                [
                    "victim":
                        "[Worker]\nExecStart=/bin/sh -c 'echo planted; exec sleep 1000'\n\(HostileWorkers.credentials)StandardOutput=\(kind):DIRECTORY/home/log\n"
                ], preparing: makeHome)
            #expect(symlink("\(victim.directory)/secret", "\(victim.directory)/home/log") == 0)
            _ = try victim.torpor("launch", "victim")
            _ = try eventually("what became of its output") {
                // Refused, or it has been launched and has written.
                victim.log.contains("symbolic link") || victim.log.contains("launched") ? true : nil
            }
            _ = try victim.torpor("terminate", "victim")
            let secret = try String(contentsOfFile: "\(victim.directory)/secret", encoding: .utf8)
            #expect(secret == "root's\n")
        }

        @Test func `An EnvironmentFile in a folder of the worker's follows no symlink as root`() throws {
            let victim = try Victim(
                ["victim": HostileWorkers.idle + "EnvironmentFile=-DIRECTORY/home/environment\n"],
                preparing: { directory in
                    try makeHome(directory)
                    try "SECRET=token\n".write(
                        toFile: "\(directory)/secret", atomically: false, encoding: .utf8)
                })
            #expect(symlink("\(victim.directory)/secret", "\(victim.directory)/home/environment") == 0)
            guard try victim.torpor("launch", "victim").status == 0 else { return }
            let pid = try victim.pid(of: "victim")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/environ"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("SECRET=token"))
        }

        // MARK: L7

        @Test func `A worker gets neither inheritable capabilities nor groups of the supervisor`() throws {
            let victim = try Victim(
                ["victim": "[Worker]\nExecStart=/bin/sleep 1000\nGroup=\(Uid.other)\nLaunch=boot\n"],
                through: [
                    "/usr/bin/setpriv", "--groups=4299", "--inh-caps=+net_bind_service",
                ])
            let text = try String(
                contentsOfFile: "/proc/\(try victim.pid(of: "victim"))/status", encoding: .utf8)
            func field(_ name: String) -> String {
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            #expect(!field("Groups").contains("4299"), "\(field("Groups"))")
            #expect(field("CapInh") == "0000000000000000")
        }
    }
}
