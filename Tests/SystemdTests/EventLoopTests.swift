import Glibc
import Linux
import Synchronization
import Systemd
import Testing

@Suite(.timeLimit(.minutes(15))) struct `Event loop` {
    @Test func `runs an actor's jobs and its timers on one thread`() async throws {
        let seen = try await onThread {
            let loop = try EventLoop()
            let keeper = Keeper(on: loop)
            Task {
                try await keeper.arm()
            }
            #expect(try loop.run() == 7)
            return keeper.assumeIsolated { $0.threads }
        }
        #expect(seen.count == 2)
        #expect(Set(seen).count == 1)
    }

    @Test func `is the executor of tasks that prefer it`() async throws {
        let onLoop = try await onThread {
            let loop = try EventLoop()
            let same = Mutex<[Bool]>([])
            Task(executorPreference: loop) {
                same.withLock { $0.append(loop.isIsolatingCurrentContext() == true) }
                await Task.yield()
                same.withLock { $0.append(loop.isIsolatingCurrentContext() == true) }
                loop.exit(0)
            }
            _ = try loop.run()
            return same.withLock { $0 }
        }
        #expect(onLoop == [true, true])
    }

    @Test func `takes jobs from many threads and loses none`() async throws {
        let total = try await onThread {
            let loop = try EventLoop()
            let tally = Tally(on: loop, expecting: 4000)
            for _ in 0..<4 {
                startThread {
                    for _ in 0..<1000 { Task(executorPreference: loop) { await tally.add() } }
                }
            }
            _ = try loop.run()
            return tally.assumeIsolated { $0.count }
        }
        #expect(total == 4000)
    }

    @Test func `makes the calls of other threads on its own, each thread's in order`() async throws {
        let seen = try await onThread {
            let loop = try EventLoop()
            let seen = Mutex<[[Int]]>([[], [], []])
            for thread in 0..<3 {
                startThread {
                    for number in 0..<1000 {
                        loop.call {
                            loop.checkIsolated()
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
            #expect(loop.isIsolatingCurrentContext() == true)
            loop.checkIsolated()
            return loop
        }
        #expect(loop.isIsolatingCurrentContext() == false)
    }

    @Test func `a job that enqueues itself for ever does not starve a timer`() async throws {
        try await onThread {
            let loop = try EventLoop()
            let restless = Task(executorPreference: loop) {
                while !Task.isCancelled { await Task.yield() }
                loop.exit(0)
            }
            let timer = try TimeSource(on: loop) { _ in restless.cancel() }
            timer.arm(at: loop.now + 1000)
            #expect(try loop.run() == 0)
            withExtendedLifetime(timer) {}
        }
    }

    @Test func `now stands still while what is ready together is served`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var seen: [Int64] = []
            let first = try DeferSource(on: loop, priority: .exits) {
                seen.append(loop.now)
                let start = EventLoop.clock
                while EventLoop.clock == start {}
                seen.append(loop.now)
                loop.exit(0)
            }
            _ = try loop.run()
            withExtendedLifetime(first) {}
            #expect(seen.count == 2 && seen[0] == seen[1])
            #expect(seen[0] <= EventLoop.clock)
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

    @Test func `serves handlers and jobs on the thread that runs it`() async throws {
        try await onThread {
            let loop = try EventLoop()
            let keeper = Keeper(on: loop)
            let timer = try TimeSource(on: loop) { _ in
                keeper.assumeIsolated { $0.note() }
                Task(executorPreference: loop) {
                    await keeper.note()
                    loop.exit(0)
                }
            }
            timer.arm(at: 0)
            _ = try loop.run()
            withExtendedLifetime(timer) {}
            let threads = keeper.assumeIsolated { $0.threads }
            #expect(threads == [UInt(pthread_self()), UInt(pthread_self())])
        }
    }

    @Test func `a source dropped on another thread is released by the loop`() async throws {
        try await onThread {
            let loop = try EventLoop()
            var channel = try Channel()
            let owner = Owner(on: loop)
            let given = channel.give().release()
            try owner.assumeIsolated { try $0.watch(given) }
            // The last reference to the actor ends on another thread, and its source with it.
            let handed = Mutex<Owner?>(owner)
            startThread {
                _ = handed.withLock { $0.take() }
            }
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

/// An actor on the loop that notes the threads it runs on.
private actor Keeper {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var threads: [UInt] = []
    private var timer: TimeSource?

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func arm() throws {
        note()
        timer = try TimeSource(on: loop) { [self] _ in fired() }
        timer?.arm(at: loop.now + 1000)
    }

    func note() {
        threads.append(UInt(pthread_self()))
    }

    private func fired() {
        note()
        timer = nil
        loop.exit(7)
    }
}

/// An actor on the loop that ends it after a number of calls.
private actor Tally {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let expected: Int
    private(set) var count = 0

    init(on loop: EventLoop, expecting expected: Int) {
        self.loop = loop
        self.expected = expected
    }

    func add() {
        count += 1
        if count == expected { loop.exit(0) }
    }
}

/// An actor on the loop that owns a source, which owns a descriptor.
private actor Owner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
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
