import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Linux
@testable import Processes

/// Which worker a process belongs to: by the very group that was made, and by a descriptor that means one process.
@Suite(.timeLimit(.minutes(60))) struct `Membership in a group` {
    /// A group of the test's own, gone with its processes at the end.
    private final class Room {
        let base: Cgroup

        init() throws {
            guard case .cgroup(let tree) = FreezeMethod.detect() else { throw TimedOut() }
            let name = try #require(
                CgroupName("torpor-membership-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"))
            base = try tree.base.makeChild(name)
        }

        deinit {
            try? base.kill()
            try? base.remove(patience: 2_000_000)
        }

        func group(_ path: String...) throws -> Cgroup {
            var group = base
            for part in path { group = try group.makeChild(try #require(CgroupName(part))) }
            return group
        }
    }

    @Test(.requires(.cgroupV2Writable))
    func `a group of the same name elsewhere in the tree is another group`() throws {
        let room = try Room()
        let worker = try room.group("worker-victim")
        let foreign = try room.group("user", "worker-victim")
        let below = try room.group("worker-victim", "part")
        let child = try Child(script: "sleep 1000")
        try foreign.adopt(process: child.pid)
        #expect(!worker.contains(process: child.pid))
        #expect(foreign.contains(process: child.pid))
        try below.adopt(process: child.pid)
        #expect(worker.contains(process: child.pid))
        #expect(!foreign.contains(process: child.pid))
        // The beginning of a name is no directory above it.
        let longer = try room.group("worker-victim2")
        try longer.adopt(process: child.pid)
        #expect(!worker.contains(process: child.pid))
    }

    @Test(.requires(.cgroupV2Writable))
    func `the kernel's id of a group is that of its directory`() throws {
        let room = try Room()
        let worker = try room.group("worker-victim")
        let other = try room.group("other")
        let child = try Child(script: "sleep 1000")
        try worker.adopt(process: child.pid)
        let pidfd = try Pidfd(pid: child.pid)
        let credentials = PeerCredentials(pid: child.pid, uid: geteuid(), gid: getegid())
        // Kernels before 6.13 do not tell.
        guard let id = PeerProcess(credentials, pidfd: pidfd.descriptor).lastGroup else { return }
        #expect(worker.contains(group: id))
        #expect(room.base.contains(group: id))
        #expect(!other.contains(group: id))
    }

    @Test func `a mount point and its root make the path that processes are told`() {
        let whole = CgroupMount(root: "/", mountPoint: "/sys/fs/cgroup", isReadOnly: false)
        #expect(whole.group(at: "/sys/fs/cgroup/a/b") == "/a/b")
        #expect(whole.group(at: "/sys/fs/cgroup") == "/")
        #expect(whole.group(at: "/sys/fs/cgroups/a") == nil)
        let part = CgroupMount(root: "/docker/1", mountPoint: "/sys/fs/cgroup", isReadOnly: false)
        #expect(part.group(at: "/sys/fs/cgroup/a") == "/docker/1/a")
    }

    @Test func `a peer that was reaped is gone, whatever has its number now`() throws {
        let child = try Child(script: "sleep 1000")
        let credentials = PeerCredentials(pid: child.pid, uid: geteuid(), gid: getegid())
        let pidfd = try Pidfd(pid: child.pid)
        let peer = PeerProcess(credentials, pidfd: pidfd.descriptor)
        #expect(peer.judge { $0 == child.pid } == .isSo)
        #expect(peer.judge { _ in false } == .isNot)
        // Another process, under the number that this one claims.
        let other = PeerProcess(
            PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid()), pidfd: pidfd.descriptor)
        #expect(other.judge { _ in true } == .gone)
    }

    @Test func `without pidfds the user of a peer has to be one that the process has`() {
        let own = PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid())
        #expect(PeerProcess(own).judge { _ in true } == .isSo)
        let stranger = PeerCredentials(pid: getpid(), uid: geteuid() + 4201, gid: getegid())
        #expect(PeerProcess(stranger).judge { _ in true } == .isNot)
        #expect(PeerProcess(stranger).judge(users: [geteuid() + 4201]) { _ in true } == .isSo)
        #expect(PeerProcess(stranger, tellsPidfd: true).judge { _ in true } == .gone)
    }
}
