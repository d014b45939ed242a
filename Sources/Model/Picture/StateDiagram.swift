package import Lifecycle

/// What a worker file says, as it is written: the values of each `Section.Key`.
package struct Settings: Hashable, Sendable {
    private var values: [String: [String]] = [:]

    /// Nothing is set.
    package init() {}

    /// Takes the next assignment: an empty value resets, a list grows, and of other keys the last one counts.
    package mutating func assign(_ section: String, _ key: String, _ value: String) {
        let name = "\(section).\(key)"
        guard !value.isEmpty else { return values[name] = nil }
        if Self.lists.contains(name) {
            values[name, default: []].append(value)
        } else {
            values[name] = [value]
        }
    }

    private static let lists: Set<String> = [
        "Worker.After", "Worker.Requires", "Worker.Wants", "Worker.OnFailure", "Worker.URLSchemes",
        "Worker.ActivityTypes",
        "Foreground.ListenStream", "Foreground.ListenDatagram", "Foreground.ListenSequentialPacket",
        "Foreground.ListenFIFO", "Foreground.WakeOn", "Foreground.WakeFrom", "Foreground.WakeNotFrom",
        "Background.Modes",
        "Notifications.WatchPaths", "Notifications.WatchDevices", "Notifications.WatchTopics",
        "Notifications.WatchSettings", "Notifications.WatchAccounts", "Notifications.Alerts",
    ]

    /// The values of a key; none where it is not set.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The words of a key that is a list of them.
    package func words(_ name: String) -> [String] {
        all(name).flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// The value of a key that has one.
    package func one(_ name: String) -> String? { values[name]?.last }

    /// The topics that have hooks of their own, in order.
    package var topics: [String] {
        let prefix = "Notifications."
        let own = values.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return own.filter { key in
            !key.hasPrefix("Watch") && key != "Alerts" && !key.hasSuffix("TimeoutSec")
                && !key.hasSuffix("Completes")
        }.sorted()
    }

    /// The events that launch the worker into the foreground, in words.
    package var foregroundSources: [String] {
        heldSockets
            + words("Worker.URLSchemes").map { "\($0): URLs" }
            + words("Worker.ActivityTypes").map { "activity \($0)" }
    }

    fileprivate var heldSockets: [String] {
        let kinds = [
            ("ListenStream", "socket"), ("ListenDatagram", "datagram socket"),
            ("ListenSequentialPacket", "packet socket"), ("ListenFIFO", "FIFO"),
        ]
        return kinds.flatMap { key, noun in all("Foreground.\(key)").map { "\(noun) \($0)" } }
    }

    /// The events that launch the worker into the background or wake it there, in words: those that `Modes=` allows.
    package var backgroundSources: [String] {
        words("Background.Modes").flatMap { mode -> [String] in
            switch mode {
            case "fetch": ["fetch" + (one("Background.FetchIntervalSec").map { " every \($0)" } ?? "")]
            case "path": all("Notifications.WatchPaths").map { "path \($0)" }
            case "device": all("Notifications.WatchDevices").map { "device \($0)" }
            case "remote-notification": ["posts with --wake"]
            case "transfer": ["the end of a transfer"]
            case "processing": ["long work"]
            default: []
            }
        }
    }

    /// The events at sockets that wake the worker, in words: at those that it opens itself, and at those that are held for it.
    fileprivate var wakingSockets: [String] {
        let watching = one("Foreground.Wake") ?? "auto"
        if watching == "no" { return [] }
        if watching == "held" { return heldSockets }
        let kinds = words("Foreground.WakeOn").joined(separator: " ")
        return [kinds.isEmpty ? "its own sockets" : "its own sockets: \(kinds)"] + heldSockets
    }

    /// All events beside its own sockets that launch or wake the worker, in words.
    package var wakeSources: [String] { foregroundSources + backgroundSources }
}

/// The states of one worker, and what takes it from one to the other: its hooks, its deadlines and what wakes it.
package struct StateDiagram: Hashable, Sendable {
    /// A way from one state to another.
    package struct Arrow: Hashable, Sendable {
        package let from: State
        package let to: State
        /// What is done on it, and by when, in lines.
        package let lines: [String]
    }

    package let name: String
    package let description: String
    /// Where the worker stands.
    package let current: State?
    /// What there is to say about that, in lines.
    package let notes: [String]
    /// In a fixed order.
    package let arrows: [Arrow]

    /// The diagram of a worker with `settings`, which stands in state `current`; `notes` say more about that.
    package init(
        _ name: String, description: String = "", _ settings: Settings, current: State?, notes: [String] = []
    ) {
        self.name = name
        self.description = description
        self.current = current
        self.notes = notes
        func hook(_ key: String) -> [String] {
            let action = settings.one("Callbacks.\(key)")
            let limit = settings.one("Callbacks.\(key)TimeoutSec").map { " within \($0)" } ?? ""
            let end = settings.one("Callbacks.\(key)Completes").map { ", complete at \($0)" } ?? ""
            guard action != nil || !limit.isEmpty || !end.isEmpty else { return [] }
            return ["\(key): \(action ?? "its own connection")\(limit)\(end)"]
        }
        let launch: [String] = settings.one("Worker.Launch").map { ["Launch=\($0)"] } ?? []
        let ready: [String] = settings.one("Worker.TimeoutStartSec").map { ["ready within \($0)"] } ?? []
        let requires = settings.words("Worker.Requires")
        let needs: [String] = requires.isEmpty ? [] : ["requires \(requires.joined(separator: ", "))"]
        let isObserved = settings.one("Foreground.Idle") == "observe"
        let idle: [String] =
            settings.one("Foreground.IdleSec").flatMap { span in
                span == "infinity" || isObserved ? nil : ["idle for \(span)"]
            } ?? []
        let group: [String] =
            settings.one("Foreground.ForegroundGroup").map { ["one at a time in \($0)"] } ?? []
        let tasks: [String] = settings.one("Background.TaskLimitSec").map { ["tasks at most \($0)"] } ?? []
        let quiet: [String] = settings.one("Background.QuietSec").map { ["quiet for \($0)"] } ?? []
        let reclaim: [String] =
            settings.one("Memory.ReclaimOnSuspend").map { ["ReclaimOnSuspend=\($0)"] } ?? []
        let stop: [String] = settings.one("Worker.TimeoutStopSec").map { ["killed after \($0)"] } ?? []
        let restart: [String] =
            settings.one("Worker.Restart").map { policy in
                let delay = settings.one("Worker.RestartSec").map { " after \($0)" } ?? ""
                return ["Restart=\(policy)\(delay)"]
            } ?? []
        let finishing: [String] = hook("WillFinishLaunching") + hook("DidFinishLaunching")
        let launchParts: [[String]] = [launch, finishing, hook("RestoreState"), ready, needs, restart]
        let launching: [String] = settings.foregroundSources + launchParts.flatMap { $0 }
        let sleepParts: [[String]] = [tasks, quiet, hook("SaveState"), reclaim]
        let sleeping: [String] = sleepParts.flatMap { $0 }
        let wakeParts: [[String]] = [
            settings.wakingSockets, settings.wakeSources.filter { !settings.heldSockets.contains($0) },
            hook("PerformFetch"), hook("DidReceiveNotifications"),
        ]
        let waking: [String] = wakeParts.flatMap { $0 }
        let ending: [String] = hook("WillTerminate") + stop + ["from any state when its process ends"]
        let ways: [(State, State, [String])] = [
            (.notRunning, .inactive, launching), (.notRunning, .background, settings.backgroundSources),
            (.inactive, .active, hook("DidBecomeActive") + group),
            (.active, .inactive, hook("WillResignActive") + idle),
            (.inactive, .background, hook("DidEnterBackground")),
            (.background, .inactive, hook("WillEnterForeground")),
            (.background, .suspended, sleeping), (.suspended, .background, waking),
            (.background, .notRunning, ending),
        ]
        arrows = ways.map { Arrow(from: $0.0, to: $0.1, lines: $0.2) }
    }

    /// The diagram for Graphviz.
    package var dot: String {
        var text = "digraph \(name.dotString) {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n"
        for state in Palette.states {
            let mark = state == current ? ", style=\"rounded,filled\", fillcolor=lightblue, penwidth=2" : ""
            text += "  \(state.rawValue.dotString) [label=\(Palette.words(state).dotString)\(mark)];\n"
        }
        for arrow in arrows {
            let label = arrow.lines.map { $0.dotString.dropFirst().dropLast() }.joined(separator: "\\l")
            text += "  \(arrow.from.rawValue.dotString) -> \(arrow.to.rawValue.dotString)"
            text += label.isEmpty ? ";\n" : " [label=\"\(label)\\l\"];\n"
        }
        return text + "}\n"
    }
}
