internal import Linux
internal import Systemd
internal import Varlink

// Unchecked: the server and all that it holds are on the thread of the loop.

/// One client of a control server: its socket, its calls, what waits for it.
///
/// It reads only while there is something to do with what is read, and asks for `EPOLLOUT` only while something waits to be
/// sent. Answers may come at any time; they leave in ``settle()``, which is also where the connection ends.
final class ControlConnection: @unchecked Sendable {
    let number: UInt64
    let peer: Peer
    private unowned let server: ControlServer
    // Before the socket: it must be gone when that is closed.
    private let source = SourceBox<IOSource>()
    private var socket: StreamSocket?
    private var varlink: ServerConnection
    /// Calls that wait for their turn.
    private var waiting: ArraySlice<Call> = []
    private var closers: [Call.ID: () -> Void] = [:]
    /// Calls that have not had their last answer, for a successor of ours to go on with.
    private var begun: [Call.ID: Begun] = [:]
    private var events: IOEvents = .readable
    /// The peer's input has ended, or is not wanted any more.
    private var isInputOver = false
    /// Nobody will read what we send.
    private var isPeerGone = false
    /// Whether it is in the server's list of those with something to settle.
    var isUnsettled = false
    /// Since when the client has taken nothing of what waits for it; nil when nothing waits.
    private(set) var stalledSince: Int64?
    private var isEnding = false
    /// Calls are being carried out: what they bring is sent right after.
    private var isPerforming = false

    init(
        _ socket: consuming StreamSocket, number: UInt64, of peer: Peer, limits: ServerConnection.Limits,
        server: ControlServer
    ) throws(SystemdError) {
        self.number = number
        self.peer = peer
        self.server = server
        varlink = ServerConnection(
            limits: limits, slowReader: server.errors.slowReader(Int64(limits.backlog)),
            express: server.express)
        let descriptor = socket.rawValue
        self.socket = consume socket
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] events in ready(events) }
    }

    /// Whether answers can reach the client.
    var awaitsAnswer: Bool { !isPeerGone && !isEnding && socket != nil && varlink.closeReason == nil }

    func report(_ event: ControlEvent) { server.log(event) }

    // MARK: answers

    private struct Begun {
        let call: Call
        weak var responder: Responder?
    }

    func setCloser(_ body: (() -> Void)?, of id: Call.ID) {
        if body != nil || !closers.isEmpty { closers[id] = body }
        if body == nil, !begun.isEmpty { begun[id] = nil }
    }

    /// A call was carried out, and is not answered for good yet.
    func keep(_ call: Call, _ responder: Responder) {
        begun[call.id] = Begun(call: call, responder: responder)
    }

    // MARK: one server after the other

    /// Reads no more calls, until it goes on or somebody else does.
    func pause(_ isPaused: Bool) {
        // Ignoring a failure: what is read then is carried out, or goes along.
        try? source.handle?.setEnabled(isPaused ? .off : .on)
    }

    /// All that a successor needs to go on with the client; nil when it is about to end.
    var luggage: ConnectionLuggage? {
        write()
        guard !isEnding, !isPeerGone, let number = socket?.rawValue, let standstill = varlink.standstill
        else {
            return nil
        }
        let open = begun.values.sorted {
            (varlink.place(of: $0.call.id) ?? 0) < (varlink.place(of: $1.call.id) ?? 0)
        }
        let calls = open.compactMap { entry -> ConnectionLuggage.OpenCall? in
            guard let place = varlink.place(of: entry.call.id), let responder = entry.responder,
                responder.isOpen
            else { return nil }
            return ConnectionLuggage.OpenCall(
                entry.call.spelledOut, at: place, note: responder.note, isBegun: true)
        }
        let unbegun = waiting.map {
            ConnectionLuggage.OpenCall(
                $0.spelledOut, at: varlink.place(of: $0.id), note: [:], isBegun: false)
        }
        return ConnectionLuggage(
            descriptor: number, standstill: standstill, calls: calls + unbegun)
    }

    /// Goes on where a predecessor stood.
    init(
        _ socket: consuming StreamSocket, number: UInt64, of peer: Peer, limits: ServerConnection.Limits,
        server: ControlServer, from luggage: ConnectionLuggage
    ) throws(SystemdError) {
        self.number = number
        self.peer = peer
        self.server = server
        varlink = ServerConnection(
            limits: limits, slowReader: server.errors.slowReader(Int64(limits.backlog)),
            express: server.express, from: luggage.standstill)
        isInputOver = luggage.standstill.isInputOver
        let descriptor = socket.rawValue
        self.socket = consume socket
        source.handle = try IOSource(
            on: server.loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] events in ready(events) }
    }

    /// Goes on with the calls of a predecessor, and begins those that it has not.
    func resume(_ calls: [ConnectionLuggage.OpenCall]) {
        for open in calls where open.isBegun { server.resume(open.call, with: open.note, on: self) }
        waiting = calls.filter { !$0.isBegun }.map(\.call)[...]
        server.settleSoon(self)
    }

    /// Queues an answer, which leaves in a turn of its own; one that is urgent at once, as far as the socket takes it.
    func answer(_ id: Call.ID, _ method: String, _ message: EncodedMessage, isUrgent: Bool = false) {
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
    func losePatience() {
        stalledSince = nil
        guard varlink.closeReason == nil else { return server.remove(self) }
        varlink.refuse(server.errors.slowReader(Int64(varlink.limits.backlog)))
        settle()
    }

    // MARK: the socket

    private func ready(_ events: IOEvents) {
        if !events.isDisjoint(with: [.hangup, .error]) { isPeerGone = true }
        if !isInputOver, waiting.isEmpty, varlink.wantsInput || isPeerGone { read() }
        if isPeerGone, !varlink.wantsInput { isInputOver = true }
        settle()
    }

    private func read() {
        do {
            guard let count = try socket?.read(into: &server.buffer) else { return }
            guard count > 0 else {
                isInputOver = true
                return varlink.inputEnded()
            }
            let chunk = server.buffer
            waiting = varlink.receive(chunk.span.extracting(..<count))[...]
        } catch {
            // Ignoring which error it was: each means that there is nobody any more.
            isPeerGone = true
            isInputOver = true
        }
    }

    /// Carries out some of the calls that wait; not while the client has not taken half of what it may leave unread.
    private func perform() {
        if isCutOff { waiting = [] }
        // What is read by itself is done much sooner.
        var turn = server.limits.callsPerTurn * 4
        while turn > 0, !isEnding, isPeerGone || varlink.outputPending <= varlink.limits.backlog / 2,
            let call = waiting.popFirst()
        {
            turn -= call.express == nil ? 4 : 1
            server.dispatch(call, on: self)
            if isCutOff { waiting = [] }
        }
        // Gives its memory back: a slice keeps what was taken from it.
        if waiting.isEmpty { waiting = [] }
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

    /// Does what is to be done: carries out calls, writes what the socket takes, ends what is over.
    func settle() {
        guard socket != nil else { return }
        isPerforming = true
        perform()
        isPerforming = false
        write()
        if isPeerGone ? isInputOver && waiting.isEmpty : isOver {
            return server.remove(self)
        }
        if !waiting.isEmpty, isPeerGone || varlink.outputPending <= varlink.limits.backlog / 2 {
            server.settleSoon(self)
        }
        watch()
    }

    /// Whether the protocol has come to its end and all that is due has been sent.
    private var isOver: Bool {
        guard let reason = varlink.closeReason, waiting.isEmpty else { return false }
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
        if !isInputOver, waiting.isEmpty, varlink.wantsInput || isPeerGone { wanted.insert(.readable) }
        if varlink.outputPending > 0, !isPeerGone { wanted.insert(.writable) }
        guard wanted != events else { return }
        events = wanted
        do {
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
    func close() {
        source.handle = nil
        socket = nil
        waiting = []
        end(because: nil)
    }
}
