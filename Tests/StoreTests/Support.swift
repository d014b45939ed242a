import Foundation
import Glibc
import Lifecycle
import Linux
import Records
import TestSupport
import Testing

@testable import Store

/// A store whose answers are waited for.
final class TestStore: Sendable {
    struct Heard {
        var events: [StoreEvent] = []
        var stored = Sequence(0)
    }

    let store: Store
    private let heard: SignalledBox<Heard>

    init(_ path: String, _ change: (inout Store.Settings) -> Void = { _ in }) {
        var settings = Store.Settings(
            path: path, retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "boot-1")
        settings.gathering = 1000
        settings.firstRetry = .milliseconds(1)
        change(&settings)
        let heard = SignalledBox(Heard())
        self.heard = heard
        store = Store(
            settings, deliver: { $0() },
            report: { event in
                heard.post {
                    $0.events.append(event)
                    return true
                }
            },
            stored: { sequence in
                heard.post {
                    $0.stored = max($0.stored, sequence)
                    return true
                }
            })
    }

    deinit { store.close() }

    var events: [StoreEvent] { heard.with { $0.events } }

    /// Waits until `isThere` holds of what was heard.
    func wait(_ isThere: (Heard) -> Bool) throws {
        let deadline = KernelClock.monotonic + 60_000_000
        let inTime = heard.take { heard in
            if isThere(heard) { return .take(true) }
            return KernelClock.monotonic < deadline ? .waitUntil(deadline) : .take(false)
        }
        if !inTime { throw TimedOut() }
    }

    /// Writes and waits until it is committed.
    func commit(_ writes: [Write]) throws {
        let sequence = store.write(Batch(writes, isAwaited: true))
        try wait { $0.stored >= sequence }
    }

    func history(_ query: Query = Query(limit: 1000)) throws -> Page<HistoryEntry> {
        try answer { store.history(query, then: $0) }
    }

    func terminations(_ query: Query = Query(limit: 1000)) throws -> Page<TerminationEntry> {
        try answer { store.terminations(query, then: $0) }
    }

    func lastTerminations(of workers: [String]) throws -> [Stored<TerminationEntry>] {
        try answer { store.lastTerminations(of: workers, then: $0) }
    }

    private func answer<Answer: Sendable>(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) throws
        -> Answer
    {
        let box = SignalledBox<Answer?>(nil)
        ask { answer in
            box.post {
                $0 = answer
                return true
            }
        }
        let deadline = KernelClock.monotonic + 60_000_000
        let result = box.take { answer in
            if let answer { return .take(Answer?.some(answer)) }
            return KernelClock.monotonic < deadline ? .waitUntil(deadline) : .take(nil)
        }
        guard let result else { throw TimedOut() }
        return result
    }
}

/// An entry of the history, told from others by its number.
func entry(_ number: Int, _ worker: String = "w") -> HistoryEntry {
    HistoryEntry(worker: worker, kind: .changed, at: Int64(number), reason: "\(number)")
}

/// An end of a process, told from others by its number.
func end(_ number: Int, _ worker: String = "w") -> TerminationEntry {
    TerminationEntry(
        worker: worker, at: Int64(number), pid: Int64(number), launchReason: "operator", state: "active",
        goal: "active", cause: "exited", sentence: "it ended", ran: 1, inBackground: 0, suspended: 0)
}

extension Page where Content == HistoryEntry {
    /// The numbers of the entries.
    var numbers: [Int] { rows.compactMap { Int($0.content.reason) } }
}

extension Page where Content == TerminationEntry {
    /// The numbers of the ends.
    var numbers: [Int] { rows.map { Int($0.content.pid) } }
}

extension Capability {
    /// A filesystem of our own, which can be filled.
    static let mounting = Capability("mount(2)") {
        let path = "/tmp/torpor-mount-\(getpid())"
        mkdir(path, 0o700)
        defer { rmdir(path) }
        guard Glibc.mount("none", path, "tmpfs", 0, "size=1m") == 0 else {
            return "no tmpfs can be mounted: \(String(cString: strerror(errno)))"
        }
        umount2(path, Int32(MNT_DETACH))
        return nil
    }
}
