import FoundationEssentials
import TorporWorker

/// A worker on `TorporWorker`, for tests: prints a line for each thing that it hears, and counts the times that it became active.
///
/// `LibraryWorker`: entering the background it works on for 100 ms as a background task; its state is the count; it opens URLs of
/// the scheme `count`, interrupts itself for `count:interrupt` until it receives a notification about `done`, and begins a transfer that
/// exits with status 7 a moment later for `count:transfer`.
/// It offers the activity
/// `org.example.counting` for `count:offer`, which it also continues. It ends when `run` returns, with status 0.
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

    /// What the interruption waits for.
    actor Question {
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func answered() async { await withCheckedContinuation { waiting.append($0) } }
        func answer() {
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    let counter = Counter()
    let question = Question()

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
        if url.absoluteString == "count:interrupt" {
            Task {
                try await Worker.shared.withInterruption(for: "question") { await question.answered() }
            }
        }
        if url.absoluteString == "count:transfer" {
            Task {
                let number = try await Worker.shared.beginTransfer(
                    ["/bin/sh", "-c", "echo words; sleep 0.3; exit 7"], for: "seven")
                print("transfer \(number)")
            }
        }
        if url.absoluteString == "count:offer" {
            Task {
                try await Worker.shared.offerActivity("org.example.counting", title: "counting") {
                    State(count: await counter.count)
                }
            }
        }
        return url.scheme == "count"
    }

    func continueActivity(_ activity: ContinuedActivity) throws -> Bool {
        let count = try activity.payload(as: State.self).count
        print(
            "continueActivity \(activity.type) \(activity.title ?? "") from \(activity.from ?? ""): \(count)")
        return true
    }

    func didReceiveNotifications(_ notifications: [PostedNotification]) async {
        if notifications.contains(where: { $0.topic == "done" }) { await question.answer() }
    }

    func handleTransferEvents(_ events: TransferEvents) {
        for end in events.transfers {
            let outcome = end.outcome?.rawValue ?? "?"
            print("ended \(end.number) \(end.purpose) \(outcome) \(end.exitStatus ?? -1) \(end.output)")
        }
    }

    func saveState() async -> State { State(count: await counter.count) }

    func restoreState(_ state: State) async {
        await counter.set(state.count)
        print("restoreState \(state.count)")
    }

    func wasSuspended(for duration: Duration) { print("wasSuspended: \(duration > .zero)") }
}
