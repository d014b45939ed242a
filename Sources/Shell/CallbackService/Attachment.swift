internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Notifications
internal import OperatorService
internal import Pressure
internal import SupervisorPorts
internal import Varlink

/// A worker's connection that has attached: callbacks go out as replies to its call.
final class Attachment: CallbackReceiver {
    let callbacks: CallbackSet
    private let responder: Responder

    init(_ callbacks: CallbackSet, _ responder: Responder) {
        self.callbacks = callbacks
        self.responder = responder
    }

    func deliver(_ message: CallbackMessage) {
        responder.more(
            WorkerInterface.Attach.Reply(callback: WorkerInterface.Callback(message)), isUrgent: true)
    }

    func ask(_ number: UInt32, _ type: ActivityType, within limit: TimeSpan) {
        responder.more(
            WorkerInterface.Attach.Reply(
                question: WorkerInterface.ActivityQuestion(
                    number: Int64(number), type: type.text, timeLimitUsec: limit.microseconds)),
            isUrgent: true)
    }
}

extension WorkerInterface.Callback {
    init(_ message: CallbackMessage) {
        let callback = message.delivery.callback
        self.init(
            id: Int64(message.delivery.id),
            name: .init(callback))
        timeLimitUsec = message.timeLimit?.microseconds
        suspendedForUsec = message.suspendedFor?.microseconds
        switch callback {
        case .willFinishLaunching, .didFinishLaunching:
            launch = message.launch.map { WorkerInterface.Launch($0, options: message.options) }
        case .didEnterBackground, .backgroundTaskWillExpire:
            backgroundTimeRemainingUsec = message.backgroundTimeRemaining?.microseconds
        case .didReceiveMemoryWarning:
            memoryLevel = message.memory.map { .init($0.level) }
            memoryAvailableBytes = message.memory?.available
        case .didBecomeActive, .willResignActive, .willEnterForeground, .willTerminate,
            .performFetch, .didReceiveNotifications, .openURL, .continueActivity, .handleTransferEvents,
            .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable, .significantTimeChange,
            .shouldSaveState, .saveState, .restoreState, .performProcessing:
            break
        }
        switch message.content {
        case .url(let url, let source):
            self.url = url
            sourceApplication = source.map { .object($0) }
        case .activity(let object): activity = .object(object)
        case .transfer(let object): transfer = .object(object)
        // As it is: the supervisor has no use for what is in it, which may be four million values.
        case .savedState(let bytes):
            state = try? JSON(copying: bytes.span)
            stateVersion = message.stateVersion
        case .notifications(let entries):
            notifications = entries.map { WorkerInterface.Notification($0) }
        case .fetch, .processing, nil: break
        }
    }
}

extension WorkerInterface.Notification {
    init(_ entry: QueuedNotification) {
        self.init(
            topic: entry.topic.name, sequence: Int64(clamping: entry.sequence), count: Int64(entry.count),
            first: entry.first, last: entry.last,
            // It was JSON when it was posted.
            payload: entry.payload.flatMap { try? JSON(parsing: $0.span) },
            added: entry.rule == .set ? entry.added : nil, removed: entry.rule == .set ? entry.removed : nil,
            dropped: entry.dropped > 0 ? Int64(entry.dropped) : nil)
    }
}

extension WorkerInterface.Launch {
    init(_ launch: Launch, options: JSON.Object) {
        self.init(
            reason: .init(launch.reason),
            intoForeground: launch.intoForeground,
            restoresState: launch.restoresState, options: .object(options),
            restored: launch.isRestored ? true : nil)
    }
}
