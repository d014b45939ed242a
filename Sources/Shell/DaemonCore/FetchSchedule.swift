internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import WorkerFile

/// Background fetches (1.3 performFetch): workers with the `fetch` mode are woken for one now and then.
///
/// `FetchIntervalSec=` counts from one fetch to the next, with slack of a tenth of it, a minute at most, so that those of many
/// workers come together. Only a
/// worker that is there, or had to make room, is woken: not one that has never run, or has ended for a reason of its own.
final class FetchSchedule {
    private struct Entry {
        let interval: TimeSpan
        var due: Instant

        /// How much sooner than asked it may come, or later.
        var slack: TimeSpan { min(FetchSchedule.longestSlack, interval / 10) }
    }

    private let supervisor: Supervisor
    private let loop: EventLoop
    private var entries: [WorkerID: Entry] = [:]
    private let timer = SourceBox<TimeSource>()
    private static let longestSlack = TimeSpan.seconds(60)
    /// How late the timer may be, in microseconds.
    private var accuracy: Int64 = 0

    init(_ supervisor: Supervisor, on loop: EventLoop) {
        self.supervisor = supervisor
        self.loop = loop
    }

    /// Takes in what a worker's files say of fetches now.
    func set(_ worker: WorkerID, _ definition: WorkerDefinition) {
        guard definition.background.modes.contains(.fetch) else { return remove(worker) }
        let interval = max(.seconds(1), definition.background.fetchInterval)
        if entries[worker]?.interval == interval { return }
        set(worker, Entry(interval: interval, due: now + interval))
        arm()
    }

    /// Goes on with the interval that has begun under a predecessor, for a worker that it knew.
    func resume(_ worker: WorkerID) {
        guard var entry = entries[worker] else { return }
        // Its files may ask for fetches more often now.
        if let due = supervisor.fetchDue(of: worker) {
            entry.due = min(due, entry.due)
        }
        set(worker, entry)
        arm()
    }

    private func set(_ worker: WorkerID, _ entry: Entry) {
        entries[worker] = entry
        supervisor.setFetchDue(entry.due, of: worker)
    }

    /// Forgets a worker.
    func remove(_ worker: WorkerID) {
        guard entries.removeValue(forKey: worker) != nil else { return }
        arm()
    }

    private var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    private func arm() {
        guard let next = entries.values.map(\.due).min(), let slack = entries.values.map(\.slack).min() else {
            timer.handle = nil
            return
        }
        if timer.handle == nil || accuracy != slack.microseconds {
            accuracy = slack.microseconds
            // Without a timer there is no fetch, and everything else goes on.
            timer.handle = try? TimeSource(on: loop, accuracy: accuracy, priority: .clients) {
                [unowned self] _ in fetch()
            }
        }
        timer.handle?.arm(at: next.microseconds)
    }

    private func fetch() {
        let now = now
        // Those that are nearly due come along.
        for (worker, entry) in entries where entry.due <= now + entry.slack {
            set(worker, Entry(interval: entry.interval, due: now + entry.interval))
            supervisor.fetch(worker)
        }
        arm()
    }
}

extension TimeSpan {
    fileprivate static func / (span: TimeSpan, divisor: Int64) -> TimeSpan {
        TimeSpan(microseconds: span.microseconds / divisor)
    }
}

extension Supervisor {
    /// When a worker is woken for a fetch next; nil where it is not.
    func fetchDue(of id: WorkerID) -> Instant? { workers[id]?.fetchDue }

    /// Keeps that for whoever comes after us, with what happens to the worker next.
    func setFetchDue(_ due: Instant, of id: WorkerID) {
        workers[id]?.fetchDue = due
        workers[id]?.isUnrecorded = true
    }

    /// Wakes a worker for a fetch, if it is one that fetches and has nothing of the kind under way.
    func fetch(_ id: WorkerID) {
        guard let worker = workers[id], !worker.contents.values.contains(where: { $0.content == .fetch })
        else { return }
        let life = worker.life
        switch life.restReason {
        // What an operator has not wanted yet, or has forbidden, no fetch brings; one that backs off comes back by itself.
        case .neverLaunched, .forceQuit, .backingOff: return
        case .evicted, .exited, .failed:
            guard life.policy.readiness == .app || worker.configuration.hooks[.performFetch] != nil else {
                return
            }
        case nil:
            guard life.receivedCallbacks.contains(.performFetch), !life.isHeld else { return }
        }
        let inbound = take(.fetch, .fetch, for: worker) { _ in }
        rouse(worker, Wake(.fetch, intoForeground: false, bringing: inbound), WakeOrigin(.fetch))
    }
}
