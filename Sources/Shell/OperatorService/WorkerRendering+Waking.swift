internal import ControlAPI
internal import Idleness
internal import Lifecycle
internal import Supervisor
internal import SupervisorPorts

/// What wakes a worker while it sleeps, what it was used for last, and what its sleep brings.
extension WorkerRendering {
    private var sleepsByUs: Bool { view.life.state == .suspended && !view.life.isHeld }

    /// The sockets that are held for it; nil where there are none.
    var sockets: [API.HeldSocket]? {
        let all = view.heldSockets.map { status in
            let isOpen =
                switch status.standing {
                case .watched, .open: true
                case .closed, .failed: false
                }
            return API.HeldSocket(
                directive: status.socket.kind.rawValue, address: status.socket.addressWords, open: isOpen,
                detail: status.words, waitingCount: status.queue.map { Int64($0.waiting) },
                queueLimit: status.queue.map { Int64($0.most) })
        }
        // What it cannot bind by itself any more.
        let failing = view.doors?.bindProblem.map {
            API.HeldSocket(directive: "HandOver", address: "handover", open: false, detail: $0)
        }
        let told = all + [failing].compactMap(\.self)
        return told.isEmpty ? nil : told
    }

    private var doors: DoorSight? { view.doors.flatMap { $0.isEmpty ? nil : $0 } }

    /// By which sockets it wakes, or is launched; nil while it runs, or before that is known.
    var wakesBy: String? {
        if let words = view.heldSockets.wakesBy { return words }
        guard sleepsByUs else { return doors?.words }
        return view.sight?.words
            ?? (view.wakeRules.watching == .no ? EyePlan.Blindness.notWanted.inWords : nil)
    }

    /// What of what comes there counts, with the settings that say so; nil where all of it does.
    var wakeLimits: String? {
        guard wakesBy != nil, view.sight?.word != SleeperSight.nothing else { return nil }
        return view.wakeRules.limits(setting)
    }

    /// A directive as the worker was told it: `WakeNotFrom=`, or `--wake-not-from` where there are no files.
    func setting(_ directive: String) -> String {
        guard entry.loaded == nil else { return "\(directive)=" }
        return directive.reduce(into: "-") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }

    /// What follows a deadline of a worker that is only observed; nil where that is what follows any other's.
    func observedConsequence(of timer: Lifecycle.Timer) -> String? {
        timer == .idle && !view.useRules.acts ? "it is only noted whether it was used (Idle=observe)" : nil
    }

    /// What it was used for last.
    var lastUse: API.LastUse? {
        view.lastUse.map { API.LastUse(at: wall($0.at), what: $0.words(at: now)) }
    }

    /// What its sleep would have brought, where it is only observed.
    var observedGain: API.SleepGain? {
        view.gain.map { gain in
            API.SleepGain(
                observed: true, watchedUsec: gain.observed(at: now).microseconds,
                asleepUsec: gain.asleep(at: now).microseconds, wakeCount: Int64(gain.wakes),
                peers: Self.peers(gain.peers.map { ($0.key, $0.value) }))
        }
    }

    /// What its sleep has brought, or would have.
    var gain: API.WorkerGain {
        let tally = view.sleepTally
        let present = view.life.state == .suspended ? view.since : nil
        let slept = API.SleepGain(
            observed: false, watchedUsec: (now - tally.since).microseconds,
            asleepUsec: tally.asleep(at: now, sleepingSince: present).microseconds,
            wakeCount: Int64(tally.wakes),
            peers: Self.peers(tally.peers.map { ("\($0.address)", $0.count) }))
        return API.WorkerGain(
            name: entry.name, state: state, memoryBytes: usage?.memory,
            givenBackBytes: view.life.state == .suspended ? view.reclaim?.givenBack : nil,
            lastUseAt: view.lastUse.map { wall($0.at) }, gain: observedGain ?? slept)
    }

    /// How many peers are told.
    private static let mostPeers = 16

    private static func peers(_ counts: [(peer: String, count: Int)]) -> [API.PeerWakes] {
        counts.sorted { ($1.count, $0.peer) < ($0.count, $1.peer) }.prefix(mostPeers)
            .map { API.PeerWakes(peer: $0.peer, count: Int64($0.count)) }
    }
}
