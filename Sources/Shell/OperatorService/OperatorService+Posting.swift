internal import ControlAPI
package import ControlServer
internal import Interrupting
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Supervisor
internal import SupervisorPorts
internal import Varlink

/// What operators post, look into and take back.
extension OperatorService {
    static let postingMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Post.member) { (service, call, responder) throws(MethodError) in
            try service.post(try call.read(API.Post.Parameters.init(reading:)), responder)
        },
        MethodHandler(API.Notifications.self, returning: OperatorService.notifications),
        MethodHandler(API.RetryNotification.self, OperatorService.retryNotification),
        MethodHandler(API.DropNotification.self, OperatorService.dropNotification),
        MethodHandler(API.Cancel.self, OperatorService.cancel),
    ]

    func post(_ parameters: API.Post.Parameters, _ responder: Responder) throws(MethodError) {
        let now = KernelClock.wall
        let post = try PostReading(
            topic: parameters.topic, payload: parameters.payload, rule: parameters.rule,
            added: parameters.added, removed: parameters.removed, transient: parameters.transient, now: now
        ).post
        let alert = try AlertPost(
            parameters, by: .operator(uid: responder.peer.uid, pid: responder.peer.pid))
        if parameters.everyUsec != nil, parameters.at == nil { throw .invalidParameter("everyUsec") }
        let waking = try PostWaking(parameters)
        let entries = try receivers(parameters.names)
        // Looked up only where it is told.
        let caller = waking == .nobody && parameters.at == nil ? nil : CallerIdentity(responder.peer)
        if parameters.at == nil {
            try requireRule(parameters.rule.map { MergeRule($0) }, post.topic, entries)
        }
        if entries.count == 1, parameters.at == nil, alert == nil {
            return self.post(post, to: entries[0], waking: waking, by: caller, responder)
        }
        let collection = PostResults(entries.map(\.name), responder)
        for (index, entry) in entries.enumerated() {
            let id = entry.id
            let alertBox = AlertBox()
            let kept: (String?) -> Void = { [supervisor] problem in
                if problem != nil, let number = alertBox.number {
                    supervisor.settleInterruptions(of: id, .answered(number))
                }
                collection.kept(index, problem: problem)
            }
            var result = API.PostResult(name: entry.name)
            if parameters.wake ?? false { result.message = idleWake(of: entry, post.topic) }
            if let due = parameters.at {
                let outcome = supervisor.schedule(
                    post, for: id, at: due, every: parameters.everyUsec,
                    waking: parameters.wake ?? false, by: caller, now: now, then: kept)
                switch outcome {
                case .success(let entry): result.schedule = Int64(clamping: entry.id)
                case .failure(let refusal):
                    (result.obstacle, result.message) = (refusal.obstacle, refusal.sentence)
                }
            } else {
                let refusal = alert.flatMap { supervisor.alertRefusal(of: $0.topic, id) }
                let outcome =
                    refusal.map { PostOutcome.refused(.notAlerted($0)) }
                    ?? supervisor.post(post, to: id, waking: waking, by: caller, then: kept)
                switch outcome {
                case .queued(let sequence):
                    result.sequence = Int64(clamping: sequence)
                    begin(alert, alertBox, for: id, &result)
                case .vanished: break
                case .refused(let refusal):
                    (result.obstacle, result.message) = (refusal.obstacle, refusal.sentence)
                }
            }
            collection.set(index, result)
        }
        // What is scheduled is not told again by what waits: that call is made anew.
        if parameters.at == nil { responder.note = collection.note }
    }

    /// Interrupts a worker that an alert was posted to.
    private func begin(
        _ alert: AlertPost?, _ box: AlertBox, for worker: WorkerID, _ result: inout API.PostResult
    ) {
        switch alert?.begin(for: worker, by: supervisor) {
        case .success(let number):
            box.number = number
            result.alert = Int64(number)
        case .failure(let refusal): result.message = "it was posted without an alert: \(refusal.sentence)"
        case nil: break
        }
    }

    package func perform(_ message: Span<UInt8>, on connection: ControlConnection) -> MessageOutcome {
        guard let post = PlainPost(message) else { return .unread }
        guard let id = connection.admit() else { return .done }
        if perform(post, id, on: connection) { return .done }
        return .call(Call(id: id, method: PostRun.method, parameters: post.parameters, mode: .once))
    }

    /// The same for what was read by itself; false for what only the rules for all posts can tell.
    private func perform(_ plain: PlainPost, _ id: Call.ID, on connection: ControlConnection) -> Bool {
        guard let entry = registry[plain.name], let topic = Topic(plain.topic),
            !plain.wake || idleWake(of: entry, topic) == nil
        else { return false }
        let post = Notifications.Post(
            topic, plain.rule.map { MergeRule($0) } ?? topic.system?.rule ?? .latest, payload: plain.payload,
            at: KernelClock.wall, survives: !plain.transient)
        let worker = entry.id
        let caller = plain.wake ? CallerIdentity(connection.peer) : nil
        if let rule = plain.rule.map({ MergeRule($0) }),
            let refusal = supervisor.otherRule(than: rule, of: topic, worker)
        {
            let error = API.notPosted(name: entry.name, obstacle: refusal.obstacle, why: refusal.sentence)
            connection.answer(id, PostRun.method, EncodedMessage(error: error))
            return true
        }
        let (outcome, commit) = (
            supervisor.post(
                post, to: worker, waking: plain.wake ? .silently : .nobody, by: caller, isAwaited: true),
            supervisor.nextCommit
        )
        let number: Int64?
        switch outcome {
        case .queued(let sequence): number = Int64(clamping: sequence)
        case .vanished: number = nil
        case .refused(let refusal):
            let error = API.notPosted(name: entry.name, obstacle: refusal.obstacle, why: refusal.sentence)
            connection.answer(id, PostRun.method, EncodedMessage(error: error))
            return true
        }
        let posted = PostRun.Posted(id: id, entry: entry, number: number)
        guard post.survives else {
            connection.answer(posted)
            return true
        }
        let (run, isFirst) = connection.posts(of: commit)
        run.append(posted)
        guard isFirst else { return true }
        // Not weakly: to be referred to so would make each use of the connection cost more, and a commit is soon over.
        let kept: (String?) -> Void = { [supervisor] problem in
            let handedOut = problem == nil ? [:] : supervisor.handedOutPosts
            connection.answer(run, problem: problem, handedOut: handedOut)
        }
        _ = supervisor.whenStored(kept)
        return true
    }

    /// Goes on with a post that a predecessor has taken, and maybe not kept.
    func postedBefore(_ note: JSON.Object, _ responder: Responder) throws(MethodError) {
        let name = note["posted"]?.string ?? ""
        let several = note["results"]?.array ?? []
        let results =
            several.isEmpty
            ? [API.PostResult(name: name, sequence: note["sequence"]?.int)]
            : several.compactMap { try? API.PostResult(json: $0) }
        responder.note = note
        let kept: (String?) -> Void = { problem in
            if let problem {
                let why = PostRefusal.notStored(problem).sentence
                responder.fail(API.notPosted(name: name, obstacle: .notKept, why: why))
            } else {
                responder.reply(API.Post.Reply(results: results).json)
            }
        }
        for result in results { supervisor.keepAnew(try known(result.name).id) }
        supervisor.whenStored(kept)
    }

    /// The same for one worker and now.
    private func post(
        _ post: Notifications.Post, to entry: RegisteredWorker, waking: PostWaking,
        by caller: CallerIdentity?,
        _ responder: Responder
    ) {
        let (id, name) = (entry.id, entry.name)
        let answer = SinglePost(name, waking == .silently ? idleWake(of: entry, post.topic) : nil, responder)
        let kept: (String?) -> Void = { answer.kept(problem: $0) }
        let outcome = supervisor.post(post, to: id, waking: waking, by: caller, then: kept)
        switch outcome {
        case .queued(let sequence):
            responder.note = PostRun.Posted.note(name, Int64(clamping: sequence))
            answer.set(Int64(clamping: sequence))
        case .vanished:
            responder.note = PostRun.Posted.note(name, nil)
            answer.set(nil)
        case .refused(let refusal):
            responder.fail(API.notPosted(name: name, obstacle: refusal.obstacle, why: refusal.sentence))
        }
    }

    /// Why a post that is to wake a worker wakes nothing; nil where it does.
    private func idleWake(of entry: RegisteredWorker, _ topic: Topic) -> String? {
        let id = entry.id
        let configuration = supervisor.workers[id]?.configuration
        if configuration?.untilForeground.contains(topic) ?? false {
            return
                "--wake has no effect: its file has \(topic) delivered in the foreground (UntilForeground=)"
        }
        let wakes = configuration?.wakesForSilentPosts ?? false
        if wakes { return nil }
        return entry.loaded == nil
            ? "--wake has no effect: torpor run was started without --mode remote-notification"
            : "--wake has no effect: its file does not set Modes=remote-notification"
    }

    /// Refuses a rule that was asked for where something of the topic waits by another one.
    private func requireRule(
        _ rule: MergeRule?, _ topic: Topic, _ entries: [RegisteredWorker]
    ) throws(MethodError) {
        guard rule != nil else { return }
        for entry in entries {
            let id = entry.id
            guard let refusal = supervisor.otherRule(than: rule, of: topic, id) else {
                continue
            }
            throw API.notPosted(name: entry.name, obstacle: refusal.obstacle, why: refusal.sentence)
        }
    }

    /// All names are looked up first: if one matches no worker, nothing is done.
    ///
    /// The instance of a template that is not there yet is defined: what is posted to it waits for its first launch.
    private func receivers(_ names: [String]) throws(MethodError) -> [RegisteredWorker] {
        guard !names.isEmpty else { throw .invalidParameter("names") }
        return try resolve(names, creating: true)
    }

    func notifications(
        _ parameters: API.Notifications.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Notifications.Reply {
        let id = try known(parameters.name).id
        guard let notifications = supervisor.notifications(of: id) else {
            throw API.noSuchWorker(name: parameters.name)
        }
        return API.Notifications.Reply(
            notifications: notifications.inFlight.map { API.QueuedNotification($0, inFlight: true) }
                + (notifications.waiting + notifications.setAside).map {
                    API.QueuedNotification($0, inFlight: false)
                },
            scheduled: notifications.schedules.map { API.ScheduledPost($0) },
            bytes: Int64(notifications.bytes),
            problem: notifications.problem, retryUsec: notifications.retryIn?.microseconds)
    }

    func retryNotification(
        _ parameters: API.NotificationNumber, _ responder: Responder
    ) throws(MethodError) {
        let kept = whenStored(parameters.name, answer: API.RetryNotification.Reply(), responder)
        try change(parameters) { supervisor.retryNotification($0, of: $1, then: kept) }
    }

    func dropNotification(
        _ parameters: API.NotificationNumber, _ responder: Responder
    ) throws(MethodError) {
        let kept = whenStored(parameters.name, answer: API.DropNotification.Reply(), responder)
        try change(parameters) { supervisor.dropNotification($0, of: $1, then: kept) }
    }

    /// Has `change` done to a notification, which answers whether there is one of that number.
    private func change(
        _ parameters: API.NotificationNumber, _ change: (_ number: UInt64, _ worker: WorkerID) -> Bool
    ) throws(MethodError) {
        let id = try known(parameters.name).id
        guard change(UInt64(clamping: parameters.sequence), id) else {
            throw API.noSuchNotification(name: parameters.name, sequence: parameters.sequence)
        }
    }

    /// Answers with `reply` once a change is on the disk, or with why it is not.
    private func whenStored(
        _ name: String, answer reply: some JSONConvertible & Sendable, _ responder: Responder
    ) -> (String?) -> Void {
        { problem in
            if let problem {
                responder.fail(API.notPosted(name: name, obstacle: .notKept, why: problem))
            } else {
                responder.reply(reply)
            }
        }
    }

    func cancel(_ parameters: API.Cancel.Parameters, _ responder: Responder) throws(MethodError) {
        let entry = try known(parameters.name)
        let (id, name) = (entry.id, entry.name)
        let kept = whenStored(name, answer: API.Cancel.Reply(), responder)
        let number = UInt64(clamping: parameters.id)
        let isThere = supervisor.cancelSchedule(number, of: id, then: kept)
        guard isThere else { throw API.noSuchSchedule(name: name, id: parameters.id) }
    }
}

/// The result of a post to one worker: answered when its number is known and it is kept, whichever comes first.
private final class SinglePost {
    var result: SupervisorInterface.PostResult
    private let responder: Responder
    private var isHalfDone = false
    private var problem: String?

    init(_ name: String, _ remark: String?, _ responder: Responder) {
        result = SupervisorInterface.PostResult(name: name, message: remark)
        self.responder = responder
    }

    func set(_ sequence: Int64?) {
        result.sequence = sequence
        proceed()
    }

    func kept(problem: String?) {
        self.problem = problem
        proceed()
    }

    private func proceed() {
        guard isHalfDone else {
            isHalfDone = true
            return
        }
        if let problem {
            let why = PostRefusal.notStored(problem).sentence
            return responder.fail(
                SupervisorInterface.notPosted(name: result.name, obstacle: .notKept, why: why))
        }
        responder.reply(SupervisorInterface.Post.Reply(results: [result]).json)
    }
}

/// The results of one post to several workers, answered when all that is to be kept is kept.
private final class PostResults {
    private var results: [SupervisorInterface.PostResult]
    private var isSet: [Bool]
    private var isStored: [Bool]
    private let responder: Responder

    init(_ names: [String], _ responder: Responder) {
        results = names.map { SupervisorInterface.PostResult(name: $0) }
        isSet = Array(repeating: false, count: names.count)
        isStored = isSet
        self.responder = responder
    }

    /// By which a successor goes on.
    var note: JSON.Object {
        [
            "posted": .string(results.first?.name ?? ""),
            "results": SupervisorInterface.Post.Reply(results: results).json["results"] ?? .null,
        ]
    }

    func set(_ index: Int, _ result: SupervisorInterface.PostResult) {
        // What could not be kept may have been told already.
        if results[index].obstacle == nil { results[index] = result }
        isSet[index] = true
        if result.obstacle != nil { isStored[index] = true }
        answerIfComplete()
    }

    func kept(_ index: Int, problem: String?) {
        if let problem {
            results[index].obstacle = .notKept
            results[index].message = PostRefusal.notStored(problem).sentence
        }
        isStored[index] = true
        answerIfComplete()
    }

    private func answerIfComplete() {
        guard isSet.allSatisfy(\.self), isStored.allSatisfy(\.self) else { return }
        if let first = results.first, let obstacle = first.obstacle,
            results.allSatisfy({ $0.obstacle != nil })
        {
            return responder.fail(
                SupervisorInterface.notPosted(
                    name: first.name, obstacle: obstacle, why: first.message ?? obstacle.rawValue))
        }
        responder.reply(SupervisorInterface.Post.Reply(results: results).json)
    }
}

extension PostWaking {
    fileprivate init(_ parameters: SupervisorInterface.Post.Parameters) throws(MethodError) {
        self =
            parameters.foreground ?? false ? .intoForeground : parameters.wake ?? false ? .silently : .nobody
        guard self != .intoForeground || parameters.at == nil && !(parameters.wake ?? false) else {
            throw .invalidParameter("foreground")
        }
    }
}

extension SupervisorInterface.QueuedNotification {
    init(_ entry: Notifications.QueuedNotification, inFlight: Bool) {
        let isSet = entry.rule == .set
        self.init(
            topic: entry.topic.name, sequence: Int64(clamping: entry.sequence),
            rule: SupervisorInterface.MergeRule(entry.rule), count: Int64(entry.count), first: entry.first,
            last: entry.last, payload: entry.payload.flatMap { try? JSON(parsing: $0.span) },
            added: isSet ? entry.added : nil, removed: isSet ? entry.removed : nil,
            dropped: entry.dropped > 0 ? Int64(entry.dropped) : nil, inFlight: inFlight,
            survives: entry.survives, deaths: entry.deaths > 0 ? Int64(entry.deaths) : nil,
            setAside: entry.isSetAside ? true : nil)
    }
}

extension SupervisorInterface.ScheduledPost {
    init(_ entry: ScheduleBook.Entry) {
        self.init(
            id: Int64(clamping: entry.id), topic: entry.post.topic.name,
            rule: SupervisorInterface.MergeRule(entry.post.rule),
            payload: entry.post.payload.flatMap { try? JSON(parsing: $0.span) }, at: entry.due,
            everyUsec: entry.period, wake: entry.wakes,
            by: entry.poster.map { .init(uid: Int64($0.uid), pid: Int64($0.pid)) },
            program: entry.poster?.program)
    }
}
