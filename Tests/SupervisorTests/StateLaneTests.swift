import Lifecycle
import Testing

@testable import DaemonCore
@testable import Supervisor

@Suite struct `Saved state of a worker on its way to the disk` {
    private typealias Lane = StateLane<Int>

    private func save(_ byte: UInt8) -> Lane.Step { .save([byte], nil, version: nil) }

    /// What is done one after the other from here on, and what hears of each.
    private func story(_ lane: inout Lane) -> [String] {
        var story: [String] = []
        while true {
            if lane.isBusy {
                let (followers, isOverruled) = lane.finished()
                story.append(
                    "done" + (isOverruled ? " in vain" : "") + (followers.isEmpty ? "" : " \(followers)"))
            }
            guard let job = lane.next() else { return story }
            let what =
                switch job.step {
                case .save(let bytes, _, _): "save \(bytes)"
                case .forget: "forget"
                case .apply(let fate): "\(fate)"
                }
            story.append("\(what) \(job.answers)" + (job.overruled.isEmpty ? "" : " not \(job.overruled)"))
        }
    }

    @Test func `is written once, and then the newest of what came meanwhile`() {
        var lane = Lane()
        lane.add(save(1), 1)
        let first = lane.next()
        #expect(first?.step == save(1))
        for number in 2...100 { lane.add(save(UInt8(number)), number) }
        #expect(lane.waiting.count == 1 && lane.waitingBytes == 1)
        let none = lane.next()
        #expect(none?.step == nil, "one is under way")
        #expect(story(&lane) == ["done", "save [100] \(Array(2...100))", "done"])
    }

    @Test func `is nothing where a later step leaves nothing of it`() {
        var lane = Lane()
        lane.add(save(1), 1)
        _ = lane.next()
        lane.add(save(2), 2)
        lane.add(.forget, 3)
        #expect(story(&lane) == ["done", "forget [2, 3]", "done"])
        lane.add(save(1), 1)
        lane.add(.forget, 2)
        lane.add(save(3), 3)
        #expect(story(&lane) == ["save [3] [1, 2, 3]", "done"])
    }

    @Test func `is not said to be kept where the supervisor has decided otherwise`() {
        var lane = Lane()
        lane.add(save(1), 1)
        _ = lane.next()
        lane.add(save(2), 2)
        lane.add(.apply(.dropped))
        #expect(story(&lane) == ["done in vain", "dropped [] not [2]", "done"])
        lane.add(save(3), 3)
        lane.add(.apply(.consumed))
        lane.add(save(4), 4)
        #expect(story(&lane) == ["save [4] [4] not [3]", "done"])
    }

    @Test func `is set aside where it is, and once`() {
        var lane = Lane()
        lane.add(save(1), 1)
        lane.add(.apply(.setAside))
        lane.add(save(2), 2)
        #expect(lane.waiting.map(\.step) == [save(1), .apply(.setAside), save(2)])
        lane.add(.apply(.setAside))
        #expect(
            lane.waiting.map(\.step) == [save(2), .apply(.setAside)], "the earlier one would be replaced")
        for number in 3...20 {
            lane.add(save(UInt8(number)), number)
            lane.add(.apply(.setAside))
        }
        #expect(lane.waiting.count == 2)
        let answered = lane.waiting.flatMap { $0.answers + $0.overruled }
        #expect(answered.sorted() == Array(1...20), "every caller is answered once")
    }

    @Test func `says when all that was asked before is done`() {
        var lane = Lane()
        let isIdle = lane.follow(9)
        #expect(!isIdle)
        lane.add(save(1), 1)
        _ = lane.next()
        let isUnderWay = lane.follow(9)
        #expect(isUnderWay)
        #expect(story(&lane) == ["done [9]"])
        lane.add(save(1), 1)
        _ = lane.next()
        lane.add(save(2), 2)
        let waits = lane.follow(9)
        #expect(waits)
        lane.add(save(3), 3)
        #expect(story(&lane) == ["done", "save [3] [2, 9, 3]", "done"])
    }

    @Test func `takes so much memory as waits, and no more`() {
        var lane = Lane()
        let big = [UInt8](repeating: 1, count: 1000)
        #expect(lane.waitingBytes(with: .save(big, nil, version: nil)) == 0, "it goes to the disk at once")
        lane.add(.save(big, nil, version: nil))
        _ = lane.next()
        #expect(lane.waitingBytes == 0 && lane.waitingBytes(with: .save(big, nil, version: nil)) == 1000)
        lane.add(.save(big, nil, version: nil))
        #expect(
            lane.waitingBytes(with: .save(big, nil, version: nil)) == 1000
                && lane.waitingBytes(with: .forget) == 0)
    }
}
