internal import Cgroups
package import Lifecycle
internal import Linux
package import Pressure
package import SnapshotCoding
package import SupervisorPorts
internal import Systemd
internal import WorkerIO

/// The process of a worker and all that is open for it, on its way from one supervisor to the next in the same process.
package struct RunningWorkerHandover {
    /// A hook that is not over, with the process of its command.
    package struct Hook {
        package var id: UInt32
        package var callback: Callback
        package var topic: String?
        package var unwritten: [UInt8]?
        package var pid: Int32?
        package var lines: Int32?
        package var answer: Int32?
        package var answered: [UInt8] = []
        /// Whether it is still waited for: its process may outlast that.
        package var isUnderway = true
    }

    /// What froze it, without the moment at which that was asked for.
    package enum Freeze: Int, CodingKey, SnapshotKind {
        case none = 0, asked = 1, ours = 2, outside = 3
    }

    /// The socket for what the worker says with sd_notify(3).
    package struct NotifySocket {
        package var descriptor: Int32
        package var address: String
    }

    /// A connection for memory warnings.
    package struct Connection {
        package var number: Int
        package var descriptor: Int32
    }

    package var main: Int32
    package var leader: Int32
    package var isAdopted: Bool
    package var freeze: Freeze
    package var isThawing: Bool
    package var isStopped: Bool
    package var expectsContinue: Bool
    package var group: String?
    package var startTime: UInt64?
    package var notify: NotifySocket?
    package var pidfd: Int32?
    package var listener: Int32?
    package var reaping: RunningWorker.Reaping?
    package var hooks: [Hook] = []
    package var unpassed: [[UInt8]] = []
    /// Lines of operators that wait to be written; the first is empty where a hook's line is before them.
    package var unsent: [[UInt8]] = []
    /// Our ends of the pipes of its output.
    package var outputs: [Int32] = []
    package var tail: [String] = []
    /// The watch of its group behind the descriptor that goes along for all.
    package var groupWatch: Int32?
    /// Its connections for memory warnings, by their numbers.
    package var connections: [Connection] = []
    /// What is known of its memory; nil where its group has no memory controller.
    package var memory: Memory?
    /// The state by which its priorities are set; nil where they were not.
    package var prioritizedState: Lifecycle.State?

    /// What its group has been given, and has counted.
    package struct Memory {
        package var limits: MemoryLimits
        package var events: MemoryEvents
        package var watch: Int32?
    }

    /// The descriptors that go along.
    package var descriptors: [Int32] {
        [notify?.descriptor, pidfd, listener].compactMap(\.self) + connections.map(\.descriptor)
            + hooks.flatMap { [$0.lines, $0.answer].compactMap(\.self) } + outputs
    }

    package init(of running: RunningWorker, listener: Int32?) {
        main = running.main
        leader = running.leader
        isAdopted = running.isAdopted
        isThawing = if case .thawing = running.freeze { true } else { false }
        isStopped = running.isStopped
        expectsContinue = running.expectsContinue
        freeze =
            switch running.freeze {
            case .none: .none
            case .asked: .asked
            case .ours, .thawing: .ours
            case .outside: .outside
            }
        group = running.group?.path
        startTime = running.startTime
        notify = running.notify.map {
            NotifySocket(descriptor: $0.socket.descriptor, address: $0.socket.address.description)
        }
        pidfd = running.mainWatch?.descriptor
        self.listener = listener
        reaping = running.reaping
        let pieces = running.input?.unwritten ?? []
        unsent = running.input?.unsent ?? []
        // Those for notifications begin anew.
        for underway in running.hooks.underway where underway.call.topic == nil && underway.call.id < 1 << 31
        {
            let unwritten = pieces.first { $0.hook == underway.call.id }?.bytes
            hooks.append(
                Hook(id: underway.call.id, callback: underway.call.callback, unwritten: unwritten))
        }
        for process in running.hooks.processes where !process.hasEnded {
            let pipes = process.pipes
            var hook =
                hooks.first { $0.id == process.call.id }
                ?? Hook(
                    id: process.call.id, callback: process.call.callback, topic: process.call.topic,
                    isUnderway: false)
            hook.pid = process.pid
            (hook.lines, hook.answer, hook.answered) = (pipes.lines, pipes.answer, process.answer)
            hooks.removeAll { $0.id == hook.id }
            hooks.append(hook)
        }
        unpassed = running.outputs.map(\.unpassed)
        outputs = running.outputs.compactMap(\.descriptor)
        tail = running.tail.lines
        groupWatch = running.groupWatch?.number
        prioritizedState = running.prioritizedState
        if running.hasMemoryController {
            memory = Memory(
                limits: running.limits, events: running.memoryEvents, watch: running.memoryWatch?.number)
        }
    }
}

// MARK: fields

extension RunningWorkerHandover: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: RunningWorkerHandover?) throws(C
        .Failure)
    {
        main = try c.descriptor("main", 1, value?.main)
        leader = try c.descriptor("leader", 2, value?.leader)
        isAdopted = try c.flag("isAdopted", 3, value?.isAdopted)
        isThawing = try c.flag("isThawing", 4, value?.isThawing)
        isStopped = try c.flag("isStopped", 5, value?.isStopped)
        expectsContinue = try c.flag("expectsContinue", 6, value?.expectsContinue)
        freeze = try c.value("freeze", 7, value?.freeze, or: .none)
        group = try c.optional("group", 8, value?.group)
        startTime = try c.optional("startTime", 9, value?.startTime)
        notify = try c.optional("notify", 10, value?.notify)
        pidfd = try c.optionalDescriptor("pidfd", 11, value?.pidfd)
        listener = try c.optionalDescriptor("listener", 12, value?.listener)
        reaping = try c.optional("reaping", 13, value?.reaping)
        hooks = try c.list("hooks", 14, value?.hooks)
        unpassed = try c.list("unpassed", 15, value?.unpassed)
        tail = try c.list("tail", 16, value?.tail)
        groupWatch = try c.optionalDescriptor("groupWatch", 17, value?.groupWatch)
        connections = try c.list("connections", 18, value?.connections)
        memory = try c.optional("memory", 19, value?.memory)
        // One that this version does not have is no state: what was set for it is found out by looking.
        prioritizedState = try c.named("prioritizedState", 20, value?.prioritizedState)
        unsent = try c.list("unsent", 22, value?.unsent)
        outputs = try c.list("outputs", 21, value?.outputs.map(UInt32.init(bitPattern:)))
            .map(Int32.init(bitPattern:))
    }
}

extension RunningWorkerHandover.NotifySocket: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: RunningWorkerHandover.NotifySocket?
    ) throws(C.Failure) {
        descriptor = try c.descriptor("descriptor", 1, value?.descriptor)
        address = try c.required("address", 2, value?.address)
    }
}

extension RunningWorkerHandover.Connection: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: RunningWorkerHandover.Connection?
    ) throws(C.Failure) {
        number = try c.required("number", 1, value?.number)
        descriptor = try c.descriptor("descriptor", 2, value?.descriptor)
    }
}

extension RunningWorkerHandover.Hook: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: RunningWorkerHandover.Hook?
    ) throws(C.Failure) {
        id = try c.required("id", 1, value?.id)
        callback = try c.required("callback", 2, value?.callback)
        topic = try c.optional("topic", 3, value?.topic)
        unwritten = try c.optional("unwritten", 4, value?.unwritten)
        pid = try c.optionalDescriptor("pid", 5, value?.pid)
        lines = try c.optionalDescriptor("lines", 6, value?.lines)
        answer = try c.optionalDescriptor("answer", 7, value?.answer)
        answered = try c.value("answered", 8, value?.answered, or: [])
        isUnderway = try c.flag("isUnderway", 9, value?.isUnderway)
    }
}

extension RunningWorker.Reaping: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case exited = 0, killed = 1, dumped = 2, unknown = 3
    }

    private var parts: (kind: Kind, number: Int32?) {
        switch status {
        case .exited(let code): (.exited, code)
        case .killed(let signal, let coreDumped): (coreDumped ? .dumped : .killed, signal)
        case .unknown: (.unknown, nil)
        }
    }

    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: RunningWorker.Reaping?) throws(C
        .Failure)
    {
        let parts = value?.parts
        switch try c.required("status", 1, parts?.kind) {
        case .exited: status = .exited(try c.required("code", 2, parts?.number))
        case .killed: status = .killed(signal: try c.required("signal", 3, parts?.number), coreDumped: false)
        case .dumped: status = .killed(signal: try c.required("signal", 3, parts?.number), coreDumped: true)
        case .unknown: status = .unknown
        }
        oomKilled = try c.flag("oomKilled", 4, value?.oomKilled)
        killsAt = try c.required("killsAt", 5, value?.killsAt)
        killed = try c.flag("killed", 6, value?.killed)
    }
}

extension RunningWorkerHandover.Memory: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: RunningWorkerHandover.Memory?
    ) throws(C.Failure) {
        limits = MemoryLimits(
            maximum: try c.optional("maximum", 1, value?.limits.maximum),
            high: try c.optional("high", 2, value?.limits.high))
        events = MemoryEvents(
            low: try c.value("eventsLow", 3, value?.events.low, or: 0),
            high: try c.value("eventsHigh", 4, value?.events.high, or: 0),
            max: try c.value("eventsMax", 5, value?.events.max, or: 0),
            oom: try c.value("eventsOOM", 6, value?.events.oom, or: 0),
            oomKill: try c.value("eventsOOMKill", 7, value?.events.oomKill, or: 0),
            oomGroupKill: try c.value("eventsOOMGroupKill", 8, value?.events.oomGroupKill, or: 0))
        watch = try c.optionalDescriptor("watch", 9, value?.watch)
    }
}
