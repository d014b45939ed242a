internal import Budgeting
internal import ConfigurationSyntax
package import Lifecycle
internal import Processing
internal import WorkerFile

/// One line of `[Events]`: when something happens, to which worker, and what.
package struct ScheduledEvent: Hashable, Sendable {
    /// When.
    package enum Timing: Hashable, Sendable {
        /// Once.
        case at(TimeSpan)
        /// Again and again, in even steps.
        case every(TimeSpan, Bounds)
        /// Again and again by chance, so far apart on average.
        case random(TimeSpan, Bounds)
    }

    /// From when and until when, and how often at the most.
    package struct Bounds: Hashable, Sendable {
        /// The first time at the earliest; nil is one step after the beginning.
        package var from: TimeSpan?
        /// Not at or after this.
        package var until: TimeSpan?
        /// At most so often, for each worker.
        package var times: Int?
    }

    package let timing: Timing
    /// The workers that it happens to, by their numbers; none where the whole machine is meant.
    package let workers: [Int]
    package let action: ScenarioAction
    /// Its line in the scenario.
    package let line: Int

    /// Whether it would go on for ever.
    var isEndless: Bool {
        switch timing {
        case .at: false
        case .every(_, let bounds), .random(_, let bounds): bounds.until == nil && bounds.times == nil
        }
    }
}

extension ScheduledEvent {
    /// Reads a line of `[Events]`, in a scenario of these workers.
    init(_ assignment: Assignment, workers names: [String]) throws(ValueError) {
        var words = try Words.split(assignment.value)[...]
        switch assignment.key {
        case "At": timing = .at(try Self.span(&words))
        case "Every": timing = .every(try Self.interval(&words), try Bounds(&words))
        case "Random": timing = .random(try Self.interval(&words), try Bounds(&words))
        default:
            throw ValueError(
                "unknown key \(assignment.key.quoted) in [Events]", expected: "At=, Every= or Random=")
        }
        line = assignment.line
        guard let first = words.popFirst() else {
            throw ValueError(
                "no event after the time",
                expected:
                    "a worker and an event, stall TIME, hog SIZE, battery PERCENT, mains, low-power, machine-used, machine-idle, or pressure"
            )
        }
        if first == "stall" {
            workers = []
            action = .stalls(try Self.span(&words))
            if let more = words.first {
                throw ValueError("unexpected \(more.quoted) after a stall", expected: "the end of the line")
            }
            return
        }
        if let event = try Self.power(first, &words) {
            workers = []
            action = .power(event)
            return
        }
        if let change = try Self.machine(first, &words) {
            workers = []
            action = .machine(change)
            return
        }
        if first == "hog" {
            workers = []
            action = try Self.consumer(&words)
            return
        }
        workers = names.indices.filter { Self.matches(names[$0], first) }
        guard !workers.isEmpty else {
            throw ValueError(
                "no worker is named \(first.quoted)",
                expected: "the name of a [Worker NAME], or a prefix and “*”")
        }
        if words.first == "behave" {
            action = try Self.behaviour(words.dropFirst(), assignment)
        } else {
            action = try Verb.action(Array(words))
        }
    }

    /// `consumer SIZE [LENGTH]`.
    private static func consumer(_ words: inout ArraySlice<String>) throws(ValueError) -> ScenarioAction {
        guard let size = words.popFirst() else {
            throw ValueError("a hog without a size", expected: ByteSize.expectation)
        }
        let bytes = try ByteSize(parsing: size)
        guard bytes.bytes <= 1 << 50 else { throw ValueError(size, isNot: "at most 1024T") }
        let length = words.isEmpty ? TimeSpan.zero : try span(&words)
        if let more = words.first {
            throw ValueError("unexpected \(more.quoted) after a hog", expected: "the end of the line")
        }
        return .consumers(bytes, length)
    }

    /// The words that stand where a worker's name would, besides those of `Bounds`.
    static let machineWords = [
        "stall", "hog", "battery", "mains", "low-power", "machine-used", "machine-idle", "pressure",
    ]

    /// `battery 15%`, `mains`, `low-power on`; nil for what begins otherwise.
    private static func power(
        _ first: String, _ words: inout ArraySlice<String>
    ) throws(ValueError) -> LowPowerMode.Event? {
        let event: LowPowerMode.Event
        switch first {
        case "battery":
            guard let word = words.popFirst() else {
                throw ValueError("a battery without a charge", expected: Share.expectation)
            }
            let charge = try Share(parsing: word).percent
            event = .read(PowerReading(hasBattery: true, isOnBattery: true, charge: charge))
        case "mains": event = .read(PowerReading(hasBattery: true, isOnBattery: false, charge: nil))
        case "low-power":
            guard let choice = words.popFirst().flatMap(LowPowerMode.Choice.init) else {
                throw ValueError("low-power without a choice", expected: "on, off or auto")
            }
            event = .chosen(choice)
        default: return nil
        }
        if let more = words.first {
            throw ValueError("unexpected \(more.quoted) after \(first)", expected: "the end of the line")
        }
        return event
    }

    /// `machine-used`, `machine-idle`, `pressure io 30%`; nil for what begins otherwise.
    private static func machine(
        _ first: String, _ words: inout ArraySlice<String>
    ) throws(ValueError) -> MachineChange? {
        let change: MachineChange
        switch first {
        case "machine-used": change = .used(true)
        case "machine-idle": change = .used(false)
        case "pressure":
            guard let resource = words.popFirst().flatMap(PressedResource.init) else {
                throw ValueError(
                    "pressure without a resource", expected: "cpu, memory or io, and a percentage")
            }
            guard let word = words.popFirst() else {
                throw ValueError("pressure without a percentage", expected: Share.expectation)
            }
            change = .pressure(resource, hundredths: try Share(parsing: word).percent * 100)
        default: return nil
        }
        if let more = words.first {
            throw ValueError("unexpected \(more.quoted) after \(first)", expected: "the end of the line")
        }
        return change
    }

    /// Whether `pattern` is this name, or its beginning with `*` behind it.
    private static func matches(_ name: String, _ pattern: String) -> Bool {
        guard pattern.utf8.last == UInt8(ascii: "*") else { return name.utf8.elementsEqual(pattern.utf8) }
        return name.utf8.starts(with: pattern.utf8.dropLast())
    }

    /// `behave Key=Value`: the key is one of [Program NAME].
    private static func behaviour(_ words: ArraySlice<String>, _ line: Assignment) throws(ValueError)
        -> ScenarioAction
    {
        let text = words.joined(separator: " ")
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw ValueError(text, isNot: "Key=Value, as in [Program NAME]")
        }
        let assignment = Assignment(
            section: "Program", key: String(text[..<equals]),
            value: String(text[text.utf8.index(after: equals)...]), file: line.file, line: line.line)
        var program = Program()
        var found: [Diagnostic] = []
        try program.take(assignment, in: SpecifierContext(), reporting: &found)
        if let found = found.first {
            throw ValueError("\(assignment.key.quoted): \(found.problem)", expected: found.expected)
        }
        return .behaves(assignment)
    }

    private static func span(_ words: inout ArraySlice<String>) throws(ValueError) -> TimeSpan {
        guard let word = words.popFirst() else {
            throw ValueError("missing time", expected: TimeSpan.expectation)
        }
        return try TimeSpan(parsing: word)
    }

    private static func interval(_ words: inout ArraySlice<String>) throws(ValueError) -> TimeSpan {
        let span = try span(&words)
        guard span > .zero else { throw ValueError("the time span is zero", expected: "a time span above 0") }
        return span
    }
}

extension ScheduledEvent.Bounds {
    /// The words that stand before a worker's name.
    static let words = ["from", "until", "times"]

    /// Reads `from TIME`, `until TIME` and `times NUMBER`, as far as they come.
    fileprivate init(_ words: inout ArraySlice<String>) throws(ValueError) {
        while let word = words.first, Self.words.contains(word) {
            words.removeFirst()
            guard let value = words.popFirst() else {
                throw ValueError("nothing after \(word.quoted)", expected: "a time, or a number for “times”")
            }
            switch word {
            case "from": from = try TimeSpan(parsing: value)
            case "until": until = try TimeSpan(parsing: value)
            default:
                guard let number = Int(value), (1...1_000_000).contains(number) else {
                    throw ValueError(value, isNot: "a number from 1 to 1000000")
                }
                times = number
            }
        }
    }
}
