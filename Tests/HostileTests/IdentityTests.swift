import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// Which process belongs to which worker (findings C1, C2, H1).
    @Suite(.requires(.cgroupV2Writable)) struct `Identity` {
        // MARK: C1

        /// A worker without User= that gives root away by itself, and whose child of another environment is its main process.
        private func betrayed() throws -> Victim {
            let victim = try Victim([
                "turncoat": """
                [Worker]
                ExecStart=ATTACKER turncoat \(Uid.worker) EVIL=1 LD_PRELOAD=DIRECTORY/evil.so PATH=DIRECTORY/evil
                Environment=GOOD=1
                Type=notify
                NotifyAccess=all
                Launch=boot
                [Callbacks]
                DidEnterBackground=exec:/bin/sh -c '/usr/bin/env > DIRECTORY/hook.part; /bin/mv DIRECTORY/hook.part DIRECTORY/hook'
                """
            ])
            try victim.awaitDescription(of: "turncoat", "turned")
            return victim
        }

        private func expectOwnEnvironment(_ victim: Victim) throws {
            _ = try victim.torpor("suspend", "--no-wait", "turncoat")
            let text = try eventually("the hook to run") {
                try? String(contentsOfFile: "\(victim.directory)/hook", encoding: .utf8)
            }
            let lines = text.split(separator: "\n")
            #expect(lines.contains("GOOD=1"), "\(lines)")
            #expect(!lines.contains { $0.contains("EVIL=") || $0.contains("evil") }, "\(lines)")
        }

        @Test func `A hook gets no variable of the main process, not after a reexec either`() throws {
            let victim = try betrayed()
            #expect(try victim.torpor("reexec").status == 0)
            try expectOwnEnvironment(victim)
        }

        @Test func `A hook gets no variable of the main process, not after a crash either`() throws {
            let victim = try betrayed()
            try victim.killAndRestart()
            try expectOwnEnvironment(victim)
        }

        // MARK: C2

        /// A group by the name of a worker's that belongs to another user, as a login session has.
        private final class ForeignGroup {
            let parent: String
            let path: String

            init(_ name: String) throws {
                parent = "\(Places.base ?? "")/hostile-\(UUID().uuidString.prefix(8))"
                path = "\(parent)/\(name)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for file in [parent, path, "\(path)/cgroup.procs"] {
                    chown(file, uid_t(Uid.stranger), gid_t(Uid.stranger))
                }
            }

            deinit {
                // Whatever is left in it ends with it.
                try? "1".write(toFile: "\(path)/cgroup.kill", atomically: false, encoding: .ascii)
                for _ in 0..<2000 where rmdir(path) != 0 && errno == EBUSY { usleep(1000) }
                rmdir(parent)
            }
        }

        @Test(arguments: [Uid.stranger, Uid.worker, 0])
        func `A group elsewhere that has the name of a worker's does not open its socket`(_ uid: Int) throws {
            let victim = try Victim(["victim": HostileWorkers.app])
            let group = try ForeignGroup("worker-victim")
            let answers = try victim.ask(
                "\(victim.directory)/run/worker-victim.worker",
                [Message.attach, Message.worker("GetState"), Message.worker("RequestActivation")], as: uid,
                in: group.path)
            #expect(!answers.joined().contains("parameters"), "\(answers)")
        }

        @Test(arguments: [Uid.stranger, Uid.worker, 0])
        func `A group elsewhere that has the name of a worker's does not let its processes speak for it`(
            _ uid: Int
        ) throws {
            let victim = try Victim(["victim": HostileWorkers.notifying])
            let main = try victim.pid(of: "victim")
            let group = try ForeignGroup("worker-victim")
            let path = "\(victim.directory)/run/worker-victim.notify"
            // Its sender stays, so that the daemon can look it up; its number becomes the main process's where that works.
            let sender = try victim.attack(
                [
                    "run", "/bin/sh", "-c",
                    "\(victim.attacker) say \(path) \"STATUS=forged\nMAINPID=$$\nREADY=1\"; exec sleep 30",
                ], as: uid, in: group.path)
            _ = try sender.output.next()
            #expect(try !victim.call("Describe", #"{"name":"victim"}"#).contains("forged"))
            #expect(try victim.pid(of: "victim") == main)
            kill(sender.pid, SIGKILL)
            _ = try sender.wait()
            #expect(try victim.pid(of: "victim") == main)
            #expect(state(of: main) == "S")
        }

        // MARK: H1

        @Test func `The sockets of a worker are its user's, and no other's`() throws {
            let victim = try Victim(["app": HostileWorkers.app, "plain": HostileWorkers.notifying])
            for name in ["worker-app.worker", "worker-app.notify", "worker-plain.notify"] {
                var status = Glibc.stat()
                // It is bound first, as root's own, and given away then.
                _ = try eventually("\(name) to be its user's alone") {
                    stat("\(victim.directory)/run/\(name)", &status) == 0
                        && status.st_uid == uid_t(Uid.worker) && status.st_mode & 0o777 == 0o600 ? true : nil
                }
            }
            let answers = try victim.ask(
                "\(victim.directory)/run/worker-app.worker", [Message.attach], as: Uid.stranger)
            #expect(answers.first?.hasPrefix("refused") == true, "\(answers)")
            let said = try victim.attack(
                ["say", "\(victim.directory)/run/worker-plain.notify", "STATUS=forged"], as: Uid.stranger)
            #expect(try said.output.next()?.hasPrefix("refused") == true)
        }

        @Test(arguments: [Uid.stranger, Uid.worker])
        func `A connection stays a stranger's when a process of the worker gets the number of the caller`(
            _ uid: Int
        ) throws {
            let victim = try Victim(["victim": HostileWorkers.app])
            let group = try victim.groupDirectory(of: "victim")
            let lines = try replacing(victim, "worker-victim.worker", "stream", group, [Message.attach], uid)
            #expect(!lines.joined().contains("standing"), "\(lines)")
        }

        @Test(arguments: [Uid.stranger, Uid.worker])
        func `A datagram stays a stranger's when a process of the worker gets the number of its sender`(
            _ uid: Int
        ) throws {
            let victim = try Victim(["victim": HostileWorkers.notifying])
            let group = try victim.groupDirectory(of: "victim")
            _ = try replacing(victim, "worker-victim.notify", "dgram", group, ["STATUS=forged"], uid)
            #expect(try !victim.call("Describe", #"{"name":"victim"}"#).contains("forged"))
        }

        /// Has a process speak that is another one by the time at which the daemon hears of it; answers what it was told.
        private func replacing(
            _ victim: Victim, _ name: String, _ kind: String, _ group: String, _ messages: [String],
            _ uid: Int
        ) throws -> [String] {
            // A datagram ends where it ends; a message of a stream ends with a NUL.
            let file = try victim.write(messages, end: kind == "stream" ? "\0" : "")
            victim.process.send(SIGSTOP)
            try awaitState("T", of: victim.process.pid)
            let attacker = try victim.attack(
                ["replace-pid", "\(victim.directory)/run/\(name)", kind, group, file, "\(uid)"], as: 0)
            var lines: [String] = []
            if let first = try attacker.output.next() { lines.append(first) }
            victim.process.send(SIGCONT)
            return lines + (try attacker.output.rest())
        }

        // MARK: L7

        @Test
        func `A datagram of a process that is gone is no worker's, not even where its user is the daemon's`()
            throws
        {
            let victim = try Victim([
                "victim": "[Worker]\nExecStart=/bin/sleep 1000\nType=notify\nNotifyAccess=all\nLaunch=boot\n"
            ])
            let path = "\(victim.directory)/run/worker-victim.notify"
            _ = try eventually("its socket") { FileManager.default.fileExists(atPath: path) ? true : nil }
            victim.process.send(SIGSTOP)
            try awaitState("T", of: victim.process.pid)
            let said = try victim.attack(["say", path, "STATUS=forged"], as: 0)
            #expect(try said.output.next() == "sent")
            _ = try said.wait()
            victim.process.send(SIGCONT)
            #expect(try !victim.call("Describe", #"{"name":"victim"}"#).contains("forged"))
        }
    }
}
