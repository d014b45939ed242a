/// The model as bytes, so that another supervisor goes on with it.
///
/// Everything goes along but the policy, which comes from the worker's definition. Moments are of the monotonic clock: a
/// snapshot is good for as long as the machine is up.
extension WorkerLifecycle {
    /// The format that is written; those from ``oldestSnapshotFormat`` on are read.
    public static let snapshotFormat: UInt64 = 3
    /// The oldest format that is read.
    ///
    /// The second has the holders of tasks, what is not confirmed, why a launch was called off and whether it is a restore,
    /// the callback of an activity, and what was told of protected data; the third has how often a freeze has failed.
    static let oldestSnapshotFormat: UInt64 = 1

    /// Writes all that it is.
    ///
    /// Not to be called while an event is handled.
    public func snapshot(to writer: inout SnapshotWriter) {
        writer.write(Self.snapshotFormat)
        writer.write(goal)
        writer.write(goalRequester)
        writer.write(goalBeforeSleep)
        timers.write(to: &writer)
        writer.write(all: inbox) { $0.write($1) }
        for flag in [wakePending, hasQueue, interrupted, foregroundTaken, barred, hasSavedState, inUse] {
            writer.write(flag)
        }
        writer.write(starts.windowBegan)
        writer.write(starts.count)
        writer.write(starts.failures)
        writer.write(UInt64(idleness.falseIdles))
        writer.write(idleness.asleepSince) { $0.write($1) }
        writer.write(incarnation)
        writer.write(lastDelivery)
        writer.write(phase)
    }

    /// The model that was written, under `policy`.
    ///
    /// - Throws: when the bytes are not whole, or of another format.
    public init(restoring reader: inout SnapshotReader, policy: Policy) throws(SnapshotError) {
        let format = try reader.number()
        guard (Self.oldestSnapshotFormat...Self.snapshotFormat).contains(format) else {
            throw .format(format)
        }
        reader.format = format
        self.init(policy: policy)
        goal = try reader.coded()
        goalRequester = try reader.requester()
        goalBeforeSleep = try reader.coded()
        timers = try Timers(reading: &reader)
        inbox = try reader.list { (reader) throws(SnapshotError) in try reader.inbound() }
        wakePending = try reader.flag()
        hasQueue = try reader.flag()
        interrupted = try reader.flag()
        foregroundTaken = try reader.flag()
        barred = try reader.flag()
        hasSavedState = try reader.flag()
        inUse = try reader.flag()
        starts.windowBegan = try reader.past()
        starts.count = try reader.count()
        starts.failures = try reader.count()
        guard let falseIdles = UInt8(exactly: try reader.number()) else { throw .broken }
        idleness.falseIdles = falseIdles
        idleness.asleepSince = try reader.optional { (reader) throws(SnapshotError) in try reader.past() }
        incarnation = try reader.unsigned32()
        lastDelivery = try reader.unsigned32()
        phase = try reader.phase()
    }
}

extension SnapshotWriter {
    fileprivate mutating func write(_ phase: Phase) {
        switch phase {
        case .notRunning(let reason):
            write(UInt64(0))
            write(reason)
        case .spawning(let launch, let pendingKills):
            write(UInt64(1))
            write(launch)
            write(pendingKills) { writer, pendingKill in
                writer.write(pendingKill.cause)
                writer.write(pendingKill.requester)
                writer.write(pendingKill.relaunch) { $0.write($1) }
            }
        case .running(let process):
            write(UInt64(2))
            process.facts.write(to: &self)
        }
    }

    mutating func write(_ launch: Launch) {
        write(launch.incarnation)
        write(launch.reason)
        write(launch.intoForeground)
        write(launch.restoresState)
        write(launch.isRestored)
    }

    mutating func write(_ inbound: Inbound) {
        write(inbound.id)
        write(inbound.kind)
    }
}

extension SnapshotReader {
    fileprivate mutating func phase() throws(SnapshotError) -> Phase {
        switch try number() {
        case 0: return .notRunning(try coded())
        case 1:
            let launch = try launch()
            let pendingKills = try optional { (reader) throws(SnapshotError) in
                PendingKill(
                    cause: reader.format < 2 ? .forceQuit : try reader.coded(),
                    requester: try reader.requester(),
                    relaunch: try reader.optional { (reader) throws(SnapshotError) in try reader.coded() })
            }
            return .spawning(launch, pendingKills: pendingKills)
        case 2: return .running(Process(try ProcessFacts(reading: &self)))
        default: throw .broken
        }
    }

    mutating func launch() throws(SnapshotError) -> Launch {
        Launch(
            incarnation: try unsigned32(), reason: try coded(), intoForeground: try flag(),
            restoresState: try flag(), isRestored: format < 2 ? false : try flag())
    }

    mutating func inbound() throws(SnapshotError) -> Inbound {
        Inbound(id: try unsigned32(), try coded())
    }
}

extension Timers {
    fileprivate func write(to writer: inout SnapshotWriter) {
        writer.write(lastGeneration)
        writer.write(all: armed) { writer, entry in
            writer.write(entry.timer)
            writer.write(entry.due)
            writer.write(entry.generation)
        }
    }

    fileprivate init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        let generation = try reader.unsigned32()
        let armed = try reader.list { (reader) throws(SnapshotError) in
            Armed(
                timer: try reader.timer(), due: try reader.moment(), generation: try reader.unsigned32())
        }
        self.init(restoring: armed, after: generation)
    }
}
