import Foundation
import Lifecycle
import Notifications
import Supervisor
import SupervisorPorts
import Synchronization
import SystemEvents
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .serialized) struct `The time` {
    /// What a worker is told, of its time and its locale, while `act` is done again and again until there is something.
    private func told(
        count: Int, offset: @escaping @Sendable (Int64) -> Int64 = { _ in 0 },
        act: @escaping @Sendable (SystemPlaces, Int) -> Void
    ) async throws -> [String] {
        try await Bench.run { bench in
            var places = SystemPlaces()
            places.quiet = 1000
            places.zone = bench.path("localtime")
            places.locales = [bench.path("locale.conf"), bench.path("locale")]
            symlink("Etc/UTC", places.zone)
            mkdir(bench.path("Etc"), 0o755)
            write("utc", to: bench.path("Etc/UTC"))
            write("berlin", to: bench.path("Berlin"))
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            sources.zoneOffset = offset
            var told: [String] = []
            workers.post = { _, post in
                told.append("\(post.topic) \(String(decoding: post.payload ?? [], as: UTF8.self))")
            }
            workers.announce = { _, event in told.append("\(event)") }
            var subscriptions = SystemSubscriptions()
            subscriptions.topics = [.significantTimeChange, .localeChanged]
            subscriptions.announcements = CallbackSet([.significantTimeChange])
            sources.set(WorkerID(0), subscriptions)
            var acted = -1
            try bench.run {
                let isKnown = ([places.zone] + places.locales).allSatisfy {
                    sources.files?.present(of: $0) != nil
                }
                if isKnown, acted < told.count {
                    acted = told.count
                    if acted < count { act(places, acted) }
                }
                return told.count >= count
            }
            sources.close()
            #expect(sources.files == nil)
            return told.map { $0.replacingOccurrences(of: bench.directory, with: "…") }
        }
    }

    private static let announcement = "announced(Lifecycle.Callback.significantTimeChange)"

    @Test func `another zone, and another locale, are told of`() async throws {
        let told = try await told(count: 4) { places, step in
            switch step {
            case 0:
                symlink("Berlin", places.zone + ".new")
                rename(places.zone + ".new", places.zone)
            case 2: write("LANG=C.UTF-8", to: places.locales[0])
            case 3: write("LANG=C.UTF-8", to: places.locales[1])
            default: break
            }
        }
        #expect(
            told == [
                #"significantTimeChange {"reason":"zone"}"#, Self.announcement,
                #"localeChanged {"path":"…/locale.conf"}"#, #"localeChanged {"path":"…/locale"}"#,
            ])
    }

    @Test func `a turn of the day comes when it is there`() async throws {
        // A second after it is asked for first: on a busy machine that comes late.
        let begin = Mutex<Int64?>(nil)
        let offset: @Sendable (Int64) -> Int64 = { moment in
            let begin = begin.withLock { known in
                let begin = known ?? moment
                known = begin
                return begin
            }
            return moment <= begin ? 0 : 3600
        }
        let told = try await told(count: 2, offset: offset) { _, _ in }
        #expect(told == [#"significantTimeChange {"reason":"offset"}"#, Self.announcement])
    }

    @Test func `a clock that was set is told to who asks for that, though no worker does`() async throws {
        let told = try await Bench.run { bench in
            let sources = SystemMonitors(on: bench.loop)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told = 0
            workers.clockSet = { told += 1 }
            #expect(!sources.hearsTime)
            sources.followsClock = true
            #expect(sources.hearsTime)
            // As if the clock had been set; and a turn of the day, which is none of its business.
            sources.timeTurned("clock")
            sources.timeTurned("midnight")
            sources.followsClock = false
            #expect(!sources.hearsTime)
            return told
        }
        #expect(told == 1)
    }

    @Test(.requires(.clock)) func `a clock that is set is told of`() async throws {
        let told = try await told(count: 2) { _, _ in
            // To what it is, or nearly: that counts too, and does no harm.
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            #expect(clock_settime(CLOCK_REALTIME, &time) == 0)
        }
        #expect(told == [#"significantTimeChange {"reason":"clock"}"#, Self.announcement])
    }
}
