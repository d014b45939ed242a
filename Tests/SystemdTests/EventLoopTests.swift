import Foundation
import Glibc
import Linux
import Synchronization
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Event loop` {
    @Test func `makes the calls of other threads on its own, each thread's in order`() async throws {
        let seen = try await onThread {
            let loop = try EventLoop()
            let seen = Mutex<[[Int]]>([[], [], []])
            for thread in 0..<3 {
                Thread.detachNewThread {
                    for number in 0..<1000 {
                        loop.call {
                            loop.checkThread()
                            seen.withLock { $0[thread].append(number) }
                            if seen.withLock({ $0.joined().count }) == 3000 { loop.exit(0) }
                        }
                    }
                }
            }
            _ = try loop.run()
            return seen.withLock { $0 }
        }
        #expect(seen.allSatisfy { $0 == Array(0..<1000) })
    }

    @Test func `knows which thread is its own`() async throws {
        let loop = try await onThread {
            let loop = try EventLoop()
            loop.checkThread()
            #expect(loop.isLoopThread)
            return loop
        }
        #expect(!loop.isLoopThread)
    }

    @Test func `a call that asks for another one for ever does not starve a timer`() async throws {
        try await onThread {
            let loop = try EventLoop()
            let restless = Restless(on: loop)
            let timer = try TimeSource(on: loop) { _ in restless.isOver = true }
            timer.arm(at: loop.now + 1000)
            loop.callSoon { restless.goOn() }
            #expect(try loop.run() == 0)
            withExtendedLifetime(timer) {}
        }
    }

    @Test func `carries a value of its own through a thread, and releases it itself`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var released: [UInt] = []
            var value: Released? = Released { released.append(UInt(pthread_self())) }
            weak let seen = value
            let carried = LoopConfined(value.take(), on: loop)
            let ended = LoopConfined({ loop.exit(0) }, on: loop)
            let handed = Mutex<LoopConfined<Released?>?>(carried)
            Thread.detachNewThread {
                _ = handed.withLock { $0.take() }
                loop.call { ended.value() }
            }
            _ = consume carried
            #expect(try loop.run() == 0)
            #expect(seen == nil)
            #expect(released == [UInt(pthread_self())])
        }
    }

    @Test func `now stands still while what is ready together is served`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var seen: [Int64] = []
            let first = try DeferSource(on: loop, priority: .exits) {
                seen.append(loop.now)
                let start = KernelClock.monotonic
                while KernelClock.monotonic == start {}
                seen.append(loop.now)
                loop.exit(0)
            }
            _ = try loop.run()
            withExtendedLifetime(first) {}
            #expect(seen.count == 2 && seen[0] == seen[1])
            #expect(seen[0] <= KernelClock.monotonic)
        }
    }

    @Test func `runs once`() async throws {
        try await onThread {
            let loop = try EventLoop()
            loop.exit(3)
            #expect(try loop.run() == 3)
            #expect(throws: SystemdError(errno: EBUSY, operation: "sd_event_loop")) { try loop.run() }
            loop.exit(4)
        }
    }

    @Test func `serves handlers and calls on the thread that runs it`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var threads: [UInt] = []
            let timer = try TimeSource(on: loop) { _ in
                threads.append(UInt(pthread_self()))
                loop.callSoon {
                    threads.append(UInt(pthread_self()))
                    loop.exit(0)
                }
            }
            timer.arm(at: 0)
            _ = try loop.run()
            withExtendedLifetime(timer) {}
            #expect(threads == [UInt(pthread_self()), UInt(pthread_self())])
        }
    }

    @Test func `a source dropped on another thread is released by the loop`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var channel = try Channel()
            let owner = Owner(on: loop)
            let given = channel.give().release()
            try owner.watch(given)
            // The last reference ends on another thread, and its source with it.
            let handed = Handoff(owner)
            Thread.detachNewThread { _ = try? handed.take() }
            _ = consume owner
            // The source owns one end: the hangup of the other tells of its release.
            let source = try IOSource(
                on: loop, descriptor: channel.kept.rawValue, events: .readable, priority: .clients
            ) {
                #expect($0.contains(.hangup))
                loop.exit(0)
            }
            #expect(try loop.run() == 0)
            withExtendedLifetime(source) {}
            let closed = channel.isClosedElsewhere()
            #expect(closed)
        }
    }
}

/// Asks for itself again until it is over.
private final class Restless {
    let loop: EventLoop
    var isOver = false

    init(on loop: EventLoop) { self.loop = loop }

    func goOn() {
        if isOver { loop.exit(0) } else { loop.callSoon { [self] in goOn() } }
    }
}

/// Tells that it is released.
private final class Released {
    private let told: () -> Void

    init(_ told: @escaping () -> Void) { self.told = told }

    deinit { told() }
}

/// Something that owns a source, which owns a descriptor.
private final class Owner {
    private let loop: EventLoop
    private var source: IOSource?

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func watch(_ descriptor: Int32) throws {
        source = try IOSource(
            on: loop, owning: OwnedDescriptor(adopting: descriptor), events: [], priority: .clients
        ) { _ in }
    }
}
