internal import Lifecycle
package import SnapshotCoding
internal import SupervisorPorts
internal import Varlink

/// All that there is of a worker but its process and its connections, on its way from one supervisor to the next in the same process.
package struct LifeHandover {
    /// A background task, whichever requester holds it.
    struct Task {
        let token: UInt32
        let task: BackgroundTask
    }

    /// Something that waits to be given to the worker, by the name that the model has for it.
    struct Content {
        let inbound: UInt32
        let content: InboundContent
    }

    let record: LiveRecord
    let tasks: [Task]
    let contents: [Content]
    /// The deliveries that hooks carry out.
    let hooks: [UInt32]
    let inbox: InboxHandover?
    let snapshot: [String]
    /// What its topics stood at: what is told of what happens from here on is told against that.
    let comparison: TopicState?
    let awaitsReattachment: Bool
    let lastInheritedTask: UInt32
    let goalOrigin: GoalOrigin?

    init(of worker: Worker, at now: Instant, comparison: TopicState) {
        record = LiveRecord(of: worker, at: now, startTime: worker.startTime)
        tasks = worker.tasks.sorted { $0.key < $1.key }.map { Task(token: $0.key, task: $0.value) }
        contents = worker.contents.sorted { $0.key < $1.key }
            .map { Content(inbound: $0.key, content: $0.value.content) }
        hooks = worker.onItsWay.filter(\.isHook).map(\.delivery.id)
        let isConnected = worker.receiver?.callbacks.contains(.didReceiveNotifications) ?? false
        inbox = worker.inbox.map { InboxHandover(of: $0, isConnected: isConnected) }
        snapshot = worker.snapshot
        self.comparison = comparison.isEmpty ? nil : comparison
        awaitsReattachment = worker.awaitsReattachment
        lastInheritedTask = worker.lastInheritedTask
        goalOrigin = worker.goalOrigin
    }
}

extension LifeHandover: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LifeHandover?) throws(C.Failure) {
        record = try c.required("record", 1, value?.record)
        tasks = try c.list("tasks", 2, value?.tasks)
        contents = try c.list("contents", 3, value?.contents)
        hooks = try c.list("hooks", 4, value?.hooks)
        inbox = try c.optional("inbox", 5, value?.inbox)
        snapshot = try c.list("snapshot", 6, value?.snapshot)
        comparison = try c.optional("comparison", 7, value?.comparison)
        awaitsReattachment = try c.flag("awaitsReattachment", 8, value?.awaitsReattachment)
        lastInheritedTask = try c.value("lastInheritedTask", 9, value?.lastInheritedTask, or: 0)
        goalOrigin = try c.optional("goalOrigin", 10, value?.goalOrigin)
    }
}

extension LifeHandover.Task: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LifeHandover.Task?) throws(C.Failure) {
        token = try c.required("token", 1, value?.token)
        let since = try c.past("since", 2, value?.task.since)
        let name = try c.required("name", 3, value?.task.name)
        task = BackgroundTask(
            name: name, since: since, requester: try c.required("requester", 4, value?.task.requester))
    }
}

extension LifeHandover.Content: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case url = 0, activity = 1, transfer = 2, other = 3
    }

    private var parts: (kind: Kind, url: String?, object: JSON.Object?) {
        switch content {
        case .url(let url): (.url, url, nil)
        case .activity(let object): (.activity, nil, object)
        case .transfer(let object): (.transfer, nil, object)
        // What else there is, is made when it is delivered.
        case .fetch, .savedState, .notifications: (.other, nil, nil)
        }
    }

    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LifeHandover.Content?) throws(C.Failure) {
        inbound = try c.required("inbound", 1, value?.inbound)
        let parts = value?.parts
        switch try c.required("kind", 2, parts?.kind) {
        case .url: content = .url(try c.required("url", 3, parts?.url))
        case .activity: content = .activity(try c.jsonObject("object", 4, parts?.object))
        case .transfer: content = .transfer(try c.jsonObject("object", 4, parts?.object))
        case .other: content = .fetch
        }
    }
}
