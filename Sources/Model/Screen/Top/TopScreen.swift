package import ControlAPI
internal import Picture

/// The live screen of `torpor top`: what it knows, what is chosen of it, and what a key asks for.
///
/// It is pure: what a supervisor tells and what time it is are arguments, and what is shown is a ``Grid``. Times are in microseconds since
/// 1970. What comes from a supervisor is bounded by the number of its workers.
package struct TopScreen: Sendable {
    package typealias API = SupervisorInterface

    /// How rows are put together.
    package enum Folding: String, Hashable, Sendable, CaseIterable {
        case none, template, group
    }

    /// What takes the keys.
    enum Mode: Hashable, Sendable {
        case list
        /// The filter is being typed; the text is the one of before.
        case filtering(before: String)
        /// A verb waits for a yes.
        case confirming(TopVerb, names: [String], question: String)
        case paging(TopPager)
    }

    /// A row: a worker, or many that are folded.
    enum Row: Hashable, Sendable {
        /// Its place in ``workers``; whether it stands below a group.
        case worker(Int, isMember: Bool)
        /// The name of the group, and the places of its workers.
        case group(String, [Int])
    }

    /// What is chosen, by name: it stays when rows change places.
    enum Choice: Hashable, Sendable {
        case worker(String)
        case group(String)
    }

    /// Whether more than ASCII can be shown.
    package let isUnicode: Bool
    /// What is shown of the supervisor, as `the supervisor at /run/…`.
    package let origin: String
    /// Whether it is looked at only: no row is chosen, and no key is pressed.
    package var isPicture = false
    package internal(set) var columns = 80
    package internal(set) var rows = 24
    /// By name.
    package internal(set) var workers: [TopWorker] = []
    var places: [String: Int] = [:]
    package internal(set) var order = TopColumn.name
    package internal(set) var isReversed = false
    package internal(set) var folding = Folding.none
    package internal(set) var filter = TopFilter()
    var unfolded: Set<String> = []
    var mode = Mode.list
    var choice: Choice?
    /// Where the chosen row was, for when it is gone.
    var chosenIndex = 0
    var offset = 0
    var shown: [Row] = []
    var isStale = true
    var totals = TopTotals()
    var pressure: API.Pressure.Reply?
    var lowPower: String?
    /// What was said last, and until when that stands.
    var message: (text: String, isBad: Bool, until: Int64)?
    /// Why there is no supervisor, and since when; nil where there is one.
    package internal(set) var absence: (why: String, since: Int64)?
    /// Whether that is one that does not answer.
    var isSilent = false
    /// Why there are no figures.
    package var figuresProblem: String?
    var nextSampled = 0
    /// When the subscription began.
    var beganAt: Int64 = 0
    /// What time it was when the rows were put in order.
    var now: Int64 = 0

    /// A screen that knows nothing yet.
    package init(origin: String, isUnicode: Bool, filter: String = "") {
        self.origin = origin
        self.isUnicode = isUnicode
        self.filter = TopFilter(filter)
    }

    /// The terminal has this size now.
    package mutating func resize(columns: Int, rows: Int) {
        // A picture has a row for each worker, and two for one that is folded.
        let most = isPicture ? 2 * workers.count + 1000 : 1000
        (self.columns, self.rows) = (min(max(columns, 1), 1000), min(max(rows, 1), most))
    }

    /// Orders the rows by that column.
    package mutating func order(by column: TopColumn) { (order, isStale) = (column, true) }

    /// Folds the rows.
    package mutating func fold(_ folding: Folding) { (self.folding, isStale) = (folding, true) }

    // MARK: what the supervisor tells

    /// A subscription began with these workers: no others are there.
    package mutating func began(with present: [API.WorkerSummary], at now: Int64) {
        absence = nil
        // This supervisor, or the caller's rights there, may be others.
        figuresProblem = nil
        beganAt = now.bounded
        for place in workers.indices {
            workers[place].earlierWakes.add(workers[place].wakes)
            workers[place].wakes = WakeTally()
        }
        let names = Set(present.map(\.name))
        workers.removeAll { !names.contains($0.name) }
        index()
        listed(present)
    }

    /// The workers of a list: those that are not known are added.
    package mutating func listed(_ summaries: [API.WorkerSummary]) {
        for summary in summaries {
            if let place = places[summary.name] {
                workers[place].take(summary)
                workers[place].isUnsampled = true
            } else {
                workers.append(TopWorker(summary))
            }
        }
        index()
    }

    /// A change.
    package mutating func changed(_ change: API.Change) {
        isStale = true
        guard let to = change.to else {
            guard let place = places[change.worker] else { return }
            workers.remove(at: place)
            return index()
        }
        if let place = places[change.worker] {
            workers[place].take(change, to)
        } else {
            workers.append(TopWorker(change, to))
            index()
        }
    }

    /// What the history tells of the last hour before the subscription began, the oldest first.
    package mutating func remembered(_ entries: [API.HistoryEntry]) {
        // It knows what was seen of that time too.
        for place in workers.indices { workers[place].earlierWakes = WakeTally() }
        var past: [String: [(state: API.State, at: Int64)]] = [:]
        for entry in entries where entry.kind == .changed && entry.at < beganAt {
            guard let name = entry.worker, let place = places[name], let to = entry.to else { continue }
            past[name, default: []].append((to, entry.at.bounded))
            if WakeTally.isWake(from: entry.from, to: to, reason: entry.reason) {
                workers[place].earlierWakes.count(at: entry.at.bounded)
            }
        }
        for (name, steps) in past {
            if let place = places[name] { workers[place].track.prepend(steps) }
        }
    }

    /// The figures of the workers that ``wanted(at:)`` named.
    package mutating func sampled(_ figures: [API.WorkerFigures], of names: [String], at now: Int64) {
        for name in names {
            // One that is not told of is none any more: Watch says so.
            if let place = places[name] { workers[place].isUnsampled = false }
        }
        for one in figures {
            if let place = places[one.name] { workers[place].take(one, at: now.bounded) }
        }
        isStale = true
    }

    /// How many connections workers have open.
    package mutating func counted(_ connections: [String: Int]) {
        for (name, count) in connections {
            if let place = places[name] { workers[place].connections = count }
        }
        isStale = true
    }

    /// How short the machine is of memory; nil where that is not known.
    package mutating func told(_ pressure: API.Pressure.Reply?) { self.pressure = pressure }

    /// Why low-power mode is on; nil while it is off.
    package mutating func told(lowPower: String?) { self.lowPower = lowPower }

    /// The supervisor is gone, or was not reached again.
    package mutating func lost(_ why: String, at now: Int64) {
        absence = (why, absence?.since ?? now.bounded)
        isSilent = false
        if case .confirming = mode { mode = .list }
    }

    /// The supervisor is there, and has not answered since then.
    package mutating func unanswered(since moment: Int64) {
        absence = ("the supervisor does not answer", moment.bounded)
        isSilent = true
        if case .confirming = mode { mode = .list }
    }

    /// The supervisor answers again.
    package mutating func found() { absence = nil }

    /// A text that was asked for.
    package mutating func open(_ title: String, _ lines: [String], atEnd: Bool = false) {
        mode = .paging(TopPager(title: title, lines: lines, atEnd: atEnd))
    }

    /// Says something in the last line, for a while.
    package mutating func say(_ text: String, isBad: Bool = false, at now: Int64) {
        message = (text, isBad, now.bounded + 10_000_000)
    }

    // MARK: what is asked of the supervisor

    /// Whether there are workers whose figures are older than their state.
    package var isBehind: Bool { figuresProblem == nil && workers.contains(where: \.isUnsampled) }

    /// The workers whose figures are to be asked for now, 128 at most.
    ///
    /// They are those that run and are shown, less often where nothing of them changes; those that have changed; and a few of all others in
    /// their turn.
    package mutating func wanted(at now: Int64) -> [String] {
        settle(at: now)
        guard figuresProblem == nil, !workers.isEmpty else { return [] }
        var names: [String] = []
        var seen: Set<Int> = []
        func want(_ place: Int) {
            guard names.count < 128, seen.insert(place).inserted else { return }
            names.append(workers[place].name)
        }
        for row in visible {
            guard case .worker(let place, _) = row else { continue }
            if workers[place].isDue(at: now.bounded) { want(place) }
        }
        for place in workers.indices where workers[place].isUnsampled { want(place) }
        // Where rows are ordered by what is sampled, it is to be less old.
        let count =
            switch order {
            case .memory, .cpu, .queue, .givenBack, .next: 24
            case .name, .state, .dwell, .connections, .wakes, .past: 8
            }
        for _ in 0..<min(count, workers.count) {
            nextSampled = (nextSampled + 1) % workers.count
            want(nextSampled)
        }
        return names
    }

    /// The main processes of the workers that are shown, by name: their connections can be counted.
    package mutating func shownProcesses(at now: Int64) -> [(name: String, pid: Int32)] {
        settle(at: now)
        return visible.compactMap { row in
            guard case .worker(let place, _) = row, let pid = workers[place].pid else { return nil }
            return (workers[place].name, Int32(clamping: pid))
        }
    }

    /// The rows that have a place on the screen; to be asked for when they are settled: until then they are those of earlier workers.
    var visible: ArraySlice<Row> {
        let start = min(max(offset, 0), shown.count)
        return shown[start..<min(start + listHeight, shown.count)]
    }

    private mutating func index() {
        workers.sort { $0.name.precedes($1.name) }
        places = Dictionary(workers.enumerated().map { ($1.name, $0) }) { first, _ in first }
        isStale = true
    }
}

/// What all workers have together.
struct TopTotals: Hashable, Sendable {
    var states: [SupervisorInterface.State: Int] = [:]
    var memory: Int64 = 0
    var givenBack: Int64 = 0
    var cpu: Int64 = 0
    var failed = 0

    mutating func add(_ worker: TopWorker) {
        states[worker.state, default: 0] += 1
        memory = memory.addingReportingOverflow(worker.memory ?? 0).partialValue
        givenBack = givenBack.addingReportingOverflow(worker.givenBack).partialValue
        cpu = cpu.addingReportingOverflow(worker.cpu ?? 0).partialValue
        if worker.state == .notRunning, worker.reason == .failed || worker.reason == .badSetting {
            failed += 1
        }
    }
}
