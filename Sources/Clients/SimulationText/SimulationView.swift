internal import Lifecycle
package import Operator
package import Simulation
internal import Varlink

/// What `torpor simulate` shows: every event of a world as it happens, and what it came to at the end.
package struct SimulationView {
    private let names: [String]
    private let nameWidth: Int
    private var tallies: [Tally]
    private var events = 0
    /// The callbacks that each worker has been given, until they are completed.
    private var pending: [[UInt32: Callback]]
    /// The one that each was given last in its slot.
    private var inFlight: [Callback?]

    /// A view of a world that has not begun.
    package init(_ scenario: Scenario) {
        names = scenario.workers.map(\.name.printable)
        nameWidth = names.reduce(0) { max($0, $1.columns) }
        tallies = Array(repeating: Tally(), count: names.count)
        pending = Array(repeating: [:], count: names.count)
        inFlight = Array(repeating: nil, count: names.count)
    }

    /// Takes a step into account, without showing it.
    package mutating func take(_ step: Step) {
        events += 1
        tallies[step.worker].count(step.effects, at: step.at)
    }

    /// Takes a step into account and returns its lines; none where nothing of interest happened.
    package mutating func rendered(_ step: Step, _ style: Style) -> String {
        lines(step, style).map { rendered($0, at: step.at, of: step.worker, style) }.joined()
    }

    /// What the policy of memory decided, for what was decided before the step that is shown next.
    package func rendered(_ decisions: [MemoryDecision], _ style: Style) -> String {
        var text = ""
        for decision in decisions {
            guard let line = SimulationLine(decision, style) else { continue }
            text += style.paint(Self.time(decision.at), .faint) + "  "
            text += String(repeating: " ", count: nameWidth) + "  " + style.paint(line.text, line.tint) + "\n"
        }
        return text
    }

    /// The decisions as JSON, a document for each line.
    package func documents(_ decisions: [MemoryDecision], _ json: JSONStyle) -> String {
        var text = ""
        for decision in decisions {
            guard let line = SimulationLine(decision, Style()) else { continue }
            var object: JSON.Object = [
                "atUsec": .int((decision.at - .zero).microseconds), "kind": .string(line.kind),
            ]
            for member in line.fields.members { object[member.key] = member.value }
            text += JSON.object(object).document(json)
        }
        return text
    }

    /// What was posted, and what became of it, before the step that is shown next.
    package func rendered(_ notes: [FlushNote], _ style: Style) -> String {
        notes.compactMap { note in
            SimulationLine(note).map { rendered($0, at: note.at, of: note.worker, style) }
        }.joined()
    }

    /// The same as JSON, a document for each line.
    package func documents(_ notes: [FlushNote], _ json: JSONStyle) -> String {
        notes.compactMap { note in
            SimulationLine(note).map { document($0, at: note.at, of: note.worker, json) }
        }.joined()
    }

    /// What became of activities, before the step that is shown next.
    package func rendered(_ notes: [HandoffNote], _ style: Style) -> String {
        notes.map { rendered(SimulationLine($0), at: $0.at, of: $0.worker, style) }.joined()
    }

    /// The same as JSON, a document for each line.
    package func documents(_ notes: [HandoffNote], _ json: JSONStyle) -> String {
        notes.map { document(SimulationLine($0), at: $0.at, of: $0.worker, json) }.joined()
    }

    /// The same as JSON, a document for each line.
    package mutating func document(_ step: Step, _ json: JSONStyle) -> String {
        lines(step, Style()).map { document($0, at: step.at, of: step.worker, json) }.joined()
    }

    private func rendered(_ line: SimulationLine, at moment: Instant, of worker: Int?, _ style: Style)
        -> String
    {
        let name = worker.map { names[$0] } ?? ""
        return style.paint(Self.time(moment), .faint) + "  " + name
            + String(repeating: " ", count: nameWidth - name.columns) + "  "
            + style.paint(line.text, line.tint) + "\n"
    }

    private func document(_ line: SimulationLine, at moment: Instant, of worker: Int?, _ json: JSONStyle)
        -> String
    {
        var object: JSON.Object = ["atUsec": .int((moment - .zero).microseconds)]
        if let worker { object["worker"] = .string(names[worker]) }
        object["kind"] = .string(line.kind)
        for member in line.fields.members { object[member.key] = member.value }
        return JSON.object(object).document(json)
    }

    private mutating func lines(_ step: Step, _ style: Style) -> [SimulationLine] {
        take(step)
        var callback = inFlight[step.worker]
        if case .completed(let id, _) = step.event {
            callback = pending[step.worker].removeValue(forKey: id)
        }
        var lines: [SimulationLine] = []
        if let line = SimulationLine(step.event, bringing: step.effects, callback: callback) {
            lines.append(line)
        }
        for effect in step.effects {
            switch effect {
            case .deliver(let delivery):
                pending[step.worker][delivery.id] = delivery.callback
                inFlight[step.worker] = delivery.callback
            case .record: pending[step.worker] = [:]
            default: break
            }
            if let line = SimulationLine(effect, at: step.at, style) { lines.append(line) }
        }
        return lines
    }

    /// The moment as hours, minutes, seconds and milliseconds since the beginning.
    static func time(_ moment: Instant) -> String {
        let milliseconds = (moment - .zero).microseconds / 1000
        let parts = [
            (milliseconds / 3_600_000, 2), (milliseconds / 60_000 % 60, 2), (milliseconds / 1000 % 60, 2),
            (milliseconds % 1000, 3),
        ].map { number, width in
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
        }
        return parts[0] + ":" + parts[1] + ":" + parts[2] + "." + parts[3]
    }

    // MARK: the summary

    /// What it came to, now that the world is over: a table, and how each worker ended.
    package mutating func summary(of world: World, _ style: Style) -> String {
        finish(world)
        var table = Table(
            [.init(title: "WORKER")]
                + [
                    "LAUNCHES", "SIGKILL", "CALLBACKS", "DROPPED", "ACTIVE", "INACTIVE", "BACKGROUND",
                    "SUSPENDED", "NOT RUNNING", "AWAKE",
                ].map { .init(title: $0, isNumber: true) })
        for (name, tally) in zip(names, tallies) { table.append(row(name, tally)) }
        let all = tallies.reduce(Tally(), +)
        if names.count > 1 { table.append(row("all", all)) }
        var text = table.rendered(style)
        let ends = Self.ends(all).map { cause, number in
            "\(number) \(cause.words)" + (cause.code.map { " (0x\(String($0, radix: 16)))" } ?? "")
        }
        guard style.hasLegend else { return text }
        text += "\nEnds: \(ends.isEmpty ? "none" : ends.joined(separator: ", "))\n"
        let time = span((world.now - .zero).microseconds)
        text += "\(time) simulated, \(count(names.count, "worker")), \(count(events, "event"))\n"
        if world.ranAway {
            text += style.paint(
                "Aborted: the scenario generates events without advancing time.\n", .attention)
        }
        return text
    }

    /// The same as JSON.
    package mutating func summary(of world: World, _ json: JSONStyle) -> String {
        finish(world)
        let workers = zip(names, tallies).map { name, tally -> JSON in
            var ends = JSON.Object()
            for (cause, number) in Self.ends(tally) { ends[cause.rawValue] = .int(Int64(number)) }
            var times = JSON.Object()
            for state in State.allCases { times[state.rawValue] = .int(tally[state].microseconds) }
            let awake = tally.awakeShare.map { JSON.int(Int64($0)) } ?? .null
            return [
                "name": .string(name), "launches": .int(Int64(tally.launches)),
                "kills": .int(Int64(tally.kills)), "told": .int(Int64(tally.told)),
                "notTold": .int(Int64(tally.notTold)), "ends": .object(ends), "usec": .object(times),
                "awakePermille": awake,
            ]
        }
        let summary: JSON = [
            "kind": "summary", "atUsec": .int((world.now - .zero).microseconds),
            "events": .int(Int64(events)), "ranAway": .bool(world.ranAway), "workers": .array(workers),
        ]
        return summary.document(json)
    }

    private mutating func finish(_ world: World) {
        for index in tallies.indices { tallies[index].finish(at: world.now) }
    }

    private static func ends(_ tally: Tally) -> [(TerminationRecord.Cause, Int)] {
        TerminationRecord.Cause.allCases.compactMap { cause in tally.ends[cause].map { (cause, $0) } }
    }

    private func row(_ name: String, _ tally: Tally) -> [Table.Cell] {
        let counts = [tally.launches, tally.kills, tally.told, tally.notTold]
        let states: [State] = [.active, .inactive, .background, .suspended, .notRunning]
        return [.init(name)] + counts.map { .init("\($0)") }
            + states.map { .init(span(tally[$0].microseconds)) }
            + [tally.awakeShare.map { .init("\($0 / 10).\($0 % 10)%") } ?? .none]
    }
}
