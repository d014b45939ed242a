import Glibc
import Linux
import Records
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `Questions to a store` {
    private func queue(_ change: (inout QuestionQueue<Int>.Limits) -> Void) -> QuestionQueue<Int> {
        var limits = QuestionQueue<Int>.Limits()
        change(&limits)
        return QuestionQueue(limits: limits)
    }

    private func added(
        _ numbers: Range<Int>, by asker: Asker, to queue: inout QuestionQueue<Int>
    ) -> [Int] {
        var taken: [Int] = []
        for number in numbers where queue.add(number, by: asker) { taken.append(number) }
        return taken
    }

    private func order(_ queue: inout QuestionQueue<Int>) -> [Int] {
        var order: [Int] = []
        while let next = queue.next() { order.append(next) }
        return order
    }

    @Test func `take turns, one of each asker`() {
        var queue = queue { _ in }
        #expect(added(1..<4, by: .user(1), to: &queue) == [1, 2, 3])
        #expect(added(10..<11, by: .user(2), to: &queue) == [10])
        #expect(added(20..<21, by: .privileged(0), to: &queue) == [20])
        #expect(added(30..<31, by: .ourselves, to: &queue) == [30])
        #expect(added(11..<12, by: .user(2), to: &queue) == [11])
        #expect(order(&queue) == [1, 10, 20, 30, 2, 11, 3])
        #expect(queue.isEmpty)
    }

    @Test func `are bounded for each user and for all`() {
        var queue = queue { limits in
            limits.user = 2
            limits.users = 5
            limits.privileged = 3
            limits.allPrivileged = 4
        }
        #expect(added(0..<9, by: .user(1), to: &queue) == [0, 1])
        #expect(added(0..<9, by: .user(2), to: &queue) == [0, 1])
        #expect(added(0..<9, by: .user(3), to: &queue) == [0], "all users have five")
        #expect(added(0..<9, by: .privileged(1), to: &queue) == [0, 1, 2])
        #expect(added(0..<9, by: .privileged(2), to: &queue) == [0])
        #expect(added(0..<9, by: .ourselves, to: &queue).count == 9)
        #expect(order(&queue).count == 5 + 4 + 9)
        #expect(added(0..<9, by: .user(3), to: &queue) == [0, 1], "there is room again")
    }

    /// Holds the store's thread in the middle of an answer.
    private final class Latch: @unchecked Sendable {
        // Proof of `@unchecked Sendable`: the signalledBox is one that two threads share.
        private let box = SignalledBox(false)

        func open() {
            box.post {
                $0 = true
                return true
            }
        }

        func wait() {
            let deadline = KernelClock.monotonic + 60_000_000
            box.take { isOpen in
                isOpen || KernelClock.monotonic >= deadline ? .take(()) : .waitUntil(deadline)
            }
        }
    }

    private final class Log: Sendable {
        let lines = SignalledBox<[String]>([])

        func add(_ line: String) {
            lines.post {
                $0.append(line)
                return true
            }
        }

        func wait(for count: Int) -> [String] {
            let deadline = KernelClock.monotonic + 60_000_000
            return lines.take { lines in
                lines.count >= count || KernelClock.monotonic >= deadline
                    ? .take(lines) : .waitUntil(deadline)
            }
        }
    }

    @Test func `do not keep what is written waiting until all are answered`() throws {
        try withTemporaryDirectory { path throws in
            let log = Log()
            let begun = Latch()
            let store = Store(
                Store.Settings(
                    path: path + "/s.db", retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "b"),
                deliver: { $0() }, report: { _ in }, stored: { _ in log.add("stored") })
            defer { store.close() }
            for number in 0..<8 {
                store.history(Query(limit: 1), by: .privileged(0)) { _ in
                    if number == 0 { begun.wait() }
                    log.add("answer")
                }
            }
            // All wait by now but the first, at most.
            store.write(Batch([.history(entry(1))], isAwaited: true))
            begun.open()
            let lines = log.wait(for: 9)
            #expect(lines.count == 9)
            #expect(try #require(lines.firstIndex(of: "stored")) <= 2, "\(lines)")
        }
    }

    @Test func `are refused at once where too many wait, and others are answered`() throws {
        try withTemporaryDirectory { path throws in
            let log = Log()
            let begun = Latch()
            let rested = Log()
            let store = TestStore(path + "/s.db") { $0.rested = { rested.add("rested") } }
            store.store.history(Query(limit: 1), by: .user(1)) { _ in
                log.add("first")
                begun.wait()
            }
            #expect(log.wait(for: 1) == ["first"])
            for _ in 0..<1000 {
                store.store.history(Query(limit: 1), by: .user(1)) { page in
                    log.add(page.problem?.code == .crowded ? "crowded" : "answered")
                }
                store.store.terminations(Query(limit: 1), by: .user(1)) { page in
                    log.add(page.problem?.code == .crowded ? "crowded" : "answered")
                }
            }
            #expect(log.lines.with { $0 } == ["first"] + Array(repeating: "crowded", count: 1996))
            store.store.history(Query(limit: 1), by: .user(2)) { _ in log.add("other") }
            begun.open()
            let lines = log.wait(for: 2002)
            #expect(lines.filter { $0 == "answered" }.count == 4)
            #expect(lines.suffix(5).firstIndex(of: "other").map { $0 - 1997 } ?? 9 <= 1, "\(lines.suffix(5))")
            for _ in 0..<16 { _ = try store.history() }
            #expect(rested.wait(for: 1).first == "rested")
        }
    }
}
