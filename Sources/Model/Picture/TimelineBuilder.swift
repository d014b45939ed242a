package import Lifecycle

/// Makes a timeline from a history that is read from its end back, in bounded memory.
///
/// What is too short to be seen is folded; the more there is, the coarser. Where the clock was set back, what happened before is moved
/// ahead of what came after, so that the order stays that in which things happened.
package struct TimelineBuilder: Sendable {
    private struct Lane {
        /// Latest first.
        var intervals: [Timeline.Interval] = []
        var marks: [Timeline.Mark] = []
        /// Where the known part begins, and the state before that.
        var edge: Int64
        var before: State?
    }

    private let start: Int64
    private let end: Int64
    private let limit: Int
    private var quantum: Int64
    private var lanes: [String: Lane] = [:]
    private var machine: [Timeline.Mark] = []
    private var pressure: [Timeline.Pressure] = []
    private var pressureEdge: Int64
    private var items = 0
    /// The moment of what was added last, and of what a lane ends with that has not been seen yet.
    private var latest: Int64
    private var laneEnd: Int64
    private var isClockAhead = false
    private var boot: String?

    /// A builder for what happened from `start` to `end`, which is later, with about `limit` items at most.
    package init(from start: Int64, to end: Int64, limit: Int = 60_000) {
        self.start = start
        self.end = max(end, start + 1)
        self.limit = max(limit, 16)
        quantum = (self.end - start) / 4096
        latest = self.end
        laneEnd = self.end
        pressureEdge = self.end
    }

    /// Has a lane for `name`, which has been in `state` since `since`; before anything is added that happened.
    package mutating func present(_ name: String, _ state: State, since: Int64) {
        guard lanes[name] == nil else { return }
        var lane = Lane(edge: end)
        if since <= start {
            lane.before = state
        } else if since < end {
            append(.init(state: state, start: since, end: end, why: ""), to: &lane)
            lane.edge = since
        }
        lanes[name] = lane
    }

    // MARK: what happened, latest first

    /// The boot in which happened what is added next, and when that was.
    package mutating func enter(boot id: String, at moment: Int64) {
        defer { boot = id }
        guard let boot, boot != id else { return }
        // What ran before this boot ended with the one before it, at a time that is not known.
        let (first, last) = (latest, min(max(moment, start), latest))
        for name in lanes.keys {
            guard var lane = lanes.removeValue(forKey: name) else { continue }
            if let state = lane.before, !lane.intervals.isEmpty {
                append(.init(state: state, start: first, end: lane.edge, why: ""), to: &lane)
            }
            lane.before = nil
            lane.edge = last
            lanes[name] = lane
        }
        laneEnd = last
        pressureEdge = min(pressureEdge, last)
        machine.append(.init(kind: .supervisor, at: first, text: "the machine was booted"))
    }

    /// A change of state.
    package mutating func change(
        _ name: String, from: State?, to: State?, at moment: Int64, why: String
    ) {
        let at = placed(moment)
        var lane = lanes.removeValue(forKey: name) ?? Lane(edge: laneEnd)
        if let to { append(.init(state: to, start: at, end: lane.edge, why: why), to: &lane) }
        lane.edge = min(at, lane.edge)
        lane.before = from
        lanes[name] = lane
        if items > limit { coarsen() }
    }

    /// What happened to a worker, or to all where there is no name.
    package mutating func mark(_ name: String?, _ kind: Timeline.MarkKind, at moment: Int64, _ text: String) {
        let mark = Timeline.Mark(kind: kind, at: placed(moment), text: text)
        if let name {
            var lane = lanes.removeValue(forKey: name) ?? Lane(edge: laneEnd)
            append(mark, to: &lane.marks)
            lanes[name] = lane
        } else {
            addToMachine(mark)
        }
        if items > limit { coarsen() }
    }

    /// Memory became so short, or no longer is.
    package mutating func memory(_ level: Timeline.Shortage?, at moment: Int64) {
        let at = placed(moment)
        if let level, at < pressureEdge {
            if let last = pressure.last, last.level == level, last.start - at < quantum {
                pressure[pressure.count - 1].start = at
            } else {
                pressure.append(.init(level: level, start: at, end: pressureEdge))
                items += 1
            }
        }
        pressureEdge = at
    }

    /// Where `moment` is drawn: never after what happened later.
    private mutating func placed(_ moment: Int64) -> Int64 {
        if moment > latest {
            if moment > latest + 1_000_000, !isClockAhead, latest < end {
                isClockAhead = true
                machine.append(.init(kind: .supervisor, at: latest, text: "the clock was set back"))
            }
        } else {
            isClockAhead = false
        }
        latest = max(min(moment, latest), start)
        return latest
    }

    // MARK: bounds

    private mutating func append(_ interval: Timeline.Interval, to lane: inout Lane) {
        guard interval.end > interval.start else { return }
        if let last = lane.intervals.last, last.state == interval.state, last.start == interval.end,
            last.why.isEmpty || last.why == interval.why, last.folded == 0, interval.folded == 0
        {
            lane.intervals[lane.intervals.count - 1].start = interval.start
            lane.intervals[lane.intervals.count - 1].why = interval.why
            return
        }
        let isShort = interval.end - interval.start < quantum
        if isShort, let last = lane.intervals.last, last.start == interval.end,
            last.end - last.start < quantum
        {
            lane.intervals[lane.intervals.count - 1] = Self.folded(interval, last)
        } else {
            lane.intervals.append(interval)
            items += 1
        }
    }

    private static func folded(
        _ first: Timeline.Interval, _ second: Timeline.Interval
    ) -> Timeline.Interval {
        let longer = first.end - first.start > second.end - second.start ? first : second
        return .init(
            state: longer.state, start: first.start, end: second.end, why: longer.why,
            folded: first.folded + second.folded + 1)
    }

    private mutating func append(_ mark: Timeline.Mark, to marks: inout [Timeline.Mark]) {
        // Only the few that happened last can be so near.
        for index in marks.indices.suffix(4).reversed() where marks[index].kind == mark.kind {
            guard marks[index].at - mark.at < quantum else { break }
            marks[index].count += mark.count
            marks[index].at = mark.at
            return
        }
        marks.append(mark)
        items += 1
    }

    private mutating func addToMachine(_ mark: Timeline.Mark) {
        var marks = machine
        machine = []
        append(mark, to: &marks)
        machine = marks
    }

    private mutating func coarsen() {
        quantum = max(quantum * 2, 1)
        items = pressure.count
        for name in lanes.keys {
            guard var lane = lanes.removeValue(forKey: name) else { continue }
            let (intervals, marks) = (lane.intervals, lane.marks)
            (lane.intervals, lane.marks) = ([], [])
            for interval in intervals { append(interval, to: &lane) }
            for mark in marks { append(mark, to: &lane.marks) }
            lanes[name] = lane
        }
        let marks = machine
        machine = []
        for mark in marks { addToMachine(mark) }
    }

    // MARK: the result

    /// The timeline, called `title`.
    package consuming func timeline(_ title: String, _ calendar: Calendar) -> Timeline {
        var made: [Timeline.Lane] = []
        for name in lanes.keys.sorted(by: { $0.precedes($1) }) {
            guard var lane = lanes[name] else { continue }
            if let state = lane.before, lane.edge > start {
                append(.init(state: state, start: start, end: lane.edge, why: ""), to: &lane)
            }
            made.append(.init(name: name, intervals: lane.intervals.reversed(), marks: lane.marks.reversed()))
        }
        return Timeline(
            title: title, start: start, end: end, lanes: made, pressure: pressure.reversed(),
            marks: machine.reversed(), calendar: calendar)
    }
}
