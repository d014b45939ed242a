package import ConfigurationSyntax
package import Lifecycle
package import Notifications
package import WorkerFile

/// What one worker wants to hear of the machine.
package struct SystemSubscriptions: Hashable, Sendable {
    /// Topics for which it has a receiver.
    package var topics: Set<SystemTopic> = []
    /// Callbacks that nothing but a fact of the machine brings.
    package var announcements = CallbackSet()
    /// Files whose change is `settingsChanged`.
    package var settings: Set<String> = []
    /// Files whose change is `accountChanged`.
    package var accounts: Set<String> = []
    /// Paths whose coming, going and changes are `pathsChanged`.
    package var paths: Set<String> = []
    /// Paths whose change wakes it.
    package var wakingPaths: Set<String> = []
    /// Whether a device that comes wakes it.
    package var wakesForDevices = false
    /// Paths that hold protected data.
    package var protectedPaths: Set<String> = []
    /// Whether it waits for its protected data to be available for the first time.
    package var awaitsFirstUnlock = false
    /// Device nodes that it wants to hear of; none is all.
    package var devices: [PathGlob] = []
    /// Whether the machine's sleep and end, and the lock of the session, are its business.
    package var followsMachine = false

    /// The user that it runs as, by name or number; nil is that of the supervisor.
    package var user: String?

    /// Nothing.
    package init() {}

    /// What its files say, and what its connection receives, where it has one: topics with a hook; with a receiver for all
    /// notifications those under `WatchTopics=` and files that are watched too; callbacks with a hook or on the connection; and
    /// what wakes it.
    ///
    /// Before it attaches a worker with a connection wants what wakes it, and no more: it reads the present state itself then.
    package init(_ definition: WorkerDefinition, connection: CallbackSet = .all) {
        let notifications = definition.notifications
        topics = Set(notifications.actions.keys.compactMap { SystemTopic(rawValue: $0) })
        var received = CallbackSet(definition.callbacks.actions.keys.compactMap { Callback($0) })
        if definition.type == .app { received.formUnion(connection) }
        // A worker that takes everything by one receiver has declared its subscriptions by the lists.
        let takesAll = received.contains(.didReceiveNotifications)
        if takesAll { topics.formUnion(notifications.topics.compactMap { SystemTopic(rawValue: $0.text) }) }
        func list(_ paths: [AbsolutePath], _ topic: SystemTopic) -> Set<String> {
            if takesAll, !paths.isEmpty { topics.insert(topic) }
            return topics.contains(topic) ? Set(paths.map(\.text)) : []
        }
        settings = list(notifications.settings, .settingsChanged)
        accounts = list(notifications.accounts, .accountChanged)
        paths = list(notifications.paths, .pathsChanged)
        if takesAll, !notifications.devices.isEmpty { topics.insert(.devicesChanged) }
        announcements = received.intersection(Event.announcements)
        if takesAll, !notifications.protectedPaths.isEmpty { topics.insert(.protectedDataChanged) }
        let hearsOfData =
            topics.contains(.protectedDataChanged)
            || announcements.contains(.protectedDataDidBecomeAvailable)
            || announcements.contains(.protectedDataWillBecomeUnavailable)
        protectedPaths = hearsOfData ? Set(notifications.protectedPaths.map(\.text)) : []
        takeWakes(of: definition)
    }

    /// What a worker wants whose process is not there: only what launches it.
    package static func whileNotRunning(_ definition: WorkerDefinition) -> SystemSubscriptions {
        var subscriptions = SystemSubscriptions()
        subscriptions.takeWakes(of: definition)
        return subscriptions
    }

    private mutating func takeWakes(of definition: WorkerDefinition) {
        let modes = definition.background.modes
        devices = definition.notifications.devices
        if modes.contains(.path) { wakingPaths = Set(definition.notifications.paths.map(\.text)) }
        // All devices are none in particular: they wake no worker.
        wakesForDevices = modes.contains(.device) && !devices.isEmpty
        followsMachine = true
        if definition.awaitsFirstUnlock {
            awaitsFirstUnlock = true
            protectedPaths = Set(definition.notifications.protectedPaths.map(\.text))
        }
        user = definition.execution.user?.spelling
    }

    /// Whether a file is its business.
    func concerns(_ path: String) -> Bool {
        reads(path) || paths.contains(path) || wakingPaths.contains(path)
    }

    /// Whether it reads a file: settings, or accounts.
    func reads(_ path: String) -> Bool { settings.contains(path) || accounts.contains(path) }

    /// Whether it wants to know when local time does not simply go on.
    var hearsOfTime: Bool {
        topics.contains(.significantTimeChange) || announcements.contains(.significantTimeChange)
    }

    /// Whether it wants nothing.
    package var isEmpty: Bool {
        // Its user is nothing that it wants.
        var others = self
        others.user = nil
        return others == SystemSubscriptions()
    }
}
