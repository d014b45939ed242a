import Foundation
import Lifecycle
import Linux
import Notifications
import Supervisor
import SupervisorPorts
import SystemEvents
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .serialized) struct `The machine` {
    /// Two workers, of which the second sleeps already; a sleep waits for the first, and is delayed again afterwards.
    @Test(.requires(.bus)) func `waits with its sleep until all are at rest, and brings them back`()
        async throws
    {
        let (told, said) = try await Bench.run { bench in
            let login = try FakeLogin(in: bench.directory)
            var places = SystemPlaces()
            places.bus = login.address
            places.session = "7"
            var told: [String] = []
            var states: [UInt32: State] = [0: .active, 1: .suspended]
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            sources.report = { told.append($0) }
            workers.state = { states[$0.rawValue] ?? .notRunning }
            workers.post = { worker, post in
                let payload =
                    post.topic.system == .protectedDataChanged
                    ? " \(String(decoding: post.payload ?? [], as: UTF8.self))" : ""
                told.append("\(worker.rawValue) \(post.topic)\(payload)")
            }
            workers.announce = { worker, event in
                switch event {
                case .requested(let request):
                    told.append("\(worker.rawValue) \(request.goal) \(request.requester)")
                case .resumeRequested(let requester): told.append("\(worker.rawValue) resume \(requester)")
                case .announced(let callback): told.append("\(worker.rawValue) \(callback.rawValue)")
                default: told.append("\(worker.rawValue) \(event)")
                }
            }
            workers.lock = { told.append("\($0.rawValue) locked \($1.sorted())") }
            var subscriptions = SystemSubscriptions()
            subscriptions.followsMachine = true
            var more = subscriptions
            more.topics = [.significantTimeChange, .protectedDataChanged]
            more.announcements = CallbackSet([
                .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
            ])
            var step = 0
            try bench.run {
                let said = login.said
                // The clock may be set meanwhile, by another test.
                let count = told.count { $0 != Self.timeChange }
                switch step {
                case 0 where said.contains("ready"):
                    sources.set(WorkerID(0), subscriptions)
                    sources.set(WorkerID(1), more)
                case 1 where said.count == 2: login.act("sleep 1")
                case 2 where count == 1:
                    // Nothing is given back while it is not there.
                    #expect(said.count == 2)
                    states[0] = .suspended
                    sources.workerChanged()
                case 3 where said.count == 3: login.act("sleep 0")
                case 4 where said.count == 4 && count == 2 && told.contains(Self.timeChange):
                    #expect(Self.isThere(sources) == #"{"available":true}"#)
                    states[0] = .active
                    login.act("lock")
                case 5 where count == 6:
                    #expect(Self.isThere(sources) == #"{"available":false}"#)
                    login.act("unlock")
                case 6 where count == 10: login.act("shutdown 1")
                case 7 where count == 12:
                    states = [:]
                    sources.workerChanged()
                case 8 where said.count == 5: return true
                default: return false
                }
                step += 1
                return false
            }
            sources.close()
            return (told, login.said.map(String.init))
        }
        // The queue goes out before willEnterForeground: it has to be there before the machine's wake resumes its workers.
        let resume = told.firstIndex(of: "0 resume the machine") ?? 0
        #expect(resume > 0 && told[resume - 1] == Self.timeChange)
        #expect(
            told.filter { $0 != Self.timeChange } == [
                "0 suspended the machine", "0 resume the machine", #"0 locked ["7"]"#,
                #"1 locked ["7"]"#, "1 protectedDataWillBecomeUnavailable",
                #"1 protectedDataChanged {"available":false}"#, "1 protectedDataDidBecomeAvailable",
                #"1 protectedDataChanged {"available":true}"#, "0 locked []", "1 locked []",
                "0 notRunning the machine",
                "1 notRunning the machine",
            ])
        #expect(
            said == [
                "ready", "inhibited sleep:shutdown delay", "released", "inhibited sleep:shutdown delay",
                "released",
            ])
    }

    private static let timeChange = "1 significantTimeChange"

    /// What a process finds that begins now.
    private static func isThere(_ sources: SystemMonitors) -> String? {
        sources.present(of: .protectedDataChanged, for: WorkerID(1)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The system's supervisor: the lock of a session is the business of the workers of its user, and of no others.
    @Test(.requires(.bus)) func `interrupts the workers of a session's user while that is locked`()
        async throws
    {
        let told = try await Bench.run { bench in
            let login = try FakeLogin(in: bench.directory)
            var places = SystemPlaces()
            places.bus = login.address
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            workers.state = { _ in .active }
            var told: [String] = []
            workers.lock = { told.append("\($0.rawValue) locked \($1.sorted())") }
            let steps: [(action: String, count: Int)] = [
                ("session 3 4100 ada", 0), ("session 4 4100 ada", 0), ("session 5 4200 ben", 0),
                ("lock 3", 2), ("lock 5", 3), ("lock 4", 5), ("unlock 3", 7), ("end 4", 9),
                ("unlock 5", 10),
            ]
            var step = -1
            try bench.run {
                if step < 0 {
                    guard login.said.contains("ready") else { return false }
                    for (worker, user) in ["ada", "4100", "ben", nil].enumerated() {
                        var subscriptions = SystemSubscriptions()
                        subscriptions.followsMachine = true
                        subscriptions.user = user
                        sources.set(WorkerID(UInt32(worker)), subscriptions)
                    }
                } else if told.count < steps[step].count || login.said.count < 2 {
                    return false
                }
                step += 1
                guard step < steps.count else { return true }
                login.act(steps[step].action)
                return false
            }
            sources.close()
            return told
        }
        #expect(
            told == [
                #"0 locked ["3"]"#, #"1 locked ["3"]"#, #"2 locked ["5"]"#, #"0 locked ["3", "4"]"#,
                #"1 locked ["3", "4"]"#, #"0 locked ["4"]"#, #"1 locked ["4"]"#, "0 locked []",
                "1 locked []", "2 locked []",
            ])
    }

    /// It hangs: login1 is kept waiting for as long as it was told at most, and is let go then.
    @Test(.requires(.bus)) func `sleeps without those who do not come to rest in time`() async throws {
        let (said, took) = try await Bench.run { bench in
            let login = try FakeLogin(in: bench.directory)
            var places = SystemPlaces()
            places.bus = login.address
            places.session = "7"
            places.grace = 50_000
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            workers.state = { _ in .active }
            var subscriptions = SystemSubscriptions()
            subscriptions.followsMachine = true
            var step = 0
            var asked: Int64?
            var took: Int64 = 0
            workers.announce = { _, event in
                if case .requested = event { asked = KernelClock.monotonic }
            }
            try bench.run {
                let said = login.said
                switch step {
                case 0 where said.contains("ready"): sources.set(WorkerID(0), subscriptions)
                case 1 where said.count == 2: login.act("sleep 1")
                case 2 where said.count == 3:
                    took = KernelClock.monotonic - (asked ?? .max)
                    return true
                default: return false
                }
                step += 1
                return false
            }
            sources.close()
            return (login.said.map(String.init), took)
        }
        #expect(said == ["ready", "inhibited sleep:shutdown delay", "released"])
        #expect(took >= 50_000)
        #expect(SystemPlaces().grace < 5_000_000)
    }

    @Test func `without a bus everything else goes on`() async throws {
        let reports = try await Bench.run { bench in
            var places = SystemPlaces()
            places.bus = "unix:path=\(bench.path("nothing"))"
            places.quiet = 1000
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            var reports: [String] = []
            var posts = 0
            sources.report = { reports.append($0.replacingOccurrences(of: bench.directory, with: "…")) }
            workers.post = { _, _ in posts += 1 }
            var subscriptions = SystemSubscriptions()
            subscriptions.followsMachine = true
            subscriptions.settings = [bench.path("conf")]
            sources.set(WorkerID(0), subscriptions)
            var hasWritten = false
            try bench.run {
                if !hasWritten, sources.files?.present(of: bench.path("conf")) != nil {
                    hasWritten = true
                    write("a", to: bench.path("conf"))
                }
                return posts == 1
            }
            sources.close()
            return reports
        }
        #expect(reports.count <= 1)
    }
}
