extension ProcessFacts {
    func write(to writer: inout SnapshotWriter) {
        writer.write(launch)
        writer.write(pid)
        writer.write(position)
        writer.write(launching) { $0.write($1) }
        writer.write(slot) { $0.write($1) }
        writer.write(ending) { $0.write($1) }
        writer.write(attached) { $0.write($1.rawValue) }
        writer.write(announcements.rawValue)
        writer.write(toldDataAvailable) { $0.write($1) }
        if tasks.isEmpty {
            writer.write(UInt64(0))
        } else {
            // In an order that is always the same.
            writer.write(all: tasks.sorted()) { $0.write($1) }
        }
        writer.write(all: holds) { writer, hold in
            writer.write(hold.token)
            writer.write(hold.until) { $0.write($1) }
        }
        writer.write(all: activities) { writer, activity in
            writer.write(activity.id)
            writer.write(activity.callback)
            writer.write(activity.inbound) { $0.write($1) }
            writer.write(activity.limit) { $0.write($1) }
        }
        for flag in [isReady, reloading, refusedLaunch, throttled, expiryTold] { writer.write(flag) }
        writer.write(backgroundEnds) { $0.write($1) }
        writer.write(watchdog) { writer, watchdog in
            writer.write(watchdog.period)
            writer.write(watchdog.due)
        }
        writer.write(unconfirmed) { writer, unconfirmed in
            writer.write(unconfirmed.until) { $0.write($1) }
            writer.write(unconfirmed.isReading)
            writer.write(unconfirmed.last) { writer, last in
                writer.write(last.used)
                writer.write(last.at)
            }
        }
        writer.write(times.started)
        writer.write(times.stateSince)
        writer.write(times.inBackground)
        writer.write(times.suspended)
        writer.write(UInt64(freezeFailures))
    }

    init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        launch = try reader.launch()
        pid = try reader.signed32()
        position = try reader.position()
        launching = try reader.optional { (reader) throws(SnapshotError) in try reader.coded() }
        slot = try reader.optional { (reader) throws(SnapshotError) in try reader.inFlight() }
        ending = try reader.optional { (reader) throws(SnapshotError) in try reader.ending() }
        attached = try reader.optional { (reader) throws(SnapshotError) in
            CallbackSet(rawValue: try reader.unsigned32())
        }
        announcements = CallbackSet(rawValue: try reader.unsigned32())
        if reader.format >= 2 {
            toldDataAvailable = try reader.optional { (reader) throws(SnapshotError) in try reader.flag() }
        }
        tasks = Set(try reader.list { (reader) throws(SnapshotError) in try reader.unsigned32() })
        if reader.format >= 2 {
            holds = try reader.list { (reader) throws(SnapshotError) in
                Hold(
                    token: try reader.unsigned32(),
                    until: try reader.optional { (reader) throws(SnapshotError) in try reader.moment() })
            }
        }
        activities = try reader.list { (reader) throws(SnapshotError) in try reader.activity() }
        isReady = try reader.flag()
        reloading = try reader.flag()
        refusedLaunch = try reader.flag()
        throttled = try reader.flag()
        expiryTold = try reader.flag()
        backgroundEnds = try reader.optional { (reader) throws(SnapshotError) in try reader.moment() }
        watchdog = try reader.optional { (reader) throws(SnapshotError) in
            Watchdog(period: try reader.span(), due: try reader.moment())
        }
        if reader.format >= 2 {
            unconfirmed = try reader.optional { (reader) throws(SnapshotError) in try reader.unconfirmed() }
        }
        times = Times(started: try reader.past(), stateSince: try reader.past())
        times.inBackground = try reader.span()
        times.suspended = try reader.span()
        guard reader.format >= 3 else { return }
        guard let failures = UInt8(exactly: try reader.number()) else { throw .broken }
        freezeFailures = min(failures, WorkerLifecycle.mostFreezeFailures)
    }
}

extension SnapshotWriter {
    fileprivate mutating func write(_ position: Position) {
        switch position {
        case .inactive: write(UInt64(0))
        case .active: write(UInt64(1))
        case .background(.awake(let leave)):
            write(UInt64(2))
            write(leave)
        case .background(.inspecting): write(UInt64(3))
        case .background(.freezing): write(UInt64(4))
        case .suspended(let sleep):
            write(UInt64(5))
            write(sleep.since)
            write(sleep.held)
            write(sleep.thawing)
        }
    }

    fileprivate mutating func write(_ slot: InFlight) {
        write(slot.id)
        write(slot.callback)
        write(slot.since)
        write(slot.limit) { $0.write($1) }
        write(slot.inbound) { $0.write($1) }
        write(slot.then)
    }

    private mutating func write(_ then: Continuation) {
        switch then {
        case .none: write(UInt64(0))
        case .launch(let step):
            write(UInt64(1))
            write(step) { $0.write($1) }
        case .resign(let cause):
            write(UInt64(2))
            write(cause)
        case .enterForeground: write(UInt64(3))
        case .leave(let step):
            write(UInt64(4))
            write(step)
        case .terminate: write(UInt64(5))
        }
    }

    fileprivate mutating func write(_ ending: Ending) {
        write(ending.cause)
        write(ending.requester) { $0.write($1) }
        write(ending.stage)
        write(ending.grace) { $0.write($1) }
        write(ending.relaunch) { $0.write($1) }
    }
}

extension SnapshotReader {
    fileprivate mutating func position() throws(SnapshotError) -> Position {
        switch try number() {
        case 0: .inactive
        case 1: .active
        case 2: .background(.awake(leave: try coded()))
        case 3: .background(.inspecting)
        case 4: .background(.freezing)
        case 5: .suspended(Sleep(since: try past(), held: try flag(), thawing: try flag()))
        default: throw .broken
        }
    }

    fileprivate mutating func activity() throws(SnapshotError) -> Activity {
        let id = try unsigned32()
        var callback: Callback?
        let inbound: Inbound?
        if format < 2 {
            inbound = try self.inbound()
        } else {
            callback = try coded()
            inbound = try optional { (reader) throws(SnapshotError) in try reader.inbound() }
        }
        guard let callback = callback ?? inbound?.kind.callback else { throw .broken }
        return Activity(
            id: id, callback: callback, inbound: inbound,
            limit: try optional { (reader) throws(SnapshotError) in try reader.span() })
    }

    fileprivate mutating func unconfirmed() throws(SnapshotError) -> Unconfirmed {
        Unconfirmed(
            until: try optional { (reader) throws(SnapshotError) in try reader.moment() },
            isReading: try flag(),
            last: try optional { (reader) throws(SnapshotError) in
                Unconfirmed.Look(used: try reader.span(), at: try reader.past())
            })
    }

    fileprivate mutating func inFlight() throws(SnapshotError) -> InFlight {
        InFlight(
            id: try unsigned32(), callback: try coded(), since: try past(),
            limit: try optional { (reader) throws(SnapshotError) in try reader.span() },
            inbound: try optional { (reader) throws(SnapshotError) in try reader.inbound() },
            then: try continuation())
    }

    private mutating func continuation() throws(SnapshotError) -> Continuation {
        switch try number() {
        case 0: .none
        case 1: .launch(try optional { (reader) throws(SnapshotError) in try reader.coded() })
        case 2: .resign(try cause())
        case 3: .enterForeground
        case 4: .leave(try coded())
        case 5: .terminate
        default: throw .broken
        }
    }

    fileprivate mutating func ending() throws(SnapshotError) -> Ending {
        Ending(
            cause: try coded(),
            requester: try optional { (reader) throws(SnapshotError) in try reader.requester() },
            stage: try coded(),
            grace: try optional { (reader) throws(SnapshotError) in try reader.span() },
            relaunch: try optional { (reader) throws(SnapshotError) in try reader.coded() })
    }
}
