import Foundation
import Glibc
import Linux
import Testing

/// A group of cgroup v2 in which nothing but one process runs that waits for memory most of the time; all of it is gone when
/// the value ends.
///
/// The process writes to a file, again and again, in a group of cgroup v1 with a limit: the kernel has it wait until what it wrote
/// is on the disk.
final class Presser {
    let group: String
    private let below: String
    private let limited: String
    private let file: String
    private var process: Wrapper?

    private static let script = """
        import os, sys
        below, limited, path = sys.argv[1:]
        open(limited + "/memory.limit_in_bytes", "w").write(str(12 << 20))
        for group in below, limited: open(group + "/cgroup.procs", "w").write(str(os.getpid()))
        block = b"x" * (1 << 20)
        f = os.open(path, os.O_CREAT | os.O_RDWR)
        print("presses", flush=True)
        while True:
            os.lseek(f, 0, 0)
            for _ in range(64): os.write(f, block)
        """

    /// A group without pressure; `directory` takes the file.
    init(in directory: String) throws {
        let name = "torpor-test-\(UUID().uuidString)"
        guard case .cgroup(let tree) = FreezeMethod.detect(), let legacy = LegacyMemory.mountPoint() else {
            throw CocoaError(.featureUnsupported)
        }
        group = "\(tree.base.path)/\(name)"
        below = "\(group)/press"
        limited = "\(legacy)/\(name)"
        file = "\(directory)/pressed"
        for path in [group, below, limited] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    /// What is put in front of a command line that is to run in the group.
    var entrance: [String] {
        ["/bin/sh", "-c", "echo $$ > \(group)/cgroup.procs && exec \"$@\"", "sh"]
    }

    /// Begins to press.
    func press() throws {
        let process = try Wrapper(
            [], [], line: ["/usr/bin/python3", "-c", Self.script, below, limited, file])
        try process.output.until("presses")
        self.process = process
    }

    deinit {
        process = nil
        unlink(file)
        // What was killed may be there, and its page cache charged, a moment longer; a wrapper that was killed leaves its group.
        try? Cgroup(path: group).remove(patience: 5_000_000)
        for _ in 0..<5000 where rmdir(limited) != 0 && errno == EBUSY { usleep(1000) }
    }
}
