import Testing

@testable import Cgroups
@testable import Linux
@testable import Processes

@Suite struct `Memory of processes and groups` {
    @Test func `pages are given back of what is mapped and can be used`() {
        let maps = """
            5590-55a0 r-xp 00000000 fe:00 1 /bin/cat with blanks
            7000-7001 ---p 00000000 00:00 0
            garbage
            -
            8000-8000 rw-p 00000000 00:00 0
            9000-8000 rw-p 00000000 00:00 0
            a000-b000 rw-p 00000000 00:00 0 [heap]
            c000-d000 r-xp 00000000 00:00 0 [vdso]
            d000-e000 r--p 00000000 00:00 0 [vvar]
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
            f000-10000 rw-p 0 0 0
            """
        #expect(PageOut.ranges(inMaps: maps) == [0x5590..<0x55a0, 0xa000..<0xb000, 0xf000..<0x10000])
    }

    @Test func `a hybrid machine's group is told apart from ours`() {
        let cgroup = "9:name=systemd:/\n4:hugetlb,memory:/games/mc\n0::/\n"
        #expect(LegacyMemory.group(parsing: cgroup) == "/games/mc")
        #expect(LegacyMemory.group(parsing: "4:memory:/gone (deleted)\n") == nil)
        #expect(LegacyMemory.group(parsing: "0::/memory\nx\n:memory\n") == nil)
        let mounts = """
            35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
            41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,memory_recursiveprot
            """
        #expect(LegacyMemory.mountPoint(parsing: mounts) == "/sys/fs/cgroup/memory")
        #expect(LegacyMemory.mountPoint(parsing: "35 31 0:32 /sub /m rw - cgroup cgroup rw,memory\n") == nil)
        #expect(LegacyMemory.mountPoint(parsing: "41 31 0:38 / /u rw - cgroup2 c rw\n- -\n") == nil)
    }

    struct Bounds: Sendable {
        let mounts: String
        let groups: String
        var above: String?
        let paths: [String]
    }

    private static let unified = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
    private static let hybrid =
        "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /cg/unified rw - cgroup2 c rw\n"

    static let bounds: [Bounds] = [
        Bounds(
            mounts: unified, groups: "0::/a.slice/b.service\n",
            paths: ["/sys/fs/cgroup/a.slice/b.service", "/sys/fs/cgroup/a.slice", "/sys/fs/cgroup"]),
        // A container: it is the root of what it sees.
        Bounds(mounts: unified, groups: "0::/\n", paths: ["/sys/fs/cgroup"]),
        Bounds(
            mounts: "41 31 0:38 /docker/x /sys/fs/cgroup ro - cgroup2 c rw\n", groups: "0::/docker/x\n",
            paths: ["/sys/fs/cgroup"]),
        // Workers in a group other than the daemon's.
        Bounds(
            mounts: unified, groups: "0::/s/torpord.service\n",
            above: "/sys/fs/cgroup/s/torpor-workers.service",
            paths: ["/sys/fs/cgroup/s/torpor-workers.service", "/sys/fs/cgroup/s", "/sys/fs/cgroup"]),
        Bounds(
            mounts: hybrid, groups: "4:memory:/p/q\n0::/u\n", above: "/cg/unified/u",
            paths: ["/cg/memory/p/q", "/cg/memory/p", "/cg/memory"]),
        Bounds(mounts: hybrid, groups: "0::/u\n", paths: ["/cg/unified/u", "/cg/unified"]),
        Bounds(mounts: unified, groups: "0::/../outside\n", paths: []),
        Bounds(mounts: unified, groups: "", paths: []), Bounds(mounts: "", groups: "0::/\n", paths: []),
    ]

    @Test(arguments: bounds.indices) func `limits hold of every group above, as far as it is seen`(_ row: Int)
    {
        let row = Self.bounds[row]
        let found = MemoryBound.all(
            above: row.above.map(Cgroup.init(path:)), mountinfo: row.mounts, groups: row.groups)
        #expect(found.map(\.path) == row.paths)
    }

    @Test func `its own figures are those of a living process`() throws {
        let own = try #require(ProcessMemory.resident(of: ThisProcess.pid))
        #expect(own > 1 << 20 && own % 4096 == 0)
        #expect(ProcessMemory.status(of: ThisProcess.pid)?.contains("VmRSS:") == true)
        #expect(ProcessMemory.rollup(of: ThisProcess.pid)?.contains("Pss:") == true)
        #expect(ProcessMemory.resident(of: -5) == nil && ProcessMemory.status(of: -5) == nil)
        #expect(ProcessMemory.rollup(of: -5) == nil)
    }
}
