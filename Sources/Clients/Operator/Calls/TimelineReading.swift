internal import ControlAPI
internal import Lifecycle
package import Picture

/// Reads the history into a timeline, however long it is.
package struct TimelineReading {
    private let names: [String]
    private let start: Int64
    private let end: Int64
    private let users: UserNames

    /// The timeline of `names`, or of all workers, from `start` to `end`, in microseconds since 1970.
    package init(names: [String], from start: Int64, to end: Int64, users: UserNames = .none) {
        self.names = names
        self.users = users
        self.start = start
        self.end = end
    }

    /// Reads it, and says why the stored history is incomplete, if it is.
    package func read(
        over transport: inout some ControlTransport, at clock: WallClock
    ) throws(Failure) -> (timeline: Timeline, incomplete: String?) {
        var builder = TimelineBuilder(from: start, to: end)
        let present = try transport.call(
            SupervisorInterface.List.self, .init(names: names.isEmpty ? nil : names))
        for worker in present.workers {
            builder.present(worker.name, State(worker.state), since: worker.since)
        }
        let filter = HistoryFilter(names: names, since: start, until: end)
        let incomplete: String?
        do throws(Failure) {
            incomplete = try HistoryReading(filter, lines: .all).readBackwards(over: &transport) { page in
                for entry in page { builder.add(entry, users) }
                return true
            }
        } catch  where error.isNoSuchWorker && !present.workers.isEmpty {
            // Nothing has happened to it yet.
            incomplete = nil
        }
        let subject = names.isEmpty ? "all workers" : enumeration(names.map(\.printable))
        return (builder.timeline("Timeline of \(subject)", clock.calendar(from: start, to: end)), incomplete)
    }
}

extension TimelineBuilder {
    /// Adds what the history tells, latest first.
    fileprivate mutating func add(_ entry: SupervisorInterface.HistoryEntry, _ users: UserNames) {
        enter(boot: entry.bootId, at: entry.at)
        let name = entry.worker?.printable
        let by = entry.requestedBy.map { " by \($0.words(users))" } ?? ""
        let words = users.naming((entry.message ?? entry.reason).printable)
        switch entry.kind {
        case .changed:
            guard let name else { return }
            change(
                name, from: entry.from.map(State.init), to: entry.to.map(State.init), at: entry.at,
                why: entry.reason.printable + by)
        case .launched: mark(name, .launch, at: entry.at, "launch complete" + by)
        case .launchFailed: mark(name, .crash, at: entry.at, "launch failed: \(words)")
        case .ended:
            switch entry.reason {
            case "evicted": mark(name, .eviction, at: entry.at, words)
            case "exited", "stopped", "forceQuit": break
            default: mark(name, .crash, at: entry.at, words)
            }
        case .warned: mark(name, .warning, at: entry.at, words)
        case .woken, .opened, .kept, .processed: mark(name, .wake, at: entry.at, words)
        case .supervisor: mark(nil, .supervisor, at: entry.at, words)
        case .memory:
            switch entry.reason {
            case "normal": memory(nil, at: entry.at)
            case "warning": memory(.warning, at: entry.at)
            case "critical": memory(.critical, at: entry.at)
            case "memoryWarningOver", "broughtBack": break
            default: mark(name, .warning, at: entry.at, words)
            }
        case .lost: mark(nil, .warning, at: entry.at, words)
        }
    }
}

extension State {
    /// The state of that name in the control interface.
    init(_ state: SupervisorInterface.State) {
        self =
            switch state {
            case .notRunning: .notRunning
            case .inactive: .inactive
            case .active: .active
            case .background: .background
            case .suspended: .suspended
            }
    }
}

extension WallClock {
    /// What clocks here show between `start` and `end`.
    func calendar(from start: Int64, to end: Int64) -> Picture.Calendar {
        var zones: [Picture.Calendar.Zone] = []
        let (first, last) = (start.floorDivided(by: 1_000_000), end.floorDivided(by: 1_000_000))
        let step = max((last - first) / 400, 1)
        for second in stride(from: first, through: last, by: Int64.Stride(step)) {
            let offset = Int64(zone(second).offset)
            if zones.last?.offset != offset { zones.append(.init(from: second, offset: offset)) }
        }
        return Picture.Calendar(zones: zones)
    }
}
