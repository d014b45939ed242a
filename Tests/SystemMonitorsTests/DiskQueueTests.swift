import Glibc
import Linux
import Synchronization
import Systemd
import Testing

@testable import Supervisor
@testable import WorkerIO

/// Questions to file systems of which one does not answer, as a FUSE whose server hangs.
@Suite(.timeLimit(.minutes(60))) struct `Questions to file systems` {
    @Test func `are asked in order, and one that hangs holds up itself alone`() async throws {
        let told = try await Bench.run { bench in
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (read, write) = (ends[0], ends[1])
            let queue = DiskQueue(on: bench.loop, patienceMicroseconds: 1000, mostThreads: 3)
            let log = Log()
            func ask(_ name: String, _ work: @escaping @Sendable () -> Void = {}) {
                queue.perform(work) { log.told.append(name) }
            }
            ask("hangs") {
                var byte: UInt8 = 0
                _ = Glibc.read(read, &byte, 1)
            }
            for name in ["a", "b", "c"] { ask(name) }
            var isReleased = false
            try bench.run {
                if log.told.count == 3, !isReleased {
                    #expect(queue.count == 1, "the loop has gone on, and the first has no answer yet")
                    isReleased = true
                    close(write)
                }
                return queue.count == 0
            }
            close(read)
            return log.told
        }
        // On a busy machine one that is asked may look as if it hung, and the next one overtakes it.
        #expect(Set(told.dropLast()) == ["a", "b", "c"] && told.last == "hangs", "\(told)")
    }

    @Test func `wait when as many hang as there may be threads`() async throws {
        let told = try await Bench.run { bench in
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (read, write) = (ends[0], ends[1])
            let queue = DiskQueue(on: bench.loop, patienceMicroseconds: 1000, mostThreads: 2)
            let log = Log()
            for name in ["first", "second"] {
                queue.perform {
                    var byte: UInt8 = 0
                    _ = Glibc.read(read, &byte, 1)
                } then: {
                    log.told.append(name)
                }
            }
            queue.perform {
            } then: {
                log.told.append("third")
            }
            var turns = 0
            try bench.run {
                turns += 1
                if turns == 50 {
                    #expect(log.told.isEmpty && queue.count == 3)
                    close(write)
                }
                return queue.count == 0
            }
            close(read)
            return log.told
        }
        #expect(told.count == 3)
    }

    @Test func `wait where no thread can be created or are refused, and the loop asks none itself`()
        async throws
    {
        let told = try await Bench.run { bench in
            let failures = Mutex(3)
            let queue = DiskQueue(on: bench.loop, patienceMicroseconds: 1_000_000, mostThreads: 2) {
                JobThread { (body) throws(LinuxError) in
                    let isRefused = failures.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                    if isRefused { throw LinuxError(errno: EAGAIN, call: "pthread_create") }
                    try DetachedThread.start(body)
                }
            }
            let log = Log()
            let loopThread = pthread_self()
            let isElsewhere: @Sendable () -> Bool = { pthread_equal(loopThread, pthread_self()) == 0 }
            queue.perform(isElsewhere) {
                log.told.append("refused: asked, \($0)")
            } refused: { error in
                log.told.append("refused: \(error.reason)")
            }
            #expect(log.told.isEmpty, "it is told in a turn of its own")
            // Two more failures, and then a thread.
            queue.perform(isElsewhere) { log.told.append("waits: asked, \($0)") }
            try bench.run { queue.count == 0 }
            return log.told
        }
        #expect(told == ["refused: Resource temporarily unavailable", "waits: asked, true"])
    }

    // Unchecked: written to on the loop's thread alone.
    private final class Log: @unchecked Sendable {
        var told: [String] = []
    }
}
