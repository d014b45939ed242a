import Glibc
import Linux
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Descriptor store` {
    @Test func `keeps descriptors in order, under names, up to its limit`() async throws {
        try await onThread {
            let loop = try EventLoop()
            let store = DescriptorStore(on: loop, limit: 3)
            var first = try Channel()
            var second = try Channel()
            var third = try Channel()
            var fourth = try Channel()
            let outcomes = try [
                store.add(first.give(), name: "a", polled: true),
                store.add(second.give(), name: "b", polled: false),
                store.add(third.give(), name: "a", polled: true),
                store.add(fourth.give(), name: "c", polled: true),
            ]
            #expect(outcomes == [.stored, .stored, .stored, .full])
            #expect(store.stored.map(\.name) == ["a", "b", "a"])
            let refused = fourth.isClosedElsewhere()
            #expect(refused)
            #expect(store.remove(named: "a") == 2)
            #expect(store.remove(named: "none") == 0)
            #expect(store.stored.map(\.name) == ["b"])
            let closed = first.isClosedElsewhere() && third.isClosedElsewhere()
            let kept = second.isOpenElsewhere()
            #expect(closed && kept)
            store.removeAll()
            #expect(store.count == 0)
            let last = second.isClosedElsewhere()
            #expect(last)
        }
    }

    @Test func `drops a second descriptor of the same open file, but not a second opening`() async throws {
        try await onThread {
            let store = DescriptorStore(on: try EventLoop(), limit: 10)
            func opened() -> OwnedDescriptor {
                OwnedDescriptor(adopting: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
            }
            let first = opened()
            let copy = try first.duplicate()
            #expect(try store.add(first, name: "x", polled: true) == .stored)
            #expect(try store.add(copy, name: "y", polled: true) == .duplicate)
            #expect(try store.add(opened(), name: "z", polled: true) == .stored)
            #expect(store.stored.map(\.name) == ["x", "z"])
        }
    }

    @Test func `drops a descriptor at its hangup, unless it was stored without polling`() async throws {
        let (gone, left) = try await onThread {
            let loop = try EventLoop()
            var gone: [String] = []
            let store = DescriptorStore(on: loop, limit: 10) {
                gone.append($0.name)
                loop.exit(0)
            }
            var polled = try Channel()
            var unpolled = try Channel()
            #expect(try store.add(unpolled.give(), name: "unpolled", polled: false) == .stored)
            #expect(try store.add(polled.give(), name: "polled", polled: true) == .stored)
            discard(unpolled)
            discard(polled)
            _ = try loop.run()
            return (gone, store.stored.map(\.name))
        }
        #expect(gone == ["polled"])
        #expect(left == ["unpolled"])
    }
}
