package import ControlAPI

/// One worker, as far as the live screen knows it; times are in microseconds since 1970.
package struct TopWorker: Hashable, Sendable {
    package typealias API = SupervisorInterface

    package let name: String
    package var description = ""
    package var state: API.State
    package var since: Int64
    package var goal: API.Goal
    package var reason: API.NotRunningReason?
    package var isHeld = false
    package var pid: Int64?
    package var memory: Int64?
    package var givenBack: Int64 = 0
    /// What it uses of the processors, in thousandths of a percent of one; nil before two samples.
    package var cpu: Int64?
    package var queue: Int64 = 0
    /// The next deadline, and when it passes.
    package var deadline: (name: String, at: Int64)? {
        get { deadlineName.map { ($0, deadlineAt) } }
        set { (deadlineName, deadlineAt) = (newValue?.name, newValue?.at ?? 0) }
    }
    private var deadlineName: String?
    private var deadlineAt: Int64 = 0
    /// Its open connections; nil where they were not counted.
    package var connections: Int?
    /// `ForegroundGroup=`.
    package var group: String?
    package var track = StateTrack()
    /// Wakes since the subscription began, and those before it.
    var wakes = WakeTally()
    var earlierWakes = WakeTally()
    /// Its figures are older than its state, or there are none.
    var isUnsampled = true
    /// How many samples in a row have been alike.
    private var likeSamples = 0
    /// When it was sampled last.
    private(set) var sampledAt: Int64 = 0
    private var cpuTotal: Int64?
    private var cpuPid: Int64?

    /// A worker as a supervisor lists it.
    init(_ summary: API.WorkerSummary) {
        (name, state, since, goal) = (summary.name, summary.state, summary.since.bounded, summary.goal)
        take(summary)
        track.add(state, at: since)
    }

    /// A worker that was just defined.
    init(_ change: API.Change, _ state: API.State) {
        (name, self.state, since, goal) = (change.worker, state, change.at.bounded, change.goal)
        track.add(state, at: since)
    }

    mutating func take(_ summary: API.WorkerSummary) {
        if summary.state != state || summary.since != since {
            track.add(summary.state, at: summary.since.bounded)
        }
        (state, since, goal, reason) = (summary.state, summary.since.bounded, summary.goal, summary.reason)
        description = summary.description ?? ""
        isHeld = summary.held
        pid = summary.pid
        if let bytes = summary.memoryBytes { memory = bytes.bounded }
    }

    mutating func take(_ change: API.Change, _ to: API.State) {
        let moment = change.at.bounded
        if change.from != to { since = moment }
        if WakeTally.isWake(from: change.from, to: to, reason: change.reason) { wakes.count(at: moment) }
        state = to
        goal = change.goal
        track.add(to, at: moment)
        isUnsampled = true
        likeSamples = 0
        deadline = nil
        if to != .notRunning { reason = nil }
        if to != .suspended { givenBack = 0 }
        if !to.runs { cpu = to == .suspended ? 0 : nil }
        if to == .notRunning { (memory, pid, connections, cpuTotal) = (nil, nil, nil, nil) }
    }

    /// Whether it is to be sampled again: what has changed lately each second, and what has not each fifth.
    func isDue(at now: Int64) -> Bool {
        isUnsampled || (state.runs && (likeSamples < 3 || now < sampledAt || now - sampledAt > 4_500_000))
    }

    mutating func take(_ figures: API.WorkerFigures, at now: Int64) {
        let before = (cpuTotal, memory, queue, deadlineName, givenBack)
        defer {
            let isAlike = before == (cpuTotal, memory, queue, deadlineName, givenBack)
            likeSamples = isAlike ? min(likeSamples + 1, 3) : 0
        }
        if let used = figures.cpuUsec?.bounded {
            if let before = cpuTotal, cpuPid == figures.pid, now > sampledAt, used >= before {
                // Thousandths of a percent: 100 000 for one processor.
                let (product, overflow) = (used - before).multipliedReportingOverflow(by: 100_000)
                cpu = overflow ? nil : (product / (now - sampledAt)).bounded
            }
            (cpuTotal, cpuPid) = (used, figures.pid)
            // What it used before it fell asleep is past.
            if state == .suspended { cpu = 0 }
        } else {
            (cpu, cpuTotal) = (nil, nil)
        }
        (goal, reason, pid) = (figures.goal, figures.reason, figures.pid)
        isHeld = figures.held ?? false
        memory = figures.memoryBytes?.bounded
        givenBack = figures.givenBackBytes?.bounded ?? 0
        queue = figures.queueLength?.bounded ?? 0
        deadline = figures.deadline.map {
            ($0.name, (now + $0.remainingUsec.bounded).bounded)
        }
        group = figures.foregroundGroup
        (sampledAt, isUnsampled) = (now, false)
        if pid == nil { connections = nil }
    }

    /// How often an event has woken or launched it in the hour before `now`.
    package func wakeCount(at now: Int64) -> Int { wakes.total(at: now) + earlierWakes.total(at: now) }

    /// The part of the name that its template has, as `web@`; nil of one that is no instance.
    package var template: String? { name.firstIndex(of: "@").map { String(name[...$0]) } }

    /// Its state, or why it does not run.
    var standing: String {
        if isHeld { return "held" }
        guard state == .notRunning, let reason, reason != .neverLaunched else { return state.rawValue }
        return reason.rawValue
    }

    var ink: Ink {
        if isHeld { return .attention }
        switch state {
        case .active: return Ink(.good, bold: true)
        case .inactive, .background: return .plain
        case .suspended: return Ink(.asleep)
        case .notRunning:
            switch reason {
            case .failed, .badSetting: return .bad
            case .backingOff: return .attention
            case .neverLaunched, .exited, .evicted, .forceQuit, nil: return .faint
            }
        }
    }
}

extension Int64 {
    /// The number, from zero on and so that some of them can be added: figures and times of another program may be anything.
    var bounded: Int64 { Swift.min(Swift.max(self, 0), 1 << 60) }
}
