internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import WorkerFile
internal import WorkerIO

extension LinuxHost {
    /// Carries out a hook.
    package func run(_ hook: HookCall, of worker: WorkerID) {
        // One that ends says so soon; nothing else is to be told of it.
        guard let running = workers[worker], running.reaping == nil else { return }
        let underway = HookUnderway(hook)
        if case .output(let pattern) = hook.hook.completion {
            guard running.outputs.contains(where: \.isHeard) else {
                return fail(
                    hook,
                    "its output does not pass through the supervisor; relaunch the worker to change this",
                    of: worker)
            }
            // What was printed before is no answer.
            for stream in running.outputs { stream.drain() }
            underway.watch = OutputWatch(for: pattern)
        }
        running.hooks.underway.append(underway)
        switch hook.hook.action {
        case .signal(let signal): send(signal, for: hook, to: running)
        case .signals(let signals):
            for each in signals { signal(worker, each) }
            sent(hook, of: running)
        case .input(let line): write(line, for: hook, to: running)
        case .command: execute(hook, of: running)
        }
    }

    /// Gives a hook up.
    package func cancelHook(_ id: UInt32, of worker: WorkerID) {
        guard let running = workers[worker] else { return }
        running.hooks.underway.removeAll { $0.call.id == id }
        running.input?.cancel(id)
        if let process = running.hooks.process(id) { kill(process, of: running) }
    }

    // MARK: what is done

    private func send(_ signal: Signal, for call: HookCall, to running: RunningWorker) {
        do throws(LinuxError) {
            if let watch = running.mainWatch {
                try watch.send(signal)
            } else {
                try signal.send(toProcess: running.main)
            }
            sent(call, of: running)
        } catch {
            end(call.id, .failed, HookResult(problem: "cannot send \(signal): \(error.reason)"), of: running)
        }
    }

    /// Goes on with a hook that a predecessor has begun; `answer` is what of its input is not written yet.
    func goOn(with call: HookCall, unwritten: [UInt8]?, of running: RunningWorker) {
        let underway = HookUnderway(call)
        if case .output(let pattern) = call.hook.completion { underway.watch = OutputWatch(for: pattern) }
        running.hooks.underway.append(underway)
        guard let unwritten, let input = running.input else { return }
        input.goOn(unwritten, hook: call.id) { [unowned self, weak running] problem in
            guard let running, workers[running.id] === running else { return }
            if let problem {
                end(call.id, .failed, HookResult(problem: problem), of: running)
            } else {
                sent(call, of: running)
            }
        }
    }

    private func write(_ line: String, for call: HookCall, to running: RunningWorker) {
        guard let input = running.input else {
            let problem =
                "the supervisor does not hold its standard input; relaunch the worker to change this"
            return end(call.id, .failed, HookResult(problem: problem), of: running)
        }
        input.write(line: line, for: call.id) { [unowned self, weak running] problem in
            guard let running, workers[running.id] === running else { return }
            if let problem {
                end(call.id, .failed, HookResult(problem: problem), of: running)
            } else {
                sent(call, of: running)
            }
        }
    }

    /// What the hook does is done: that completes it, or something that comes later does.
    private func sent(_ call: HookCall, of running: RunningWorker) {
        switch call.hook.completion {
        case .immediately, .exit: end(call.id, .done, HookResult(), of: running)
        case .notify, .output: break
        }
    }

    // MARK: commands

    private func execute(_ call: HookCall, of running: RunningWorker) {
        let id = running.id
        let process = HookProcess(
            call, of: running,
            tell: { [unowned self] line in hookPrinted(line, call, of: id) },
            overflowed: { [unowned self] in answeredTooMuch($0) })
        running.hooks.processes.append(process)
        do {
            try start(process, call, of: running)
        } catch {
            hookNotLaunched(process, error as? LaunchError, "\(error)")
        }
        if call.hook.completion == .immediately { end(call.id, .done, HookResult(), of: running) }
    }

    func start(_ process: HookProcess, _ call: HookCall, of running: RunningWorker) throws {
        guard let prepare = running.configuration.prepareHook,
            let environment = environment(of: running, for: call)
        else {
            throw LaunchError(
                stage: .preparation, errno: 0,
                subject: "its command is unknown; relaunch the worker to change this")
        }
        let streams = try process.connect(on: loop)
        let setting = setting(of: running)
        // Its own deadline, or that of its callback, ends it.
        let underway = beginLaunch(within: nil)
        process.launching = underway
        underway.giveUp = { [unowned self] in hookNotLaunched(process, $0, $0.description) }
        perform(underway) { ticket throws(LaunchError) in
            var environment = try environment()
            environment.adapt(to: call)
            var prepared = try prepare(call, environment)
            prepared.request.session = .ownSession
            prepared.request.cgroup = setting.group
            prepared.request.wantsPidfd = false
            try streams.connect(&prepared)
            return try setting.launch(prepared, ticket)
        } then: { [unowned self] result in
            hookLaunched(process, underway, result)
        }
    }

    /// What the environment of a command is made from: as the worker was launched with it, or as its definition has it now where a
    /// predecessor has launched it.
    private func environment(
        of running: RunningWorker, for call: HookCall
    ) -> (@Sendable () throws(LaunchError) -> Environment)? {
        if let environment = running.environment { return { () throws(LaunchError) in environment } }
        guard let make = running.configuration.environment, let launch = call.launch else { return nil }
        var setting = setting(of: running)
        setting.defaults = pressureProtocol(of: running, user: running.configuration.owner?.user)
        let details = call.details
        return { [setting] () throws(LaunchError) in
            var environment = try make(launch, details)
            setting.apply(to: &environment)
            return environment
        }
    }

    private func hookLaunched(
        _ process: HookProcess, _ underway: LaunchUnderway, _ result: Result<LaunchedChild, LaunchError>
    ) {
        let isKilled = underway.killedAt != nil
        let news = endLaunch(underway)
        process.launching = nil
        switch result {
        case .success(let child) where !isKilled:
            process.pid = child.pid
            hookProcesses[child.pid] = process
            for event in news { childChanged(event) }
        case .success(let child):
            // What it has started meanwhile: nothing else would end that where there is no cgroup.
            process.kill(members: ProcessTree.snapshot().members(ofSession: child.pid).sorted())
            hookNotLaunched(process, nil, "it was abandoned before its program was executed")
        case .failure(let error): hookNotLaunched(process, error, error.description)
        }
    }

    private func hookNotLaunched(_ process: HookProcess, _ error: LaunchError?, _ problem: String) {
        process.launching = nil
        process.hasEnded = true
        process.close()
        guard let running = process.running, workers[running.id] === running else { return }
        if running.startPre?.process === process { return startPreNotLaunched(running, error, problem) }
        running.hooks.processes.removeAll { $0 === process }
        let call = process.call
        if running.hooks.underway(call.id) != nil {
            end(call.id, .failed, HookResult(problem: problem), of: running)
        } else if !process.isGivenUp {
            // It counts as completed already.
            inform(running.id, call.printed(problem))
        }
    }

    /// A command that runs for a worker has printed a line: it is kept among what the worker prints, with its directive before it.
    func hookPrinted(_ line: String, _ call: HookCall, of id: WorkerID) {
        if let running = workers[id], running.configuration.keepsOutput {
            let marked = "\(call.directive): \(line)"
            running.tail.add(marked)
            printed?(id, [marked])
        }
        inform(id, call.printed(line))
    }

    /// The process of a hook has ended.
    func hookProcessEnded(_ process: HookProcess, _ change: ChildEvent.Change) {
        process.hasEnded = true
        guard let running = process.running, workers[running.id] === running else { return process.close() }
        if running.group == nil, !ProcessTree.snapshot().members(ofSession: process.pid).isEmpty {
            running.hooks.sessions.append(process.pid)
        }
        process.finish()
        let call = process.call
        var (completion, problem) = call.outcome(of: change)
        if running.startPre?.process === process {
            return startPreEnded(running, completion == .done ? nil : problem ?? "it failed")
        }
        if process.isTooMuch { (completion, problem) = (.failed, Self.tooMuch(call)) }
        if running.hooks.underway(call.id) == nil {
            // The callback was completed otherwise, and its result is not awaited any more.
            if let problem, !process.isGivenUp { inform(running.id, call.printed(problem)) }
        } else if completion != .done || call.hook.completion == .exit {
            let answer = completion == .done && call.answerLimit != nil ? process.answer : nil
            end(call.id, completion, HookResult(problem: problem, answer: answer), of: running)
        }
        if !process.isOpen { running.hooks.processes.removeAll { $0 === process } }
    }

    func answeredTooMuch(_ process: HookProcess) {
        guard let running = process.running, workers[running.id] === running else { return }
        kill(process, of: running)
        end(process.call.id, .failed, HookResult(problem: Self.tooMuch(process.call)), of: running)
    }

    private static func tooMuch(_ call: HookCall) -> String {
        "its output exceeds \(call.answerLimit ?? 0) bytes"
    }

    func kill(_ process: HookProcess, of running: RunningWorker) {
        guard !process.hasEnded else { return }
        if let launching = process.launching {
            process.kill(members: [])
            return killLaunch(launching)
        }
        process.kill(members: ProcessTree.snapshot().members(ofSession: process.pid).sorted())
    }

    /// The main process has ended: its hooks end with it.
    func killHooks(of running: RunningWorker) {
        running.hooks.underway = []
        for process in running.hooks.processes { kill(process, of: running) }
    }

    // MARK: completion

    /// One of its processes says X_TORPOR_COMPLETE=1: that is for the hook that has waited longest.
    func completeNotified(_ running: RunningWorker) {
        guard let first = running.hooks.underway.first(where: { $0.call.hook.completion == .notify }) else {
            return inform(running.id, .ignored("ignoring X_TORPOR_COMPLETE=1: no hook is waiting for it"))
        }
        end(first.call.id, .done, HookResult(), of: running)
    }

    /// It has printed something.
    func heard(_ bytes: ArraySlice<UInt8>, from channel: Int, of running: RunningWorker) {
        let lines = running.tail.take(bytes, from: channel)
        if let printed, !lines.isEmpty, running.configuration.keepsOutput {
            printed(
                running.id,
                String(decoding: lines.dropLast(), as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).map(String.init))
        }
        hearReadiness(bytes, from: channel, of: running)
        let complete = running.hooks.underway.filter { $0.watch?.hears(bytes, from: channel) ?? false }
        for hook in complete { end(hook.call.id, .done, HookResult(), of: running) }
    }

    private func end(
        _ id: UInt32, _ completion: Completion, _ result: HookResult, of running: RunningWorker
    ) {
        guard running.hooks.underway(id) != nil else { return }
        running.hooks.underway.removeAll { $0.call.id == id }
        inform(running.id, .hookEnded(id: id, completion, result))
    }

    private func fail(_ call: HookCall, _ problem: String, of worker: WorkerID) {
        inform(worker, .hookEnded(id: call.id, .failed, HookResult(problem: problem)))
    }
}

extension HookCall {
    /// A line that its command has printed, as a fact.
    func printed(_ line: String) -> Fact {
        command.map { .commandPrinted($0, line) } ?? .hookPrinted(callback, line)
    }

    /// The directive that its command stands in, or the topic.
    var directive: String { command?.key ?? topic ?? callback.rawValue }
}

extension Environment {
    /// Makes the worker's own that of a hook: without what is meant for its main process alone, and with what the callback brings.
    mutating func adapt(to call: HookCall) {
        for name in [
            "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC", "JOURNAL_STREAM",
        ] {
            self[name] = nil
        }
        for (name, value) in call.variables { self[name] = value }
    }
}
