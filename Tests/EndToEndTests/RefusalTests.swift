import Foundation
import Glibc
import TestSupport
import Testing

/// A kernel that refuses what a daemon uses, or hides it.
@Suite(.long, .timeLimit(.minutes(60))) struct `A daemon on a kernel` {
    private static let files = [
        "idle": "[Worker]\nExecStart=/bin/sleep 1000\n[Notifications]\nchat=exec:/bin/true\n",
        "web": WorkerFiles.sleeper,
    ]

    struct Refused: CustomStringConvertible {
        let calls: String
        /// What doctor says of it; nil where nothing is lost by it.
        let words: String?

        var description: String { calls }
    }

    static let refused = [
        Refused(calls: "clone3=\(ENOSYS)", words: nil),
        Refused(calls: "close_range=\(ENOSYS)", words: nil),
        Refused(calls: "pidfd_send_signal=\(ENOSYS)", words: nil),
        Refused(calls: "mlockall=\(ENOMEM)", words: nil),
        Refused(calls: "pidfd_open=\(ENOSYS)", words: "a seccomp filter refuses pidfd_open"),
        Refused(calls: "pidfd_getfd=\(EPERM)", words: "a seccomp filter refuses pidfd_getfd"),
        Refused(calls: "process_madvise=\(ENOSYS)", words: "process_madvise: Function not implemented"),
        Refused(calls: "inotify_init1=\(EMFILE)", words: "inotify"),
        Refused(calls: "bpf=\(EPERM)", words: "a seccomp filter refuses bpf(2)"),
        Refused(calls: "seccomp=\(EPERM)", words: "a seccomp filter refuses seccomp(2)"),
        // A program from before Linux 5.2, as far as these are concerned.
        Refused(
            calls: "clone3=\(ENOSYS),close_range=\(ENOSYS),pidfd_open=\(ENOSYS),pidfd_getfd=\(ENOSYS),"
                + "pidfd_send_signal=\(ENOSYS),process_madvise=\(ENOSYS)",
            words: "refuses pidfd_open"),
    ]

    @Test(.requires(.badLuck), .requires(.cgroupV2Writable), arguments: refused)
    func `without a call leads its workers all the same, and doctor tells what is lacking`(
        _ refused: Refused
    ) throws {
        let daemon = try DaemonUnderTest(Self.files, through: BadLuck.refusing(refused.calls))
        let web = try daemon.awaitWeb()
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.list().last?.state == "suspended")
        #expect(try daemon.post(1).status == 0)
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try daemon.torpor("doctor").status == 0)
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("✓ freezer"), "\(doctor)")
        if let words = refused.words {
            // What gives memory back where the controller is there needs no call.
            let line = doctor.split(separator: "\n").first { $0.contains(words) }
            #expect(line?.hasPrefix("✗") == true || doctor.contains("memory.reclaim"), "\(doctor)")
        }
        try daemon.killAndRestart()
        let adopted = try #require(try daemon.list().last)
        #expect(adopted.pid == web && adopted.state == "active" && adopted.adopted == true)
        #expect(try daemon.torpor("kill", "web").status == 0)
        try awaitEnd(of: web)
        #expect(try daemon.posts() == [1])
    }

    @Test(.requires(.ownMounts)) func `without /proc says so in one line`() throws {
        let hidden = BadLuck.mounting("mount -t tmpfs none /proc")
        let daemon = try Wrapper([], [], line: hidden + [DaemonUnderTest.program])
        #expect(
            try daemon.errors.rest() == [
                "torpord: cannot read its arguments: /proc is not mounted; mount it ('mount -t proc proc /proc')"
            ])
        #expect(try daemon.wait() == .exited(69))
        let verb = try Wrapper([], [], line: hidden + [Wrapper.program, "list"])
        let said = try verb.errors.rest()
        #expect(said.count == 1 && said[0].contains("/proc is not mounted"), "\(said)")
    }

    @Test(.requires(.ownMounts)) func `that shows it no more than processes leads its workers all the same`()
        throws
    {
        let daemon = try DaemonUnderTest(
            Self.files, through: BadLuck.mounting("mount -t proc -o subset=pid,hidepid=2 proc /proc"))
        _ = try daemon.awaitWeb()
        #expect(try daemon.torpor("suspend", "web").status == 0)
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("the kernel does not report memory pressure"), "\(doctor)")
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try daemon.list().last?.state == "active")
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }

    // MARK: cgroups

    @Test(.requires(.ownMounts), .requires(.cgroupV2Writable), .requires(.program("/usr/bin/nsenter")))
    func `whose cgroups cannot be written says what it cannot do, and does it when it can`() throws {
        let holder = try Wrapper(
            [], [], line: ["unshare", "-m", "/bin/sh", "-c", "echo there; exec sleep 1000"])
        #expect(try holder.output.next() == "there")
        let inside = ["nsenter", "-m", "-t", "\(holder.pid)", "--"]
        var files = Self.files
        // A signal that it does not handle would end it although it is frozen.
        files["web"] =
            "[Worker]\nExecStart=/bin/sh -c 'trap : TERM; while :; do sleep 1000; done'\nLaunch=boot\nTimeoutStopSec=2s\n"
        let daemon = try DaemonUnderTest(files, through: inside)
        _ = try daemon.awaitWeb()
        let group = try daemon.groups() + "/worker-web"
        func mount(_ command: String) throws {
            #expect(try Wrapper([], [], line: inside + ["/bin/sh", "-c", command]).wait() == .exited(0))
        }
        func isFrozen() throws -> Bool {
            try String(contentsOfFile: group + "/cgroup.events", encoding: .utf8).contains("frozen 1")
        }
        let closing = "mount --bind \(group) \(group) && mount -o remount,bind,ro \(group)"
        try mount(closing)
        let suspend = try daemon.torpor("suspend", "web")
        #expect(suspend.status != 0 && suspend.errors.contains("Read-only file system"), "\(suspend)")
        #expect(try !isFrozen() && daemon.list().last?.state == "background")
        try mount("umount \(group)")
        // It is tried again by itself.
        _ = try eventually("web to sleep") { try daemon.list().last?.state == "suspended" ? true : nil }
        #expect(try isFrozen())
        // One that has put it to sleep itself has the files of its freezer open.
        try daemon.killAndRestart()
        try mount(closing)
        let waking = try Wrapper(
            [], [], line: [Wrapper.program, "activate", "--socket", daemon.socket, "web"])
        let line = try daemon.process.errors.until("cannot be thawed yet")
        #expect(line.contains("Read-only file system"), "\(line)")
        #expect(try isFrozen() && daemon.list().last?.state != "active")
        let why = try daemon.torpor("why", "web").output
        #expect(why.contains("it cannot be thawed (") && why.contains("Read-only file system"), "\(why)")
        #expect(why.contains("as soon as the supervisor can write \(group)/cgroup.freeze"), "\(why)")
        #expect(try daemon.torpor("status", "web").output.contains("it cannot be thawed ("))
        try mount("umount \(group)")
        #expect(try waking.wait() == .exited(0))
        #expect(try !isFrozen() && daemon.list().last?.state == "active")
        // An end does not wait for a thaw longer than for the worker.
        #expect(try daemon.torpor("suspend", "web").status == 0)
        try daemon.killAndRestart()
        try mount(closing)
        let ending = try daemon.torpor("terminate", "web")
        #expect(ending.status == 0, "\(ending)")
        #expect(try daemon.list().last?.state == "notRunning")
        let log = try daemon.torpor("history", "web").output
        #expect(
            log.contains("warning: thawFailed (") && log.contains("Read-only"), "\(log)")
        try mount("umount \(group)")
    }

    @Test(.requires(.root), .requires(.cgroupV2Writable))
    func `whose cgroup of a worker another program has removed suspends and ends that by signals`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        let web = try daemon.awaitWeb()
        let groups = try daemon.groups()
        // Where its processes are counted to no worker.
        let elsewhere = groups + "/elsewhere"
        #expect(mkdir(elsewhere, 0o755) == 0)
        defer { rmdir(elsewhere) }
        try "\(web)".write(toFile: elsewhere + "/cgroup.procs", atomically: false, encoding: .ascii)
        #expect(rmdir(groups + "/worker-web") == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        try awaitState("T", of: web)
        #expect(try daemon.list().last?.state == "suspended")
        #expect(try daemon.torpor("activate", "web").status == 0)
        try awaitState("S", of: web)
        #expect(try daemon.torpor("kill", "web").status == 0)
        try awaitEnd(of: web)
        #expect(try daemon.torpor("launch", "web").status == 0)
    }
}
