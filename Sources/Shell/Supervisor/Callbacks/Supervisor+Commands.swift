internal import ConfigurationSyntax
package import Lifecycle
internal import Linux
package import SupervisorPorts
internal import WorkerFile

/// Commands of a worker that run one after the other, until one fails.
package final class CommandRun {
    /// What came of them.
    package enum Outcome: Hashable {
        /// All have succeeded.
        case done
        /// One has failed, and how; the others were not run.
        case failed(ServiceCommand, String)
        /// The worker has ended, or is not waited for any more.
        case abandoned
    }

    /// It begins when the worker has been thawed.
    package var waitsForThaw = false
    package var left: ArraySlice<ServiceCommand>
    /// The one that runs, and the number that its end names.
    package var current: (command: ServiceCommand, id: UInt32)?
    /// When the time of that one is over; nil where it has no limit of its own.
    package var due: Instant?
    /// How long each of them may take, where nothing else limits that; nil is no limit.
    package let limit: TimeSpan?
    /// The delivery that waits for them; nil where none does.
    package let delivery: UInt32?
    package let then: (Outcome) -> Void

    package init(
        _ commands: [ServiceCommand], limit: TimeSpan?, delivery: UInt32? = nil,
        then: @escaping (Outcome) -> Void
    ) {
        left = commands[...]
        self.limit = limit
        self.delivery = delivery
        self.then = then
    }
}

/// `ExecStartPost=` and `ExecReload=`: commands that run beside a worker's main process.
extension Supervisor {
    /// Numbers of commands lie between those of deliveries and those of hooks for notifications.
    private static let firstCommand: UInt32 = 1 << 30

    /// Whether a command of a worker runs.
    package var runsCommands: Bool { !commandRuns.isEmpty }

    /// The command of a worker that runs beside its main process, and when its time is over; nil where none with a limit does.
    package func command(of id: WorkerID) -> (command: ServiceCommand, due: Instant)? {
        guard let run = commandRuns[id], let current = run.current, let due = run.due else { return nil }
        return (current.command, due)
    }

    /// Runs what runs when the worker is ready, before it is told that its launch is complete.
    package func runStartPost(before delivery: Delivery, of worker: Worker) {
        worker.onItsWay.append(OnItsWay(delivery: delivery, isHook: true, since: moment))
        let (id, incarnation) = (worker.id, worker.life.currentIncarnation)
        // The launch's own deadline holds for them.
        let run = CommandRun(
            worker.configuration.commands.startPost, limit: nil, delivery: delivery.id
        ) { outcome in
            guard let worker = self.workers[id], worker.life.currentIncarnation == incarnation else { return }
            switch outcome {
            case .done:
                worker.onItsWay.removeAll { $0.delivery.id == delivery.id }
                if worker.hasReceiver(for: delivery.callback) { return self.tell(delivery, to: worker) }
                self.soon(.completed(id: delivery.id, .done), to: worker)
            case .failed(let command, let problem):
                // One that is given up with a launch that ends already is not its reason.
                if !worker.life.isEnding {
                    worker.endDetail = EndDetail(
                        "\(command) failed: \(problem)", of: [.failed, .watchdog])
                }
                self.soon(.startFailed, to: worker)
            case .abandoned: break
            }
        }
        begin(run, of: worker)
    }

    /// Has a worker read its own configuration anew; `requester` keeps it awake until that is done.
    package func reload(
        _ id: WorkerID, by requester: Requester, then answer: @escaping (ReloadOutcome) -> Void
    ) {
        look(at: id)
        guard let worker = workers[id] else { return answer(.refused(Refusal.notRunning.sentence)) }
        if let reason = reasonNotToReload(worker) { return answer(reason) }
        // It is woken where it sleeps, and not put to sleep meanwhile.
        beginTask("ExecReload", of: id, by: requester) { taken, token, _, _ in
            guard taken == .began, let worker = self.workers[id] else {
                return answer(.refused("it is ending"))
            }
            let run = CommandRun(
                worker.configuration.commands.reload, limit: worker.life.policy.limits.launch
            ) { outcome in
                self.endTask(token, of: id, by: requester)
                switch outcome {
                case .done: answer(.done)
                case .failed(let command, let problem): answer(.refused("\(command) failed: \(problem)"))
                case .abandoned: answer(.refused("it has ended in the meantime"))
                }
            }
            self.begin(run, of: worker)
        }
    }

    /// Why a worker cannot be reloaded; nil where it can.
    private func reasonNotToReload(_ worker: Worker) -> ReloadOutcome? {
        if worker.configuration.commands.reload.isEmpty {
            return .unsupported(
                "it has no ExecReload=; use 'torpor reload' without a name to reload the definitions of all workers"
            )
        }
        if worker.life.pid == nil { return .refused(Refusal.notRunning.sentence) }
        if worker.life.isEnding { return .refused("it is ending") }
        if worker.life.isLaunching { return .refused("its launch is not complete yet") }
        if worker.life.isHeld { return .refused(Refusal.heldOutside.sentence) }
        return commandRuns[worker.id] == nil ? nil : .refused("it is already being reloaded")
    }

    private func begin(_ run: CommandRun, of worker: Worker) {
        commandRuns[worker.id] = run
        disarm(.commandDeadline(worker.id))
        // The kernel starts nothing in a group that is still frozen.
        run.waitsForThaw = worker.life.state == .suspended
        if !run.waitsForThaw { runNext(run, of: worker) }
    }

    /// The worker is awake: commands that waited for that are run.
    package func runAfterThaw(of worker: Worker) {
        askAfterThaw(of: worker)
        guard let run = commandRuns[worker.id], run.waitsForThaw else { return }
        run.waitsForThaw = false
        runNext(run, of: worker)
    }

    private func runNext(_ run: CommandRun, of worker: Worker) {
        guard let command = run.left.popFirst() else { return finish(run, .done, of: worker) }
        let id = nextCommandNumber()
        run.current = (command, id)
        run.due = run.limit.map { host.now + $0 }
        if let due = run.due { arm(.commandDeadline(worker.id), at: due) }
        var hook = Hook(.command, completes: .exit)
        hook.ignoresFailure = command.ignoresFailure
        var variables = variables(of: .didFinishLaunching, for: worker)
        variables["TORPOR_CALLBACK"] = nil
        variables["TORPOR_COMMAND"] = ByteString(command.key)
        var call = HookCall(id: id, .didFinishLaunching, hook, variables: variables)
        call.command = command
        self.run(call, of: worker)
    }

    /// A number for a command that no other one has.
    func nextCommandNumber() -> UInt32 {
        lastCommand = (lastCommand &+ 1) & (Self.firstCommand - 1)
        return lastCommand | Self.firstCommand
    }

    /// A hook is over, if it is a command that belongs to no callback; false when it is another's.
    package func commandEnded(
        _ id: UInt32, _ completion: Completion, _ result: HookResult, of worker: Worker
    ) -> Bool {
        guard id >= Self.firstCommand else { return false }
        guard let run = commandRuns[worker.id], let current = run.current, current.id == id else {
            return true
        }
        run.current = nil
        guard completion != .done else {
            runNext(run, of: worker)
            return true
        }
        let problem = result.problem ?? "it was abandoned"
        notify(worker, .commandFailed(current.command, problem))
        finish(run, .failed(current.command, problem), of: worker)
        return true
    }

    private func finish(_ run: CommandRun, _ outcome: CommandRun.Outcome, of worker: Worker) {
        commandRuns[worker.id] = nil
        disarm(.commandDeadline(worker.id))
        run.then(outcome)
    }

    /// Gives up the commands of a worker that has ended, or those that a delivery waits for which is not waited for any more.
    package func abandonCommands(of worker: Worker, before delivery: UInt32? = nil) {
        guard let run = commandRuns[worker.id], delivery == nil || run.delivery == delivery else { return }
        if let current = run.current { host.cancelHook(current.id, of: worker.id) }
        finish(run, .abandoned, of: worker)
    }

    /// Gives up a command whose time is over.
    func endCommand(of id: WorkerID) {
        guard let run = commandRuns[id], let current = run.current, let worker = workers[id] else { return }
        host.cancelHook(current.id, of: id)
        let problem = ServiceCommand.overrun(run.limit)
        notify(worker, .commandFailed(current.command, problem))
        finish(run, .failed(current.command, problem), of: worker)
    }

    /// Gives the model an event now, or after those that wait already where one is being handled.
    private func soon(_ event: Event, to worker: Worker) {
        if isDraining { enqueue(event, to: worker) } else { submit(event, to: worker) }
    }
}

extension Worker {
    /// Whether its connection or a hook takes `callback`.
    fileprivate func hasReceiver(for callback: Callback) -> Bool {
        receiver?.callbacks.contains(callback) ?? false || awaitsReattachment(for: callback)
            || configuration.hooks[callback] != nil
    }
}
