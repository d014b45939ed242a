import Foundation
import Notifications
import Supervisor
import SupervisorPorts
import SystemEvents
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `A network of one's own` {
    @Test(.requires(.ownNetwork))
    func `an interface that comes and goes is nothing, and one that stays is one entry`() async throws {
        let entries = try await Bench.run { bench in
            // This thread's alone; it ends with the test.
            try Namespace.network.unshare()
            var places = SystemPlaces()
            places.quiet = 20_000
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            var subscriptions = SystemSubscriptions()
            subscriptions.topics = [.networkChanged]
            var queue = NotificationQueue()
            var posts = 0
            workers.post = { _, post in
                posts += 1
                _ = queue.post(post)
            }
            sources.set(WorkerID(0), subscriptions)
            var entries: [Int] = []
            var step = 0
            try bench.run {
                guard let present = sources.present(of: .networkChanged, for: WorkerID(0)) else {
                    return false
                }
                switch step {
                case 0:
                    queue = NotificationQueue(restoring: [], knowing: [Topic(.networkChanged): present])
                    // Within the quiet time, and beyond it.
                    run("ip", "link", "add", "t0", "type", "veth", "peer", "name", "t0p")
                case 1 where posts == 1:
                    entries.append(queue.count)
                    run("ip", "link", "del", "t0")
                case 2 where posts == 2:
                    entries.append(queue.count)
                    run("ip", "link", "add", "t1", "type", "veth", "peer", "name", "t1p")
                    run("ip", "link", "set", "t1p", "up")
                    run("ip", "addr", "add", "192.0.2.1/24", "dev", "t1")
                    run("ip", "link", "set", "t1", "up")
                    run("ip", "route", "add", "default", "via", "192.0.2.254")
                case 3:
                    let text = String(decoding: queue.contents.last?.payload ?? [], as: UTF8.self)
                    // The carrier may come later than the route, and longer than the quiet time.
                    guard text.contains("192.0.2.254"), text.contains(#"{"name":"t1","up":true}"#) else {
                        return false
                    }
                    entries.append(queue.count)
                    #expect(text.contains(#""addresses":["t1 192.0.2.1/24""#), "\(text)")
                    return true
                default: return false
                }
                step += 1
                return false
            }
            sources.close()
            return entries
        }
        #expect(entries == [1, 0, 1])
    }
}
