internal import DequeModule
internal import Glibc
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
internal import Systemd
internal import WorkerIO

/// Launches under way on threads: the loop waits for none of them, and each has an end.
extension LinuxHost {
    /// How often launches that take long are looked at.
    private static let launchTick = TimeSpan.milliseconds(50)
    /// How long a child that was sent SIGKILL may take to be gone, until its launch is given up with the thread that waits for it.
    private static let longestKill = TimeSpan.seconds(2)
    /// The loop has been away for longer than this: no launch is to blame for what came due meanwhile (1.4).
    private static let longestStall = TimeSpan.seconds(1)

    /// Whether a launch is under way, of a worker or of a hook's command.
    package var isLaunching: Bool { !launches.isEmpty }

    /// A launch that is to be over within `limit`; nil is no limit.
    func beginLaunch(within limit: TimeSpan?) -> LaunchUnderway {
        lastLaunch += 1
        let underway = LaunchUnderway(lastLaunch, deadline: limit.map { now + $0 })
        launches[underway.number] = underway
        return underway
    }

    /// Has `job` done on a thread for `underway`, and `then` called with what came of it on the loop; unless it is given up before.
    func perform<Value: Sendable>(
        _ underway: LaunchUnderway, _ job: @escaping @Sendable (LaunchTicket) throws(LaunchError) -> Value,
        then: @escaping (Result<Value, LaunchError>) -> Void
    ) {
        let (loop, ticket, number) = (loop, underway.ticket, underway.number)
        let told: (Result<Value, LaunchError>) -> Void = { [weak self] result in
            guard let self else { return }
            // One that was given up has been answered.
            if launches[number] == nil { forgetLate(ticket) } else { then(result) }
            beginLaunches()
        }
        let answer = LoopConfined(told, on: loop)
        let body: @Sendable () -> Void = {
            let result = Result { () throws(LaunchError) in
                guard !ticket.isCancelled else { throw ticket.timeout }
                return try job(ticket)
            }
            loop.call { answer.value(result) }
        }
        // A thread takes the next number, and the first process after a container's init is expected to have 2.
        if ownsAllDescendants, ThisProcess.pid == 1, number == 1 { return body() }
        do throws(LinuxError) {
            let isBehind = try launchThreads.perform(body)
            if isBehind || underway.deadline != nil { watchLaunches() }
        } catch {
            let failure = LaunchError(error, preparing: "cannot create a thread for the launch")
            loop.callSoon { answer.value(.failure(failure)) }
        }
    }

    /// A launch is over: what was heard of its child meanwhile, oldest first.
    func endLaunch(_ underway: LaunchUnderway) -> [ChildEvent] {
        launches[underway.number] = nil
        let news = underway.ticket.pid.flatMap { earlyNews.removeValue(forKey: $0) } ?? []
        guard launches.isEmpty else { return news }
        // With what a burst has made them grow to.
        (launches, unbegun, earlyNews) = ([:], [], [:])
        if let body = whenLaunched {
            whenLaunched = nil
            // When what came of the last one has been told.
            loop.callSoon(body)
        }
        return news
    }

    /// Ends a launch whose child may hang: answered soon, one way or the other.
    func killLaunch(_ underway: LaunchUnderway) {
        underway.ticket.cancel()
        guard let pid = underway.ticket.pid else {
            // No thread has begun it, or its preparation hangs: there is nothing that could be ended.
            return giveUp(underway)
        }
        if underway.killedAt == nil { underway.killedAt = now }
        // It is our child, and not reaped: its number is its own.
        if earlyNews[pid]?.contains(where: \.isEnd) != true { Signal.kill.send(toChild: pid) }
        watchLaunches()
    }

    private func giveUp(_ underway: LaunchUnderway) {
        let error = underway.timeout
        _ = endLaunch(underway)
        underway.giveUp(error)
    }

    /// A thread has come back from a launch that was given up: its child was sent SIGKILL, or is sent it now.
    private func forgetLate(_ ticket: LaunchTicket) {
        guard let pid = ticket.pid, byMainProcess[pid] == nil, hookProcesses[pid] == nil else { return }
        guard ProcessStat.read(pid: pid)?.parent == ThisProcess.pid else { return }
        Signal.kill.send(toChild: pid)
    }

    /// What is told of a child that no launch has answered for yet; true when that was kept for it.
    func keepEarlyNews(_ event: ChildEvent) -> Bool {
        guard !launches.isEmpty else { return false }
        earlyNews[event.pid, default: []].append(event)
        return true
    }

    // MARK: time

    func watchLaunches() {
        if launchTimer.handle == nil {
            launchTimer.handle = try? TimeSource(on: loop, accuracy: 10_000) { [unowned self] _ in
                lookAtLaunches()
            }
            launchesLookedAt = now
        }
        guard launchTimer.handle?.isArmed == false else { return }
        launchesLookedAt = now
        launchTimer.handle?.arm(at: (now + Self.launchTick).microseconds)
    }

    private func lookAtLaunches() {
        let now = now
        let gap = now - launchesLookedAt
        launchesLookedAt = now
        let isBehind = launchThreads.relieve()
        beginLaunches()
        for underway in launches.values {
            if gap > Self.longestStall {
                underway.deadline = underway.deadline.map { $0 + gap }
                underway.killedAt = underway.killedAt.map { $0 + gap }
            }
            if let killedAt = underway.killedAt {
                if now - killedAt > Self.longestKill { giveUp(underway) }
            } else if let deadline = underway.deadline, deadline <= now {
                killLaunch(underway)
            }
        }
        guard
            isBehind || !unbegun.isEmpty
                || launches.values.contains(where: { $0.deadline != nil || $0.killedAt != nil })
        else {
            return
        }
        launchTimer.handle?.arm(at: (now + Self.launchTick).microseconds)
    }
}
