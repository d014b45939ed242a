import ControlAPI
import Synchronization
import TorporWorker

/// Things that happened, in order; a test can wait for the next.
final class Notes: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func add(_ note: String) { continuation.yield(note) }

    /// The next `count` notes.
    func next(_ count: Int) async -> [String] {
        var all: [String] = []
        for await note in stream {
            all.append(note)
            if all.count == count { break }
        }
        return all
    }
}

/// A gate that is passed once it was opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func pass() async { for await _ in stream {} }
}

struct Trouble: Error, CustomStringConvertible {
    let description: String
}

struct Position: Codable, Hashable, Sendable {
    var level = 1
    var name = "a"
}

/// A delegate that notes what it hears, and does what it was told.
struct Recorder: LifecycleDelegate {
    let notes = Notes()
    var refusesLaunch = false
    var fails: CallbackName?
    var gate: Gate?
    var callbacks = Set(CallbackName.allCases)
    var fetches = FetchResult.newData

    private func note(_ name: CallbackName) throws {
        notes.add(name.rawValue)
        if fails == name { throw Trouble(description: "cannot \(name)") }
    }

    func willFinishLaunching(_ launch: Launch) async throws -> Bool {
        notes.add("willFinishLaunching for \(launch.reason)")
        return !refusesLaunch
    }
    func didFinishLaunching(_ launch: Launch) throws -> Bool {
        try note(.didFinishLaunching)
        return true
    }
    func didBecomeActive() async throws {
        try note(.didBecomeActive)
        await gate?.pass()
        notes.add("active")
    }
    func willResignActive() throws { try note(.willResignActive) }
    func didEnterBackground() throws { try note(.didEnterBackground) }
    func willTerminate() throws { try note(.willTerminate) }
    func performFetch() async throws -> FetchResult {
        try note(.performFetch)
        await gate?.pass()
        notes.add("fetched")
        return fetches
    }
    func performProcessing() async throws {
        try note(.performProcessing)
        try await Task.sleep(for: .seconds(3600))
    }
    func didReceiveNotifications(_ notifications: [PostedNotification]) {
        notes.add(notifications.map { "\($0.topic) \($0.sequence)" }.joined(separator: ", "))
    }
    func shouldSaveState() -> Bool { true }
    func saveState() -> Position { Position(level: 3, name: "b") }
    func restoreState(_ state: Position) { notes.add("restored \(state.level) \(state.name)") }
    func wasSuspended(for duration: Duration) { notes.add("slept \(duration)") }
    func answerWasLost(_ callback: CallbackName, _ error: WorkerError) {
        notes.add("lost \(callback): \(error.code)")
    }
}

/// A delegate from before warnings told a level.
struct Warned: LifecycleDelegate {
    let notes = Notes()

    func didReceiveMemoryWarning() { notes.add("short") }
}

/// One that has the method with a level.
struct WarnedOfLevels: LifecycleDelegate {
    let notes = Notes()

    func didReceiveMemoryWarning(_ warning: MemoryWarning) {
        notes.add("\(warning.level) \(warning.available.map(String.init) ?? "-")")
    }
}
