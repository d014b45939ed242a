import Glibc
import Linux
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Event sources` {
    @Test func `what is ready together is served by priority`() async throws {
        let order = try await onThread {
            let loop = try EventLoop()
            var order: [String] = []
            let idle = try DeferSource(on: loop, priority: .idle) {
                order.append("idle"); loop.exit(0)
            }
            let client = try DeferSource(on: loop, priority: .clients) { order.append("client") }
            let timer = try TimeSource(on: loop) { _ in order.append("deadline") }
            timer.arm(at: 0)
            let exits = try DeferSource(on: loop, priority: .exits) { order.append("exit") }
            let note = try DeferSource(on: loop, priority: .notifications) { order.append("notification") }
            _ = try loop.run()
            withExtendedLifetime(idle) {}
            withExtendedLifetime(client) {}
            withExtendedLifetime(exits) {}
            withExtendedLifetime(note) {}
            return order
        }
        #expect(order == ["notification", "exit", "deadline", "client", "idle"])
    }

    @Test func `a handler may drop its own source while it runs`() async throws {
        let (calls, closed) = try await onThread {
            let loop = try EventLoop()
            var channel = try Channel()
            let given = channel.give()
            let box = Box<IOSource>()
            let witness = Witness()
            var calls = 0
            box.value = try IOSource(on: loop, owning: given, events: .writable, priority: .clients) {
                [witness] _ in
                box.value = nil
                calls += 1  // after the drop: what the closure captured must still be there
                witness.touch()
            }
            let end = try IOSource(
                on: loop, descriptor: channel.kept.rawValue, events: .readable, priority: .clients
            ) { _ in loop.exit(0) }
            _ = try loop.run()
            withExtendedLifetime(end) {}
            return (calls + witness.touched, channel.isClosedElsewhere())
        }
        #expect(calls == 2)
        #expect(closed)
    }

    @Test func `a handler may drop another source that is ready too`() async throws {
        let served = try await onThread {
            let loop = try EventLoop()
            let victim = Box<DeferSource>()
            var served: [String] = []
            victim.value = try DeferSource(on: loop, priority: .clients) { served.append("victim") }
            let killer = try DeferSource(on: loop, priority: .exits) {
                served.append("killer")
                victim.value = nil
            }
            let end = try DeferSource(on: loop, priority: .idle) { loop.exit(0) }
            _ = try loop.run()
            withExtendedLifetime(killer) {}
            withExtendedLifetime(end) {}
            return served
        }
        #expect(served == ["killer"])
    }

    @Test func `interest in a descriptor can be changed and suspended`() async throws {
        let seen = try await onThread {
            let loop = try EventLoop()
            let channel = try Channel()
            let peer = channel.givenNumber
            let box = Box<IOSource>()
            defer { box.value = nil }  // its handler holds the box
            var seen: [IOEvents] = []
            box.value = try IOSource(
                on: loop, descriptor: channel.kept.rawValue, events: .writable, priority: .clients
            ) { events in
                seen.append(events)
                #expect(throws: Never.self) { try box.value?.setEvents(.readable) }
                if events.contains(.readable) {
                    #expect(throws: Never.self) { try box.value?.setEnabled(.off) }
                    loop.exit(0)
                } else {
                    var byte: UInt8 = 1
                    _ = write(peer, &byte, 1)
                }
            }
            _ = try loop.run()
            let enabled = box.value?.isEnabled
            #expect(enabled == false)
            withExtendedLifetime(channel) {}
            return seen
        }
        #expect(seen == [.writable, .readable])
    }

    @Test func `a bad descriptor and a regular file are refused with the kernel's reason`() async throws {
        try await onThread {
            let loop = try EventLoop()
            #expect(throws: SystemdError(errno: EBADF, operation: "sd_event_add_io")) {
                _ = try IOSource(on: loop, descriptor: 1_000_000, events: .readable, priority: .clients) {
                    _ in
                }
            }
            let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
            #expect(throws: SystemdError(errno: EPERM, operation: "sd_event_add_io")) {
                _ = try IOSource(
                    on: loop, owning: OwnedDescriptor(adopting: file), events: .readable, priority: .clients
                ) { _ in }
            }
        }
    }

    @Test func `a post source follows whatever fired, an exit source ends it all`() async throws {
        let order = try await onThread {
            let loop = try EventLoop()
            var order: [String] = []
            let work = Box<DeferSource>()
            work.value = try DeferSource(on: loop, enabled: .off, priority: .exits) { order.append("work") }
            let post = try PostSource(on: loop, priority: .idle) {
                order.append("post")
                if order.count > 3 { loop.exit(0) } else { work.value?.setEnabled(.oneshot) }
            }
            let late = try ExitSource(on: loop, priority: .clients) { order.append("second exit") }
            let early = try ExitSource(on: loop, priority: .exits) { order.append("first exit") }
            work.value?.setEnabled(.oneshot)
            _ = try loop.run()
            withExtendedLifetime(post) {}
            withExtendedLifetime(late) {}
            withExtendedLifetime(early) {}
            return order
        }
        #expect(order == ["work", "post", "work", "post", "first exit", "second exit"])
    }
}

/// Something a closure keeps alive.
private final class Witness {
    private(set) var touched = 0

    func touch() {
        touched += 1
    }
}
