import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux
@testable import Processes

@Suite(.timeLimit(.minutes(60))) struct `The freezer by signals` {
    /// What all processes of the session have used, in ticks; the dead ones' share goes to their parent's other fields.
    private func cpu(_ child: Child) -> [Int32: UInt64] {
        let tree = ProcessTree.snapshot()
        return Dictionary(
            uniqueKeysWithValues: tree.members(ofSession: child.pid).compactMap { pid in
                tree.processes[pid].map { (pid, $0.cpuTicks) }
            })
    }

    /// Whether all of its session is stopped, or waits in vfork(2) for a process that is.
    private func hasStopped(_ child: Child) -> Bool {
        let tree = ProcessTree.snapshot()
        let states = tree.members(ofSession: child.pid).compactMap { tree.processes[$0]?.state }
        return states.allSatisfy { $0.isStill || $0 == .uninterruptible }
    }

    @Test func `stops a family that forks all the time, and continues it`() throws {
        // Three that fork without a pause, and one that left its parent.
        let loop = "while :; do /bin/true; done"
        let child = try Child(
            script: "(\(loop)) & (\(loop)) & (setsid -f true; (\(loop)) &) ; echo ready; \(loop)")
        let freezer = ProcessFreezer(roots: [child.pid], sessions: [child.pid])
        #expect(child.line() == "ready")
        for _ in 0..<10 {
            let stopped = try freezer.stop(patience: 10_000_000)
            #expect(stopped.count >= 4)
            #expect(freezer.isStill())
            // A process that waited for a processor has come to its stop.
            _ = try eventually { hasStopped(child) ? true : nil }
            let before = cpu(child)
            // Had anything been left running, many forks would have come and gone by now.
            for _ in 0..<3 {
                #expect(freezer.isStill())
                #expect(cpu(child) == before)
            }
            try ProcessFreezer.resume(stopped)
            _ = try eventually { freezer.isStill() ? nil : true }
        }
        #expect(try freezer.stop(patience: 10_000_000).count >= 4)
        try freezer.resume()
        #expect(!freezer.isStill())
    }

    @Test func `leaves out what others had stopped`() throws {
        let child = try Child(script: "sleep 1000 & echo $!; wait")
        let sleeper = try #require(Int32(child.line()))
        try Signal.stop.send(toProcess: sleeper)
        _ = try eventually { ProcessStat.read(pid: sleeper)?.state == .stopped ? true : nil }
        let freezer = ProcessFreezer(roots: [child.pid])
        let stopped = try freezer.stop(patience: 10_000_000)
        #expect(stopped.map(\.pid) == [child.pid])
        try ProcessFreezer.resume(stopped)
        _ = try eventually { child.stat?.state == .stopped ? nil : true }
        #expect(ProcessStat.read(pid: sleeper)?.state == .stopped)
    }

    @Test func `stops threads, not only their first`() throws {
        let child = try Child(script: "yes | xargs -P 4 -n 1 sh -c ':' & echo ready; wait")
        #expect(child.line() == "ready")
        let freezer = ProcessFreezer(roots: [child.pid])
        _ = try freezer.stop(patience: 10_000_000)
        #expect(freezer.isStill())
    }

    @Test func `knows a process that has stopped since it was read`() throws {
        let child = try Child(script: "echo ready; while :; do :; done")
        #expect(child.line() == "ready")
        // Of the moment in which its stop was pending.
        let read = try eventually { child.stat.flatMap { $0.state == .running ? $0 : nil } }
        try Signal.stop.send(toProcess: child.pid)
        _ = try eventually { child.stat?.state == .stopped ? true : nil }
        #expect(StopState(of: read) == .still && StopState.isStopped(read))
        try Signal.resume.send(toProcess: child.pid)
        _ = try eventually { child.stat?.state == .stopped ? nil : true }
        #expect(StopState(of: read) == .runs && !StopState.isStopped(read))
        kill(child.pid, SIGKILL)
        _ = try child.next()
        #expect(StopState(of: read) == .still && !StopState.isStopped(read))
    }

    /// A tracer, as strace(1) and gdb(1), of a child that never waits; it holds the child until it is sent a line.
    private static let tracer = """
        import ctypes, os, signal, sys
        SEIZE, INTERRUPT, LISTEN, CONT, ALL = 0x4206, 0x4207, 0x4208, 7, 0x40000000
        ptrace = ctypes.CDLL(None).ptrace
        ptrace.argtypes = [ctypes.c_long] * 4
        pid = os.fork()
        while pid == 0: pass
        ptrace(SEIZE, pid, 0, 0)
        ptrace(INTERRUPT, pid, 0, 0)
        os.waitpid(pid, ALL)
        print(pid, flush=True)
        sys.stdin.readline()
        ptrace(CONT, pid, 0, 0)
        while True:
            status = os.waitpid(pid, ALL)[1]
            if not os.WIFSTOPPED(status): break
            received, ofTracer = os.WSTOPSIG(status), status >> 16 == 128
            if ofTracer: print("stopped" if received == signal.SIGSTOP else "continued", flush=True)
            if ofTracer and received == signal.SIGSTOP: ptrace(LISTEN, pid, 0, 0)
            else: ptrace(CONT, pid, 0, 0 if ofTracer else received)
        """

    @Test(.requires(.program("/usr/bin/python3")))
    func `stops a process that a tracer holds, and continues it by its tracer`() throws {
        let typing = Pipe()
        var request = LaunchRequest(
            "/usr/bin/python3", ["-c", ByteString(Self.tracer)], environment: .current)
        request.standardInput = .copied(from: typing.fileHandleForReading.fileDescriptor)
        let child = try Child(request)
        let traced = try #require(Int32(child.line()))
        #expect(ProcessStat.read(pid: traced)?.state == .traced)
        let freezer = ProcessFreezer(roots: [traced])
        #expect(try freezer.stop(patience: 10_000_000).map(\.pid) == [traced])
        typing.fileHandleForWriting.write(Data([UInt8(ascii: "\n")]))
        #expect(child.line() == "stopped")
        #expect(freezer.isStill())
        try freezer.resume()
        #expect(child.line() == "continued")
        _ = try eventually { freezer.isStill() ? nil : true }
        kill(traced, SIGKILL)
        #expect(try child.next() == .exited(code: 0))
    }

    @Test(.requires(.root))
    func `does not wait until who is to stop gets a processor, and continues it all the same`() throws {
        let child = try Child(script: "taskset -p -c 0 $$ >/dev/null; echo ready; while :; do :; done")
        #expect(child.line() == "ready")
        // A process that leaves the processor to no other one; the kernel takes it away for 50 ms of each second.
        let consumer = try Child(
            script: "taskset -p -c 0 $$ >/dev/null; chrt -f -p 50 $$; echo ready; while :; do :; done")
        #expect(consumer.line() == "ready")
        let freezer = ProcessFreezer(roots: [child.pid])
        for _ in 0..<5 {
            #expect(try freezer.stop(patience: 10_000_000).map(\.pid) == [child.pid])
            #expect(freezer.isStill())
            try freezer.resume()
            #expect(!freezer.isStill())
        }
        _ = try freezer.stop(patience: 10_000_000)
        kill(consumer.pid, SIGKILL)
        _ = try eventually { child.stat?.state == .stopped ? true : nil }
        try freezer.resume()
        _ = try eventually { child.stat?.state == .stopped ? nil : true }
    }

    @Test func `says when it was outrun, and what it has stopped`() throws {
        let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        let freezer = ProcessFreezer(roots: [child.pid])
        var attempt = FreezeAttempt()
        // One look: the first always finds news.
        #expect(try !freezer.proceed(with: &attempt, for: 0))
        let failure = attempt.failure
        #expect(failure.reason == .outrun && failure.stopped.map(\.pid) == [child.pid])
        #expect(
            failure.description == "cannot stop all processes in time, still running or new: 1 (\(child.pid))"
        )
        try ProcessFreezer.resume(failure.stopped)
    }

    @Test func `looks again although the time was over before the second look, as under load`() throws {
        let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        let freezer = ProcessFreezer(roots: [child.pid])
        #expect(try freezer.stop(patience: 0).map(\.pid) == [child.pid])
        #expect(freezer.isStill())
    }

    @Test func `gets there in turns of one look each, whatever is forked between them`() throws {
        let loop = "while :; do /bin/true; done"
        let child = try Child(script: "(\(loop)) & (\(loop)) & echo ready; \(loop)")
        let freezer = ProcessFreezer(roots: [child.pid], sessions: [child.pid])
        #expect(child.line() == "ready")
        var attempt = FreezeAttempt()
        _ = try eventually { try freezer.proceed(with: &attempt, for: 0) ? true : nil }
        #expect(freezer.isStill() && attempt.looks > 1 && attempt.stopped.count >= 3)
        try ProcessFreezer.resume(attempt.stopped)
        _ = try eventually { freezer.isStill() ? nil : true }
    }

    @Test func `has nothing to do for who is gone`() throws {
        let child = try Child(script: "exit 0")
        let freezer = ProcessFreezer(roots: [child.pid], sessions: [child.pid])
        _ = try child.next()
        #expect(try freezer.stop() == [])
        try freezer.resume()
        #expect(freezer.isStill())
        #expect(try ProcessFreezer(roots: [0, -1, Int32.max], sessions: [0, -1]).stop() == [])
    }

    @Test func `never stops a later process of the same pid`() throws {
        let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        let stat = try #require(child.stat)
        let text = "\(stat.pid) (x) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 \(stat.startTime - 1) 0"
        let earlier = ProcessIdentity(try #require(ProcessStat(parsing: Array(text.utf8))))
        #expect(try !earlier.send(.kill))
        #expect(!child.hasEnded)
    }

    @Test(.requires(.cgroupV2Writable)) func `finds by the group what left both parent and session`() throws {
        try withGroup { group in
            let child = try Child(script: "setsid -f sleep 1000; echo ready; sleep 1000") {
                $0.cgroup = group
            }
            #expect(child.line() == "ready")
            _ = try eventually { try group.processes().count == 3 ? true : nil }
            let stopped = try ProcessFreezer(roots: [child.pid], cgroup: group).stop(patience: 10_000_000)
            #expect(try Set(stopped.map(\.pid)) == Set(group.processes()))
        }
    }
}
