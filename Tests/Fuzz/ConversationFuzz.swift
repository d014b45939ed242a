// The fuzz target for conversations: what a client of the control socket, a process of a worker at its socket, and the sender of
// notify messages say, one message after the other, and what that does to the models behind them. One module with the sources that
// read notify messages.

import Continuing
import ControlAPI
import Interrupting
import Lifecycle
import Notifications

@testable import Varlink

/// One input: which conversation it is, and its messages, each with a zero byte at its end, as they come over a socket.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConversation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    var subject = Subject()
    switch first % 3 {
    case 0: subject.talk(control, bytes.dropFirst(), step: Int(first) + 1)
    case 1: subject.talk(own, bytes.dropFirst(), step: Int(first) + 1)
    default: subject.notify(bytes.dropFirst())
    }
    subject.end()
    return 0
}

private let control = Service(
    identity: Service.Identity(vendor: "v", product: "p", version: "1", url: "u"),
    interfaces: [SupervisorInterface.definition])
private let own = Service(
    identity: Service.Identity(vendor: "v", product: "p", version: "1", url: "u"),
    interfaces: [WorkerInterface.definition])

/// One worker as the models have it: its life, its queue, its schedule, its interruptions and its activities.
private struct Subject {
    var life = WorkerLifecycle(
        policy: Policy(
            readiness: .notify, hooks: CallbackSet([.didBecomeActive, .didEnterBackground]),
            idle: IdlePolicy(delay: .seconds(5))))
    var now = Instant(microseconds: 1_000_000)
    var timers: [Timer: (at: Instant, generation: UInt32)] = [:]
    var queue = NotificationQueue()
    var book = ScheduleBook()
    var interruptions = InterruptionPlan()
    var giving = GivingPlan()

    // MARK: sockets

    /// However the bytes are cut, every call is answered or the connection is closed, and what is said is whole messages.
    mutating func talk(_ service: Service, _ bytes: ArraySlice<UInt8>, step: Int) {
        var limits = ServerConnection.Limits()
        limits.calls = 8
        limits.subscriptions = 2
        limits.backlog = 100_000
        var connection = ServerConnection(limits: limits, slowReader: MethodError("fuzz.SlowReader"))
        var open: [Call] = []
        var output: [UInt8] = []
        var rest = bytes
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(step * 8))
            rest = rest.dropFirst(chunk.count)
            for call in connection.receive(chunk.span) {
                now = now + .milliseconds(Int64(step))
                if let answer = answer(call, service) {
                    reply(&connection, call, answer)
                    if call.mode == .more { open.append(call) }
                } else {
                    try? connection.fail(call.id, .invalidParameter("x"))
                }
            }
            output += connection.takeOutput(step * 100)
        }
        for call in open { try? connection.fail(call.id, MethodError("fuzz.Over")) }
        connection.inputEnded()
        precondition(
            connection.closeReason != nil || connection.callsPending == 0, "a call without an answer")
        output += connection.takeOutput()
        var frames = FrameReader(limit: .max)
        let outcome = frames.receive(output.span) { message in
            (try? JSON(parsing: message)).flatMap { try? Reply($0) } != nil
        }
        precondition(outcome.messages.allSatisfy { $0 } && !frames.isInsideMessage, "a reply that is none")
    }

    private func reply(_ connection: inout ServerConnection, _ call: Call, _ object: JSON.Object) {
        // Ignoring a failure: the connection was closed for what came before.
        try? connection.reply(to: call.id, EncodedMessage(reply: object, continues: call.mode == .more))
    }

    /// What is answered; nil where the call is refused.
    private mutating func answer(_ call: Call, _ service: Service) -> JSON.Object? {
        switch service.route(call) {
        case .perform: break
        default: return nil
        }
        return call.interface == "io.torpor.Worker" ? worker(call) : operate(call)
    }

    private func read<Value: Decodable>(_ call: Call, _ type: Value.Type = Value.self) -> Value? {
        try? JSON.object(call.parameters).decode(type)
    }

    private mutating func operate(_ call: Call) -> JSON.Object? {
        typealias API = SupervisorInterface
        let operatorRequest = Requester.operator(uid: 0, pid: 1)
        switch call.member {
        case "Post":
            guard let post = try? API.Post.Parameters(reading: call.parameters) else { return nil }
            return take(
                topic: post.topic, rule: post.rule?.rawValue, payload: post.payload, added: post.added,
                removed: post.removed, at: post.at, every: post.everyUsec)
        case "Interrupt":
            guard let wish = read(call, API.Interrupt.Parameters.self) else { return nil }
            interrupt(.call(wish.purpose ?? ""), wish.limitUsec)
        case "EndInterruption", "Answer":
            guard let wish = read(call, API.EndInterruption.Parameters.self) else { return nil }
            _ = interruptions.handle(.answered(wish.number.flatMap { UInt32(exactly: $0) }), at: now)
        case "Activate": tell(.requested(Request(.active, by: operatorRequest)))
        case "Suspend": tell(.requested(Request(.suspended, by: operatorRequest)))
        case "Stop", "Kill": tell(.requested(Request(.notRunning, by: operatorRequest)))
        case "Resume": tell(.resumeRequested(operatorRequest))
        case "Restart": tell(.restartRequested(operatorRequest))
        default: break
        }
        return ["a": .int(1)]
    }

    private mutating func worker(_ call: Call) -> JSON.Object? {
        typealias API = WorkerInterface
        switch call.member {
        case "Attach": tell(.attached(CallbackSet(Callback.allCases)))
        case "Complete":
            guard let wish = read(call, API.Complete.Parameters.self), let id = UInt32(exactly: wish.id)
            else {
                return nil
            }
            tell(.completed(id: id, .done))
        case "BeginBackgroundTask": tell(.taskBegan(token: UInt32(now.microseconds & 7)))
        case "EndBackgroundTask":
            guard let wish = read(call, API.EndBackgroundTask.Parameters.self),
                let token = UInt32(exactly: wish.token)
            else { return nil }
            tell(.taskEnded(token: token))
        case "Post":
            guard let post = read(call, API.Post.Parameters.self) else { return nil }
            return take(
                topic: post.topic, rule: post.rule?.rawValue, payload: post.payload, added: nil, removed: nil,
                at: nil, every: nil)
        case "Schedule":
            guard let post = read(call, API.Schedule.Parameters.self) else { return nil }
            return take(
                topic: post.topic, rule: post.rule?.rawValue, payload: post.payload, added: nil, removed: nil,
                at: post.at, every: post.everyUsec)
        case "Cancel":
            guard let wish = read(call, API.Cancel.Parameters.self) else { return nil }
            book.cancel(UInt64(clamping: wish.id))
        case "SetInUse":
            guard let wish = read(call, API.SetInUse.Parameters.self) else { return nil }
            tell(.saidInUse(wish.inUse))
        case "Interrupt":
            guard let wish = read(call, API.Interrupt.Parameters.self) else { return nil }
            interrupt(.worker(wish.purpose), wish.limitUsec)
        case "EndInterruption":
            guard let wish = read(call, API.EndInterruption.Parameters.self),
                let number = UInt32(exactly: wish.number)
            else { return nil }
            _ = interruptions.handle(.endedByWorker(number), at: now)
        default: break
        }
        return [:]
    }

    private mutating func interrupt(_ kind: Interruption.Kind, _ limit: Int64?) {
        // The shell refuses what is not positive.
        let limit = limit.flatMap { $0 > 0 ? TimeSpan(microseconds: $0) : nil }
        _ = interruptions.handle(.began(kind, by: .operator(uid: 0, pid: 1), limit: limit), at: now)
        tell(interruptions.isInterrupted ? .interrupted : .interruptionEnded)
    }

    private mutating func take(
        topic: String, rule: String?, payload: JSON?, added: [String]?, removed: [String]?, at: Int64?,
        every: Int64?
    ) -> JSON.Object? {
        guard let topic = Topic(topic) else { return nil }
        let rule = rule.flatMap { MergeRule(rawValue: $0) } ?? topic.system?.rule ?? .latest
        let post = Post(
            topic, rule, payload: payload.map { Array($0.text.utf8) }, added: added ?? [],
            removed: removed ?? [],
            at: at ?? now.microseconds)
        if let at {
            switch book.add(post, wakes: true, at: at, every: every, now: now.microseconds) {
            case .success(let entry): return ["schedule": .int(Int64(clamping: entry.id))]
            case .failure: return nil
            }
        }
        let isFirst = queue.isEmpty
        guard case .waits(let sequence) = queue.post(post) else { return [:] }
        if isFirst { tell(.notificationsQueued) }
        return ["sequence": .int(Int64(clamping: sequence))]
    }

    // MARK: notify messages

    mutating func notify(_ bytes: ArraySlice<UInt8>) {
        tell(.requested(Request(.active, by: .operator(uid: 0, pid: 1))))
        for datagram in bytes.split(separator: 0, omittingEmptySubsequences: false) {
            // The first byte is how long it is until the message.
            now = now + .milliseconds(Int64(datagram.first ?? 0) * 100)
            expire()
            guard let message = try? NotifyMessage(parsing: datagram.dropFirst()) else { continue }
            if let pid = message.mainPID { tell(.mainProcessChanged(pid: pid)) }
            if let span = message.extendTimeout { tell(.extendTimeout(TimeSpan(microseconds: span))) }
            if let period = message.watchdogPeriod {
                tell(.watchdogChanged(period == 0 ? nil : TimeSpan(microseconds: period)))
            }
            switch message.watchdog {
            case .alive: tell(.watchdogPinged)
            case .trigger: tell(.watchdogTriggered)
            case nil: break
            }
            if let isInUse = message.isInUse { tell(.saidInUse(isInUse)) }
            if let activity = message.userActivity.flatMap({ ActivityNotice($0) }) {
                _ = giving.handle(activity.event, at: now)
                precondition(Set(giving.offers.map(\.type)).count == giving.offers.count, "offered twice")
            }
            switch message.phase {
            case .ready: tell(.ready)
            case .reloading: tell(.reloading)
            case .reloaded:
                tell(.reloading)
                tell(.ready)
            case .stopping: tell(.stopping)
            case nil: break
            }
        }
    }

    // MARK: the worker

    /// The life hears of it, and what it asks of the machine is done at once.
    mutating func tell(_ event: Event) {
        var events = [event]
        var steps = 0
        while let event = events.first {
            events.removeFirst()
            steps += 1
            precondition(steps < 1000, "one event has no end")
            for effect in life.handle(event, at: now) {
                switch effect {
                case .launch: events.append(.launched(pid: 7))
                case .freeze: events.append(.frozen)
                case .thaw: events.append(.thawed)
                case .kill: events.append(.exited(.killed(signal: 9, coreDumped: false), oomKilled: false))
                case .inspectResources: events.append(.inspected(nil))
                case .readCPU: events.append(.cpuRead(nil))
                case .arm(let timer, let at, let generation): timers[timer] = (at, generation)
                case .disarm(let timer): timers[timer] = nil
                case .deliver(let delivery) where delivery.id % 2 == 0:
                    events.append(.completed(id: delivery.id, .done))
                default: break
                }
            }
        }
    }

    private mutating func expire() {
        for _ in 0..<32 {
            guard let (timer, due) = timers.min(by: { $0.value.at < $1.value.at }), due.at <= now else {
                return
            }
            timers[timer] = nil
            tell(.expired(timer, generation: due.generation, traced: false))
        }
    }

    /// Time goes on, what is due comes, and the worker's process ends.
    mutating func end() {
        now = now + .seconds(100_000)
        expire()
        for _ in 0..<64 {
            guard let (entry, _) = book.takeDue(at: now.microseconds) else { break }
            _ = queue.post(entry.post)
        }
        _ = queue.flush(apart: true)
        tell(.exited(.exited(0), oomKilled: false))
        queue.processEnded(blaming: Set(queue.inFlight.map(\.sequence)))
        let live = queue.contents + queue.inFlight
        precondition(queue.bytes == live.reduce(0) { $0 + $1.size }, "other bytes than there are")
        _ = interruptions.handle(.processEnded, at: now)
        _ = interruptions.handle(.due, at: now)
    }
}
