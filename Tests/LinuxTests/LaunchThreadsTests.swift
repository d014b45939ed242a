import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Launching
@testable import Linux

@Suite(.timeLimit(.minutes(60))) struct `Threads for launches` {
    @Test func `take jobs, and end when there are none`() throws {
        let threads = LaunchThreads()
        let done = Mutex(0)
        for _ in 0..<1000 { _ = try threads.perform { done.withLock { $0 += 1 } } }
        _ = try eventually { done.withLock { $0 } == 1000 && threads.count == 0 ? true : nil }
    }

    @Test func `a job that hangs is passed by the others`() throws {
        let threads = LaunchThreads()
        let gate = DispatchSemaphore(value: 0)
        let done = Mutex(0)
        // More of them than work side by side.
        for _ in 0..<(LaunchThreads.width * 3) { _ = try threads.perform { gate.wait() } }
        _ = try threads.perform { done.withLock { $0 += 1 } }
        _ = try eventually {
            _ = threads.relieve()
            return done.withLock { $0 } == 1 ? true : nil
        }
        for _ in 0..<(LaunchThreads.width * 3) { gate.signal() }
        _ = try eventually { threads.count == 0 ? true : nil }
    }

    @Test func `the pid of a child is known to the thread that has ordered it`() throws {
        let ticket = LaunchTicket()
        let ended = Mutex<Bool?>(nil)
        #expect(ticket.pid == nil)
        let threads = LaunchThreads()
        _ = try threads.perform {
            let launched = Result { () throws(LaunchError) in
                try LaunchRequest("/bin/sleep", ["1000"], environment: .current).launch(ticket: ticket).pid
            }
            ended.withLock { $0 = (try? launched.get()) != nil }
        }
        let pid = try eventually { ticket.pid }
        #expect(try eventually { ended.withLock { $0 } })
        try Signal.kill.send(toProcess: pid)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
    }

    @Test func `a child that cannot execute is left for the reaper of all`() throws {
        let ticket = LaunchTicket()
        #expect(throws: LaunchError(stage: .exec, errno: ENOENT, subject: "/no/such")) {
            _ = try LaunchRequest("/no/such", environment: .current).launch(ticket: ticket)
        }
        let pid = try #require(ticket.pid)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
    }
}
