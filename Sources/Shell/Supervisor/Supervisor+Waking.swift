package import ControlAPI
package import Idleness
package import Lifecycle
package import Notifications
package import SupervisorPorts
internal import Varlink

/// What wakes a worker that sleeps, or launches it.
extension Supervisor {
    /// Gives the model of a worker a wake, and says what it was that woke or launched the worker.
    package func rouse(_ worker: Worker, _ wake: Wake, _ origin: WakeOrigin) {
        if isRoused(worker, intoForeground: wake.intoForeground) { sayWoken(worker, origin) }
        submit(.woken(wake), to: worker)
    }

    /// Something has come for a sleeper on a socket of its own; what that is may be said only when it has been woken for it.
    func wanted(_ worker: Worker, by reason: WakeFilter.Reason, isExplained: Bool) {
        // It may have ended or been stopped by another program in the meantime: its sleep is no longer ours to end.
        guard worker.life.state == .suspended else {
            if worker.awaitsWakeReason { sayWoken(worker, by: reason) }
            return worker.awaitsWakeReason = false
        }
        // Whatever an earlier wake was for: that may not have come, and this is asked for once.
        guard isRoused(worker, intoForeground: true) else { return }
        worker.awaitsWakeReason = !isExplained
        // A client waits for its answer, and none for the record of it: that is put into words when it runs.
        submit(.woken(.byClient), to: worker)
        if isExplained { sayWoken(worker, by: reason) }
    }

    private func sayWoken(_ worker: Worker, by reason: WakeFilter.Reason) {
        if let peer = reason.peer { worker.sleepTally.woke(by: peer.address, at: host.now) }
        sayWoken(worker, WakeOrigin(reason))
    }

    /// A client waits at a socket that is open for a worker: it is woken, or launched, into the foreground.
    ///
    /// One that an operator has forced to quit is not, nor one that is stopped by another program.
    func knocked(_ worker: Worker, by reason: WakeFilter.Reason) {
        guard worker.life.currentLaunch == nil else { return wanted(worker, by: reason, isExplained: true) }
        guard worker.life.restReason != .forceQuit, worker.life.restReason != .backingOff,
            isRoused(worker, intoForeground: true)
        else { return }
        if let peer = reason.peer { worker.sleepTally.woke(by: peer.address, at: host.now) }
        worker.sleepTally.launched()
        var content: JSON.Object = ["event": .string(reason.words)]
        content["peer"] = reason.peer.map { .string("\($0)") }
        worker.nextLaunch = LaunchDetails(options: ["socket": .object(content)])
        rouse(worker, Wake(.socket, intoForeground: true), WakeOrigin(reason))
    }

    /// Has the next process of a worker given the options of an operator's launch; false where one runs that does not end.
    ///
    /// To be called before the launch is requested; `caller` is nil where that was told already.
    package func pass(_ options: LaunchOptions, to id: WorkerID, by caller: CallerIdentity?) -> Bool {
        guard let worker = workers[id], worker.life.takesLaunchOptions else { return false }
        worker.nextLaunch = LaunchDetails(options: options.object)
        if let caller {
            let text = options.text
            let shown = text.utf8.count > 256 ? text.prefix(200) + "…" : text[...]
            sayWoken(worker, WakeOrigin(.operator, String(shown), by: caller))
        }
        return true
    }

    /// Takes options back that no launch has taken: a later one is not to bring them.
    package func withdraw(_ options: LaunchOptions, from id: WorkerID) {
        guard let worker = workers[id], worker.nextLaunch.options == options.object else { return }
        worker.nextLaunch = LaunchDetails()
    }

    /// How a worker stands, for the sockets that are held for it; nil of one that is not known.
    package func doorFacts(of id: WorkerID) -> HeldDoor.Facts? {
        workers[id].map { worker in
            var facts = HeldDoor.Facts(worker.life.state, rest: worker.life.restReason)
            (facts.isHeld, facts.isStartLimited) = (worker.life.isHeld, worker.isStartLimited)
            if case .watching = host.watching(id)?.state { facts.seesItself = true }
            return facts
        }
    }

    /// Sees to the sockets of a worker that stay open while it is gone: they are duplicated before it ends, and closed where its clients are
    /// waited for no longer.
    func keepDoors(of worker: Worker) {
        if worker.life.leavesDoors {
            guard worker.configuration.holdsSockets else { return }
            worker.mayHaveDoors = true
            host.holdDoors(of: worker.id)
        } else if worker.mayHaveDoors, !worker.life.mayKeepDoors {
            closeDoors(of: worker)
        }
    }

    /// Whether the clients of a worker are still waited for, when a predecessor may have left sockets of it open.
    package func inheritsDoors(of id: WorkerID) -> Bool {
        guard let worker = workers[id], worker.life.mayKeepDoors else { return false }
        worker.mayHaveDoors = true
        return true
    }

    /// Has its clients refused instead of waiting for nothing.
    func closeDoors(of worker: Worker) {
        guard worker.mayHaveDoors else { return }
        worker.mayHaveDoors = false
        host.closeDoors(of: worker.id)
    }

    /// Whether an event wakes a worker as it stands, or launches it.
    func isRoused(_ worker: Worker, intoForeground: Bool) -> Bool {
        // One copy of the model for all questions: a client waits for the answer.
        let life = worker.life
        // It will be refused.
        guard !isClosed, !life.isEnding else { return false }
        let sleeps = life.state == .suspended && !life.isHeld
        return sleeps || life.currentLaunch == nil && (intoForeground || life.restReason != .forceQuit)
    }

    /// Says what woke or launched a worker.
    func sayWoken(_ worker: Worker, _ origin: WakeOrigin) {
        worker.lastWake = (origin, host.now)
        notify(worker, .woken(origin))
    }

    /// What a worker finds with its launch of a post: the topic, the payload, and the caller.
    static func options(of post: Post, by caller: CallerIdentity?, schedule: UInt64? = nil) -> JSON.Object {
        var content: JSON.Object = ["topic": .string(post.topic.name)]
        if let schedule { content["id"] = .int(Int64(clamping: schedule)) }
        // execve(2) takes no variable of more than 128 KiB: a longer payload comes with the notification alone.
        if let payload = post.payload, payload.count <= 32 << 10 {
            content["payload"] = try? JSON(parsing: payload.span)
        }
        var options = JSON.Object()
        options[schedule == nil ? "notification" : "schedule"] = .object(content)
        options["postedBy"] = caller?.json
        return options
    }
}

extension Wake {
    /// A client has come for a sleeper, at a socket of its own.
    static let byClient = Wake(.socket, intoForeground: true)
}
