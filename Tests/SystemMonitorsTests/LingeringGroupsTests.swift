import Cgroups
import Glibc
import Launching
import Linux
import Systemd
import TestSupport
import Testing

@testable import WorkerIO

/// Groups that the kernel does not let go of yet.
@Suite(.timeLimit(.minutes(60)), .requires(.cgroupV2Writable)) struct `Groups that linger` {
    @Test func `are removed when their last process is gone, and kept when they are used again`() throws {
        try withGroup { top in
            let loop = try EventLoop()
            let groups = LingeringGroups(on: loop)
            let used = try top.makeChild(try #require(CgroupName("used")))
            let lingering = try top.makeChild(try #require(CgroupName("lingering")))
            let empty = try top.makeChild(try #require(CgroupName("empty")))
            var request = LaunchRequest("/bin/sleep", ["1000"], environment: .current)
            request.cgroup = lingering
            let child = try request.launch().pid
            request.cgroup = used
            let other = try request.launch().pid
            defer {
                kill(other, SIGKILL)
                waitpid(other, nil, 0)
            }
            for group in [used, lingering, empty] { groups.remove(group, nil) }
            #expect(!empty.exists && lingering.exists && used.exists)
            groups.keep(used)
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
            // By turns of the loop, or at the end at last.
            groups.finish()
            #expect(!lingering.exists && used.exists)
        }
    }

    @Test func `are tried again by the loop, until they are gone`() throws {
        try withGroup { top in
            let loop = try EventLoop()
            let groups = LingeringGroups(on: loop)
            let group = try top.makeChild(try #require(CgroupName("busy")))
            var request = LaunchRequest("/bin/sleep", ["1000"], environment: .current)
            request.cgroup = group
            let child = try request.launch().pid
            groups.remove(group, nil)
            #expect(group.exists)
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
            let look = SourceBox<TimeSource>()
            look.handle = try TimeSource(on: loop) { _ in
                if group.exists {
                    // Given up, where the machine had no time for all tries.
                    groups.remove(group, nil)
                    look.handle?.arm(at: KernelClock.monotonic + 1000)
                } else {
                    loop.exit(0)
                }
            }
            look.handle?.arm(at: 0)
            #expect(try loop.run() == 0)
        }
    }

    @Test func `that end together are removed by a thread, but for one that is used again`() throws {
        try withGroup { top in
            let loop = try EventLoop()
            let groups = LingeringGroups(on: loop)
            let all = try (0..<40).map { try top.makeChild(try #require(CgroupName("one-\($0)"))) }
            var request = LaunchRequest("/bin/sleep", ["1000"], environment: .current)
            request.cgroup = all[20]
            let child = try request.launch().pid
            for group in all { groups.remove(group, nil) }
            // The one the thread may have removed by now; the other has not been given to it.
            groups.keep(all[30])
            groups.keep(all[38])
            let kept = [all[30], all[38]].filter(\.exists)
            #expect(kept.last == all[38])
            let look = SourceBox<TimeSource>()
            var hasEnded = false
            look.handle = try TimeSource(on: loop) { _ in
                let left = all.filter(\.exists)
                if !hasEnded, left.count <= kept.count + 1 {
                    kill(child, SIGKILL)
                    waitpid(child, nil, 0)
                    hasEnded = true
                }
                // Given up, where the machine had no time for all tries.
                if hasEnded, left.contains(all[20]) { groups.remove(all[20], nil) }
                if left == kept {
                    loop.exit(0)
                } else {
                    look.handle?.arm(at: KernelClock.monotonic + 1000)
                }
            }
            look.handle?.arm(at: 0)
            #expect(try loop.run() == 0)
            #expect(all.filter(\.exists) == kept)
        }
    }

    @Test func `that end together are gone at the end, whether the thread has had them or not`() throws {
        try withGroup { top in
            let loop = try EventLoop()
            let groups = LingeringGroups(on: loop)
            let all = try (0..<40).map { try top.makeChild(try #require(CgroupName("one-\($0)"))) }
            for group in all { groups.remove(group, nil) }
            groups.finish()
            #expect(all.filter(\.exists) == [])
        }
    }
}
