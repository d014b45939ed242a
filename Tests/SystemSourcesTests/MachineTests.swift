import Foundation
import Lifecycle
import Notifications
import Supervisor
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .serialized) struct `The machine` {
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
            let sources = SystemSources(on: bench.loop, places: places)
            sources.report = { told.append($0) }
            sources.state = { states[$0.rawValue] ?? .notRunning }
            sources.post = { worker, post in told.append("\(worker.rawValue) \(post.topic)") }
            sources.announce = { worker, event in
                switch event {
                case .requested(let request):
                    told.append("\(worker.rawValue) \(request.goal) \(request.requester)")
                case .resumeRequested(let requester): told.append("\(worker.rawValue) resume \(requester)")
                case .announced(let callback): told.append("\(worker.rawValue) \(callback.rawValue)")
                default: told.append("\(worker.rawValue) \(event)")
                }
            }
            var wants = SystemWants()
            wants.followsMachine = true
            var more = wants
            more.topics = [.significantTimeChange]
            more.announcements = CallbackSet([
                .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
            ])
            var step = 0
            try bench.run {
                let said = login.said
                switch step {
                case 0 where said.contains("ready"):
                    sources.set(WorkerID(0), wants)
                    sources.set(WorkerID(1), more)
                case 1 where said.count == 2: login.act("sleep 1")
                case 2 where told.count == 1:
                    // Nothing is given back while it is not there.
                    #expect(said.count == 2)
                    states[0] = .suspended
                    sources.workerChanged()
                case 3 where said.count == 3: login.act("sleep 0")
                case 4 where said.count == 4 && told.count == 3:
                    states[0] = .active
                    login.act("lock")
                case 5 where told.count == 6: login.act("unlock")
                case 6 where told.count == 9: login.act("shutdown 1")
                case 7 where told.count == 11:
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
        #expect(
            told == [
                "0 suspended the machine", "0 resume the machine", "1 significantTimeChange", "0 interrupted",
                "1 interrupted", "1 protectedDataWillBecomeUnavailable", "1 protectedDataDidBecomeAvailable",
                "0 interruptionEnded", "1 interruptionEnded", "0 notRunning the machine",
                "1 notRunning the machine",
            ])
        #expect(
            said == [
                "ready", "inhibited sleep:shutdown delay", "released", "inhibited sleep:shutdown delay",
                "released",
            ])
    }

    @Test func `without a bus everything else goes on`() async throws {
        let reports = try await Bench.run { bench in
            var places = SystemPlaces()
            places.bus = "unix:path=\(bench.path("nothing"))"
            places.quiet = 1000
            let sources = SystemSources(on: bench.loop, places: places)
            var reports: [String] = []
            var posts = 0
            sources.report = { reports.append($0.replacingOccurrences(of: bench.directory, with: "…")) }
            sources.post = { _, _ in posts += 1 }
            var wants = SystemWants()
            wants.followsMachine = true
            wants.settings = [bench.path("conf")]
            sources.set(WorkerID(0), wants)
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
