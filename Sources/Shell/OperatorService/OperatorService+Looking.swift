internal import ControlAPI
internal import ControlServer
internal import Glibc
internal import History
internal import Lifecycle
internal import Linux
internal import Metering
internal import MetricsShell
internal import Processes
internal import Supervisor
package import SupervisorPorts
internal import Systemd
internal import Varlink
internal import WorkerFile

/// What any caller may look at.
extension OperatorService {
    /// Where a worker stands, with what it uses of the machine where that is wanted.
    static let queryMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.List.self, OperatorService.list),
        MethodHandler(API.Figures.self, returning: OperatorService.figures),
        MethodHandler(API.Describe.self, returning: OperatorService.describe),
        MethodHandler(API.Why.self, returning: OperatorService.why),
        MethodHandler(API.Cat.self, returning: OperatorService.cat),
        MethodHandler(API.Watch.self, OperatorService.watch),
        MethodHandler(API.Pressure.self, OperatorService.pressure),
        MethodHandler(API.Doctor.self, OperatorService.doctor),
        MethodHandler(API.Gain.self, returning: OperatorService.gain),
        MethodHandler(API.Metrics.self, OperatorService.metrics),
        MethodHandler(API.Cost.self, returning: OperatorService.cost),
    ]

    func rendering(_ entry: RegisteredWorker, usage: WorkerUsage? = nil) -> WorkerRendering? {
        let id = entry.id
        guard let view = supervisor.view(of: id) else { return nil }
        return WorkerRendering(view: view, entry: entry, now: now, usage: usage)
    }

    /// How many processes of a worker run on that another program has stopped: for an operator now, for others a moment ago.
    private func runningOthers(of worker: WorkerID, for peer: Peer) -> Int {
        let begin = now
        if !peer.isOperator, let known = forOthers.runningOthers.value(for: worker, at: begin) {
            return known
        }
        let count = supervisor.runningOthers(of: worker)
        let end = now
        if !peer.isOperator { forOthers.runningOthers.keep(count, for: worker, at: end, cost: end - begin) }
        return count
    }

    /// What a worker uses of the machine: for an operator now, for others a moment ago.
    func usage(of worker: WorkerID, for peer: Peer) -> WorkerUsage? {
        guard !peer.isOperator else { return usage(worker) }
        let begin = now
        if let known = forOthers.usage.value(for: worker, at: begin) { return known }
        let used = usage(worker)
        let end = now
        forOthers.usage.keep(used, for: worker, at: end, cost: end - begin)
        return used
    }

    /// Each is looked at by itself up to here; of more the kernel's own notices are taken.
    private static let mostLooks = 64

    /// Hears of what the machine does not tell by itself, before a caller is told how workers stand.
    private func look(at entries: [RegisteredWorker], for peer: Peer) {
        guard !peer.isOperator || entries.count <= Self.mostLooks else {
            return supervisor.look(at: entries.map(\.id))
        }
        for entry in entries {
            let id = entry.id
            let begin = now
            if !peer.isOperator, forOthers.looks.value(for: id, at: begin) != nil { continue }
            supervisor.look(at: id)
            let end = now
            if !peer.isOperator { forOthers.looks.keep(true, for: id, at: end, cost: end - begin) }
        }
    }

    func list(_ parameters: API.List.Parameters, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        try AnswersForOthers.check(parameters.names, by: peer)
        look(at: registry.all, for: peer)
        let begin = now
        let isShared = !peer.isOperator && parameters.names == nil
        if isShared, let message = forOthers.list.value(for: forOthers.generation, at: begin) {
            return responder.reply(message)
        }
        let entries = registry.matching(anyOf: parameters.names)
        withMemory(of: entries) { [weak self] in
            guard let self else { return }
            let began = now
            let message = listed(entries, parameters.names, for: peer)
            responder.reply(message)
            let end = now
            guard isShared else { return }
            forOthers.list.keep(message, for: forOthers.generation, at: end, cost: end - began)
        }
    }

    /// The answer to List, by name, with those whose files do not hold.
    private func listed(_ entries: [RegisteredWorker], _ names: [String]?, for peer: Peer) -> EncodedMessage {
        var bad = (badSettings.isEmpty ? [] : summariesOfBadSettings(names, for: peer))[...]
        return ListWriter.message(count: entries.count + bad.count) { writer in
            forEachSummary(of: entries, for: peer) { summary in
                while let next = bad.first, next.name < summary.name { writer.append(bad.removeFirst()) }
                writer.append(summary)
            }
            for summary in bad { writer.append(summary) }
            let reclaimed = supervisor.reclaimedFromSleepers
            writer.end(
                asleepCount: Int64(reclaimed.count), givenBackBytes: reclaimed.reduce(0, +),
                lowPower: lowPowerReason)
        }
    }

    /// The one worker of that name; a template's instance is looked up, not made.
    func known(_ name: String) throws(MethodError) -> RegisteredWorker {
        guard let entry = registry[name] else { throw missing(name) }
        return entry
    }

    /// How many processes of a worker are listed: some 2 ms of the loop's time.
    private static let mostProcesses = 64

    func describe(
        _ parameters: API.Describe.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Describe.Reply {
        try requireGoodSetting(parameters.name, for: peer)
        let entry = try known(parameters.name)
        look(at: [entry], for: peer)
        guard var rendering = rendering(entry, usage: usage(of: entry.id, for: peer)) else {
            throw API.noSuchWorker(name: entry.name)
        }
        rendering.runningOthers = runningOthers(of: entry.id, for: peer)
        let id = entry.id
        var status = rendering.status(freezing: method)
        let output = supervisor.output(of: id, atMost: API.Logs.usual)
        // What it prints after its screen was kept is newer.
        if !output.isEmpty { status.lastOutput = output }
        let transfers = transfers(of: entry.name, for: peer)
        status.transfers = transfers.isEmpty ? nil : transfers
        status.outputTo = entry.loaded?.definition.outputTo(entry.name)
        status.lowPower = lowPowerReason
        if peer.isOperator {
            let lines = (rendering.usage?.members ?? []).prefix(Self.mostProcesses).compactMap(
                ProcessLine.read)
            status.processes = lines.isEmpty ? nil : lines.map { API.WorkerProcess($0) }
        } else {
            status = status.redacted
        }
        let failure = peer.isOperator ? supervisor.launchFailure(of: id) : nil
        let explanation = Explanation(rendering, isForOperator: peer.isOperator, launchFailure: failure)
        (status.because, status.wouldChange) = (explanation.account, explanation.wouldChange)
        return API.Describe.Reply(worker: status)
    }

    /// What a worker waits for on its way to its goal, for an operator; nil where there is nothing to say.
    package func obstacle(of entry: RegisteredWorker) -> String? {
        rendering(entry).flatMap { Explanation($0, isForOperator: true).obstacle }
    }

    func why(_ parameters: API.Why.Parameters, by peer: Peer) throws(MethodError) -> API.Why.Reply {
        try requireGoodSetting(parameters.name, for: peer)
        let entry = try known(parameters.name)
        look(at: [entry], for: peer)
        guard var rendering = rendering(entry) else { throw API.noSuchWorker(name: entry.name) }
        rendering.runningOthers = runningOthers(of: entry.id, for: peer)
        guard peer.isOperator else { return Explanation(rendering, isForOperator: false).reply }
        let id = entry.id
        let failure = supervisor.launchFailure(of: id)
        var reply = Explanation(rendering, isForOperator: true, launchFailure: failure).reply
        let hasFailed = [.failed, .backingOff].contains(rendering.view.life.restReason)
        if hasFailed {
            reply.lastOutput = failure == nil ? lastWords(of: entry) : wordsOfFailedLaunch(of: entry)
        }
        return reply
    }

    func cat(_ parameters: API.Cat.Parameters, by peer: Peer) throws(MethodError) -> API.Cat.Reply {
        // A file that does not hold is what an operator wants to see most.
        if badSetting(parameters.name) != nil {
            return API.Cat.Reply(files: try daemonOnly().files(named: parameters.name))
        }
        return API.Cat.Reply(files: try daemonOnly().files(of: try known(parameters.name)))
    }

    func pressure(_: API.Nothing, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        let begin = now
        if !peer.isOperator, let known = forOthers.pressure.value(for: true, at: begin) {
            return responder.reply(known)
        }
        let missing = "this torpor run does not monitor memory; use --evictable to enable this"
        let reply: API.Pressure.Reply
        if let pressure { reply = pressure() } else { reply = try daemonOnly(missing).pressure() }
        guard let message = try? EncodedMessage(reply: reply) else { return responder.reply(reply) }
        let end = now
        if !peer.isOperator { forOthers.pressure.keep(message, for: true, at: end, cost: end - begin) }
        responder.reply(message)
    }

    func gain(_ parameters: API.Gain.Parameters, by peer: Peer) throws(MethodError) -> API.Gain.Reply {
        for name in parameters.names ?? [] where !WorkerRegistry.isPattern(name) { _ = try known(name) }
        let entries = registry.matching(anyOf: parameters.names)
        look(at: entries, for: peer)
        let withUsage = entries.count <= Self.mostWithUsage
        return API.Gain.Reply(
            workers: entries.compactMap { entry in
                rendering(entry, usage: withUsage ? usage(of: entry.id, for: peer) : nil)
            }.filter { $0.state != .notRunning }.map(\.gain))
    }

    func metrics(_ parameters: API.Metrics.Parameters, _ responder: Responder) throws(MethodError) {
        let format = parameters.format.flatMap { MetricsFormat(rawValue: $0.rawValue) } ?? .openmetrics
        metrics.message(format) { result in
            switch result {
            case .success(let bytes): responder.reply(EncodedMessage(written: bytes))
            case .failure(let error):
                responder.fail(API.tryAgain(why: "no thread can be created to collect them: \(error.reason)"))
            }
        }
    }

    private func cost(_: API.Nothing, by peer: Peer) -> API.Cost.Reply {
        let cost = meters.cost
        return API.Cost.Reply(
            cpuUsec: cost.cpu, residentBytes: cost.resident, longestPause: loop.pauses.longest.map(rendering),
            recentPause: loop.pauses.recent(at: now.microseconds).map(rendering))
    }

    private func rendering(_ pause: LoopPause) -> API.LoopPause {
        API.LoopPause(
            lengthUsec: pause.length, at: KernelClock.wall - (now.microseconds - pause.end),
            place: pause.place,
            method: pause.work)
    }

    // MARK: what this place allows

    /// Answers when it was looked at: for an operator after the question, for others some time ago at most.
    ///
    /// One look serves all that ask meanwhile; it happens off the loop, since it opens what the kernel is slow to close.
    func doctor(_: API.Nothing, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        guard let findings else {
            throw .methodNotImplemented("this supervisor does not examine its machine")
        }
        if !peer.isOperator, let known = forOthers.findings.value(for: true, at: now) {
            return responder.reply(known)
        }
        if examination.wait(responder, joins: !peer.isOperator) { examine(findings) }
    }

    private func examine(_ look: @escaping Findings) {
        let begin = now
        look { [weak self] findings in
            guard let self else { return }
            let (waiters, beginsAnew) = examination.end()
            let reply = API.Doctor.Reply(findings: findings)
            if let message = try? EncodedMessage(reply: reply) {
                let end = now
                forOthers.findings.keep(message, for: true, at: end, cost: end - begin)
                // Encoded once, however many wait.
                for waiter in waiters { waiter.reply(message) }
            } else {
                for waiter in waiters { waiter.reply(reply) }
            }
            if beginsAnew { examine(look) }
        }
    }
}

/// What happens to workers, for those that watch.
extension OperatorService {
    /// A caller that watches.
    package struct Watcher {
        let responder: Responder
        /// The workers that it watches; nil is all.
        let filter: NameFilter?
    }

    func watch(_ parameters: API.Watch.Parameters, _ responder: Responder) throws(MethodError) {
        try watch(parameters, responder, isNew: true)
    }

    /// With `isNew: false` for a caller that has watched in the life of a predecessor: it knows the present, and has missed nothing.
    func watch(
        _ parameters: API.Watch.Parameters, _ responder: Responder, isNew: Bool
    ) throws(MethodError) {
        let peer = responder.peer
        try AnswersForOthers.check(parameters.names, by: peer)
        if !peer.isOperator,
            watchers.values.count(where: { $0.responder.peer.account == peer.account })
                >= AnswersForOthers.mostWatches
        {
            throw API.tooManyConnections(limit: Int64(AnswersForOthers.mostWatches))
        }
        // Before: what that brings is part of the present.
        let watched = isNew ? registry.matching(anyOf: parameters.names) : []
        look(at: watched, for: peer)
        let key = ObjectIdentifier(responder)
        watchers[key] = Watcher(responder: responder, filter: parameters.names.map(NameFilter.init))
        responder.onClose { [weak self] in self?.watchers[key] = nil }
        if isNew { responder.more(API.Watch.Reply(present: summaries(watched, for: peer))) }
    }

    /// Those that watch this worker.
    private func watchers(of entry: RegisteredWorker) -> [Watcher] {
        watchers.values.filter { $0.filter?.includes(entry.id, entry.name) ?? true }
    }

    package func hear(_ notice: Notice, of id: WorkerID) {
        forOthers.generation &+= 1
        if case .ended(let record) = notice { tellFollowers(of: id, record) }
        guard case .changed(let transition) = notice, !watchers.isEmpty, let entry = registry[id] else {
            return
        }
        tell(API.Watch.Reply(change: change(transition, of: entry)), watchers(of: entry))
    }

    /// Encodes a change once for operators and once for others, however many watch.
    private func tell(_ reply: API.Watch.Reply, _ watchers: [Watcher]) {
        for isOperator in [true, false] {
            let listeners = watchers.filter { $0.responder.peer.isOperator == isOperator }
            var reply = reply
            if !isOperator { reply.change = reply.change?.redacted }
            guard !listeners.isEmpty, case .object(let parameters) = reply.asJSON else {
                continue
            }
            let message = EncodedMessage(reply: parameters, continues: true)
            for watcher in listeners { watcher.responder.more(message) }
        }
    }

    private func change(_ transition: Transition, of entry: RegisteredWorker) -> API.Change {
        let id = entry.id
        let goal = supervisor.life(of: id)?.goal ?? .notRunning
        var caller: API.Caller?
        if case .goal(let requester) = transition.cause { caller = API.Caller(requester) }
        return API.Change(
            worker: entry.name, from: .init(transition.from), to: .init(transition.to), goal: .init(goal),
            reason: transition.cause.word, at: WallClock.microseconds(of: transition.at, now: now),
            monotonic: transition.at.microseconds, uid: caller?.uid, pid: caller?.pid,
            notTold: Callback.allCases.filter(transition.notTold.contains).map(\.rawValue))
    }

    /// Tells those that watch that a worker was defined, or is no longer.
    package func announce(_ entry: RegisteredWorker, isDefined: Bool) {
        forOthers.generation &+= 1
        let state = rendering(entry)?.state ?? .notRunning
        let moment = now
        let reply = API.Watch.Reply(
            change: API.Change(
                worker: entry.name, from: isDefined ? nil : state, to: isDefined ? state : nil,
                goal: .notRunning, reason: isDefined ? "defined" : "removed",
                at: WallClock.microseconds(of: moment, now: moment), monotonic: moment.microseconds,
                notTold: []))
        tell(reply, watchers(of: entry))
        if !isDefined { for watcher in watchers.values { watcher.filter?.forget(entry.id) } }
    }
}

extension SupervisorInterface.WorkerProcess {
    fileprivate init(_ line: ProcessLine) {
        self.init(
            pid: Int64(line.pid), parent: Int64(line.parent), name: line.name,
            residentBytes: line.resident)
    }
}
