import Lifecycle
import Pressure
import Testing

/// What the kernel's text files are read as, with garbage before, inside and behind.
@Suite struct `Figures of memory` {
    private static let some = "some avg10=1.25 avg60=0.50 avg300=0.00 total=1200000\n"
    private static let full = "full avg10=0.07 avg60=100.00 avg300=0.00 total=3\n"

    @Test func `pressure is read, whatever surrounds it`() throws {
        let stall = try #require(PressureStall(parsing: Self.some + Self.full))
        #expect(stall.some.average10 == 1.25 && stall.some.average60 == 0.5)
        #expect(stall[.some].total == .milliseconds(1200))
        #expect(stall[.full].average10 == 0.07 && stall.full.average60 == 100)
        #expect(PressureStall(parsing: "new avg10=7\n\n" + Self.some + "full\n" + Self.full + "x") == stall)
        #expect(PressureStall(parsing: Self.some + Self.full.dropLast() + " avg900=x more\n") == stall)
    }

    @Test(arguments: [
        "", "some\nfull\n", some, full, "some avg10=x avg60=0.50 avg300=0.00 total=1\n" + full,
        "some avg10=-1.00 avg60=0.50 avg300=0.00 total=1\n" + full,
        "some avg10=nan avg60=0.50 avg300=0.00 total=1\n" + full,
        "some avg10=1e2 avg60=0.50 avg300=0.00 total=1\n" + full,
        "some avg10=1.25 avg60=0.50 avg300=0.00\n" + full,
        "some avg10=1.25 avg60=0.50 avg300=0.00 total=99999999999999999999\n" + full, "\n \n", "total=1",
    ])
    func `what is no pressure file is none`(_ text: String) {
        #expect(PressureStall(parsing: text) == nil)
    }

    @Test func `the events of a group are read, those that an older kernel lacks as none`() {
        let text = "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\nnew_one 7\n"
        let all = MemoryEvents(low: 1, high: 2, max: 3, oom: 4, oomKill: 5, oomGroupKill: 6)
        #expect(MemoryEvents(parsing: text) == all)
        #expect(MemoryEvents(parsing: "\nhuh\nmax -3\n" + text + "max 9\n") == all)
        #expect(MemoryEvents(parsing: "max 3\noom 4") == MemoryEvents(max: 3, oom: 4))
        for none in ["", "max 3", "oom 4", "max x\noom 1", "max\noom\n"] {
            #expect(MemoryEvents(parsing: none) == nil)
        }
    }

    @Test func `what happened since is the difference, or all of another group's`() {
        let before = MemoryEvents(high: 2, max: 3, oomKill: 5)
        #expect(MemoryEvents(high: 2, max: 4, oomKill: 6).since(before) == MemoryEvents(max: 1, oomKill: 1))
        #expect(MemoryEvents(high: 1, max: 3, oomKill: 5).since(before) == MemoryEvents(high: 1))
    }

    @Test func `the memory of a process is read, whatever surrounds it`() {
        let status = "Name:\tcat kB\nVmRSS:\t    2048 kB\nRssAnon:\t 512 kB\nVmSwap:\t 4 kB\nThreads:\t1\n"
        #expect(WorkerMemory(status: status) == WorkerMemory(resident: 2048 << 10, swapped: 4 << 10))
        #expect(WorkerMemory(status: "VmRSS: 1 kB") == WorkerMemory(resident: 1 << 10))
        let rollup =
            "1000-2000 ---p 0 0 0 [rollup]\nRss: 9 kB\nPss: 3 kB\nPss_Anon: 1 kB\nSwap: 8 kB\nSwapPss: 2 kB\n"
        #expect(WorkerMemory(rollup: rollup) == WorkerMemory(resident: 3 << 10, swapped: 2 << 10))
        // Before Linux 4.14 there was no share of the swap.
        #expect(
            WorkerMemory(rollup: "Pss: 3 kB\nSwap: 8 kB") == WorkerMemory(resident: 3 << 10, swapped: 8 << 10)
        )
        for text in [
            "", "VmRSS:\nPss:\n", "VmRSS: x kB\nPss: x kB", "VmRSS: -1 kB\nPss: -1 kB",
            "VmRSS: 99999999999999999999 kB\nPss: 99999999999999999999 kB", "xVmRSS: 1 kB\nPs: 1 kB",
            "VmRSS: 9223372036854775807 kB\nPss: 9223372036854775807 kB",
            "Name:\tzombie\nState:\tZ (zombie)\n",
        ] {
            #expect(WorkerMemory(status: text) == nil, "\(text)")
            #expect(WorkerMemory(rollup: text) == nil, "\(text)")
        }
    }

    struct Group: Sendable {
        let limit: String
        let usage: String
        let stat: String
        let memory: GroupMemory?
    }

    static let groups: [Group] = [
        Group(
            limit: "1000\n", usage: "900\n",
            stat: "anon 500\nfile 300\ninactive_file 100\nactive_file 50\nslab_reclaimable 30\nshmem 150\n",
            memory: GroupMemory(limit: 1000, used: 900, reclaimable: 180)),
        // cgroup v1: what is in the groups below counts too.
        Group(
            limit: "1000", usage: "900",
            stat: "inactive_file 1\nactive_file 2\ntotal_inactive_file 100\ntotal_active_file 50\n",
            memory: GroupMemory(limit: 1000, used: 900, reclaimable: 150)),
        Group(limit: "1000", usage: "900", stat: "", memory: GroupMemory(limit: 1000, used: 900)),
        Group(
            limit: "1000", usage: "900", stat: "garbage\nfile x", memory: GroupMemory(limit: 1000, used: 900)),
        Group(limit: "max\n", usage: "900", stat: "", memory: nil),
        Group(limit: "9223372036854771712\n", usage: "900", stat: "", memory: nil),
        Group(limit: "0", usage: "900", stat: "", memory: nil),
        Group(limit: "", usage: "900", stat: "", memory: nil),
        Group(limit: "-5", usage: "900", stat: "", memory: nil),
        Group(limit: "1000", usage: "", stat: "", memory: nil),
        Group(limit: "1000", usage: "x", stat: "", memory: nil),
    ]

    @Test(arguments: groups.indices) func `a group's own memory is read of both hierarchies`(_ row: Int) {
        let row = Self.groups[row]
        #expect(GroupMemory(limit: row.limit, usage: row.usage, stat: row.stat) == row.memory)
    }

    @Test func `what a group could have more of is never less than nothing, nor more than its limit`() {
        #expect(GroupMemory(limit: 1000, used: 900, reclaimable: 180).available == 280)
        #expect(GroupMemory(limit: 1000, used: 1100, reclaimable: 50).available == 0)
        #expect(GroupMemory(limit: 1000, used: 10, reclaimable: 500).available == 1000)
        #expect(GroupMemory(limit: 1, used: .max, reclaimable: .max).available == 1)
    }

    struct Bounds: Sendable {
        let groups: [GroupMemory]
        /// Total and available.
        let total: Int64
        let available: Int64
    }

    static let bounds: [Bounds] = [
        Bounds(groups: [], total: 1000, available: 400),
        Bounds(groups: [GroupMemory(limit: 100, used: 90)], total: 100, available: 10),
        Bounds(groups: [GroupMemory(limit: 100, used: 90, reclaimable: 80)], total: 1000, available: 400),
        Bounds(
            groups: [GroupMemory(limit: 100, used: 80), GroupMemory(limit: 500, used: 490)], total: 500,
            available: 10),
        // No limit at all: the machine has no more.
        Bounds(groups: [GroupMemory(limit: 1000, used: 990)], total: 1000, available: 400),
        Bounds(groups: [GroupMemory(limit: 5000, used: 4990)], total: 1000, available: 400),
        // It may have more than the machine has left.
        Bounds(groups: [GroupMemory(limit: 900, used: 100)], total: 1000, available: 400),
    ]

    @Test(arguments: bounds.indices) func `the tightest of the machine and its groups counts`(_ row: Int) {
        let row = Self.bounds[row]
        let machine = MachineMemory(total: 1000, available: 400, swapTotal: 7, swapFree: 3)
        #expect(
            machine.within(row.groups)
                == MachineMemory(total: row.total, available: row.available, swapTotal: 7, swapFree: 3))
    }

    @Test(arguments: [(1000, 3), (970, 300), (510, 300)])
    func `while all have plenty the fewest bytes count`(available: Int64, used: Int64) {
        let machine = MachineMemory(total: 24_000, available: available * 24)
        let tightest = machine.within([GroupMemory(limit: 600, used: used)])
        #expect(tightest == MachineMemory(total: 600, available: 600 - used))
    }

    @Test func `the machine's memory is read in bytes`() throws {
        let text = """
            MemTotal:       24684084 kB
            MemFree:        22405944 kB
            MemAvailable:   12342042 kB
            SwapTotal:          1000 kB
            SwapFree:            400 kB
            HugePages_Total:       0
            """
        let memory = try #require(MachineMemory(parsing: text))
        #expect(memory.total == 24_684_084 * 1024 && memory.availablePercent == 50)
        #expect(memory.swapUsed == 600 * 1024)
        #expect(MachineMemory(parsing: "x\nMemTotal: 10 kB\nMemAvailable: 12 kB\n")?.available == 10240)
        for none in [
            "", "MemTotal: 10 kB", "MemAvailable: 10 kB", "MemTotal: 0 kB\nMemAvailable: 0 kB",
            "MemTotal: 9223372036854775807 kB\nMemAvailable: 1 kB", "MemTotal:\nMemAvailable:",
        ] { #expect(MachineMemory(parsing: none) == nil) }
    }

    @Test func `swap on zram is known from swap on a disk`() {
        let text = """
            Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
            /dev/zram0                              partition\t300\t\t30\t\t100
            /swap\\040file                          file\t\t100\t\t10\t\t-2
            /dev/odd partition 10 20 1
            /dev/odd partition x
            """
        let areas = SwapAreas(parsing: text)
        #expect(areas.areas.map(\.name) == ["/dev/zram0", "/swap\\040file"])
        #expect(areas.areas.map(\.isCompressedMemory) == [true, false])
        #expect(areas.compressedPercent == 75)
        #expect(SwapAreas(parsing: "").compressedPercent == 0)
        #expect(SwapAreas([.init(name: "/dev/zram1", size: 5, used: 0)]).compressedPercent == 100)
    }

    @Test func `a trigger is written as the kernel reads it`() throws {
        let usual = PressureTrigger(.some, percent: 10)
        #expect(usual.text == "some 200000 2000000" && usual.isTakenUnprivileged)
        #expect(PressureTrigger(parsing: usual.text + "\0") == usual)
        let quick = try #require(
            PressureTrigger(.full, stall: .milliseconds(150), window: .milliseconds(1000)))
        #expect(quick.text == "full 150000 1000000" && !quick.isTakenUnprivileged)
        #expect(PressureTrigger(.full, percent: 500, window: .seconds(60)).text == "full 10000000 10000000")
        #expect(PressureTrigger(.full, percent: .nan, window: .zero).text == "full 2000000 2000000")
        #expect(PressureTrigger(.some, percent: -1).text == "some 1 2000000")
    }

    @Test(arguments: [
        "", "some", "some 1", "some 0 2000000", "some 3000000 2000000", "some 1 499999", "some 1 10000001",
        "most 1 2000000", "some -1 2000000", "some 1 2000000 3", "some 99999999999999999999 2000000",
    ])
    func `what the kernel would refuse is no trigger`(_ text: String) {
        #expect(PressureTrigger(parsing: text) == nil)
    }
}
