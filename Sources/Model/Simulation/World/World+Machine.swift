internal import ConfigurationSyntax
internal import Idleness
package import Lifecycle
internal import Notifications
internal import Performing
internal import Scheduling
internal import WorkerFile

/// The machine and the programs on it: what the models decide is carried out, and what comes of it is told.
extension World: EffectPerformer {
    package mutating func launch(_ launch: Launch, of worker: Int) {
        let succeeds = !random[worker].chance(programs[worker].failingLaunches)
        self.launch(worker, succeeds: succeeds, after: programs[worker].launch)
    }

    package mutating func thaw(_ worker: Int) {
        sendSignalsBeforeThaw(worker)
        guard let process = processes[worker] else { return }
        enter(.thawed(worker, process: process.number), after: programs[worker].thaw)
    }

    package mutating func kill(_ worker: Int) {
        if launches[worker] != nil {
            // Its answer is that there is no process.
            return launch(worker, succeeds: false, after: programs[worker].kill.span ?? .milliseconds(1))
        }
        guard let span = programs[worker].kill.span, let process = processes[worker] else { return }
        // Frozen or not: SIGKILL is not the program's to take.
        enter(
            .fact(worker, process: process.number, .exited(ProgramEnd.killed.status, oomKilled: false)),
            after: span)
    }

    package mutating func inspectResources(of worker: Int) {
        let policy = lives[worker].policy
        let held: HeldResource =
            policy.releasesDevicesInBackground ? .backgroundDevice : policy.releasesDevices ? .device : .lock
        tell(.inspected(programs[worker].holdsResource ? held : nil), of: worker)
    }

    package mutating func readCPU(of worker: Int) {
        guard let process = processes[worker] else { return }
        tell(.cpuRead(CPUReading(used: process.worked(by: now, programs[worker].busy))), of: worker)
    }

    package mutating func beginUse(of worker: Int) {}

    package mutating func inspectUse(of worker: Int) {
        let use = lastData[worker].map { Use(.spoke(peer: "a client"), at: $0) }
        tell(.usedLast(naps[worker].answer(use)), of: worker)
    }

    package mutating func arm(_ timer: Timer, of worker: Int, at due: Instant, generation: UInt32) {
        disarm(timer, of: worker)
        armed[worker].append(ArmedTimer(timer: timer, generation: generation))
        enter(.timer(worker, timer, generation: generation), at: max(due, now))
    }

    package mutating func disarm(_ timer: Timer, of worker: Int) {
        armed[worker].removeAll { $0.timer == timer }
    }

    package mutating func launchCompleted(_ worker: Int) {
        if let span = pingSpan(worker) { intend(.pings, worker, after: span) }
    }

    package mutating func deliver(_ delivery: Delivery, to worker: Int) {
        if delivery.callback == .performFetch { fetchDeliveries[worker].append(delivery.id) }
        noteDelivery(delivery)
        if delivery.callback == .didReceiveNotifications, delivery.inbound == nil {
            flush(delivery, worker)
        } else {
            take(delivery, worker)
        }
    }

    package mutating func publish(_ transition: Transition, of worker: Int) {
        if transition.to == .suspended { tellPlan(.suspended, of: worker) }
        if SnapshotRule.keeps(at: transition) { noteSnapshot(of: worker) }
    }

    package mutating func record(_ record: TerminationRecord, of worker: Int) {
        tellPlan(.processEnded(died: record.cause.isDeath), of: worker)
    }

    // MARK: what is shown of a step and brings about nothing

    package mutating func throttle(_ worker: Int, _ isHeldDown: Bool) {}
    package mutating func settleSavedState(_ fate: SavedStateFate, of worker: Int) {}
    package mutating func answerTask(_ token: UInt32, _ answer: TaskAnswer, of worker: Int) {}
    package mutating func holdOver(_ token: UInt32, _ end: HoldEnd, of worker: Int) {}
    package mutating func drop(_ inbound: Inbound, _ refusal: Refusal, of worker: Int) { noteDrop(inbound) }
    package mutating func refuse(_ refusal: Refusal, _ requester: Requester, of worker: Int) {}
    package mutating func warn(_ warning: Warning, of worker: Int) {}
    package mutating func report(_ surprise: Surprise, of worker: Int) {}

    // MARK: a process

    /// A launch comes to this after a while, unless another answer comes before.
    private mutating func launch(_ worker: Int, succeeds: Bool, after span: TimeSpan) {
        lastLaunch &+= 1
        launches[worker] = lastLaunch
        enter(.launched(worker, launch: lastLaunch, succeeded: succeeds), after: span)
    }

    mutating func start(_ worker: Int) {
        let program = programs[worker]
        processes[worker] = SimulatedProcess(number: lives[worker].currentIncarnation, at: now)
        holdMemory(worker)
        judgeSavedState(of: worker)
        give(.launched(pid: Int32(truncatingIfNeeded: worker + 1)), to: worker)
        let readiness = scenario.workers[worker].policy.readiness
        if readiness == .app || readiness == .notify, let span = program.ready.span {
            intend(.says(readiness == .app ? .attached : .ready), worker, after: span)
        }
        if let span = program.life.span { intend(.ends(program.lifeStatus), worker, after: span) }
    }

    /// The version with which the program of a worker saves state.
    private func version(of worker: Int) -> String? {
        scenario.workers[worker].definition.stateVersion.name ?? programs[worker].version?.text
    }

    /// State that another version saved is restored with a word of that, or dropped.
    private mutating func judgeSavedState(of worker: Int) {
        guard lives[worker].currentLaunch?.restoresState ?? false else { return }
        let rule = scenario.workers[worker].definition.stateVersion
        let verdict = rule.verdict(on: savedVersions[worker], for: version(of: worker))
        note(.savedState(verdict), worker)
        if case .dropped = verdict { give(.savedState(false), to: worker) }
    }

    mutating func end(_ worker: Int, _ status: ExitStatus, oomKilled: Bool = false) {
        guard let process = processes[worker], !process.hasEnded else { return }
        processes[worker]?.hasEnded = true
        let lateness = random[worker].span(upTo: programs[worker].lateness)
        enter(
            .fact(worker, process: process.number, .exited(status, oomKilled: oomKilled)), after: lateness)
    }

    package mutating func freeze(_ worker: Int) {
        guard let process = processes[worker], !process.hasEnded else { return }
        let fails = random[worker].chance(programs[worker].failingFreezes)
        enter(.froze(worker, process: process.number, succeeded: !fails), after: programs[worker].freeze)
    }

    /// It runs again: what it missed happens now.
    mutating func wake(_ worker: Int) {
        guard let process = processes[worker], !process.hasEnded, !process.runs else { return }
        processes[worker]?.isFrozen = false
        processes[worker]?.isStopped = false
        processes[worker]?.missed = []
        let moment = now
        processes[worker]?.workAgain(at: moment, programs[worker].busy)
        memoryRuns(worker, true)
        for intention in process.missed { intend(intention, worker, after: .zero) }
    }

    package mutating func sendStopSignal(to worker: Int) {
        // Asleep it stays pending: what it intends comes due when it runs.
        if let span = programs[worker].stop.span {
            intend(.ends(programs[worker].stopStatus), worker, after: span)
        }
    }

    /// The supervisor hears of it, late or twice where the program's lines say so.
    mutating func tell(_ fact: Fact, of worker: Int) {
        guard let process = processes[worker] else { return }
        let program = programs[worker]
        for _ in 0..<(random[worker].chance(program.doubled) ? 2 : 1) {
            let lateness = random[worker].span(upTo: program.lateness)
            enter(.fact(worker, process: process.number, fact), after: lateness)
        }
    }

    // MARK: what a program does

    mutating func take(_ delivery: Delivery, _ worker: Int) {
        let program = programs[worker]
        if delivery.callback == .didEnterBackground, let task = program.task {
            act(.beginsTask(lasting: task.span), of: worker)
        }
        guard let span = program.time(for: delivery.callback) else { return }
        if delivery.callback == .didReceiveMemoryWarning, takesMemoryWarning(worker) {
            intend(.shrinks, worker, after: span)
        }
        let completion = program.answers[delivery.callback, default: .done].completion
        if delivery.callback == .willTerminate, completion != .failed {
            // Its exit is the answer.
            return intend(.ends(program.stopStatus), worker, after: span)
        }
        if delivery.callback == .backgroundTaskWillExpire, program.endsTasksOnExpiry {
            intend(.endsAllTasks, worker, after: span)
        }
        if delivery.callback == .saveState, completion == .done { intend(.savesState, worker, after: span) }
        intend(.completes(id: delivery.id, completion), worker, after: span)
    }

    mutating func intend(_ intention: Intention, _ worker: Int, after span: TimeSpan) {
        guard let process = processes[worker] else { return }
        enter(.intention(worker, process: process.number, intention), after: span)
    }

    /// The program does it, or as soon as it runs.
    mutating func act(_ intention: Intention, of worker: Int) {
        guard let process = processes[worker], !process.hasEnded else { return }
        guard process.runs else {
            processes[worker]?.missed.append(intention)
            return
        }
        switch intention {
        case .completes(let id, let completion): tell(.said(.completed(id: id, completion)), of: worker)
        case .endsHook(let id, let isTaken): tell(.hookEnded(id, isTaken: isTaken), of: worker)
        case .shrinks: shrink(worker)
        case .savesState:
            savedVersions[worker] = version(of: worker)
            tell(.said(.saved), of: worker)
        case .says(.ready): tell(.said(.ready), of: worker)
        case .says(.attached): tell(.said(.attached), of: worker)
        case .beginsTask(let span): beginTask(worker, span)
        case .endsTask(let token): endTask(worker, token)
        case .endsAllTasks: for token in process.tasks { endTask(worker, token) }
        case .pings:
            tell(.said(.pinged), of: worker)
            if let span = pingSpan(worker) { intend(.pings, worker, after: span) }
        case .ends(let end): self.end(worker, end.status)
        }
    }

    private mutating func beginTask(_ worker: Int, _ span: TimeSpan?) {
        guard var process = processes[worker] else { return }
        process.lastTask &+= 1
        process.tasks.append(process.lastTask)
        processes[worker] = process
        tell(.said(.taskBegan(process.lastTask)), of: worker)
        if let span { intend(.endsTask(process.lastTask), worker, after: span) }
    }

    private mutating func endTask(_ worker: Int, _ token: UInt32) {
        guard let index = processes[worker]?.tasks.firstIndex(of: token) else { return }
        processes[worker]?.tasks.remove(at: index)
        tell(.said(.taskEnded(token)), of: worker)
    }

    private func pingSpan(_ worker: Int) -> TimeSpan? {
        guard let period = scenario.workers[worker].policy.limits.watchdog else { return nil }
        guard let ping = programs[worker].ping else {
            return TimeSpan(microseconds: max(period.microseconds / 2, 1))
        }
        return ping.span
    }
}
