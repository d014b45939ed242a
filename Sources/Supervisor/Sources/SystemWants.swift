public import Lifecycle
public import Notifications
public import WorkerFile

/// What one worker wants to hear of the machine.
public struct SystemWants: Hashable, Sendable {
    /// Topics for which it has a receiver.
    public var topics: Set<SystemTopic> = []
    /// Callbacks that nothing but a fact of the machine brings.
    public var announcements = CallbackSet()
    /// Files whose change is `settingsChanged`.
    public var settings: Set<String> = []
    /// Files whose change is `accountChanged`.
    public var accounts: Set<String> = []
    /// Paths whose coming and going is `pathsChanged`.
    public var paths: Set<String> = []
    /// Paths that hold protected data.
    public var protectedPaths: Set<String> = []
    /// Device nodes that it wants to hear of; none is all.
    public var devices: [PathGlob] = []
    /// Whether the machine's sleep and end, and the lock of the session, are its business.
    public var followsMachine = false

    /// Nothing.
    public init() {}

    /// What its files say: topics with a hook or under `WatchTopics=`, and files where somebody would be told of them.
    public init(_ definition: WorkerDefinition) {
        let notifications = definition.notifications
        let named = Array(notifications.actions.keys) + notifications.topics.map(\.text)
        topics = Set(named.compactMap { SystemTopic(rawValue: $0) })
        let isApp = definition.type == .app
        // Whoever takes everything by one receiver has said by the lists what it wants.
        let takesAll = isApp || definition.callbacks.actions[.didReceiveNotifications] != nil
        func list(_ paths: [AbsolutePath], _ topic: SystemTopic) -> Set<String> {
            if takesAll, !paths.isEmpty { topics.insert(topic) }
            return topics.contains(topic) ? Set(paths.map(\.text)) : []
        }
        settings = list(notifications.settings, .settingsChanged)
        accounts = list(notifications.accounts, .accountChanged)
        paths = list(notifications.paths, .pathsChanged)
        if takesAll, !notifications.devices.isEmpty { topics.insert(.devicesChanged) }
        devices = notifications.devices
        let names = isApp ? CallbackName.allCases : Array(definition.callbacks.actions.keys)
        let received = CallbackSet(names.compactMap { Callback($0) })
        announcements = received.intersection(Event.announcements)
        if takesAll, !notifications.protectedPaths.isEmpty { topics.insert(.protectedDataChanged) }
        let hearsOfData =
            topics.contains(.protectedDataChanged)
            || announcements.contains(.protectedDataDidBecomeAvailable)
            || announcements.contains(.protectedDataWillBecomeUnavailable)
        protectedPaths = hearsOfData ? Set(notifications.protectedPaths.map(\.text)) : []
        followsMachine = true
    }

    /// Whether it wants to know when local time does not simply go on.
    var hearsOfTime: Bool {
        topics.contains(.significantTimeChange) || announcements.contains(.significantTimeChange)
    }

    /// Whether it wants nothing.
    public var isEmpty: Bool { self == SystemWants() }
}
