import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux

@Suite(.timeLimit(.minutes(60)), .requires(.cgroupV2Writable)) struct `A group` {
    private func name(_ text: String) throws -> CgroupName { try #require(CgroupName(text)) }

    private func busy(_ group: Cgroup) throws -> Child {
        try Child(script: "echo ready; while :; do :; done") { $0.cgroup = group }
    }

    @Test func `is where its process is born`() throws {
        try withGroup { group in
            let child = try Child(script: "cat /proc/self/cgroup") { $0.cgroup = group }
            #expect(child.words().contains { $0.hasPrefix("0::/") && group.path.hasSuffix($0.dropFirst(3)) })
            _ = try child.next()
        }
    }

    @Test func `freezes and thaws at once, and its process's time stands still`() throws {
        try withGroup { group in
            let child = try busy(group)
            #expect(child.line() == "ready")
            #expect(try group.processes() == [child.pid])
            for _ in 0..<20 {
                #expect(try group.freeze(patience: 10_000_000) == .done)
                #expect(try group.events() == CgroupEvents(isPopulated: true, isFrozen: true))
                // The last one may be charged a moment after it counts as frozen.
                let before = try eventually {
                    let first = try #require(group.cpuTime())
                    usleep(2000)
                    return group.cpuTime() == first ? first : nil
                }
                #expect(try group.isFreezeRequested())
                #expect(group.cpuTime() == before)
                #expect(try group.thaw(patience: 10_000_000) == .done)
                #expect(try !group.events().isFrozen)
                _ = try eventually { try #require(group.cpuTime()) > before ? true : nil }
            }
        }
    }

    @Test func `dies of kill while frozen, and its record says by what`() throws {
        try withGroup { group in
            let child = try Child(script: "trap '' TERM; sleep 1000 & echo ready; wait") { $0.cgroup = group }
            #expect(child.line() == "ready")
            _ = try group.freeze(patience: 10_000_000)
            try group.kill()
            #expect(try child.next() == .killed(by: .kill, coreDumped: false))
            _ = try eventually { try group.events().isPopulated ? nil : true }
        }
    }

    @Test func `notices that one above froze it`() throws {
        try withGroup { group in
            let below = try group.makeChild(try name("below"))
            let child = try busy(below)
            #expect(child.line() == "ready")
            #expect(try group.freeze(patience: 10_000_000) == .done)
            #expect(try below.events().isFrozen)
            #expect(try !below.isFreezeRequested())
            #expect(try below.thaw() == .heldFromAbove)
            #expect(try below.freeze() == .done)
            #expect(try group.thaw(patience: 10_000_000) == .pending || group.events().isFrozen == false)
            #expect(try below.events().isFrozen, "its own request stays")
            #expect(try below.thaw(patience: 10_000_000) == .done)
        }
    }

    @Test func `is taken over thawed when an earlier use left it frozen`() throws {
        try withGroup { group in
            let first = try group.makeChild(try name("again"))
            #expect(try first.freeze() == .done)
            #expect(try first.events() == CgroupEvents(isPopulated: false, isFrozen: true))
            let second = try group.makeChild(try name("again"))
            #expect(second == first)
            #expect(try !second.events().isFrozen)
            #expect(try busy(second).line() == "ready")
        }
    }

    @Test func `lists, kills and removes what its processes made below`() throws {
        try withGroup { group in
            let outer = try group.makeChild(try name("outer"))
            let inner = try outer.makeChild(try name("a")).makeChild(try name("b"))
            _ = try outer.makeChild(try name("empty"))
            let (one, two) = (try busy(outer), try busy(inner))
            #expect(try Set(outer.processes()) == [one.pid, two.pid])
            #expect(throws: LinuxError(errno: EBUSY, call: "rmdir", subject: outer.path)) {
                try outer.remove(patience: 0)
            }
            try outer.kill()
            _ = try (one.next(), two.next())
            try outer.remove(patience: 10_000_000)
            #expect(!outer.exists)
            try outer.remove()
            try outer.kill()
        }
    }

    @Test func `adopts a process`() throws {
        try withGroup { group in
            let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
            try group.adopt(process: child.pid)
            #expect(try group.processes() == [child.pid])
            try group.kill()
            #expect(try child.next() == .killed(by: .kill, coreDumped: false))
        }
    }

    @Test func `hands nothing down while it has a process of its own, whose place is a leaf`() throws {
        try withGroup { group in
            let child = try Child(script: "exec sleep 1000") { $0.cgroup = group }
            #expect(
                throws: LinuxError(
                    errno: EBUSY, call: "write", subject: group.path + "/cgroup.subtree_control")
            ) {
                try group.enable(.cpu)
            }
            #expect(try !CgroupTree(base: group, reason: "").moveIntoLeaf(process: child.pid))
            let tree = CgroupTree(base: group, reason: "", isDelegated: true)
            #expect(try tree.moveIntoLeaf(process: child.pid))
            let leaf = group.child(try name(CgroupTree.supervisorLeaf))
            #expect(try leaf.processes() == [child.pid])
            #expect(try !tree.moveIntoLeaf(process: child.pid))
            try group.kill()
            #expect(try child.next() == .killed(by: .kill, coreDumped: false))
        }
    }

    @Test func `says why it cannot be`() throws {
        try withGroup { group in
            let gone = group.child(try name("gone"))
            #expect(throws: LinuxError.self) { try gone.freeze() }
            #expect(throws: LinuxError.self) { try gone.events() }
            #expect(throws: LinuxError.self) { try gone.processes() }
            #expect(throws: LinuxError(errno: ENOENT, call: "mkdir", subject: gone.path + "/x")) {
                try gone.makeChild(try name("x"))
            }
            #expect(gone.cpuTime() == nil)
        }
    }
}

@Suite(.timeLimit(.minutes(60))) struct `A group without cgroup.kill` {
    @Test func `is killed process by process, and says when it never empties`() throws {
        try withTemporaryDirectory { directory in
            let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
            let list = "\(directory)/cgroup.procs"
            try "\(child.pid)\n0\n".write(toFile: list, atomically: false, encoding: .utf8)
            let group = Cgroup(path: directory)
            #expect(throws: LinuxError(errno: EAGAIN, call: "kill", subject: directory)) {
                try group.kill(passes: 3)
            }
            #expect(try child.next() == .killed(by: .kill, coreDumped: false))
            try "".write(toFile: list, atomically: false, encoding: .utf8)
            try group.kill(passes: 1)
        }
    }
}
