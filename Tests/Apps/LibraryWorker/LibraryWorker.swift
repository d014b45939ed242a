import FoundationEssentials
import TorporWorker

/// A worker on `TorporWorker`, for tests: prints a line for each thing that it hears, and counts the times that it became active.
///
/// `LibraryWorker`: entering the background it works on for 100 ms as a background task; its state is the count; it opens URLs of
/// the scheme `count`. It ends when `run` returns, with status 0.
@main
struct LibraryWorker: LifecycleDelegate {
    struct State: Codable {
        var count = 0
    }

    actor Counter {
        var count = 0

        func add() { count += 1 }
        func set(_ count: Int) { self.count = count }
    }

    let counter = Counter()

    static func main() async throws {
        print("supervised: \(Worker.shared.isSupervised)")
        try await Worker.shared.run(LibraryWorker())
        print("over")
    }

    func willFinishLaunching(_ launch: Launch) -> Bool {
        print("willFinishLaunching \(launch.reason) restores: \(launch.restoresState)")
        return true
    }

    func didFinishLaunching(_ launch: Launch) -> Bool {
        print("didFinishLaunching")
        return true
    }

    func didBecomeActive() async {
        await counter.add()
        print("didBecomeActive \(await counter.count)")
    }

    func willResignActive() { print("willResignActive") }

    func didEnterBackground() async {
        print("didEnterBackground")
        Task {
            try await Worker.shared.withBackgroundTask(named: "linger") {
                try await Task.sleep(for: .milliseconds(100))
                let remaining = try await Worker.shared.backgroundTimeRemaining
                print("lingered, limited: \(remaining != nil), \(try await Worker.shared.state)")
            }
        }
    }

    func willEnterForeground() { print("willEnterForeground") }
    func willTerminate() { print("willTerminate") }

    func openURL(_ url: URL) -> Bool {
        print("openURL \(url.absoluteString)")
        return url.scheme == "count"
    }

    func saveState() async -> State { State(count: await counter.count) }

    func restoreState(_ state: State) async {
        await counter.set(state.count)
        print("restoreState \(state.count)")
    }

    func wasSuspended(for duration: Duration) { print("wasSuspended: \(duration > .zero)") }
}
