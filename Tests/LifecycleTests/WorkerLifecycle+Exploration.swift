@testable import Lifecycle

extension WorkerLifecycle {
    /// The same lifecycle state without what only tells *when* and *how often*, for exploring all there are.
    func normalized() -> WorkerLifecycle {
        var result = self
        result.incarnation = min(incarnation, 1)
        result.lastDelivery = 0
        result.starts = StartHistory(count: min(starts.count, policy.restart.limitBurst))
        result.goalRequester = goalRequester.normalized()
        result.idleness.falseIdles = 0
        result.idleness.asleepSince = idleness.asleepSince.map { _ in .zero }
        var names: [UInt32: UInt32] = [:]
        if case .running(var process) = phase {
            names = process.facts.renameDeliveries()
            process.facts.forgetMoments()
            result.phase = .running(process)
        } else if case .spawning(let launch, let pendingKills) = phase {
            result.phase = .spawning(launch.normalized(), pendingKills: pendingKills)
        }
        result.lastDelivery = UInt32(names.count)
        result.timers = timers.normalized(renaming: names)
        return result
    }
}

extension ProcessFacts {
    /// Numbers the deliveries from 1, in the order of slot and activities.
    fileprivate mutating func renameDeliveries() -> [UInt32: UInt32] {
        var names: [UInt32: UInt32] = [:]
        if let slot {
            names[slot.id] = 1
            self.slot = InFlight(
                id: 1, callback: slot.callback, since: .zero, limit: slot.limit, inbound: slot.inbound,
                then: slot.then)
        }
        activities = activities.map { activity in
            let name = UInt32(names.count) + 1
            names[activity.id] = name
            return Activity(
                id: name, callback: activity.callback, inbound: activity.inbound, limit: activity.limit)
        }
        return names
    }

    fileprivate mutating func forgetMoments() {
        self = ProcessFacts(
            launch: launch.normalized(), pid: pid, position: position, launching: launching,
            isReady: isReady || launching == nil,
            slot: slot, ending: ending, attached: attached, announcements: announcements,
            toldDataAvailable: toldDataAvailable, tasks: tasks,
            holds: holds.map { Hold(token: $0.token, until: $0.until.map { _ in .zero }) },
            activities: activities, reloading: reloading, refusedLaunch: refusedLaunch, throttled: throttled,
            backgroundEnds: backgroundEnds.map { _ in .zero }, expiryTold: expiryTold,
            watchdog: watchdog.map { Watchdog(period: $0.period, due: .zero) },
            unconfirmed: unconfirmed?.normalized(),
            times: Times(started: .zero, stateSince: .zero))
        ending?.requester = nil
        if ending?.relaunch != nil { ending?.relaunch = .operator }
        if case .suspended(let sleep) = position {
            position = .suspended(Sleep(since: .zero, held: sleep.held, thawing: sleep.thawing))
        }
    }
}

extension Unconfirmed {
    /// A limit that has not passed at the beginning of time, and a look at that moment.
    fileprivate func normalized() -> Unconfirmed {
        Unconfirmed(
            until: until.map { _ in .zero + .seconds(1) }, isReading: isReading,
            last: last.map { _ in Look(used: .zero, at: .zero) })
    }
}

extension Launch {
    fileprivate func normalized() -> Launch {
        Launch(
            incarnation: 1, reason: .operator, intoForeground: intoForeground, restoresState: restoresState,
            isRestored: isRestored)
    }
}

extension Requester {
    /// One for all that the model treats alike.
    fileprivate func normalized() -> Requester {
        switch self {
        case .operator: .operator(uid: 0, pid: 0)
        case .memoryPressure, .memoryLimit: self
        case .worker, .idle, .handOver, .dependency, .machine, .wakeSource, .supervisor: .supervisor
        }
    }
}

extension Timers {
    /// The same timers with dues and numbers that no longer tell when they were armed.
    fileprivate func normalized(renaming names: [UInt32: UInt32]) -> Timers {
        var result = self
        result.generation = 0
        result.armed = armed.map { entry in
            var timer = entry.timer
            if case .activity(let id) = timer { timer = .activity(names[id] ?? id) }
            return Armed(timer: timer, due: .zero, generation: 0)
        }
        if result.armed.count > 1 { result.armed.sort { $0.timer.rank < $1.timer.rank } }
        return result
    }
}

extension Timer {
    /// An order of no meaning but that it is always the same.
    fileprivate var rank: UInt64 {
        switch self {
        case .launch: 0
        case .callback: 1
        case .backgroundTasks: 2
        case .grace: 3
        case .watchdog: 4
        case .idle: 5
        case .ending: 6
        case .backoff: 7
        case .quiet: 8
        case .freeze: 9
        case .activity(let id): 10 + UInt64(id)
        case .hold(let token): 1 << 40 + UInt64(token)
        }
    }
}
