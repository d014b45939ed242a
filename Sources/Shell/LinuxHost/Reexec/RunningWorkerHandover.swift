internal import Cgroups
package import Lifecycle
internal import Linux
package import Pressure
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

    package var main: Int32
    package var leader: Int32
    package var isAdopted: Bool
    /// 0 none, 1 asked, 2 ours, 3 outside.
    package var freeze: UInt64
    package var isThawing: Bool
    package var isStopped: Bool
    package var expectsContinue: Bool
    package var group: String?
    package var startTime: UInt64?
    package var notify: (descriptor: Int32, address: String)?
    package var pidfd: Int32?
    package var listener: Int32?
    package var reaping: RunningWorker.Reaping?
    package var hooks: [Hook] = []
    package var unpassed: [[UInt8]] = []
    package var tail: [String] = []
    /// The watch of its group behind the descriptor that goes along for all.
    package var groupWatch: Int32?
    /// Its connections for memory warnings, by their numbers.
    package var connections: [(number: Int, descriptor: Int32)] = []
    /// What is known of its memory; nil where its group has no memory controller.
    package var memory: Memory?

    /// What its group has been given, and has counted.
    package struct Memory {
        package var limits: MemoryLimits
        package var events: MemoryEvents
        package var watch: Int32?
    }

    /// The descriptors that go along.
    package var descriptors: [Int32] {
        [notify?.descriptor, pidfd, listener].compactMap(\.self) + connections.map(\.descriptor)
            + hooks.flatMap { [$0.lines, $0.answer].compactMap(\.self) }
    }

    // MARK: bytes

    package func write(to writer: inout SnapshotWriter) {
        writer.write(Int64(main))
        writer.write(Int64(leader))
        for flag in [isAdopted, isThawing, isStopped, expectsContinue] { writer.write(flag) }
        writer.write(freeze)
        writer.write(group) { $0.write($1) }
        writer.write(startTime) { $0.write($1) }
        writer.write(notify) { writer, notify in
            writer.write(Int64(notify.descriptor))
            writer.write(notify.address)
        }
        writer.write(pidfd) { $0.write(Int64($1)) }
        writer.write(listener) { $0.write(Int64($1)) }
        writer.write(reaping) { writer, reaping in
            switch reaping.status {
            case .exited(let code):
                writer.write(UInt64(0))
                writer.write(Int64(code))
            case .killed(let signal, let coreDumped):
                writer.write(coreDumped ? UInt64(2) : 1)
                writer.write(Int64(signal))
            case .unknown: writer.write(UInt64(3))
            }
            writer.write(reaping.oomKilled)
            writer.write(reaping.killsAt)
            writer.write(reaping.killed)
        }
        writer.write(all: hooks) { writer, hook in
            writer.write(UInt64(hook.id))
            writer.write(hook.callback.rawValue)
            writer.write(hook.topic) { $0.write($1) }
            writer.write(hook.unwritten) { $0.write($1) }
            writer.write(hook.pid) { $0.write(Int64($1)) }
            writer.write(hook.lines) { $0.write(Int64($1)) }
            writer.write(hook.answer) { $0.write(Int64($1)) }
            writer.write(hook.answered)
            writer.write(hook.isUnderway)
        }
        writer.write(all: unpassed) { $0.write($1) }
        writer.write(all: tail) { $0.write($1) }
        writer.write(groupWatch) { $0.write(Int64($1)) }
        writer.write(all: connections) { writer, connection in
            writer.write(UInt64(connection.number))
            writer.write(Int64(connection.descriptor))
        }
        writer.write(memory) { writer, memory in
            for limit in [memory.limits.maximum, memory.limits.high] { writer.write(limit) { $0.write($1) } }
            for count in memory.events.counts { writer.write(count) }
            writer.write(memory.watch) { $0.write(Int64($1)) }
        }
    }

    package init(of running: RunningWorker, listener: Int32?) {
        main = running.main
        leader = running.leader
        isAdopted = running.isAdopted
        isThawing = running.isThawing
        isStopped = running.isStopped
        expectsContinue = running.expectsContinue
        freeze =
            switch running.freeze {
            case .none: 0
            case .asked: 1
            case .ours: 2
            case .outside: 3
            }
        group = running.group?.path
        startTime = running.startTime
        notify = running.notify.map { ($0.socket.descriptor, $0.socket.address.description) }
        pidfd = running.mainWatch?.descriptor
        self.listener = listener
        reaping = running.reaping
        let pieces = running.input?.unwritten ?? []
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
        tail = running.tail.lines
        groupWatch = running.groupWatch?.number
        if running.hasMemoryController {
            memory = Memory(
                limits: running.limits, events: running.memoryEvents, watch: running.memoryWatch?.number)
        }
    }

    package init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        main = try reader.descriptor()
        leader = try reader.descriptor()
        isAdopted = try reader.flag()
        isThawing = try reader.flag()
        isStopped = try reader.flag()
        expectsContinue = try reader.flag()
        freeze = try reader.number()
        group = try reader.optional { (reader) throws(SnapshotError) in try reader.text() }
        startTime = try reader.optional { (reader) throws(SnapshotError) in try reader.number() }
        notify = try reader.optional { (reader) throws(SnapshotError) in
            (try reader.descriptor(), try reader.text())
        }
        pidfd = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
        listener = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
        reaping = try reader.optional { (reader) throws(SnapshotError) in
            let status: ExitStatus =
                switch try reader.number() {
                case 0: .exited(Int32(truncatingIfNeeded: try reader.signed()))
                case 1: .killed(signal: Int32(truncatingIfNeeded: try reader.signed()), coreDumped: false)
                case 2: .killed(signal: Int32(truncatingIfNeeded: try reader.signed()), coreDumped: true)
                default: .unknown
                }
            return RunningWorker.Reaping(
                status: status, oomKilled: try reader.flag(), killsAt: try reader.moment(),
                killed: try reader.flag())
        }
        hooks = try reader.list { (reader) throws(SnapshotError) in
            let id = UInt32(truncatingIfNeeded: try reader.number())
            guard let callback = Callback(rawValue: try reader.text()) else { throw .broken }
            var hook = Hook(id: id, callback: callback)
            hook.topic = try reader.optional { (reader) throws(SnapshotError) in try reader.text() }
            hook.unwritten = try reader.optional { (reader) throws(SnapshotError) in try reader.content() }
            hook.pid = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
            hook.lines = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
            hook.answer = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
            hook.answered = try reader.content()
            hook.isUnderway = try reader.flag()
            return hook
        }
        unpassed = try reader.list { (reader) throws(SnapshotError) in try reader.content() }
        tail = try reader.list { (reader) throws(SnapshotError) in try reader.text() }
        groupWatch = try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() }
        connections = try reader.list { (reader) throws(SnapshotError) in
            (Int(clamping: try reader.number()), try reader.descriptor())
        }
        memory = try reader.optional { (reader) throws(SnapshotError) in
            let maximum = try reader.optional { (reader) throws(SnapshotError) in try reader.signed() }
            let high = try reader.optional { (reader) throws(SnapshotError) in try reader.signed() }
            let events = MemoryEvents(
                low: try reader.signed(), high: try reader.signed(), max: try reader.signed(),
                oom: try reader.signed(), oomKill: try reader.signed(), oomGroupKill: try reader.signed())
            return Memory(
                limits: MemoryLimits(maximum: maximum, high: high), events: events,
                watch: try reader.optional { (reader) throws(SnapshotError) in try reader.descriptor() })
        }
    }
}

extension MemoryEvents {
    /// The counts in the order in which they are written.
    fileprivate var counts: [Int64] { [low, high, max, oom, oomKill, oomGroupKill] }
}
