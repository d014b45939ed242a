internal import Lifecycle

extension WorkerDefinition {
    static let callbackDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Callbacks")
        return Callback.allCases.flatMap { callback in
            [
                section.one(
                    callback.key, \.callbacks.actions[callback], "The action for \(callback.rawValue)."),
                section.one(
                    callback.key + "Completes", \.callbacks.completions[callback],
                    "When \(callback.rawValue) is complete."),
                section.one(
                    callback.key + "TimeoutSec", \.callbacks.timeouts[callback],
                    "How long \(callback.rawValue) may take."),
            ]
        } + [
            section.one(
                "UserActivity", \.callbacks.userActivity,
                "The command that prints the state of an activity that is handed over.")
        ]
    }()

    static let notificationDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Notifications")
        return [
            section.many("WatchSettings", \.notifications.settings, "Files whose change is settingsChanged."),
            section.many("WatchAccounts", \.notifications.accounts, "Files whose change is accountChanged."),
            section.many(
                "WatchProtectedPaths", \.notifications.protectedPaths, "Paths that contain protected data."),
            section.many(
                "WatchPaths", \.notifications.paths, "Paths whose change wakes a worker with the path mode."),
            section.many(
                "WatchDevices", \.notifications.devices, "Devices that wake a worker with the device mode."),
            section.many("WatchTopics", \.notifications.topics, "Topics to receive without a hook here."),
            section.many(
                "Alerts", \.notifications.alerts, "Topics whose posts may interrupt the worker as alerts."),
            section.many(
                "UntilForeground", \.notifications.untilForeground,
                "Topics that are merged in the background and delivered in the foreground."),
        ]
    }()
}
