import Lifecycle
import Scheduling
import TestSupport
import Testing

@Suite struct `The queue of what is due` {
    /// What is done to it, in seconds.
    enum Step: Sendable {
        case arm(String, at: Int64)
        case disarm(String)
        /// What is popped until nothing is due any more.
        case pop(at: Int64, [String])
        /// When the first is due then.
        case next(Int64?)
    }

    private static func second(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    @Test(
        arguments: [
            [.next(nil), .pop(at: 9, []), .disarm("a"), .next(nil)],
            // The soonest first, whatever the order of arming; nothing before its moment.
            [
                .arm("a", at: 3), .arm("b", at: 1), .arm("c", at: 2), .next(1), .pop(at: 0, []),
                .pop(at: 2, ["b", "c"]), .next(3), .pop(at: 3, ["a"]), .next(nil),
            ],
            // Of one moment the lesser key.
            [.arm("b", at: 1), .arm("c", at: 1), .arm("a", at: 1), .pop(at: 1, ["a", "b", "c"])],
            // Armed anew, sooner and later: it is due once.
            [.arm("a", at: 5), .arm("b", at: 4), .arm("a", at: 1), .next(1), .pop(at: 9, ["a", "b"])],
            [.arm("a", at: 1), .arm("b", at: 4), .arm("a", at: 5), .next(4), .pop(at: 9, ["b", "a"])],
            // Disarmed at the front, at the end and in the middle.
            [
                .arm("a", at: 1), .arm("b", at: 2), .arm("c", at: 3), .arm("d", at: 4), .disarm("a"),
                .next(2),
                .disarm("d"), .disarm("d"), .pop(at: 9, ["b", "c"]),
            ],
            // What has been popped can be armed again.
            [.arm("a", at: 1), .pop(at: 1, ["a"]), .arm("a", at: 2), .pop(at: 1, []), .pop(at: 2, ["a"])],
        ] as [[Step]])
    func `pops what is due, soonest first`(_ steps: [Step]) {
        var queue = DueQueue<String>()
        for step in steps {
            switch step {
            case .arm(let key, let due): queue.arm(key, at: Self.second(due))
            case .disarm(let key): queue.disarm(key)
            case .pop(let now, let keys): #expect(popAll(&queue, at: Self.second(now)) == keys)
            case .next(let due): #expect(queue.nextDue == due.map(Self.second))
            }
        }
    }

    private func popAll<Key>(_ queue: inout DueQueue<Key>, at now: Instant) -> [Key] {
        var popped: [Key] = []
        while let entry = queue.popDue(at: now) { popped.append(entry.key) }
        return popped
    }

    @Test(arguments: 0..<20) func `does what a plain list would do`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = DueQueue<Int>()
        var plain: [Int: (due: Instant, generation: UInt32)] = [:]
        var now = Instant.zero
        for generation in 0..<UInt32(3000) {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                // Few moments, so that many are due together; some are past.
                let due = now + .seconds(Int64.random(in: -2...8, using: &random))
                queue.arm(key, at: due, generation: generation)
                plain[key] = (due, generation)
            case 6..<8:
                queue.disarm(key)
                plain[key] = nil
            default:
                now = now + .seconds(1)
                let due = plain.filter { $0.value.due <= now }
                    .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
                for (key, value) in due {
                    let entry = queue.popDue(at: now)
                    #expect(entry?.key == key && entry?.due == value.due)
                    #expect(entry?.generation == value.generation)
                    plain[key] = nil
                }
                let isMoreDue = queue.popDue(at: now) != nil
                #expect(!isMoreDue)
            }
            #expect(queue.count == plain.count)
            #expect(queue.nextDue == plain.values.map(\.due).min())
            #expect(queue.due(of: key) == plain[key]?.due)
        }
    }

    @Test func `gives back the room of a burst, and takes none for keys that are not armed`() {
        var queue = DueQueue<Int>()
        #expect(queue.room == 0)
        for key in 0..<10_000 { queue.arm(key, at: Self.second(Int64(key % 100))) }
        #expect(queue.room >= 10_000)
        for key in 1..<9_950 { queue.disarm(key) }
        #expect(queue.count == 51 && queue.room < 1024)
        let last = popAll(&queue, at: Self.second(100)).count
        #expect(last == 51 && queue.count == 0 && queue.nextDue == nil)
    }
}
