import Linux
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Time source` {
    @Test func `timers fire in the order of their moments, whatever the order of arming`() async throws {
        let order = try await onThread {
            let loop = try EventLoop()
            var order: [Int64] = []
            let start = loop.now
            let last = try TimeSource(on: loop) {
                order.append($0 - start); loop.exit(0)
            }
            let first = try TimeSource(on: loop) { order.append($0 - start) }
            let second = try TimeSource(on: loop) { order.append($0 - start) }
            last.arm(at: start + 3000)
            first.arm(at: start + 1000)
            second.arm(at: start + 2000)
            _ = try loop.run()
            #expect(KernelClock.monotonic >= start + 3000)
            let armed = last.isArmed || first.isArmed || second.isArmed
            #expect(!armed)
            return order
        }
        #expect(order == [1000, 2000, 3000])
    }

    @Test func `timers that are found expired together fire in the order of their moments too`() async throws
    {
        let order = try await onThread {
            let loop = try EventLoop()
            var timers = Timers()
            var order: [Int64] = []
            var generator = SplitMix64(seed: 1)
            let moments = (1...100).map { Int64($0) }
            for moment in moments.shuffled(using: &generator) {
                let source = try TimeSource(on: loop) { _ in
                    order.append(moment)
                    if order.count == moments.count { loop.exit(0) }
                }
                source.arm(at: moment)
                timers.keep(source)
            }
            let disarmed = try TimeSource(on: loop) { _ in order.append(-1) }
            disarmed.arm(at: 50)
            disarmed.disarm()
            _ = try loop.run()
            withExtendedLifetime(timers) {}
            return order
        }
        #expect(order == (1...100).map { Int64($0) })
    }

    @Test func `timers of one moment fire in the order of arming, whoever is dropped meanwhile`() async throws
    {
        let order = try await onThread {
            let loop = try EventLoop()
            var order: [String] = []
            let victim = Box<TimeSource>()
            let last = try TimeSource(on: loop) { _ in
                order.append("last")
                loop.exit(0)
            }
            victim.value = try TimeSource(on: loop) { _ in order.append("victim") }
            let first = try TimeSource(on: loop) { _ in
                order.append("first")
                victim.value = nil
            }
            first.arm(at: 7)
            victim.value?.arm(at: 7)
            last.arm(at: 7)
            _ = try loop.run()
            withExtendedLifetime(first) {}
            return order
        }
        #expect(order == ["first", "last"])
    }

    @Test func `a timer is armed again, from its own handler too, and disarmed`() async throws {
        let fired = try await onThread {
            let loop = try EventLoop()
            let box = Box<TimeSource>()
            defer { box.value = nil }  // its handler holds the box
            var fired = 0
            box.value = try TimeSource(on: loop) { _ in
                fired += 1
                if fired < 3 { box.value?.arm(at: loop.now + 500) } else { loop.exit(0) }
            }
            let disarmed = try TimeSource(on: loop) { _ in loop.exit(1) }
            disarmed.arm(at: 0)
            disarmed.disarm()
            box.value?.arm(at: .max)
            box.value?.arm(at: -5)
            #expect(try loop.run() == 0)
            box.value?.arm(at: 0)  // too late, and harmless
            return fired
        }
        #expect(fired == 3)
    }

    @Test(arguments: [(nil, 1), (1, 1), (250_000, 250_000), (0, 1), (-1, 1)] as [(Int64?, Int64)])
    func `is as exact as it was asked to be, and never vague by accident`(asked: Int64?, given: Int64)
        async throws
    {
        let accuracy = try await onThread {
            let loop = try EventLoop()
            guard let asked else { return try TimeSource(on: loop) { _ in }.accuracy }
            return try TimeSource(on: loop, accuracy: asked) { _ in }.accuracy
        }
        #expect(accuracy == given)
    }
}

/// Time sources, which no array can hold.
private struct Timers: ~Copyable {
    private final class Kept {
        let source: TimeSource

        init(_ source: consuming TimeSource) {
            self.source = source
        }
    }

    private var kept: [Kept] = []

    mutating func keep(_ source: consuming TimeSource) {
        kept.append(Kept(source))
    }
}
