/// The sockets of one worker that is gone, kept open by duplicates until it has its own again (section 5 of the spec's `5-waking`).
///
/// Holding, then knocked, then launching, until each of them is handed over or given up. The shell carries out the actions in their order.
package struct KeptDoors: Hashable, Sendable {
    /// One of them.
    package enum Door: Hashable, Sendable {
        /// Its clients wait at the duplicate.
        case open
        /// They still do, beside the worker's own socket, or until that is there.
        case shared(DoorWay, isHeard: Bool)
        /// The duplicate is closed; what was accepted there waits for the worker's own socket.
        case taken
        /// The duplicate is closed, and nothing waits any more.
        case over(End)
    }

    /// What became of one.
    package enum End: Hashable, Sendable {
        /// The worker has its clients.
        case handedOver
        /// It was only a bell.
        case rung
        /// It was closed, with what waited there.
        case closed
    }

    /// How far the worker has come.
    package enum Phase: Hashable, Sendable {
        /// It is gone.
        case holding
        /// A client waits, and the launch was asked for.
        case knocked
        /// It is being launched, or runs and does not listen everywhere yet.
        case launching(isReady: Bool)
        /// No door is left.
        case over
    }

    /// What happens.
    package enum Event: Hashable, Sendable {
        /// A client wants the worker.
        case knocked
        /// Its launch begins: the way for each door, and whether it counts as listening only when it says that it is ready.
        case launching([DoorWay], waitsForReady: Bool)
        /// Sockets of the worker listen where these doors are.
        case listening(Set<Int>)
        /// The worker has been given the duplicate of this door where it has bound the address.
        case lent(Int)
        /// These doors are in the way of a socket that the worker binds.
        case inTheWay([Int])
        /// The worker cannot be given duplicates, as was meant to be: the ways that the doors take instead.
        case cannotLend([DoorWay])
        /// The worker is ready.
        case ready
        /// No process of it has come to be.
        case launchFailed
        /// Its process has ended.
        case ended
        /// It has had all the time that a launch may take.
        case expired
        /// Clients are to be refused from now on.
        case close
    }

    /// What the shell does, by the places of the doors.
    package enum Action: Hashable, Sendable {
        /// Tell of the next client: one that waits already counts.
        case watch
        case unwatch
        /// Launch the worker.
        case wake
        /// Close the duplicate, with what waits there.
        case close(Int)
        /// Have the sockets that the worker binds there share the port.
        case share([Int])
        case unshare
        /// Accept what waits, keep it, and close the duplicate.
        case take(Int)
        /// Let go of the duplicate, which is the worker's own socket now.
        case lend(Int)
        /// Tell when sockets of the worker listen there.
        case listen([Int])
        case stopListening
        /// Close the duplicate so that what waits there goes to the worker's socket.
        case migrate(Int)
        /// Have what was accepted there passed on to the worker's socket.
        case forward(Int)
        /// Close what was accepted there.
        case dismiss(Int)
    }

    package private(set) var doors: [Door]
    package private(set) var phase = Phase.holding
    /// A process that was to share the ports ended before it listened: it may not have been able to bind, so the next one is not to share.
    package private(set) var mayNotShare = false
    private var listensFor: Set<Int> = []

    /// So many doors, all open, of a worker that is gone.
    package init(count: Int) { doors = Array(repeating: .open, count: count) }

    /// Whether it goes on with a launch that it has asked for, or that has begun.
    package var isLaunching: Bool {
        if case .launching = phase { true } else { false }
    }

    /// The first thing to do.
    package var first: [Action] { doors.isEmpty ? [] : [.watch] }

    /// What follows from an event; one that means nothing here has no action.
    package mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.over, _): return []
        case (_, .close): return giveUp()
        case (.holding, .knocked):
            phase = .knocked
            return [.unwatch, .wake]
        case (.holding, .launching(let ways, let waits)), (.knocked, .launching(let ways, let waits)):
            return launch(ways, waitsForReady: waits)
        case (.launching(let isReady), .listening(let places)):
            return heard(places, isReady: isReady)
        case (.launching(false), .ready):
            phase = .launching(isReady: true)
            return handOver()
        case (.launching, .lent(let place)):
            guard doors.indices.contains(place), case .shared(.lend, _) = doors[place] else { return [] }
            doors[place] = .over(.handedOver)
            return [.lend(place)] + settled()
        case (.launching, .inTheWay(let places)):
            var actions: [Action] = []
            for place in places where doors.indices.contains(place) && doors[place].isLending {
                closeDoor(place, &actions)
            }
            return actions.isEmpty ? [] : actions + settled()
        case (.launching(let isReady), .cannotLend(let ways)):
            let lending = doors.indices.filter { doors[$0].isLending }
            guard !lending.isEmpty else { return [] }
            for place in lending { doors[place] = .open }
            return launch(ways.map { $0 == .lend ? .bell : $0 }, waitsForReady: !isReady)
        case (.launching, .launchFailed): return failed(hadProcess: false)
        case (.launching, .ended): return failed(hadProcess: true)
        case (.launching, .expired): return expired()
        case (.launching, .knocked), (.launching, .launching), (.launching(true), .ready),
            (.knocked, .knocked), (.holding, .listening), (.knocked, .listening), (.holding, .lent),
            (.knocked, .lent), (.holding, .inTheWay), (.knocked, .inTheWay), (.holding, .cannotLend),
            (.knocked, .cannotLend), (.holding, .ready),
            (.knocked, .ready), (.holding, .launchFailed), (.knocked, .launchFailed), (.holding, .ended),
            (.knocked, .ended), (.holding, .expired), (.knocked, .expired):
            return []
        }
    }

    private mutating func launch(_ ways: [DoorWay], waitsForReady: Bool) -> [Action] {
        var actions: [Action] = phase == .holding ? [.unwatch] : []
        phase = .launching(isReady: !waitsForReady)
        var sharing: [Int] = []
        for (place, door) in doors.enumerated() where door == .open {
            let way = ways.indices.contains(place) ? ways[place] : .bell
            switch way {
            case .migrate(let binds):
                doors[place] = .shared(way, isHeard: false)
                if binds { sharing.append(place) }
            case .splice(staysOpen: true), .lend: doors[place] = .shared(way, isHeard: false)
            case .splice(staysOpen: false):
                doors[place] = .taken
                actions.append(.take(place))
            case .bell:
                doors[place] = .over(.rung)
                actions.append(.close(place))
            }
        }
        if !sharing.isEmpty { actions.append(.share(sharing)) }
        let waiting = doors.indices.filter { !doors[$0].isOver }
        guard !waiting.isEmpty else {
            // Of a launch that has begun, something may be to be stopped.
            if !listensFor.isEmpty { actions += stopLaunching() }
            phase = .over
            return actions
        }
        listensFor = Set(waiting)
        return actions + [.listen(waiting)]
    }

    private mutating func heard(_ places: Set<Int>, isReady: Bool) -> [Action] {
        // What it is given where it binds is not seen by that.
        for place in listensFor.intersection(places) where !doors[place].isLending {
            listensFor.remove(place)
            if case .shared(let way, _) = doors[place] { doors[place] = .shared(way, isHeard: true) }
        }
        return isReady ? handOver() : []
    }

    /// Each door behind which the worker listens.
    private mutating func handOver() -> [Action] {
        var actions: [Action] = []
        for place in doors.indices {
            switch doors[place] {
            case .shared(let way, isHeard: true):
                if case .migrate = way {
                    actions.append(.migrate(place))
                } else {
                    actions += [.take(place), .forward(place)]
                }
            case .taken where !listensFor.contains(place): actions.append(.forward(place))
            case .open, .shared, .taken, .over: continue
            }
            doors[place] = .over(.handedOver)
        }
        return actions + settled()
    }

    /// The launch has come to nothing: what is open stays so, and what waits is waited for by the next one.
    private mutating func failed(hadProcess: Bool) -> [Action] {
        var (hasTaken, isSuspect) = (false, false)
        for place in doors.indices {
            switch doors[place] {
            // Also one that was thought to share the port by itself: what showed that may have been left over of the last migration.
            case .shared(.migrate, isHeard: false) where hadProcess:
                isSuspect = true
                doors[place] = .open
            case .shared: doors[place] = .open
            case .taken: hasTaken = true
            case .open, .over: break
            }
        }
        let actions = stopLaunching()
        if isSuspect { mayNotShare = true }
        guard isSuspect || hasTaken else {
            phase = .holding
            return actions + [.watch]
        }
        phase = .knocked
        return actions + [.wake]
    }

    /// What listens by now is handed over, ready or not; the others are given up.
    private mutating func expired() -> [Action] {
        phase = .launching(isReady: true)
        var actions = handOver()
        guard phase != .over else { return actions }
        for place in doors.indices { closeDoor(place, &actions) }
        return actions + settled()
    }

    private mutating func giveUp() -> [Action] {
        var actions: [Action] =
            switch phase {
            case .holding: [.unwatch]
            case .launching: stopLaunching()
            case .knocked, .over: []
            }
        for place in doors.indices { closeDoor(place, &actions) }
        phase = .over
        return actions
    }

    private mutating func closeDoor(_ place: Int, _ actions: inout [Action]) {
        switch doors[place] {
        case .open, .shared: actions.append(.close(place))
        case .taken: actions.append(.dismiss(place))
        case .over: return
        }
        doors[place] = .over(.closed)
    }

    private mutating func settled() -> [Action] {
        guard doors.allSatisfy(\.isOver) else { return [] }
        let actions = stopLaunching()
        phase = .over
        return actions
    }

    private mutating func stopLaunching() -> [Action] {
        listensFor = []
        return [.stopListening, .unshare]
    }
}

extension KeptDoors.Door {
    /// Whether nothing is left to be done with it.
    package var isOver: Bool { if case .over = self { true } else { false } }

    /// Whether the worker is given the duplicate where it binds the address.
    package var isLending: Bool { if case .shared(.lend, _) = self { true } else { false } }

    /// Whether the duplicate is open.
    package var isOpen: Bool {
        switch self {
        case .open, .shared: true
        case .taken, .over: false
        }
    }
}
