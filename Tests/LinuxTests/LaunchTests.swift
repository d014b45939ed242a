import Foundation
import Glibc
import TestSupport
import Testing

@testable import Launching
@testable import Linux
@testable import Processes

@Suite(.timeLimit(.minutes(60))) struct `A launch` {
    @Test func `runs the program with its arguments, byte for byte`() throws {
        let odd = ByteString([0xff, 0x20, 0xc3, 0x28])
        let child = try Child(LaunchRequest("printf", ["%s|%s", odd, ""], environment: .current))
        #expect(child.output() == odd.bytes + [UInt8(ascii: "|")])
        #expect(try child.next() == .exited(code: 0))
    }

    @Test func `gives the environment that was asked for, and nothing else`() throws {
        var request = LaunchRequest("/usr/bin/env", environment: Environment(entries: ["A=1", "B=x y"]))
        request.standardError = .copied(from: 0)
        #expect(String(decoding: try Child(request).output(), as: UTF8.self) == "A=1\nB=x y\n")
    }

    @Test func `can tell the program another name`() throws {
        var request = LaunchRequest("/bin/sh", ["-c", "echo $0"], environment: .current)
        request.name = "-login"
        #expect(try Child(request).words() == ["-login"])
    }

    @Test func `starts in its directory`() throws {
        #expect(try Child(script: "pwd") { $0.workingDirectory = "/usr/lib" }.words() == ["/usr/lib"])
    }

    @Test(arguments: [
        (LaunchRequest.Session.ownSession, true, true), (.ownProcessGroup(terminal: nil), false, true),
        (.asIs, false, false),
    ])
    func `takes its place among sessions and groups`(
        _ session: LaunchRequest.Session, _ leadsSession: Bool, _ leadsGroup: Bool
    ) throws {
        let child = try Child(
            LaunchRequest("sleep", ["1000"], environment: .current).with { $0.session = session })
        let stat = try #require(child.stat)
        #expect((stat.session == child.pid) == leadsSession)
        #expect((stat.processGroup == child.pid) == leadsGroup)
        if !leadsSession { #expect(stat.session == ThisProcess.session) }
    }

    @Test func `starts in the directory of a descriptor`() throws {
        let directory = OwnedDescriptor(adopting: open("/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        // Other descriptors of this process may be inherited: other tests run meanwhile.
        let child = try Child(script: "pwd -P; readlink /proc/$$/fd/* | grep -c '^/usr/lib$'") {
            $0.workingDescriptor = directory.rawValue
        }
        #expect(child.words() == ["/usr/lib", "0"])
    }

    @Test func `leaves those signals ignored that are to be, and no other`() throws {
        let child = try Child(script: "grep SigIgn /proc/self/status") {
            $0.ignoredSignals = [.hangup, .interrupt]
        }
        #expect(child.words() == ["SigIgn:", "0000000000000003"])
    }

    @Test func `leaves those signals blocked that are to be, and no other`() throws {
        // No shell: it unblocks them all.
        let child = try Child(
            LaunchRequest("sleep", ["1000"], environment: .current).with {
                $0.blockedSignals = [.interrupt, .terminate]
            })
        #expect(try child.status("SigBlk") == "0000000000004002")
    }

    @Test func `resets all signals, ignored and blocked ones too`() async throws {
        let child = try await onThread {
            let ignored: [Int32] = [SIGUSR2, 34 + 7, 64]
            for number in ignored { signal(number, SIG_IGN) }
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            defer { for number in ignored { signal(number, SIG_DFL) } }
            let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
            var after = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &after)
            #expect(sigismember(&after, SIGTERM) == 1, "our own mask is as it was")
            return UnsafeTransfer(child)
        }.value
        for set in ["SigBlk", "SigIgn", "SigCgt", "SigPnd", "ShdPnd"] {
            #expect(try child.status(set) == "0000000000000000", "\(set)")
        }
    }

    @Test func `writes the child's own pid where sd_listen_fds and the watchdog look for it`() throws {
        let pipe = Pipe()
        defer { withExtendedLifetime(pipe) {} }
        let child = try Child(
            script: "echo $$ $LISTEN_PID $WATCHDOG_PID $LISTEN_FDS $LISTEN_FDNAMES; env | grep -c _PID="
        ) {
            $0.environment["LISTEN_PID"] = "1"
            $0.environment["WATCHDOG_PID"] = "1"
            $0.setsWatchdogPid = true
            $0.passedDescriptors = [.init(pipe.fileHandleForReading.fileDescriptor, name: "web"), .init(0)]
        }
        let pid = String(child.pid)
        #expect(child.words() == [pid, pid, pid, "2", "web:unknown", "2"])
    }

    @Test func `says nothing of passed descriptors when told so`() throws {
        let child = try Child(script: "echo ${LISTEN_FDS-none} ${LISTEN_PID-none}") {
            $0.environment = $0.environment.scrubbed()
            $0.passedDescriptors = [.init(0)]
            $0.announcesDescriptors = false
        }
        #expect(child.words() == ["none", "none"])
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `places descriptors right however their numbers overlap`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pipes = (0..<24).map { _ in Pipe() }
        // Optimised code lets go of what is not named again, and closes it.
        defer { withExtendedLifetime(pipes) {} }
        let sources = pipes.flatMap {
            [$0.fileHandleForReading.fileDescriptor, $0.fileHandleForWriting.fileDescriptor]
        }
        // Some twice, the standard three among them, and the targets lie amid the sources.
        let passed = (sources + sources.prefix(8) + [0, 1, 2]).shuffled(using: &random)
        var request = LaunchRequest("sleep", ["1000"], environment: .current)
        request.passedDescriptors = passed.map { .init($0) }
        request.standardInput = .copied(from: passed[seed.isMultiple(of: 2) ? 5 : 0])
        request.standardOutput = .copied(from: 0)
        request.standardError = .copied(from: 1)
        let child = try Child(request)
        let wanted = try ([request.standardInput.number, 0, 1] + passed).map(target(of:))
        // The dynamic linker has some of its own open for a moment.
        let found = try eventually {
            let open = child.descriptors()
            return open.count <= wanted.count ? open : nil
        }
        #expect(found.count == wanted.count)
        for (number, target) in wanted.enumerated() {
            #expect(found[number] == target, "descriptor \(number)")
        }
    }

    @Test func `passes no descriptor that was not asked for`() throws {
        let inheritable = dup(0)
        defer { close(inheritable) }
        let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        _ = try eventually { child.descriptors().keys.sorted() == [0, 1, 2] ? true : nil }
    }

    @Test func `confines the child`() throws {
        var request = LaunchRequest("sleep", ["1000"], environment: .current)
        request.confinement.umask = 0o027
        request.confinement.nice = 7
        request.confinement.oomScoreAdjustment = 321
        request.confinement.noNewPrivileges = true
        request.confinement.limits = [.init(resource: 7, soft: 64, hard: 128)]
        let child = try Child(request)
        #expect(try child.status("Umask") == "0027")
        #expect(try child.status("NoNewPrivs") == "1")
        #expect(getpriority(0, id_t(child.pid)) == 7)
        #expect(try KernelFile.text("/proc/\(child.pid)/oom_score_adj") == "321\n")
        #expect(try KernelFile.text("/proc/self/oom_score_adj") != "321\n", "ours is as it was")
        let limits = try KernelFile.text("/proc/\(child.pid)/limits").split(separator: "\n")
        let files = try #require(limits.first { $0.hasPrefix("Max open files") })
        #expect(files.split(separator: " ").dropFirst(3).prefix(2) == ["64", "128"])
    }

    @Test func `sets the I/O priority`() throws {
        let request = LaunchRequest("ionice", environment: .current).with {
            $0.confinement.ioPriority = 2 << 13 | 6
        }
        #expect(try Child(request).words() == ["best-effort:", "prio", "6"])
    }

    @Test(.requires(.root)) func `becomes its user, and leaves us as we were`() throws {
        let dumpable =
            try FileManager.default.attributesOfItem(atPath: "/proc/self/stat")[.ownerAccountID] as? Int
        let child = try Child(
            script: "id -u; id -g; id -G; cat /proc/self/status | grep -c 'Uid:.65534.65534.65534'"
        ) {
            $0.credentials = .init(user: 65534, group: 65533, supplementaryGroups: [65533, 12, 13])
        }
        #expect(child.words() == ["65534", "65533", "65533", "12", "13", "1"])
        #expect(geteuid() == 0)
        let after =
            try FileManager.default.attributesOfItem(atPath: "/proc/self/stat")[.ownerAccountID] as? Int
        #expect(dumpable == after)
    }

    @Test func `asks for a signal when its launching thread ends`() async throws {
        let child = try await onThread {
            UnsafeTransfer(
                try Child(
                    LaunchRequest("sleep", ["1000"], environment: .current).with {
                        $0.parentDeathSignal = .terminate
                    }))
        }.value
        #expect(try child.next() == .killed(by: .terminate, coreDumped: false))
    }

    @Test func `keeps its memory apart when many threads launch at once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    try await onThread {
                        for round in 0..<25 {
                            let word = "\(thread)-\(round)"
                            let said = try Child(script: "echo \(word) $0").words()
                            #expect(said == [word, "/bin/sh"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `brings no pidfd where none is wanted`() throws {
        var launched = try LaunchRequest("true", environment: .current).with { $0.wantsPidfd = false }
            .launch()
        if launched.takePidfd() != nil { Issue.record("a pidfd nevertheless") }
        let pid = launched.pid
        #expect(
            try eventually { try ChildReaper(scope: .process(pid)).drain().events.first }.change
                == .exited(code: 0))
    }

    @Test func `on a terminal gives it to the new session`() throws {
        let (master, slave) = try pseudoTerminal()
        defer {
            close(master)
            close(slave)
        }
        let child = try Child(
            LaunchRequest("sleep", ["1000"], environment: .current).with {
                $0.standardInput = .copied(from: slave)
            })
        #expect(child.ownsTerminal)
        #expect(try Terminal(descriptor: master)?.foregroundGroup() == child.pid)
        #expect(throws: LinuxError.self) { try Terminal(descriptor: slave)?.acquire() }
    }

    @Test func `without a terminal of ours goes on`() throws {
        let child = try Child(script: "exit 4") { $0.session = .ownProcessGroup(terminal: 0) }
        #expect(!child.ownsTerminal)
        #expect(try child.next() == .exited(code: 4))
    }
}

extension LaunchRequest {
    /// This request, changed.
    func with(_ change: (inout LaunchRequest) -> Void) -> LaunchRequest {
        var request = self
        change(&request)
        return request
    }
}

extension LaunchRequest.Descriptor {
    fileprivate var number: Int32 {
        switch self {
        case .inherited: -1
        case .copied(let source): source
        }
    }
}

/// Carries a value off the thread that made it and is done with it.
struct UnsafeTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
