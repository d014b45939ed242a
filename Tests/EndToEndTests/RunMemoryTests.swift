import Cgroups
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

extension Capability {
    /// A limit of cgroup v1 for a group of processes, as a container has one.
    static let limitedGroup = Capability("a group of cgroup v1 with a limit of memory") {
        guard let legacy = LegacyMemory.mountPoint(), access(legacy, W_OK) == 0 else {
            return "the memory controller is not on cgroup v1, or not ours"
        }
        return nil
    }

    /// The wrapper alone enforces `MemoryMax=`.
    static let noMemoryController = Capability("no memory controller for us") {
        guard case .cgroup(let tree) = FreezeMethod.detect() else { return nil }
        return tree.base.availableControllers().contains(.memory) ? "the kernel sees to limits here" : nil
    }
}

/// Limits of memory around `torpor run`, and of its command (2.3, 3.5).
@Suite(.long, .timeLimit(.minutes(60))) struct `torpor run and limits of memory` {
    /// Holds so many megabytes, of which none is like another, and says so; then reads its input.
    private static let holder = """
        import os, socket, sys
        held = [os.urandom(1 << 20) for _ in range(int(sys.argv[1]))]
        print(os.environ.get("TORPOR_LAUNCH_REASON"), flush=True)
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"].replace("@", "\\0", 1))
        sys.stdin.read()
        """

    /// Comes to hold more and more: so many megabytes with a pause of so many seconds after each, and so on.
    private static let grower = """
        import os, sys, time
        held = []
        for count, pause in zip(sys.argv[1::2], sys.argv[2::2]):
            for _ in range(int(count)):
                held.append(os.urandom(1 << 20))
                time.sleep(float(pause))
        print("grown", flush=True)
        time.sleep(1000)
        """

    @Test(.requires(.limitedGroup))
    func `in a container the command that sleeps goes before the container's limit is met`() throws {
        let group = "\(try #require(LegacyMemory.mountPoint()))/torpor-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
        defer { for _ in 0..<5000 where rmdir(group) != 0 && errno == EBUSY { usleep(1000) } }
        try "\(256 << 20)".write(
            toFile: "\(group)/memory.limit_in_bytes", atomically: false, encoding: .utf8)
        let entrance = ["/bin/sh", "-c", "echo $$ > \(group)/cgroup.procs && exec \"$@\"", "sh"]
        let (input, typing) = try makePipe()
        defer { close(typing) }
        let run = try Wrapper(
            ["-v", "--type", "notify", "--idle", "500ms", "--evictable=silent"],
            ["python3", "-c", Self.holder, "110"], through: entrance, input: input)
        close(input)
        let socket = String(
            try run.errors.until("control socket ").split(separator: " ").last ?? "")
        #expect(try run.output.next() == "operator")
        try run.errors.until("background → suspended (idle)")
        let status = try Wrapper([], [], line: [Wrapper.program, "status", "--socket", socket])
        let lines = try status.output.rest()
        #expect(lines.contains { $0.contains("of 256.0M available") }, "\(lines)")
        #expect(lines.contains { $0.contains("at most 256.0M is available") }, "\(lines)")
        // More than there is room for beside the sleeper; slower where it gets narrow, for a machine that has more to do.
        let growth = ["85", "0.04", "35", "0.15", "50", "0.04"]
        let other = try Wrapper([], [], line: entrance + ["/usr/bin/python3", "-c", Self.grower] + growth)
        // Before it, others' pressure may have been called critical.
        let said = try run.errors.until("evicting it")
        #expect(said.contains("suspended"), "\(said)")
        try run.errors.until("suspended → notRunning (evicted)")
        try other.output.until("grown")
        let kills = try String(contentsOfFile: "\(group)/memory.oom_control", encoding: .utf8)
        #expect(kills.contains("oom_kill 0"), "\(kills)")
        run.send(SIGTERM)
        #expect(try run.wait() == .exited(128 + SIGTERM))
    }

    @Test(.requires(.noMemoryController))
    func `a command that grows over --memory-max is ended, where nobody else sees to that`() throws {
        let run = try Wrapper(
            ["-v", "--memory-max", "64M"], ["/usr/bin/python3", "-c", Self.grower, "4000", "0.02"])
        try run.errors.until("--memory-max is enforced by torpor")
        try run.errors.until("over its own memory limit")
        // At 50 MB a second, with a look each second at the least.
        #expect(try run.wait() == .exited(128 + SIGTERM))
        #expect(try run.output.rest().isEmpty)
    }
}
