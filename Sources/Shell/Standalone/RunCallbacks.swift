package import ConfigurationSyntax
internal import Lifecycle
internal import Notifications
internal import Places
package import WorkerFile

/// What `--on`, `--completes` and `--watch-settings` of `torpor run` say, by the rules of a worker file's `[Callbacks]` and
/// `[Notifications]`.
package struct RunCallbacks: Hashable, Sendable {
    /// What was read so far.
    package private(set) var callbacks = WorkerDefinition.Callbacks()
    /// The same, of topics.
    package private(set) var notifications = WorkerDefinition.Notifications()

    /// The types of the activities that the command continues and offers.
    package private(set) var activityTypes: [ActivityType] = []

    /// Nothing.
    package init() {}

    /// Reads one `CALLBACK=ACTION` of `--on`.
    package mutating func add(on text: String) throws(Problem) {
        if let (topic, value) = Self.topic(text) { return try add(topic, value, text) }
        if let value = Self.userActivity(text) { return try add(userActivity: value, text) }
        let (callback, value) = try Self.split(text, option: "--on", "ACTION")
        guard callbacks.actions[callback] == nil else {
            throw Problem("--on \(text): \(callback.rawValue) already has an action")
        }
        do throws(ValueError) {
            callbacks.actions[callback] = try CallbackAction(
                parsing: value, in: SpecifierContext(place: .here()))
        } catch {
            throw Problem("--on \(text): \(error)")
        }
    }

    private mutating func add(_ topic: String, _ value: String, _ text: String) throws(Problem) {
        guard notifications.actions[topic] == nil else {
            throw Problem("--on \(text): \(topic) already has an action")
        }
        do throws(ValueError) {
            notifications.actions[topic] = try CallbackAction(
                parsing: value, in: SpecifierContext(place: .here()))
        } catch {
            throw Problem("--on \(text): \(error)")
        }
    }

    /// What is said of the state of activities.
    private static func userActivity(_ text: String) -> String? {
        for name in ["userActivity=", "UserActivity="] where text.hasPrefix(name) {
            return String(text.dropFirst(name.count))
        }
        return nil
    }

    private mutating func add(userActivity value: String, _ text: String) throws(Problem) {
        guard callbacks.userActivity == nil else {
            throw Problem("--on \(text): userActivity already has an action")
        }
        do throws(ValueError) {
            callbacks.userActivity = try CallbackAction(
                parsing: value, in: SpecifierContext(place: .here()))
        } catch {
            throw Problem("--on \(text): \(error)")
        }
        guard case .exec = callbacks.userActivity else {
            throw Problem("--on \(text): only a command can print a state; expected exec:PATH ARGS")
        }
    }

    /// Reads one type of `--activity-type`.
    package mutating func add(activityType text: String) throws(Problem) {
        do throws(ValueError) {
            activityTypes.append(try ActivityType(parsing: text))
        } catch {
            throw Problem("--activity-type \(text): \(error)")
        }
    }

    /// What is said of a topic: of one of the system's that is no callback too, or of a custom one, which has a dot in its name.
    private static func topic(_ text: String) -> (topic: String, value: String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = String(text[..<equals])
        guard !CallbackName.allCases.contains(where: { $0.rawValue == name || $0.key == name }),
            let topic = Topic(name), topic.system != nil || name.contains(".")
        else { return nil }
        return (name, String(text[text.index(after: equals)...]))
    }

    /// Reads one path of `--watch-settings`.
    package mutating func add(settings text: String) throws(Problem) {
        do throws(ValueError) {
            notifications.settings.append(try AbsolutePath(parsing: text))
        } catch {
            throw Problem("--watch-settings \(text): \(error)")
        }
    }

    /// The definition that says the same.
    var definition: WorkerDefinition {
        var definition = WorkerDefinition()
        definition.callbacks = callbacks
        definition.notifications = notifications
        definition.activityTypes = activityTypes
        return definition
    }

    /// Whether something is done for a topic, or for all of them.
    func hears(_ topic: SystemTopic) -> Bool {
        notifications.actions[topic.rawValue] != nil || callbacks.actions[.didReceiveNotifications] != nil
    }

    /// Whether something is done for a callback.
    func hears(_ callback: CallbackName) -> Bool { callbacks.actions[callback] != nil }

    /// Whether nothing is asked for.
    var isEmpty: Bool {
        callbacks == WorkerDefinition.Callbacks() && notifications == WorkerDefinition.Notifications()
            && activityTypes.isEmpty
    }

    /// Reads one `CALLBACK=COMPLETION` of `--completes`.
    package mutating func add(completes text: String) throws(Problem) {
        let (callback, value) = try Self.split(text, option: "--completes", "COMPLETION")
        do throws(ValueError) {
            callbacks.completions[callback] = try CallbackCompletion(parsing: value)
        } catch {
            throw Problem("--completes \(text): \(error)")
        }
    }

    /// Throws what does not fit together.
    package func check() throws(Problem) {
        if !notifications.settings.isEmpty,
            notifications.actions[SystemTopic.settingsChanged.rawValue] == nil,
            callbacks.actions[.didReceiveNotifications] == nil
        {
            throw Problem(
                "--watch-settings requires --on settingsChanged=ACTION, such as --on settingsChanged=signal:HUP"
            )
        }
        if activityTypes.isEmpty, callbacks.userActivity != nil || callbacks.actions[.continueActivity] != nil
        {
            throw Problem(
                "--on userActivity= and --on continueActivity= require --activity-type TYPE, such as org.example.editing"
            )
        }
        for (callback, completion) in callbacks.completions {
            guard let action = callbacks.actions[callback] else {
                throw Problem(
                    "--completes \(callback.rawValue): no action to complete; add --on \(callback.rawValue)="
                )
            }
            if case .exec = action { continue }
            if completion == .exit {
                throw Problem(
                    "--completes \(callback.rawValue)=exit: only a command can exit; expected immediately, notify or output:REGEX"
                )
            }
        }
    }

    private static func split(
        _ text: String, option: String, _ value: String
    ) throws(Problem) -> (CallbackName, String) {
        guard let equals = text.firstIndex(of: "=") else {
            throw Problem("invalid \(option) \(text); expected CALLBACK=\(value)")
        }
        let name = text[..<equals]
        // As the worker hears it, or as a worker file has it.
        let callback = CallbackName.allCases.first { $0.rawValue == name || $0.key == name }
        guard let callback else {
            throw Problem(
                "\(option) \(text): unknown callback “\(name)”; expected one such as didEnterBackground")
        }
        return (callback, String(text[text.index(after: equals)...]))
    }

    /// An option that makes no sense, and what to give instead.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        /// One line.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
