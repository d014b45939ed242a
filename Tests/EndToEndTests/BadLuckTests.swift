import Foundation
import Glibc
import TestSupport
import Testing

/// A disk, a limit or a directory that fails under a daemon: what the user is told, and that nothing is lost and the daemon goes on.
@Suite(.long, .timeLimit(.minutes(60))) struct `A daemon in bad luck` {
    private static let files = [
        "idle": "[Worker]\nExecStart=/bin/sleep 1000\n[Notifications]\nchat=exec:/bin/true\n",
        "web": WorkerFiles.sleeper,
    ]

    /// Goes once through the life of `web`, which runs before and afterwards.
    private func live(_ daemon: DaemonUnderTest) throws {
        _ = try daemon.awaitWeb()
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.list().last?.state == "suspended")
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try daemon.list().last?.state == "active")
    }

    // MARK: the disk

    @Test(
        .requires(.badLuck),
        arguments: [
            ["pwrite64 \(EIO) torpor.db"], ["fdatasync \(EIO) torpor.db", "pwrite64 \(EIO) -wal"],
            ["fdatasync \(EIO) -wal"],
        ])
    func `whose disk fails refuses posts, leads its workers on, and takes posts again`(_ rules: [String])
        throws
    {
        let luck = BadLuck.Rules()
        let daemon = try DaemonUnderTest(Self.files, through: luck.prefix)
        #expect(try daemon.post(1).status == 0)
        try luck.set(rules.joined(separator: "\n"))
        let refused = try daemon.post(2)
        #expect(refused.status == 75, "\(refused)")
        #expect(refused.errors.contains("it cannot be stored") && refused.errors.contains("disk I/O error"))
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("disk I/O error") && doctor.contains("dmesg"), "\(doctor)")
        try live(daemon)
        try luck.set()
        _ = try eventually("posts to be taken again") { try daemon.post(3).status == 0 ? true : nil }
        try daemon.killAndRestart()
        #expect(try daemon.posts() == [1, 3])
        // What happened meanwhile was kept in memory.
        #expect(try daemon.torpor("history", "web").output.contains("suspended"))
    }

    /// The kernel has the commit then, and the next to open the log would find it there.
    @Test(.requires(.badLuck))
    func `whose disk fails at a sync, and that is killed then, has not what it refused`() throws {
        let luck = BadLuck.Rules()
        let daemon = try DaemonUnderTest(Self.files, through: luck.prefix)
        #expect(try daemon.post(1).status == 0)
        try luck.set("fdatasync \(EIO) -wal")
        #expect(try daemon.post(2).status == 75)
        try daemon.killAndRestart { try luck.set() }
        #expect(try daemon.posts() == [1])
        #expect(try daemon.post(3).status == 0)
        #expect(try daemon.posts() == [1, 3])
    }

    @Test(.requires(.badLuck)) func `whose disk cannot be read adds nothing to it until it can be`() throws {
        let luck = BadLuck.Rules()
        let daemon = try DaemonUnderTest(Self.files, through: luck.prefix)
        #expect(try daemon.post(1).status == 0)
        try daemon.killAndRestart { try luck.set("pread64 \(EIO) torpor.db") }
        let refused = try daemon.post(2)
        #expect(refused.status == 75 && refused.errors.contains("disk I/O error"), "\(refused)")
        try live(daemon)
        try luck.set()
        _ = try eventually("posts to be taken again") { try daemon.post(3).status == 0 ? true : nil }
        #expect(try daemon.posts() == [1, 3])
    }

    @Test(.requires(.badLuck)) func `whose disk takes 100 ms for each fsync keeps what it has acknowledged`()
        throws
    {
        let daemon = try DaemonUnderTest(Self.files, through: BadLuck.slowDisk(milliseconds: 100))
        for number in 1...8 { #expect(try daemon.post(number).status == 0) }
        try live(daemon)
        try daemon.killAndRestart()
        #expect(try daemon.posts() == Array(1...8))
    }

    @Test(.requires(.ownMounts), .requires(.program("/usr/bin/nsenter")))
    func `whose state directory is read-only says so, and uses it when it can`() throws {
        try withTemporaryDirectory(mode: 0o1777) { disk in
            let holder = try Wrapper(
                [], [],
                line: [
                    "unshare", "-m", "/bin/sh", "-c",
                    "mount -t tmpfs -o ro none \(disk) && echo mounted && exec sleep 1000",
                ])
            #expect(try holder.output.next() == "mounted")
            let inside = ["nsenter", "-m", "-t", "\(holder.pid)", "--"]
            let daemon = try DaemonUnderTest(Self.files, through: inside, state: disk)
            let refused = try daemon.post(1)
            #expect(refused.status == 75 && refused.errors.contains("it cannot be stored"), "\(refused)")
            let doctor = try daemon.torpor("doctor").output
            #expect(doctor.contains("make \(disk)"), "\(doctor)")
            try live(daemon)
            let mended = try Wrapper([], [], line: inside + ["mount", "-o", "remount,rw", disk])
            #expect(try mended.wait() == .exited(0))
            _ = try eventually("posts to be taken") { try daemon.post(2).status == 0 ? true : nil }
            try daemon.killAndRestart()
            #expect(try daemon.posts() == [2])
        }
    }

    /// As by a disk or a server of files that does not answer: the kernel says ELOOP.
    @Test func `whose worker files cannot be listed leaves its workers as they are defined`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        #expect(try daemon.post(1).status == 0)
        let workers = "\(daemon.directory)/conf/workers"
        #expect(rename(workers, workers + "-away") == 0 && symlink("workers", workers) == 0)
        let reload = try daemon.torpor("reload")
        #expect(reload.status == 78 && reload.errors.contains("cannot read “\(workers)”"), "\(reload)")
        #expect(!reload.output.contains("removed"), "\(reload)")
        #expect(try daemon.list().map(\.name) == ["idle", "web"])
        try live(daemon)
        #expect(unlink(workers) == 0 && rename(workers + "-away", workers) == 0)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.posts() == [1])
    }

    // MARK: limits

    @Test(.requires(.badLuck))
    func `without room for another task says so at once, and launches when there is`()
        throws
    {
        let luck = BadLuck.Rules()
        let daemon = try DaemonUnderTest(Self.files, through: luck.prefix)
        _ = try daemon.awaitWeb()
        try luck.set("clone3 \(EAGAIN) -")
        let refused = try daemon.torpor("launch", "idle")
        #expect(
            refused.status != 0 && refused.errors.contains("Resource temporarily unavailable"), "\(refused)")
        try live(daemon)
        // What is asked of a thread is refused, with the reason.
        let doctor = try daemon.torpor("doctor")
        #expect((doctor.output + doctor.errors).contains("no thread can be created"), "\(doctor)")
        let metrics = try daemon.torpor("metrics")
        #expect(metrics.status == 75 && metrics.errors.contains("no thread can be created"), "\(metrics)")
        try daemon.killAndRestart()
        // It has no thread for its store either.
        let post = try daemon.post(1)
        #expect(post.status == 75 && post.errors.contains("cannot create the store thread"), "\(post)")
        let history = try daemon.torpor("history", "web")
        #expect((history.output + history.errors).contains("cannot create the store thread"), "\(history)")
        try luck.set()
        #expect(try daemon.torpor("launch", "idle").status == 0)
        _ = try eventually("posts to be taken") { try daemon.post(2).status == 0 ? true : nil }
        try daemon.killAndRestart()
        #expect(try daemon.torpor("history", "idle").output.contains("active"))
    }

    @Test(.requires(.badLuck)) func `without room for another task waits for no client of its metrics`()
        throws
    {
        let luck = BadLuck.Rules()
        let daemon = try DaemonUnderTest(Self.files, through: luck.prefix)
        let metrics = "\(daemon.directory)/metrics"
        try "\(DaemonUnderTest.unmoved)[Metrics]\nListen=\(metrics)\n".write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        try daemon.killAndRestart()
        _ = try daemon.awaitWeb()
        let scrape = "GET /metrics HTTP/1.0\r\n\r\n"
        let before = try Poster(metrics)
        before.send(raw: scrape)
        #expect(before.everything().contains("200"))
        try luck.set("clone3 \(EAGAIN) -")
        // The thread of the last scrape ends soon after it; then a client that says nothing is turned away, and not waited for.
        let begun = ContinuousClock.now
        _ = try eventually("a client to be turned away") { () -> Bool? in
            let client = try Poster(metrics)
            let asked = ContinuousClock.now
            let answer = client.everything()
            #expect(try daemon.list().count == 2)
            return answer.isEmpty && ContinuousClock.now - asked < .seconds(1) ? true : nil
        }
        print("a client was turned away after \(ContinuousClock.now - begun)")
        try luck.set()
        let after = try Poster(metrics)
        after.send(raw: scrape)
        #expect(after.everything().contains("200"))
    }

    @Test(.requires(.program("/usr/bin/prlimit")))
    func `with too low a limit of open files does not start, and says what it is and what to do`() throws {
        let rival = try Wrapper(
            [], [],
            line: ["prlimit", "--nofile=28:28", DaemonUnderTest.program, "--runtime-dir", "/tmp/never-made"])
        #expect(try rival.wait() == .exited(78))
        let line = try rival.errors.next() ?? ""
        #expect(line.contains("its limit of open files is 28, and it needs at least 64"), "\(line)")
        #expect(line.contains("raise the LimitNOFILE="), "\(line)")
        #expect(try rival.errors.next() == nil)
        #expect(access("/tmp/never-made", F_OK) != 0)
    }

    @Test(.requires(.program("/usr/bin/prlimit")))
    func `with a low limit of open files serves some clients, and tells the others why not them`() throws {
        let daemon = try DaemonUnderTest(Self.files, through: ["prlimit", "--nofile=64:64"])
        var clients: [Poster] = []
        for _ in 0..<64 {
            let client = try Poster(daemon.socket)
            client.send(calls: [#"{"method":"io.torpor.Supervisor.Ping"}"#])
            guard client.receive(1).first?.contains("pid") == true else { break }
            clients.append(client)
        }
        #expect((4..<64).contains(clients.count), "\(clients.count) clients")
        let refused = try daemon.torpor("list")
        #expect(refused.status == 75, "\(refused)")
        #expect(
            refused.errors.contains("it may have 64 open files") && refused.errors.contains("LimitNOFILE="),
            "\(refused)")
        clients = []
        _ = try eventually("a client to be served") { try daemon.torpor("list").status == 0 ? true : nil }
    }

    @Test(.requires(.cgroupV2Writable), .requires(.program("/usr/bin/prlimit")))
    func `without a free descriptor wakes what is asleep, and ends what is to end`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        let web = try daemon.awaitWeb()
        #expect(try daemon.torpor("suspend", "web").status == 0)
        // One that has put it to sleep itself has the files of its freezer open.
        try daemon.killAndRestart()
        let group = try daemon.groups() + "/worker-web/cgroup.events"
        let caller = try Poster(daemon.socket)
        func call(_ method: String, _ parameters: String = "{}") -> String {
            caller.send(
                calls: [#"{"method":"io.torpor.Supervisor.\#(method)","parameters":\#(parameters)}"#])
            return caller.receive(1).first ?? "nothing"
        }
        func limit(to count: String) throws {
            let line = ["prlimit", "--pid", "\(daemon.process.pid)", "--nofile=\(count):"]
            #expect(try Wrapper([], [], line: line).wait() == .exited(0))
        }
        #expect(call("Ping").contains("pid"))
        let open = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.process.pid)/fd").compactMap {
                Int($0)
            })
        try limit(to: "\((0...).first { !open.contains($0) } ?? 0)")
        func isFrozen() throws -> Bool {
            try String(contentsOfFile: group, encoding: .utf8).contains("frozen 1")
        }
        #expect(try isFrozen())
        #expect(call("Activate", #"{"names":["web"]}"#).contains("true"))
        #expect(try !isFrozen())
        #expect(!call("Kill", #"{"names":["web"]}"#).contains("error"))
        try awaitEnd(of: web)
        try limit(to: "1024")
        #expect(try daemon.torpor("launch", "web").status == 0)
    }

    @Test(.requires(.program("/usr/bin/prlimit")))
    func `without memory keeps what it has acknowledged, and its workers live on`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        let web = try daemon.awaitWeb()
        let status = try String(contentsOfFile: "/proc/\(daemon.process.pid)/status", encoding: .utf8)
        let size = try #require(
            status.split(separator: "\n").first { $0.hasPrefix("VmSize:") }.flatMap {
                Int($0.filter(\.isNumber))
            })
        let line = ["prlimit", "--pid", "\(daemon.process.pid)", "--as=\((size + 512) << 10):"]
        #expect(try Wrapper([], [], line: line).wait() == .exited(0))
        let filler = String(repeating: "x", count: 60_000)
        let poster = try Poster(daemon.socket)
        var acknowledged: [Int] = []
        for number in 1...60 {
            poster.send(["{\"n\":\(number),\"x\":\"\(filler)\"}"], to: "idle")
            guard let answer = poster.receive(1).first, !answer.contains("error") else { break }
            acknowledged.append(number)
        }
        print("without memory: \(acknowledged.count) posts were taken")
        try daemon.killAndRestart()
        let kept = Set(try daemon.posts())
        #expect(Set(acknowledged).isSubset(of: kept), "\(acknowledged) \(kept)")
        let now = try daemon.list().last
        #expect(now?.pid == web && now?.state == "active")
        try live(daemon)
    }
}
