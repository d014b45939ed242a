internal import Lifecycle
internal import SupervisorPorts

extension LifeHandover {
    /// All that there is of `worker`; `isUnread` is whether what was kept before could not be read yet.
    init(of worker: Worker, at now: Instant, comparison: TopicState, held: HeldEffect?, isUnread: Bool) {
        let isConnected = worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        self.init(
            record: LiveRecord(of: worker, at: now, startTime: worker.startTime),
            tasks: worker.tasks.sorted { $0.key < $1.key }.map { Task(token: $0.key, task: $0.value) },
            contents: worker.contents.sorted { $0.key < $1.key }
                .map { Content(inbound: $0.key, content: $0.value.content) },
            hooks: worker.onItsWay.filter(\.isHook).map(\.delivery.id),
            inbox: worker.inbox.map {
                InboxHandover(of: $0, isConnected: isConnected, isPartial: isUnread && !$0.isInherited)
            },
            snapshot: worker.snapshot, comparison: comparison.isEmpty ? nil : comparison,
            awaitsReattachment: worker.awaitsReattachment, lastInheritedTask: worker.lastInheritedTask,
            goalOrigin: worker.goalOrigin, held: held?.handover)
    }
}

extension HeldEffect {
    /// The same, on its way.
    fileprivate var handover: LifeHandover.Held {
        switch self {
        case .launch: .launch
        case .thaw: .thaw
        case .freeze: .freeze
        }
    }

    /// What a predecessor has held back of a worker with this life; nil where there is no such launch any more.
    init?(_ held: LifeHandover.Held, of life: WorkerLifecycle) {
        switch held {
        case .launch:
            guard let launch = life.currentLaunch else { return nil }
            self = .launch(launch)
        case .thaw: self = .thaw
        case .freeze: self = .freeze
        }
    }
}
