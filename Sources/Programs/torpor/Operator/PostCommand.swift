import ArgumentParser
internal import ConfigurationSyntax
import ControlAPI
import Lifecycle
import Operator
import Varlink
import WorkerFile

/// `torpor post NAME… TOPIC`.
struct PostCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Post a notification to workers, now or later.",
        usage: "torpor post [options] NAME… TOPIC",
        discussion: """
            For a worker that sleeps the notification is queued, merged with pending notifications of the same topic, and \
            delivered first when the worker wakes. The command ends when persistent notifications are on disk.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(help: ArgumentHelp("The payload: a JSON object of at most 64 KiB.", valueName: "json"))
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "How notifications of the topic merge: latest, net, set, count or each.", valueName: "rule"))
    var rule: String?

    @Option(
        name: .customLong("add"), help: ArgumentHelp("A member added to a set; may be repeated."))
    var added: [String] = []

    @Option(
        name: .customLong("remove"),
        help: ArgumentHelp("A member removed from a set; may be repeated."))
    var removed: [String] = []

    @Flag(help: "Wake a worker that has the remote-notification mode, in the background.")
    var wake = false

    @Flag(help: "Move the worker to the foreground for it; launch the worker if it does not run.")
    var foreground = false

    @Flag(
        help:
            "Post an alert, which interrupts the worker until 'torpor answer' or until its time is over; its file must allow it (Alerts=)."
    )
    var alert = false

    @Option(
        help: ArgumentHelp(
            "With --alert, how long it interrupts at most; 5min by default.", valueName: "span"))
    var limit: String?

    @Option(
        help: ArgumentHelp(
            "When to post, such as '+5min', 'tomorrow', '18:30' or '2026-11-21 10:00'.", valueName: "time"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "Post repeatedly at this interval, starting at --at or now.", valueName: "span"))
    var every: String?

    @Flag(help: "Discard it when the worker's process or the supervisor ends.")
    var transient = false

    @Argument(help: "Names of workers, or shell patterns, followed by the topic.", completion: .workers)
    var words: [String]

    func validate() throws {
        guard words.count > 1 else { throw ValidationError("expected the names of workers and a topic") }
        if let rule, SupervisorInterface.MergeRule(rawValue: rule) == nil {
            throw ValidationError("invalid --rule '\(rule)'; expected latest, net, set, count or each")
        }
        if rule == "set", added.isEmpty, removed.isEmpty {
            throw ValidationError("--rule set requires --add or --remove, the members that it changes")
        }
        if foreground, wake || at != nil || every != nil {
            throw ValidationError(
                "--foreground cannot be combined with --at, --every or --wake")
        }
        if alert, foreground || wake || at != nil || every != nil {
            throw ValidationError(
                "--alert cannot be combined with --at, --every, --foreground or --wake")
        }
        if limit != nil, !alert { throw ValidationError("--limit requires --alert") }
        if let limit, (try? TimeSpan(parsing: limit)) ?? .zero <= .zero {
            throw ValidationError("invalid --limit '\(limit)'; expected a time span such as 30s or 10min")
        }
        if let at, WallClock.local.momentAhead(at) == nil {
            throw ValidationError("invalid --at '\(at)'; expected \(WallClock.futureExpectation)")
        }
        if let every, (try? TimeSpan(parsing: every)) == nil {
            throw ValidationError("invalid --every '\(every)'; expected a time span such as 1h 30min")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Post.self, try parameters)
        let console = session.console
        try session.show(reply) { console.isQuiet ? "" : PostView(reply.results).rendered(console.style) }
        let obstacles = reply.results.compactMap(\.obstacle)
        // One that may pass makes it worth trying again.
        if obstacles.isEmpty { return .success }
        return obstacles.allSatisfy(\.isLasting) ? .usage : .tryAgain
    }

    private var parameters: SupervisorInterface.Post.Parameters {
        get throws(Failure) {
            var parameters = SupervisorInterface.Post.Parameters(
                names: Array(words.dropLast()), topic: words.last ?? "")
            if let payload {
                guard let json = try? JSON(parsing: Array(payload.utf8).span), json.object != nil else {
                    throw Failure(.usage, "--payload is not a JSON object such as '{\"key\": 1}'")
                }
                parameters.payload = json
            }
            parameters.rule = rule.flatMap(SupervisorInterface.MergeRule.init)
            parameters.added = added.isEmpty ? nil : added
            parameters.removed = removed.isEmpty ? nil : removed
            parameters.wake = wake ? true : nil
            parameters.foreground = foreground ? true : nil
            parameters.transient = transient ? true : nil
            parameters.alert = alert ? true : nil
            parameters.alertLimitUsec = limit.flatMap { try? TimeSpan(parsing: $0).microseconds }
            let clock = WallClock.local
            parameters.at = at.flatMap(clock.momentAhead)
            if let span = every.flatMap({ try? TimeSpan(parsing: $0) }) {
                parameters.everyUsec = span.microseconds
                parameters.at =
                    parameters.at ?? clock.now.addingReportingOverflow(span.microseconds).partialValue
            }
            return parameters
        }
    }
}

/// `torpor notifications NAME`.
struct NotificationsCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Show the pending and the scheduled notifications of a worker.",
        discussion: """
            A notification is set aside after the worker has died twice while it was delivered: it is listed, and delivered \
            only after --retry.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        help: ArgumentHelp(
            "Deliver the notification with this number, which is set aside, again.", valueName: "number"))
    var retry: Int64?

    @Option(help: ArgumentHelp("Remove the notification with this number.", valueName: "number"))
    var drop: Int64?

    @Option(help: ArgumentHelp("Cancel the scheduled post with this number.", valueName: "number"))
    var cancel: Int64?

    @Argument(help: "The name of the worker.", completion: .workers)
    var name: String

    func validate() throws {
        if [retry, drop, cancel].filter({ $0 != nil }).count > 1 {
            throw ValidationError("--retry, --drop and --cancel are mutually exclusive")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if let retry {
            _ = try session.call(
                SupervisorInterface.RetryNotification.self, .init(name: name, sequence: retry))
            return .success
        }
        if let drop {
            _ = try session.call(
                SupervisorInterface.DropNotification.self, .init(name: name, sequence: drop))
            return .success
        }
        if let cancel {
            _ = try session.call(SupervisorInterface.Cancel.self, .init(name: name, id: cancel))
            return .success
        }
        let reply = try session.call(SupervisorInterface.Notifications.self, .init(name: name))
        let console = session.console
        try session.show(reply) { NotificationsView(reply, at: .local).rendered(console.style) }
        return .success
    }
}
