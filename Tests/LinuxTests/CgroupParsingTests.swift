import Testing

@testable import Cgroups
@testable import Linux

@Suite struct `Names of groups` {
    @Test(arguments: [
        "worker-web", "a", "web.service", "CPU.max", "worker-cgroup.procs", "x\u{e9}", "cpus.max",
    ])
    func `are taken`(_ name: String) { #expect(CgroupName(name)?.text == name) }

    @Test(arguments: [
        "", ".", "..", ".hidden", "a/b", "/", "a\0", "a\nb", "cgroup.procs", "cgroup.", "memory.max",
        "cpu.weight",
        "cpuset.cpus.partition", "io.pressure", "pids.max", "hugetlb.2MB.max", "misc.max", "rdma.max",
        "tasks",
        "dmem.max", "irq.pressure", "release_agent",
    ])
    func `are refused`(_ name: String) { #expect(CgroupName(name) == nil) }

    @Test func `have 255 bytes at most`() {
        #expect(CgroupName(String(repeating: "n", count: 255)) != nil)
        #expect(CgroupName(String(repeating: "n", count: 256)) == nil)
        #expect(CgroupName(String(repeating: "\u{e9}", count: 128)) == nil)
    }
}

@Suite struct `cgroup.events` {
    struct Reading: Sendable {
        let text: String
        let populated: Bool
        let frozen: Bool
    }

    @Test(arguments: [
        Reading(text: "populated 1\nfrozen 0\n", populated: true, frozen: false),
        Reading(text: "frozen 1\npopulated 0\n", populated: false, frozen: true),
        Reading(text: "populated 1\nfuture 7\nfrozen 1", populated: true, frozen: true),
        Reading(text: "populated 1\n", populated: true, frozen: false),
        Reading(text: "", populated: false, frozen: false),
        Reading(
            text: "garbage\n\n \nfrozen\nfrozen x\nfrozen  1\npopulated 1 1\n", populated: false,
            frozen: false),
        Reading(text: "unfrozen 1\nfrozen 11\n", populated: false, frozen: false),
    ])
    func `is read whatever else is in it`(_ reading: Reading) {
        let events = CgroupEvents(parsing: reading.text)
        #expect(events == CgroupEvents(isPopulated: reading.populated, isFrozen: reading.frozen))
    }
}

@Suite struct `Mounts of the v2 tree` {
    @Test func `are found among others, the last first`() {
        let text = """
            22 27 0:21 / /proc rw,relatime - proc proc rw
            40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime shared:5 - cgroup cgroup rw,name=systemd
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw,nsdelegate
            garbage - cgroup2
            42 31 0:38 /a\\040b /mnt/with\\040space\\134 ro - cgroup2 cgroup2 rw
            43 31 0:38 / /bad -
            44 31 0:38 / - - - -
            """
        #expect(
            CgroupMount.parse(mountinfo: text) == [
                CgroupMount(root: "/a b", mountPoint: "/mnt/with space\\", isReadOnly: true),
                CgroupMount(root: "/", mountPoint: "/sys/fs/cgroup/unified", isReadOnly: false),
            ])
    }

    @Test(
        arguments: [
            ("/", "/sys/fs/cgroup", "/", "/sys/fs/cgroup"),
            ("/", "/sys/fs/cgroup", "/system.slice/a.service", "/sys/fs/cgroup/system.slice/a.service"),
            ("/docker/x", "/cg", "/docker/x", "/cg"),
            ("/docker/x", "/cg", "/docker/x/y", "/cg/y"),
            ("/docker/x", "/cg", "/docker/xy", nil),
            ("/docker/x", "/cg", "/other", nil),
            ("/", "/cg", "/../outside", nil),
            ("/..", "/cg", "/here", nil),
            ("/", "/", "/a", "/a"),
        ] as [(String, String, String, String?)])
    func `show a group or do not`(_ root: String, _ point: String, _ group: String, _ directory: String?) {
        let mount = CgroupMount(root: root, mountPoint: point, isReadOnly: false)
        #expect(mount.directory(of: group) == directory)
    }

    @Test(
        arguments: [
            ("9:name=systemd:/x\n4:memory:/y\n0::/own/group\n", "/own/group"), ("0::/\n", "/"),
            ("0::/a b:c\n", "/a b:c"),
            ("0::/gone (deleted)\n", nil), ("4:memory:/y\n", nil), ("", nil), ("0::relative\n", nil),
        ] as [(String, String?)])
    func `know our own group`(_ text: String, _ group: String?) {
        #expect(CgroupMount.ownGroup(parsing: text) == group)
    }
}

@Suite struct `The choice of a freezer` {
    private let mount = CgroupMount(root: "/", mountPoint: "/cg", isReadOnly: false)

    private func choose(
        _ own: String?, mounts: [CgroupMount]? = nil, delegated: Set<String> = [], systemd: Bool = true,
        obstacle: String? = nil, holder: String? = nil, groups: Set<String> = []
    ) -> FreezeMethod {
        let facts = CgroupFacts(
            isDelegated: { delegated.contains($0) }, exists: { groups.contains($0) },
            isManagedBySystemd: { systemd },
            obstacle: { _ in obstacle })
        return FreezeMethod.decide(mounts: mounts ?? [mount], ownGroup: own, holder: holder, facts: facts)
    }

    private func base(_ method: FreezeMethod) -> String? {
        guard case .cgroup(let tree) = method else { return nil }
        return tree.base.path
    }

    private func reason(_ method: FreezeMethod) -> String? {
        guard case .signals(let reason) = method else { return nil }
        return reason
    }

    @Test func `takes a delegated group, its leaf, or a tree without systemd`() {
        #expect(base(choose("/a.service", delegated: ["/cg/a.service"])) == "/cg/a.service")
        #expect(base(choose("/a.service/supervisor", delegated: ["/cg/a.service"])) == "/cg/a.service")
        #expect(base(choose("/x", systemd: false)) == "/cg/x")
        #expect(base(choose("/x/supervisor", systemd: false)) == "/cg/x")
        #expect(base(choose("/", systemd: false)) == "/cg")
    }

    private func outlivesUs(_ method: FreezeMethod) -> Bool {
        if case .cgroup(let tree) = method { tree.outlivesUs } else { false }
    }

    @Test func `takes a unit beside ours that is there for the workers, if it was delegated`() {
        let holder = "w.service"
        for own in ["/app.slice/a.service", "/app.slice/a.service/supervisor"] {
            let both: Set = ["/cg/app.slice/a.service", "/cg/app.slice/w.service"]
            let held = choose(own, delegated: both, holder: holder)
            #expect(base(held) == "/cg/app.slice/w.service" && outlivesUs(held))
            let without = choose(own, delegated: ["/cg/app.slice/a.service"], holder: holder)
            #expect(base(without) == "/cg/app.slice/a.service" && !outlivesUs(without))
            let alone = choose(own, delegated: ["/cg/app.slice/w.service"], holder: holder)
            #expect(base(alone) == "/cg/app.slice/w.service")
        }
        #expect(base(choose("/a.service", delegated: ["/cg/w.service"], holder: holder)) == "/cg/w.service")
        let kept = choose(
            "/u/app.slice/a.service", holder: holder, groups: ["/cg/u/app.slice/w.service/keeper"])
        #expect(base(kept) == "/cg/u/app.slice/w.service" && outlivesUs(kept))
        #expect(base(choose("/", systemd: false, holder: holder)) == "/cg")
        #expect(reason(choose("/x/y.scope", delegated: ["/cg/w.service"], holder: holder)) != nil)
    }

    @Test func `takes signals where the groups are not ours, and says why`() {
        #expect(reason(choose("/user.slice/session-1.scope"))?.contains("Delegate=yes") == true)
        #expect(
            reason(choose("/a.service/other", delegated: ["/cg/a.service"]))?.contains("Delegate=yes") == true
        )
        #expect(reason(choose(nil))?.contains("not in a cgroup v2 tree") == true)
        #expect(reason(choose("/", mounts: []))?.contains("no cgroup v2 tree") == true)
        #expect(reason(choose("/../x"))?.contains("not visible") == true)
        #expect(reason(choose("/", systemd: false, obstacle: "too old")) == "too old")
        let readOnly = CgroupMount(root: "/", mountPoint: "/cg", isReadOnly: true)
        #expect(reason(choose("/", mounts: [readOnly], systemd: false)) == "/cg is mounted read-only")
    }

    @Test func `is made here too`() {
        switch FreezeMethod.detect() {
        case .cgroup(let tree): #expect(tree.base.exists)
        case .signals(let reason): #expect(!reason.isEmpty)
        }
    }

    @Test func `names the workers' groups`() {
        let tree = CgroupTree(base: Cgroup(path: "/cg"), reason: "")
        #expect(tree.workerGroup("web")?.path == "/cg/worker-web")
        #expect(tree.workerGroup("a/b") == nil)
    }
}
