internal import Lifecycle
package import Linux
package import Systemd
package import Varlink

/// One client of a control server: its socket, its calls, what waits for it.
///
/// It reads only while there is something to do with what is read, and asks for `EPOLLOUT` only while something waits to be
/// sent. Answers may come at any time; they leave in ``settle()``, which is also where the connection ends.
package final class ControlConnection {
    package let number: UInt64
    package let peer: Peer
    package unowned let server: ControlServer
    // Before the socket: it must be gone when that is closed.
    private let source = SourceBox<IOSource>()
    private var socket: StreamSocket?
    package var varlink: ServerConnection
    /// Calls that a predecessor has left, and that wait for their turn.
    private var waiting: ArraySlice<Call> = []
    /// What has come and waits for its turn, and how far it has been gone through.
    private var unread: [UInt8] = []
    private var position = 0
    private var closers: [Call.ID: () -> Void] = [:]
    /// Calls that have not had their last answer, for a successor of ours to go on with.
    private var begun: [Call.ID: Begun] = [:]
    private var events: IOEvents = .readable
    /// The peer's input has ended, or is not wanted any more.
    private var isInputOver = false
    /// Nobody will read what we send.
    private var isPeerGone = false
    /// Whether it is in the server's list of those with something to settle.
    package var isUnsettled = false
    /// Whether it is in the server's queue of those with calls to carry out.
    package var awaitsTurn = false
    /// What it holds of our memory, as the server knows it.
    package var holding = Allotment.Holding()
    /// Bytes of the calls that wait for an answer, about.
    private var begunBytes = 0
    /// Whether it is not read because its account holds too much.
    package private(set) var isHeldBack = false
    /// Whether it is not listened to, since its client is gone and its calls wait for their turn.
    private var isUnwatched = false
    /// Its way through the server.
    package var lane: ControlLane { peer.lane }
    /// Since when the client has taken nothing of what waits for it; nil when nothing waits.
    package private(set) var stalledSince: Int64?
    private var isEnding = false
    /// Calls are being carried out: what they bring is sent right after.
    package private(set) var isPerforming = false
    /// Posts that are answered when they are kept, a commit each.
    package var batches: [any AnswerBatch] = []

    package init(
        _ socket: consuming StreamSocket, number: UInt64, of peer: Peer, limits: ServerConnection.Limits,
        server: ControlServer
    ) throws(SystemdError) {
        self.number = number
        self.peer = peer
        self.server = server
        varlink = ServerConnection(
            limits: limits, slowReader: server.errors.slowReader(Int64(limits.backlog)))
        let descriptor = socket.rawValue
        self.socket = consume socket
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] events in ready(events) }
    }

    /// Whether answers can reach the client.
    package var awaitsAnswer: Bool { !isPeerGone && !isEnding && socket != nil && varlink.closeReason == nil }

    package func report(_ event: ControlEvent) { server.report(event) }

    // MARK: answers

    private struct Begun {
        let call: Call
        weak var responder: Responder?
        /// Bytes of its message, about.
        let size: Int
    }

    package func setCloser(_ body: (() -> Void)?, of id: Call.ID) {
        if body != nil || !closers.isEmpty { closers[id] = body }
        if body == nil, !begun.isEmpty, let entry = begun.removeValue(forKey: id) { begunBytes -= entry.size }
    }

    /// A call was carried out, and is not answered for good yet.
    package func keep(_ call: Call, _ responder: Responder) {
        let size = Self.callSize + Self.valueSize * messageSize
        begunBytes += size - (begun[call.id]?.size ?? 0)
        begun[call.id] = Begun(call: call, responder: responder, size: size)
    }

    /// What a call takes besides its values, about, and what a byte of its message may take as a value.
    private static let callSize = 256
    private static let valueSize = 8
    /// Bytes of the message that is carried out now.
    private var messageSize = 0

    // MARK: one server after the other

    /// Reads no more calls, until it goes on or somebody else does.
    package func pause(_ isPaused: Bool) {
        // Ignoring a failure: what is read then is carried out, or goes along.
        try? source.handle?.setEnabled(isPaused ? .off : .on)
    }

    /// All that a successor needs to go on with the client; nil when it is about to end.
    package var handover: ConnectionHandover? {
        readRest()
        write()
        guard !isEnding, !isPeerGone, let number = socket?.rawValue, let snapshot = varlink.snapshot
        else {
            return nil
        }
        let open = begun.values.sorted {
            (varlink.place(of: $0.call.id) ?? 0) < (varlink.place(of: $1.call.id) ?? 0)
        }
        let calls = open.compactMap { entry -> ConnectionHandover.OpenCall? in
            guard let place = varlink.place(of: entry.call.id), let responder = entry.responder,
                responder.isOpen
            else { return nil }
            return ConnectionHandover.OpenCall(
                entry.call, at: place, note: responder.note, isBegun: true)
        }
        let posted = batches.flatMap { $0.openCalls }.compactMap { open in
            varlink.place(of: open.call.id).map {
                ConnectionHandover.OpenCall(open.call, at: $0, note: open.note, isBegun: true)
            }
        }
        let unbegun = waiting.map {
            ConnectionHandover.OpenCall($0, at: varlink.place(of: $0.id), note: [:], isBegun: false)
        }
        return ConnectionHandover(
            descriptor: number, snapshot: snapshot, calls: calls + posted + unbegun)
    }

    /// Goes on where a predecessor stood.
    package init(
        _ socket: consuming StreamSocket, number: UInt64, of peer: Peer, limits: ServerConnection.Limits,
        server: ControlServer, from handover: ConnectionHandover
    ) throws(SystemdError) {
        self.number = number
        self.peer = peer
        self.server = server
        varlink = ServerConnection(
            limits: limits, slowReader: server.errors.slowReader(Int64(limits.backlog)),
            from: handover.snapshot)
        isInputOver = handover.snapshot.isInputOver
        let descriptor = socket.rawValue
        self.socket = consume socket
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] events in ready(events) }
    }

    /// Goes on with the calls of a predecessor, and begins those that it has not.
    package func resume(_ calls: [ConnectionHandover.OpenCall]) {
        for open in calls where open.isBegun { server.resume(open.call, with: open.note, on: self) }
        waiting = calls.filter { !$0.isBegun }.map(\.call)[...]
        if hasWork { server.queueWork(self) }
        server.settleSoon(self)
    }

    /// Queues an answer, which leaves in a turn of its own; one that is urgent at once, as far as the socket takes it.
    package func answer(_ id: Call.ID, _ method: String, _ message: EncodedMessage, isUrgent: Bool = false) {
        guard awaitsAnswer else { return }
        do {
            try varlink.reply(to: id, message)
        } catch {
            report(.badAnswer(method: method, why: "\(error)"))
        }
        if isPerforming { return }
        // What becomes of the connection by that is seen to in its turn.
        if isUrgent { write() }
        if !isUrgent || varlink.outputPending > 0 || isPeerGone { server.settleSoon(self) }
    }

    /// Cuts off a client that has taken nothing for too long; it has as long again for our last word.
    package func losePatience() {
        stalledSince = nil
        guard varlink.closeReason == nil else { return server.remove(self) }
        cutOff(server.errors.slowReader(Int64(varlink.limits.backlog)))
    }

    /// Cuts off a client that makes us keep too much; `error` is our last word.
    private func cutOff(_ error: MethodError) {
        varlink.refuse(error)
        waiting = []
        (unread, position) = ([], 0)
        flush()
    }

    // MARK: the socket

    private func ready(_ events: IOEvents) {
        if !events.isDisjoint(with: [.hangup, .error]) { isPeerGone = true }
        if !isInputOver, !hasWork, wantsInput || isPeerGone { read() }
        if isPeerGone, !varlink.wantsInput { isInputOver = true }
        if isPeerGone, peer.isForeign { dropWork() }
        guard hasWork, !server.servesAtOnce(self) else { return settle() }
        server.queueWork(self)
        flush()
    }

    /// Whether more is to be read: not what its account has no room for.
    private var wantsInput: Bool {
        guard varlink.wantsInput else { return false }
        isHeldBack = !server.mayRead(self)
        return !isHeldBack
    }

    /// Forgets calls of a client that is gone and could change nothing by them.
    private func dropWork() {
        waiting = []
        (unread, position) = ([], 0)
        isInputOver = true
    }

    private func read() {
        do {
            guard let count = try socket?.read(into: &server.buffer) else { return }
            guard count > 0 else {
                isInputOver = true
                return varlink.inputEnded()
            }
            unread = Array(server.buffer[..<count])
        } catch {
            // Ignoring which error it was: each means that there is nobody any more.
            isPeerGone = true
            isInputOver = true
        }
    }

    /// Whether calls wait for their turn.
    private var hasWork: Bool { !waiting.isEmpty || !unread.isEmpty }

    /// Whether calls are carried out: not while many wait for their answers, or for the client to take those.
    private var goesOn: Bool { !isEnding && (isPeerGone || varlink.takesCalls) }

    /// A post that is read by itself is done so much sooner than other calls.
    private static let postsPerCall = 16

    /// Carries out some of the calls that wait, until it is the turn of another.
    private func perform() {
        let server = server
        let slice = server.limits.turn(of: lane).slice.microseconds
        let begin = KernelClock.monotonic
        var turn = server.limits.callsPerTurn * Self.postsPerCall
        func isOver() -> Bool { turn <= 0 || KernelClock.monotonic - begin >= slice }
        func count() {
            turn -= Self.postsPerCall
            if isOver() { turn = 0 }
        }
        while turn > 0, goesOn, !isCutOff, let call = waiting.popFirst() {
            server.dispatch(call, on: self)
            count()
        }
        // Gives its memory back: a slice keeps what was taken from it.
        if waiting.isEmpty || isCutOff { waiting = [] }
        let rest = unread
        guard waiting.isEmpty, !rest.isEmpty else { return }
        let readsMessages = peer.isOperator && server.readsMessages
        var position = position
        while turn > 0, goesOn, position < rest.count {
            let (before, start) = (varlink.inputHeld, position)
            switch varlink.next(in: rest.span, from: &position) {
            case .message(let range):
                let message = rest.span.extracting(range)
                if readsMessages, server.takes(message, on: self) {
                    turn -= 1
                    if turn % Self.postsPerCall == 0, isOver() { turn = 0 }
                    continue
                }
                messageSize = range.count
                if let call = varlink.accept(message) { server.dispatch(call, on: self) }
                count()
            case .call(let call):
                messageSize = before + position - start
                server.dispatch(call, on: self)
                count()
            case .end: position = rest.count
            }
        }
        let isDone = position == rest.count || isCutOff || socket == nil
        (unread, self.position) = isDone ? ([], 0) : (rest, position)
    }

    /// The number of a call that was read by itself; nil where no more are taken.
    package func admit() -> Call.ID? { varlink.admit(.once) }

    /// Makes calls of all that has come, for whoever goes on with them.
    private func readRest() {
        let rest = unread
        while true {
            switch varlink.next(in: rest.span, from: &position) {
            case .message(let range):
                if let call = varlink.accept(rest.span.extracting(range)) { waiting.append(call) }
            case .call(let call): waiting.append(call)
            case .end:
                (unread, position) = ([], 0)
                return
            }
        }
    }

    /// Whether the client gets a last word of ours and nothing more; what it asked for meanwhile is dropped.
    private var isCutOff: Bool {
        switch varlink.closeReason {
        case .slowReader, .refused: true
        case nil, .brokenMessage, .notACall, .messageTooLong, .truncatedMessage, .tooManyCalls,
            .tooManySubscriptions, .finished:
            false
        }
    }

    /// Carries out some of the calls that wait, and does what is to be done then.
    package func settle() {
        guard socket != nil else { return }
        isPerforming = true
        perform()
        isPerforming = false
        flush()
    }

    /// Writes what the socket takes, ends what is over, and sees to calls that wait for their turn.
    package func flush() {
        guard socket != nil else { return }
        write()
        if isPeerGone ? isInputOver && !hasWork : isOver {
            return server.remove(self)
        }
        // Answers to a client that is gone are dropped: what it holds must not keep its own calls from their end.
        let output = isPeerGone ? 0 : varlink.outputHeld + begunBytes
        server.account(
            for: self, holding: Allotment.Holding(input: unread.count + varlink.inputHeld, output: output))
        if hasWork, goesOn || isCutOff { server.queueWork(self) }
        watch()
        // A message that has begun and whose rest there is no room for would wait for itself.
        if isHeldBack, !hasWork, varlink.inputHeld > 0, varlink.closeReason == nil {
            cutOff(server.errors.tooMuch(Int64(server.limits.allotment(of: lane).account)))
        }
    }

    /// Whether the protocol has come to its end and all that is due has been sent.
    private var isOver: Bool {
        guard let reason = varlink.closeReason, !hasWork else { return false }
        isInputOver = true
        end(because: reason)
        return varlink.outputPending == 0
    }

    private func write() {
        let before = varlink.outputPending
        guard !isPeerGone, before > 0 else {
            stalledSince = nil
            return
        }
        do {
            try varlink.sendOutput { (bytes) throws(LinuxError) in try socket?.write(bytes) ?? 0 }
        } catch {
            // Ignoring which error it was: EPIPE as any other means that nobody reads. What it sent before still counts.
            isPeerGone = true
            stalledSince = nil
            return
        }
        let after = varlink.outputPending
        if after == 0 {
            stalledSince = nil
        } else if stalledSince == nil || after < before {
            stalledSince = server.loop.now
            server.watchStalls()
        }
    }

    private func watch() {
        var wanted: IOEvents = []
        if !isInputOver, !hasWork, wantsInput || isPeerGone { wanted.insert(.readable) }
        if varlink.outputPending > 0, !isPeerGone { wanted.insert(.writable) }
        // That the client is gone is told again and again: not while its calls wait for their turn.
        let isOff = isPeerGone && hasWork
        guard wanted != events || isOff != isUnwatched else { return }
        events = wanted
        do {
            if isOff != isUnwatched { try source.handle?.setEnabled(isOff ? .off : .on) }
            isUnwatched = isOff
            try source.handle?.setEvents(wanted)
        } catch {
            report(.watchFailed(error))
            server.remove(self)
        }
    }

    // MARK: the end

    /// Ends calls that have not been answered; what waits is still sent.
    private func end(because reason: ServerConnection.CloseReason?) {
        guard !isEnding else { return }
        isEnding = true
        if let reason, reason != .finished { report(.cutOff(peer, reason)) }
        let bodies = closers.values
        closers = [:]
        for body in bodies { body() }
    }

    /// Closes the socket; for the server alone.
    package func close() {
        source.handle = nil
        socket = nil
        waiting = []
        (unread, position) = ([], 0)
        end(because: nil)
    }
}
