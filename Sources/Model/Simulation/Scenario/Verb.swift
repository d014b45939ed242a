internal import ConfigurationSyntax
internal import Lifecycle
internal import Notifications
internal import WorkerFile

/// One word of the language of events: what it takes, and what it makes happen.
struct Verb: Sendable {
    let name: String
    /// What may or must follow it, as a clause; empty where nothing may.
    let takes: String
    /// Whether what it takes must be there.
    let isRequired: Bool
    private let action: @Sendable (String?) throws(ValueError) -> ScenarioAction

    /// The action that `words`, the verb and what follows it, stand for.
    static func action(_ words: [String]) throws(ValueError) -> ScenarioAction {
        guard let name = words.first, let verb = table.first(where: { $0.name == name }) else {
            throw ValueError(
                words.first.map { "unknown event \($0.quoted)" } ?? "no event",
                expected: "one of " + table.map(\.name).joined(separator: ", ") + ", behave")
        }
        guard words.count <= 2, words.count == 2 || !verb.isRequired,
            words.count == 1 || !verb.takes.isEmpty
        else {
            throw ValueError(
                "\(name.quoted) with \(words.count - 1) arguments",
                expected: verb.takes.isEmpty
                    ? "no argument" : (verb.isRequired ? "" : "at most ") + verb.takes)
        }
        return try verb.action(words.count == 2 ? words[1] : nil)
    }

    private static func plain(_ name: String, _ action: ScenarioAction) -> Verb {
        Verb(name: name, takes: "", isRequired: false) { _ in action }
    }

    private static func lasting(_ name: String, _ action: @escaping @Sendable (Lasting?) -> ScenarioAction)
        -> Verb
    {
        Verb(name: name, takes: Lasting.expectation, isRequired: false) { text throws(ValueError) in
            guard let text else { return action(nil) }
            return action(try Lasting(parsing: text))
        }
    }

    private static func onTopic(_ name: String, _ action: @escaping @Sendable (Topic) -> ScenarioAction)
        -> Verb
    {
        Verb(name: name, takes: "a topic", isRequired: false) { text throws(ValueError) in
            guard let topic = Topic(text ?? "message") else {
                throw ValueError(text ?? "", isNot: "the name of a topic, such as cache.invalidate")
            }
            return action(topic)
        }
    }

    /// What can happen to a worker, in the order of the manual.
    static let table: [Verb] =
        [
            Verb(name: "launch", takes: "a JSON object", isRequired: false) { text throws(ValueError) in
                guard let text else { return .wants(.active) }
                // What is in it is the program's: a scenario shows only whether it gets there.
                guard text.utf8.first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") else {
                    throw ValueError(text, isNot: "a JSON object such as {\"key\":1}")
                }
                return .launches(text)
            },
            plain("activate", .wants(.active)),
            plain("resign", .wants(.inactive)),
            plain("background", .wants(.background)), plain("suspend", .wants(.suspended)),
            plain("resume", .resumes), plain("restart", .restarts),
            plain("terminate", .wants(.notRunning)), plain("kill", .forceQuits),
            lasting("use", ScenarioAction.uses),
            plain("unused", .unused), lasting("connect", ScenarioAction.connects),
            plain("data", .speaks),
            plain("url", .brings(.url, .url)), plain("activity", .brings(.activity, .activity)),
            plain("notification", .brings(.notification, .notification)),
            plain("silent-notification", .brings(.silentNotification, .silentNotification)),
            plain("schedule", .brings(.silentNotification, .schedule)),
            plain("processing", .brings(.processing, .processing)),
            plain("processing-over", .revokes), plain("fetch", .brings(.fetch, .fetch)),
            lasting("transfer", ScenarioAction.transfers),
            plain("path", .wakes(.path)),
            plain("device", .wakes(.device)),
            onTopic("post", ScenarioAction.posts), onTopic("alert", ScenarioAction.alerts),
            plain("answer", .answers),
            Verb(name: "offer", takes: "a type of activity", isRequired: true) { text throws(ValueError) in
                .offers(try ActivityType(parsing: text ?? ""))
            },
            Verb(name: "handoff", takes: "a worker", isRequired: false) { .handsOver($0) },
            Verb(name: "announce", takes: "a callback of \(announced)", isRequired: true) {
                text throws(ValueError) in
                guard let callback = text.flatMap(Callback.init), Event.announcements.contains(callback)
                else { throw ValueError(text ?? "", isNot: "one of \(announced)") }
                return .announces(callback)
            },
        ] + interruptions + ends + sayings

    private static let announced = Event.announcements.description

    private static let interruptions: [Verb] = [
        lasting("interrupt", ScenarioAction.interrupts), plain("interruption-over", .interruptionOver),
        plain("lock", .locks), plain("unlock", .unlocks),
        plain("stop", .stopsOutside), plain("continue", .continuesOutside),
        lasting("debug", ScenarioAction.debugs),
        Verb(name: "evict", takes: "a time span", isRequired: false) { text throws(ValueError) in
            guard let text else { return .evicts(nil) }
            return .evicts(try TimeSpan(parsing: text))
        },
        plain("exceed-memory", .exceedsMemory), plain("exceed-cpu", .exceedsCPU),
    ]

    private static let ends: [Verb] = [
        Verb(name: "exit", takes: ProgramEnd.expectation, isRequired: false) { text throws(ValueError) in
            .ends(try text.map { text throws(ValueError) in try ProgramEnd(parsing: text) } ?? .clean)
        },
        Verb(name: "crash", takes: ProgramEnd.expectation, isRequired: false) { text throws(ValueError) in
            .ends(try text.map { text throws(ValueError) in try ProgramEnd(parsing: text) } ?? .crash)
        },
        plain("oom", .oomKilled),
    ]

    private static let sayings: [Verb] = [
        lasting("task", ScenarioAction.beginsTask),
        Verb(name: "reload", takes: Lasting.expectation, isRequired: true) { text throws(ValueError) in
            .reloads(try Lasting(parsing: text ?? ""))
        },
        plain("stopping", .stopping),
        Verb(name: "extend", takes: "a time span", isRequired: true) { text throws(ValueError) in
            .extends(try TimeSpan(parsing: text ?? ""))
        },
        plain("trigger-watchdog", .triggersWatchdog), plain("detach", .detaches),
    ]
}
