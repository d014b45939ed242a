import Cgroups
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// The daemon as a service: what its manager hears, and workers in a unit that holds them.
@Suite(.timeLimit(.minutes(60))) struct ServiceTests {
    private static let torpord =
        (Wrapper.program as NSString).deletingLastPathComponent + "/torpord"

    private func line(_ directory: String) -> [String] {
        [
            Self.torpord, "--config-dir", "\(directory)/conf", "--state-dir", "\(directory)/state",
            "--runtime-dir", "\(directory)/run",
        ]
    }

    private func define(_ name: String, _ text: String, in directory: String) throws {
        let place = "\(directory)/conf/workers"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try text.write(toFile: "\(place)/\(name).worker", atomically: true, encoding: .utf8)
        try DaemonUnderTest.unmoved.write(
            toFile: "\(directory)/conf/torpord.conf", atomically: true, encoding: .utf8)
    }

    @Test func `The manager hears that boot workers are ready, reloads, how workers stand, and the end`()
        throws
    {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            try define(
                "late",
                """
                [Worker]
                ExecStart=/bin/sh -c "until test -e \(directory)/go; do sleep 0.02; done; systemd-notify --ready; exec sleep 1000"
                Type=notify
                NotifyAccess=all
                Launch=boot
                """, in: directory)
            let manager = try Manager()
            let daemon = try Wrapper([], [], environment: manager.environment, line: line(directory))
            // Until then it asks for time, and is not ready.
            #expect(try next(from: manager, "EXTEND") == "EXTEND_TIMEOUT_USEC=15000000")
            try daemon.errors.until("started;")
            #expect(try manager.rest().allSatisfy { !$0.hasPrefix("READY") })
            try Data().write(to: URL(filePath: "\(directory)/go"))
            #expect(try next(from: manager, "READY=1") == "READY=1\nSTATUS=1 active")
            daemon.send(SIGHUP)
            let reloading = try next(from: manager, "RELOADING=1")
            #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            #expect(try next(from: manager, "READY=1").hasPrefix("READY=1\n"))
            daemon.send(SIGTERM)
            #expect(try next(from: manager, "STOPPING=1").hasPrefix("STOPPING=1\n"))
            #expect(try daemon.wait() == .exited(0))
        }
    }

    @Test func `A worker's change is in the status line`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            try define("nap", "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n", in: directory)
            let manager = try Manager()
            let daemon = try Wrapper([], [], environment: manager.environment, line: line(directory))
            #expect(try next(from: manager, "READY=1") == "READY=1\nSTATUS=1 active")
            let socket = "\(directory)/run/io.torpor.Supervisor"
            let suspend = try Wrapper(
                [], [], line: [Wrapper.program, "suspend", "nap", "--socket", socket])
            #expect(try suspend.wait() == .exited(0))
            // On its way there it may be told of as well.
            while try next(from: manager, "STATUS=") != "STATUS=1 suspended" {}
            daemon.send(SIGTERM)
            #expect(try daemon.wait() == .exited(0))
        }
    }

    @Test func `A manager that listens and does not read holds nobody up`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            for number in 0..<40 { try define("nap\(number)", WorkerFiles.sleeper, in: directory) }
            try define("late", WorkerFiles.watched(within: "1min"), in: directory)
            let manager = try Manager()
            // Until nothing more fits.
            let sender = try DatagramSocket()
            while try sender.send([0x58], to: manager.address) {}
            let daemon = try Wrapper([], [], environment: manager.environment, line: line(directory))
            try daemon.errors.until("started;")
            let socket = "\(directory)/run/io.torpor.Supervisor"
            for verb in ["launch", "suspend", "activate", "reexec"] {
                let words = verb == "reexec" ? [verb] : [verb, "nap1", "late"]
                let torpor = try Wrapper([], [], line: [Wrapper.program] + words + ["--socket", socket])
                #expect(try torpor.wait() == .exited(0), "\(verb)")
            }
            // It hears all that counts as soon as it reads.
            var awaited = ["READY=1\n", "FDSTORE=1\nFDNAME=notify.worker-late\nFDPOLL=0"]
            while !awaited.isEmpty {
                let message = try manager.next()
                awaited.removeAll { message.hasPrefix($0) }
            }
            daemon.send(SIGTERM)
            #expect(try next(from: manager, "STOPPING=1").hasPrefix("STOPPING=1\n"))
            #expect(try daemon.wait() == .exited(0))
        }
    }

    @Test func `A manager that does not listen holds nobody up`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            try define("nap", "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n", in: directory)
            let daemon = try Wrapper(
                [], [], environment: ["NOTIFY_SOCKET": "\(directory)/nobody", "WATCHDOG_USEC": "1000000"],
                line: line(directory))
            try daemon.errors.until("cannot notify the service manager")
            try daemon.errors.until("started;")
            daemon.send(SIGTERM)
            #expect(try daemon.wait() == .exited(0))
        }
    }

    @Test func `A state directory that cannot be written costs the record and no worker`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            try define("nap", "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n", in: directory)
            // No directory can be made below a file, by root either.
            try "".write(toFile: "\(directory)/state", atomically: true, encoding: .utf8)
            let manager = try Manager()
            let daemon = try Wrapper([], [], environment: manager.environment, line: line(directory))
            #expect(try next(from: manager, "READY=1") == "READY=1\nSTATUS=1 active")
            daemon.send(SIGTERM)
            #expect(try daemon.errors.rest().contains { $0.contains("\(directory)/state") })
            #expect(try daemon.wait() == .exited(0))
        }
    }

    @Test(.requires(.cgroupV2Writable), .requires(.root), .requires(.delegationMarks))
    func `Workers in a unit that holds them stay when the daemon leaves`() throws {
        let base = try #require(Places.base)
        let slice = "\(base)/torpor-slice-\(UUID().uuidString.prefix(8))"
        let (unit, holder) = ("\(slice)/torpord.service", "\(slice)/torpor-workers.service")
        for group in [slice, unit, holder] { mkdir(group, 0o755) }
        defer {
            try? Cgroup(path: holder).kill()
            for group in [unit, holder, slice] { try? Cgroup(path: group).remove(patience: 5_000_000) }
        }
        #expect(try marksAsDelegated(holder))
        try withTemporaryDirectory(mode: 0o1777) { directory in
            try define("nap", "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n", in: directory)
            let manager = try Manager()
            let daemon = try Wrapper(
                [], [], environment: manager.environment,
                line: ["/bin/sh", "-c", "echo $$ > \(unit)/cgroup.procs; exec \"$0\" \"$@\""]
                    + line(directory))
            #expect(try daemon.errors.until("started;").contains("held by torpor-workers.service"))
            #expect(try next(from: manager, "READY=1") == "READY=1\nSTATUS=1 active")
            let pids = try Cgroup(path: "\(holder)/worker-nap").processes()
            #expect(pids.count == 1)
            daemon.send(SIGTERM)
            let farewell = try daemon.errors.until("SIGTERM")
            #expect(farewell.contains("1 worker remains in torpor-workers.service (nap)"))
            #expect(farewell.contains("systemctl stop torpor-workers.service"))
            #expect(try next(from: manager, "STOPPING=1").hasPrefix("STOPPING=1\n"))
            #expect(try daemon.wait() == .exited(0))
            #expect(try Cgroup(path: "\(holder)/worker-nap").processes() == pids)
        }
    }

    /// The next message that begins so; those before it are passed over.
    private func next(from manager: Manager, _ beginning: String) throws -> String {
        while true {
            let message = try manager.next()
            if message.hasPrefix(beginning) { return message }
        }
    }
}

/// Puts systemd's mark of delegation on a group; false where the kernel refuses.
private func marksAsDelegated(_ group: String) throws -> Bool {
    let script = "import os, sys; os.setxattr(sys.argv[1], 'user.delegate', b'1')"
    let python = try Wrapper([], [], line: ["/usr/bin/python3", "-IS", "-c", script, group])
    return try python.wait() == .exited(0)
}

extension Capability {
    /// Groups that may be marked as delegated.
    fileprivate static let delegationMarks = Capability("extended attributes on groups") {
        guard let base = Places.base else { return "there are no groups here" }
        let group = "\(base)/torpor-marks-\(getpid())"
        guard mkdir(group, 0o755) == 0 else { return "no group can be made" }
        defer { rmdir(group) }
        return (try? marksAsDelegated(group)) == true ? nil : "they cannot be set here"
    }
}
