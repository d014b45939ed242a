import Lifecycle
import SupervisorPorts
import TestSupport
import Testing

@testable import ControlServer
@testable import OperatorService
@testable import Supervisor

/// What is decided for clients without a clock or a socket: which one waits, which has a turn, what is logged.
@Suite(.timeLimit(.minutes(5)))
struct `Budgets of clients` {
    private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

    // MARK: buckets

    @Test func `let a burst through, then what refills`() {
        var bucket = TokenBucket(holding: 10, refilledIn: .seconds(10))
        #expect(bucket.isFull(at: at(0)))
        let burst = (0..<15).count { _ in bucket.takeOne(at: at(0)) }
        #expect(burst == 10)
        for (milliseconds, isThere): (Int64, Bool) in [
            (999, false), (1000, true), (1000, false), (2500, true), (2999, false),
        ] {
            #expect(bucket.takeOne(at: at(milliseconds)) == isThere, "at \(milliseconds) ms")
        }
        #expect(bucket.isFull(at: at(60_000)))
    }

    @Test func `go into debt, and have nothing until that is made up for`() {
        var bucket = TokenBucket(holding: 100, refilledIn: .seconds(1))
        bucket.take(300, at: at(0))
        #expect(!bucket.hasRoom(at: at(2000)))
        #expect(bucket.hasRoomFrom == at(2010))
        #expect(bucket.hasRoom(at: at(2010)))
    }

    @Test(arguments: [0, -1, 1, Int64.max, .min])
    func `take any amount at any time`(_ amount: Int64) {
        for moment in [Int64.min, -1, 0, 1, .max] {
            var bucket = TokenBucket(holding: amount, refilledIn: .seconds(1))
            bucket.take(amount, at: Instant(microseconds: moment))
            _ = bucket.hasRoom(at: Instant(microseconds: .max))
            _ = bucket.take(upTo: amount, at: Instant(microseconds: moment))
            bucket.putBack(amount)
            _ = bucket.hasRoom(at: Instant(microseconds: .min))
        }
    }

    @Test func `give as much as they hold, then what time brings`() {
        var bucket = TokenBucket(holding: 10, perSecond: 100)
        #expect(bucket.take(upTo: 4, at: at(0)) == 4)
        #expect(bucket.take(upTo: 10, at: at(0)) == 6)
        #expect(bucket.take(upTo: 1, at: at(0)) == 0)
        #expect(bucket.take(upTo: 10, at: at(9)) == 0)
        #expect(bucket.take(upTo: 10, at: at(10)) == 1)
        #expect(bucket.take(upTo: 10, at: at(50)) == 4)
        #expect(bucket.take(upTo: 100, at: at(3_600_000)) == 10)
        #expect(bucket.take(upTo: .min, at: at(3_700_000)) == 0)
    }

    @Test func `take back what was not used, and never hold more than their capacity`() {
        var bucket = TokenBucket(holding: 10, perSecond: 1)
        #expect(bucket.take(upTo: 10, at: at(0)) == 10)
        bucket.putBack(3)
        #expect(bucket.take(upTo: 10, at: at(0)) == 3)
        bucket.putBack(1000)
        #expect(bucket.take(upTo: 1000, at: at(0)) == 10)
        bucket.putBack(.max)
        #expect(bucket.take(upTo: .max, at: at(0)) == 10)
    }

    @Test func `over any time give no more than their rate and their capacity`() {
        var random = SplitMix64(seed: 42)
        for _ in 0..<200 {
            let most = Int64.random(in: 1...300, using: &random)
            let rate = Int64.random(in: 1...5000, using: &random)
            var bucket = TokenBucket(holding: most, perSecond: rate)
            var now = at(1000)
            var granted: Int64 = 0
            for _ in 0..<200 {
                now = now + TimeSpan(microseconds: Int64.random(in: 0...5000, using: &random))
                granted += bucket.take(upTo: Int64.random(in: 0...64, using: &random), at: now)
            }
            // Spans are whole microseconds: one of refilling may be lost with each taking.
            let limit = most + ((now - at(1000)).microseconds + 200) * rate / 1_000_000 + 1
            #expect(granted <= limit)
        }
    }

    // MARK: turns

    @Test func `give accounts turns, however much one of them waits for`() {
        var queue = FairQueue<String, Int>()
        for number in 0..<5 { queue.append(number, of: "many") }
        queue.append(10, of: "one")
        queue.append(20, of: "two")
        queue.append(11, of: "one")
        var order: [Int] = []
        while let next = queue.popFirst() { order.append(next.item) }
        #expect(order == [0, 10, 20, 1, 11, 2, 3, 4])
        #expect(queue.isEmpty)
    }

    @Test func `pass over accounts that may not go on, which keep their place`() {
        var queue = FairQueue<String, Int>()
        for (number, account) in ["a", "b", "a", "c"].enumerated() { queue.append(number, of: account) }
        #expect(queue.popFirst { $0 != "a" }?.item == 1)
        #expect(queue.popFirst { $0 == "z" } == nil)
        #expect(queue.popFirst()?.item == 0)
        #expect(queue.popFirst()?.item == 3)
        #expect(queue.popFirst()?.item == 2)
        #expect(queue.isEmpty)
    }

    // MARK: memory

    @Test
    func `hold an account back by what it and all like it hold, and always let it get on with one thing`() {
        let allotment = Allotment(account: 100, total: 1000)
        for (held, all, mayRead): (Int, Int, Bool) in [
            (0, 0, true), (99, 99, true), (100, 100, false), (1, 999, true), (1, 1000, false),
            (0, 5000, true),
        ] {
            #expect(
                allotment.mayRead(.init(input: held, output: 7000), of: .init(input: all, output: 7000))
                    == mayRead)
            #expect(
                allotment.mayPerform(.init(input: 7000, output: held), of: .init(input: 7000, output: all))
                    == mayRead)
        }
    }

    // MARK: questions

    @Test func `have few questions under way, and those of other accounts between`() {
        var line = QuestionLine<String, Int>(mostPerAccount: 1, most: 2)
        for number in 0..<3 { line.append(number, of: "a") }
        line.append(10, of: "b")
        line.append(20, of: "c")
        #expect(line.next()?.question == 0)
        #expect(line.next()?.question == 10)
        #expect(line.next() == nil)
        line.answered("b")
        #expect(line.next()?.question == 20)
        line.answered("a")
        #expect(line.next()?.question == 1)
        line.answered("nobody")
        #expect(line.next() == nil)
        #expect(line.waitingCount == 1)
    }

    @Test
    func `do once what many ask for, and once more for those that want nothing older than their question`() {
        var round = SharedRound<String>()
        #expect(round.wait("a", joins: false) == true)
        #expect(round.wait("b", joins: true) == false)
        #expect(round.wait("c", joins: false) == false)
        var end = round.end()
        #expect(end.waiters == ["a", "b"])
        #expect(end.beginsAnew)
        end = round.end()
        #expect(end.waiters == ["c"])
        #expect(!end.beginsAnew)
        #expect(!round.isUnderWay)
    }

    @Test func `keep an answer for as long as it was dear`() {
        var cache = TimedCache<Int, String>(least: .seconds(1), most: 2)
        cache.keep("cheap", for: 1, at: at(0), cost: .milliseconds(1))
        cache.keep("dear", for: 2, at: at(0), cost: .milliseconds(500))
        #expect(cache.value(for: 1, at: at(999)) == "cheap")
        #expect(cache.value(for: 1, at: at(1000)) == nil)
        #expect(cache.value(for: 2, at: at(9_999)) == "dear")
        #expect(cache.value(for: 2, at: at(10_000)) == nil)
        for key in 0..<100 { cache.keep("x", for: key, at: at(0), cost: TimeSpan(microseconds: .max)) }
        #expect(cache.value(for: 99, at: at(0)) == "x")
    }

    // MARK: the log

    @Test func `log few lines of a user, and count the others`() {
        var allowance = LogAllowance()
        let burst = (0..<1000).count { _ in allowance.admits(4201, at: at(0)) }
        #expect(burst == 10)
        // Another user has its own.
        #expect(allowance.admits(4202, at: at(0)) == true)
        #expect(allowance.omissions(at: at(9_999)) == [])
        #expect(allowance.omissions(at: at(10_000)) == [.init(uid: 4201, count: 990)])
        #expect(allowance.dueAt == nil)
        // One line each six seconds from then on.
        let later = (0..<100).count { _ in allowance.admits(4201, at: at(12_000)) }
        #expect(later == 2)
        #expect(allowance.omissions(at: at(22_000)) == [.init(uid: 4201, count: 98)])
    }

    @Test func `log few lines of all users together, and name those with most of the others`() {
        var allowance = LogAllowance()
        var written = 0
        for uid in 0..<UInt32(1000) {
            for _ in 0..<(uid < 10 ? 20 : 3) where allowance.admits(uid, at: at(0)) { written += 1 }
        }
        #expect(written == 60)
        let omissions = allowance.allOmissions()
        #expect(omissions.count == 5)
        #expect(omissions.last?.uid == nil)
        #expect(omissions.reduce(0) { $0 + $1.count } == 10 * 20 + 990 * 3 - written)
        #expect(omissions.first.map { $0.count >= omissions[1].count } == true)
    }

    @Test func `share an account among those that come when too many are known`() {
        var allowance = LogAllowance()
        for uid in 0..<UInt32(100_000) { _ = allowance.admits(uid, at: at(0)) }
        #expect(allowance.admits(nil, at: at(0)) == false)
        #expect(allowance.allOmissions().count <= 5)
        #expect(allowance.admits(77, at: at(600_000)) == true)
    }
}

/// Time that comes from others.
struct `Spans of time` {
    @Test func `saturate instead of trapping`() {
        let extremes: [Int64] = [.min, .min + 1, -1_000_001, -1, 0, 1, 1_000_001, .max - 1, .max]
        for a in extremes {
            _ = (TimeSpan.seconds(a), TimeSpan.milliseconds(a))
            for b in extremes {
                let (x, y) = (TimeSpan(microseconds: a), TimeSpan(microseconds: b))
                #expect(
                    (x + y).microseconds
                        == (a.addingReportingOverflow(b).overflow ? a > 0 ? .max : .min : a &+ b))
                #expect(
                    (x - y).microseconds
                        == (a.subtractingReportingOverflow(b).overflow ? a >= 0 ? .max : .min : a &- b))
                #expect((Instant(microseconds: a) + y).microseconds == (x + y).microseconds)
                #expect((Instant(microseconds: a) - Instant(microseconds: b)) == x - y)
            }
        }
        #expect(TimeSpan.milliseconds(.max) == TimeSpan(microseconds: .max))
        #expect(TimeSpan.seconds(.min) == TimeSpan(microseconds: .min))
    }
}
