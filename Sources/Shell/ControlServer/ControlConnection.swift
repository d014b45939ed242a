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
    let source = SourceBox<IOSource>()
    var socket: StreamSocket?
    package var varlink: ServerConnection
    /// Calls that a predecessor has left, and that wait for their turn.
    var waiting: ArraySlice<Call> = []
    /// What has come and waits for its turn, and how far it has been gone through.
    var unread: [UInt8] = []
    var position = 0
    private var closers: [Call.ID: () -> Void] = [:]
    /// Calls that have not had their last answer, for a successor to go on with.
    var begun: [Call.ID: Begun] = [:]
    /// What its socket is watched for; nil where it is not watched, since its client is gone and its calls wait for their turn.
    private var watched: IOEvents? = .readable
    var stage = ConnectionStage.open
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
    /// Its way through the server.
    package var lane: ControlLane { peer.lane }
    /// Since when the client has taken nothing of what waits for it; nil when nothing waits.
    package private(set) var stalledSince: Int64?
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
        if handover.snapshot.isInputOver { stage.inputEnds() }
        let descriptor = socket.rawValue
        self.socket = consume socket
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] events in ready(events) }
    }

    /// Whether answers can reach the client.
    package var awaitsAnswer: Bool { stage.takesAnswers && varlink.closeReason == nil }

    package func report(_ event: ControlEvent) { server.report(event) }

    // MARK: answers

    struct Begun {
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
        if !isUrgent || varlink.outputPending > 0 || stage.isPeerGone { server.settleSoon(self) }
    }

    /// Cuts off a client that has taken nothing for too long; it has as long again for our last word.
    package func losePatience() {
        stalledSince = nil
        guard varlink.closeReason == nil else { return server.remove(self) }
        cutOff(server.errors.slowReader(Int64(varlink.limits.backlog)))
    }

    /// Cuts off a client that makes the server keep too much; `error` is the last answer.
    private func cutOff(_ error: MethodError) {
        varlink.refuse(error)
        waiting = []
        (unread, position) = ([], 0)
        flush()
    }

    // MARK: the socket

    private func ready(_ events: IOEvents) {
        if !events.isDisjoint(with: [.hangup, .error]) { stage.peerCloses() }
        if mayRead { read() }
        if stage.isPeerGone, !varlink.wantsInput { stage.inputEnds() }
        if stage.isPeerGone, peer.isForeign { dropWork() }
        guard hasWork, !server.servesAtOnce(self) else { return settle() }
        server.queueWork(self)
        flush()
    }

    /// Reads all that a client has sent which has ended, and carries it out: no more than a socket holds, and not after `end`.
    ///
    /// Another process may have been given the client's end: nothing is waited for.
    func hearLast(until end: Int64) {
        stage.peerCloses()
        for _ in 0..<Self.mostLast where KernelClock.monotonic < end {
            if mayRead { read() }
            guard hasWork else { return settle() }
            settle()
        }
    }

    private static let mostLast = 64

    /// Whether the socket is read: not while what was read before waits for its turn.
    private var mayRead: Bool { !stage.isInputOver && !hasWork && (wantsInput || stage.isPeerGone) }

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
        stage.inputEnds()
    }

    private func read() {
        do {
            guard let count = try socket?.read(into: &server.buffer) else { return }
            guard count > 0 else {
                stage.inputEnds()
                return varlink.inputEnded()
            }
            unread = Array(server.buffer[..<count])
        } catch {
            // Ignoring which error it was: each means that the client is gone.
            stage.peerCloses()
            stage.inputEnds()
        }
    }

    /// Whether calls wait for their turn.
    var hasWork: Bool { !waiting.isEmpty || !unread.isEmpty }

    /// Whether calls are carried out: not while many wait for their answers, or for the client to take those.
    private var goesOn: Bool { stage.takesCalls && (stage.isPeerGone || varlink.takesCalls) }

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
        // Frees its memory: a slice keeps what was taken from it.
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
        let isDone = position == rest.count || isCutOff || stage == .closed
        (unread, self.position) = isDone ? ([], 0) : (rest, position)
    }

    /// The number of a call that was read by itself; nil where no more are taken.
    package func admit() -> Call.ID? { varlink.admit(.once) }

    /// Whether the client gets a last answer and nothing more; what it asked for meanwhile is dropped.
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
        guard stage != .closed else { return }
        isPerforming = true
        perform()
        isPerforming = false
        flush()
    }

    /// Writes what the socket takes, ends what is over, and sees to calls that wait for their turn.
    package func flush() {
        guard stage != .closed else { return }
        write()
        if stage.isPeerGone ? stage.isInputOver && !hasWork : isOver {
            return server.remove(self)
        }
        // Answers to a client that is gone are dropped: what it holds must not keep its own calls from their end.
        let output = stage.isPeerGone ? 0 : varlink.outputHeld + begunBytes
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
        end(because: reason)
        return varlink.outputPending == 0
    }

    func write() {
        let before = varlink.outputPending
        guard !stage.isPeerGone, before > 0 else {
            stalledSince = nil
            return
        }
        do {
            try varlink.sendOutput { (bytes) throws(LinuxError) in try socket?.write(bytes) ?? 0 }
        } catch {
            // Ignoring which error it was: EPIPE as any other means that the client does not read. What it sent before still counts.
            stage.peerCloses()
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
        // That the client is gone is told again and again: not while its calls wait for their turn.
        let isOff = stage.isPeerGone && hasWork
        var wanted: IOEvents = []
        if mayRead { wanted.insert(.readable) }
        if varlink.outputPending > 0, !stage.isPeerGone { wanted.insert(.writable) }
        guard watched != (isOff ? nil : wanted) else { return }
        do {
            if isOff {
                try source.handle?.setEnabled(.off)
            } else {
                if watched == nil { try source.handle?.setEnabled(.on) }
                try source.handle?.setEvents(wanted)
            }
            watched = isOff ? nil : wanted
        } catch {
            report(.watchFailed(error))
            server.remove(self)
        }
    }

    // MARK: the end

    /// Ends calls that have not been answered; what waits is still sent.
    private func end(because reason: ServerConnection.CloseReason?) {
        guard stage.takesCalls else { return }
        stage = .ending
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
        stage = .closed
    }
}
