internal import ConfigurationSyntax
internal import Continuing
internal import Idleness
internal import Interrupting
internal import Lifecycle
internal import Notifications
internal import WorkerFile

/// What people, wake sources and the machine do to a worker.
extension World {
    /// The operator of a scenario.
    static let `operator` = Requester.operator(uid: 0, pid: 0)

    mutating func perform(_ action: ScenarioAction, on worker: Int) {
        switch action {
        case .wants(let goal): give(.requested(Request(goal, by: Self.operator)), to: worker)
        case .launches(let options):
            guard lives[worker].takesLaunchOptions else { return note(.launchOptionsRefused, worker) }
            note(.launchOptions(options), worker)
            give(.requested(Request(.active, by: Self.operator)), to: worker)
        case .resumes: give(.resumeRequested(Self.operator), to: worker)
        case .restarts: give(.restartRequested(Self.operator), to: worker)
        case .forceQuits: give(.forceQuit(Self.operator), to: worker)
        case .uses(let span): use(worker, span)
        case .unused: unuse(worker)
        case .connects(let span):
            give(.woken(Wake(.socket, intoForeground: true)), to: worker)
            use(worker, span)
        case .speaks: speak(to: worker)
        case .wakes(let reason):
            guard mayWake(worker, for: reason) else { return }
            give(.woken(Wake(reason, intoForeground: false)), to: worker)
        case .brings(let kind, let reason):
            guard mayWake(worker, for: reason) else { return }
            lastInbound &+= 1
            let isForeground = kind == .url || kind == .activity || kind == .notification
            let wake = Wake(
                reason, intoForeground: isForeground, bringing: Inbound(id: lastInbound, kind))
            give(.woken(wake), to: worker)
        case .transfers(let span):
            guard let span else { return perform(.brings(.transfer, .transfer), on: worker) }
            beginTransfer(worker, for: span.draw(&random[worker]))
        case .posts(let topic): post(topic, to: worker)
        case .announces(let callback):
            give(.announced(callback), to: worker)
            if callback == .protectedDataDidBecomeAvailable { unlocked(worker) }
        case .interrupts(let span):
            interrupt(worker, .request(""), span?.draw(&random[worker]))
        case .interruptionOver: tellInterruptions(.endRequested(nil), of: worker)
        case .locks: tellInterruptions(.locked([Self.session]), of: worker)
        case .unlocks: tellInterruptions(.locked([]), of: worker)
        case .alerts(let topic): alert(topic, worker)
        case .answers: tellInterruptions(.answered(nil), of: worker)
        case .offers(let type): offer(type, by: worker)
        case .handsOver(let taker): handOver(from: worker, to: taker)
        case .evicts(let grace):
            give(.evictionRequested(Eviction(by: .memoryPressure, grace: grace)), to: worker)
        case .exceedsMemory: give(.evictionRequested(Eviction(by: .memoryLimit)), to: worker)
        case .behaves(let assignment): change(worker, assignment)
        case .revokes: give(.processingRevoked, to: worker)
        case .stalls, .consumers, .power, .machine: break  // For all of them: it is no worker's.
        case .exceedsCPU, .stopsOutside, .continuesOutside, .ends, .oomKilled, .beginsTask, .reloads,
            .stopping, .extends, .triggersWatchdog, .detaches, .debugs:
            performOnProcess(action, of: worker)
        }
    }

    /// What only a process can do or suffer; without one it means nothing.
    private mutating func performOnProcess(_ action: ScenarioAction, of worker: Int) {
        guard let process = processes[worker], !process.hasEnded else { return }
        switch action {
        case .exceedsCPU where process.runs: tell(.said(.usedTooMuchCPU), of: worker)
        case .stopsOutside where !process.isStopped:
            processes[worker]?.isStopped = true
            memoryRuns(worker, false)
            tell(.stoppedOutside, of: worker)
        case .continuesOutside where !process.runs:
            tell(.continuedOutside, of: worker)
            wake(worker)
        case .ends(let end): self.end(worker, end.status)
        case .oomKilled: end(worker, ProgramEnd.killed.status, oomKilled: true)
        case .beginsTask(let span) where process.runs:
            let lasting = span.map { $0.draw(&random[worker]) }
            act(.beginsTask(lasting: lasting), of: worker)
        case .reloads(let span) where process.runs:
            tell(.said(.reloading), of: worker)
            let lasting = span.draw(&random[worker])
            enter(.intention(worker, process: process.number, .says(.ready)), after: lasting)
        case .stopping where process.runs:
            tell(.said(.stopping), of: worker)
            sendStopSignal(to: worker)
        case .extends(let span) where process.runs: tell(.said(.extends(span)), of: worker)
        case .triggersWatchdog where process.runs: tell(.said(.triggered), of: worker)
        case .detaches: tell(.said(.detached), of: worker)
        case .debugs(let span):
            processes[worker]?.isTraced = true
            guard let lasting = span?.draw(&random[worker]) else { return }
            enter(.over(worker, .tracing(process: process.number)), after: lasting)
        default: break  // It sleeps: it says and does nothing.
        }
    }

    private mutating func use(_ worker: Int, _ span: Lasting?) {
        uses[worker].count += 1
        if uses[worker].count == 1 { give(.used(true), to: worker) }
        guard let lasting = span?.draw(&random[worker]) else { return }
        enter(.over(worker, .use(before: uses[worker].ended)), after: lasting)
    }

    /// Data comes on a connection that is open.
    private mutating func speak(to worker: Int) {
        lastData[worker] = now
        guard lives[worker].state == .suspended, !lives[worker].isHeld else { return }
        naps[worker].woke(by: .data(from: Self.peer), at: now)
        give(.woken(Wake(.socket, intoForeground: true)), to: worker)
    }

    /// The other end of every connection of a scenario (RFC 5737).
    private static let peer = Endpoint(IPAddress(ipv4: 0xc000_0201), port: 50_000)

    private mutating func unuse(_ worker: Int) {
        guard uses[worker].count > 0 else { return }
        uses[worker].count -= 1
        if uses[worker].count == 0 { give(.used(false), to: worker) }
    }

    /// Nothing that a process had open outlives it.
    mutating func endUses(_ worker: Int) {
        guard uses[worker].count > 0 else { return }
        uses[worker] = (0, uses[worker].ended + 1)
        give(.used(false), to: worker)
    }

    /// The session of the user of every worker of a scenario.
    private static let session = "1"

    private mutating func interrupt(_ worker: Int, _ kind: Interruption.Kind, _ limit: TimeSpan?) {
        tellInterruptions(.began(kind, by: Self.operator, limit: limit), of: worker)
        guard let limit else { return }
        enter(.over(worker, .interruption(until: now + limit)), after: limit)
    }

    /// Posts an alert; to a worker that does not run, or whose file does not allow it, it is refused.
    private mutating func alert(_ topic: Topic, _ worker: Int) {
        let isAllowed = scenario.workers[worker].definition.notifications.alerts.contains {
            $0.matches(topic.name)
        }
        if let refusal = AlertRule.refusal(isAllowed: isAllowed, lives[worker]) {
            return note(.alertRefused(topic, refusal), worker)
        }
        post(topic, to: worker)
        interrupt(worker, .alert(topic.name), AlertRule.usualLimit)
    }

    /// Has what interrupts a worker change; its life hears of the first interruption and of the end of the last.
    mutating func tellInterruptions(_ event: InterruptionEvent, of worker: Int) {
        for case .tell(let event) in interruptions[worker].handle(event, at: now) {
            give(event, to: worker)
        }
    }

    mutating func end(_ interval: Happening.Interval, of worker: Int) {
        switch interval {
        case .use: unuse(worker)
        case .interruption: tellInterruptions(.due, of: worker)
        case .handoff: tellGiving(.due, of: worker)
        case .tracing: processes[worker]?.isTraced = false
        }
    }

    private mutating func change(_ worker: Int, _ assignment: Assignment) {
        var found: [Diagnostic] = []
        // Ignoring an error: the line was tried when the scenario was read.
        try? programs[worker].take(assignment, in: SpecifierContext(), reporting: &found)
        memoryChanges(worker, assignment.key)
    }
}
