internal import Lifecycle
package import SnapshotCoding
internal import Varlink

/// All that there is of a worker but its process and its connections, on its way from one supervisor to the next in the same process.
package struct LifeHandover {
    /// A background task, whichever requester holds it.
    package struct Task {
        package let token: UInt32
        package let task: BackgroundTask

        package init(token: UInt32, task: BackgroundTask) { (self.token, self.task) = (token, task) }
    }

    /// Something that waits to be given to the worker, by the name that the model has for it.
    package struct Content {
        package let inbound: UInt32
        package let content: InboundContent

        package init(inbound: UInt32, content: InboundContent) {
            (self.inbound, self.content) = (inbound, content)
        }
    }

    /// What waits for other workers before it is carried out.
    package enum Held: Int, CodingKey, SnapshotKind {
        /// Its launch.
        case launch = 0
        /// Its waking.
        case thaw = 1
        /// Its sleep.
        case freeze = 2
    }

    package let record: LiveRecord
    package let tasks: [Task]
    package let contents: [Content]
    /// The deliveries that hooks carry out.
    package let hooks: [UInt32]
    package let inbox: InboxHandover?
    package let snapshot: [String]
    /// What its topics stood at: what is told of what happens from here on is told against that.
    package let comparison: TopicState?
    package let awaitsReattachment: Bool
    package let lastInheritedTask: UInt32
    package let goalOrigin: GoalOrigin?
    /// What of it waits for other workers; nil where nothing does.
    package let held: Held?

    /// All that there is of a worker, by its parts.
    package init(
        record: LiveRecord, tasks: [Task], contents: [Content], hooks: [UInt32], inbox: InboxHandover?,
        snapshot: [String], comparison: TopicState?, awaitsReattachment: Bool, lastInheritedTask: UInt32,
        goalOrigin: GoalOrigin?, held: Held?
    ) {
        (self.record, self.tasks, self.contents, self.hooks) = (record, tasks, contents, hooks)
        (self.inbox, self.snapshot, self.comparison) = (inbox, snapshot, comparison)
        (self.awaitsReattachment, self.lastInheritedTask) = (awaitsReattachment, lastInheritedTask)
        self.goalOrigin = goalOrigin
        self.held = held
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
        held = try c.optional("held", 11, value?.held)
    }
}

extension LifeHandover.Task: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LifeHandover.Task?) throws(C.Failure) {
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
        case .url(let url, let source): (.url, url, source)
        case .activity(let object): (.activity, nil, object)
        case .transfer(let object): (.transfer, nil, object)
        // What else there is, is made when it is delivered.
        case .fetch, .processing, .savedState, .notifications: (.other, nil, nil)
        }
    }

    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: LifeHandover.Content?) throws(C.Failure)
    {
        inbound = try c.required("inbound", 1, value?.inbound)
        let parts = value?.parts
        switch try c.required("kind", 2, parts?.kind) {
        case .url:
            let url = try c.required("url", 3, parts?.url)
            let source = try c.jsonObject("object", 4, parts?.object)
            content = .url(url, source: source.members.isEmpty ? nil : source)
        case .activity: content = .activity(try c.jsonObject("object", 4, parts?.object))
        case .transfer: content = .transfer(try c.jsonObject("object", 4, parts?.object))
        case .other: content = .fetch
        }
    }
}
