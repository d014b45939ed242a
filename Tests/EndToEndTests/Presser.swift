import Cgroups
import Foundation
import Glibc
import Linux
import Testing

/// A container, as far as memory goes: a group of cgroup v1 with a limit, and in it one process that takes nearly all that is left;
/// all of it is gone when the value ends.
///
/// What lives in it sees the limit as its machine's memory, and has a group of cgroup v2 for itself besides.
final class Presser {
    let group: String
    private let limited: String
    private var process: Wrapper?

    /// The memory of the container.
    private static let limit = 500 << 20

    /// Takes memory until 4 % of the limit are available, and keeps it; what the others of the container come to need beyond that it gives
    /// back, or the kernel would end the largest of them for want of memory, which it is itself.
    private static let script = """
        import os, sys, time
        limited, limit = sys.argv[1], int(sys.argv[2])
        open(limited + "/cgroup.procs", "w").write(str(os.getpid()))
        held = []
        def available():
            used = int(open(limited + "/memory.usage_in_bytes").read())
            stat = dict(line.split() for line in open(limited + "/memory.stat"))
            return limit - used + sum(int(stat["total_" + kind]) for kind in ("inactive_file", "active_file"))
        while available() > limit * 4 // 100: held.append(b"x" * (1 << 20))
        print("presses", flush=True)
        while True:
            time.sleep(0.01)
            while held and available() < limit * 3 // 100: held.pop()
        """

    /// A container with memory to spare.
    init() throws {
        let name = "torpor-test-\(UUID().uuidString)"
        guard case .cgroup(let tree) = FreezeMethod.detect(), let legacy = LegacyMemory.mountPoint() else {
            throw CocoaError(.featureUnsupported)
        }
        group = "\(tree.base.path)/\(name)"
        limited = "\(legacy)/\(name)"
        for path in [group, limited] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try String(Self.limit).write(
            toFile: "\(limited)/memory.limit_in_bytes", atomically: false, encoding: .utf8)
    }

    /// What is put in front of a command line that is to run in the container.
    var entrance: [String] {
        [
            "/bin/sh", "-c",
            "echo $$ > \(group)/cgroup.procs && echo $$ > \(limited)/cgroup.procs && exec \"$@\"", "sh",
        ]
    }

    /// Begins to press.
    func press() throws {
        let process = try Wrapper(
            [], [], line: ["/usr/bin/python3", "-c", Self.script, limited, "\(Self.limit)"])
        try process.output.until("presses")
        self.process = process
    }

    deinit {
        process = nil
        // What was killed may be there, and its page cache charged, a moment longer; a wrapper that was killed leaves its group.
        try? Cgroup(path: group).remove(patience: 5_000_000)
        for _ in 0..<5000 where rmdir(limited) != 0 && errno == EBUSY { usleep(1000) }
    }
}
