package import Lifecycle
package import Linux
package import Processes
package import SupervisorPorts
package import Systemd
package import Varlink

/// The server's side of control sockets, on an event loop: takes connections, keeps every client within bounds, and hands calls to
/// one handler.
///
/// `org.varlink.service` is answered here, as are calls that do not fit their interface and those that the caller may not
/// make. All of it belongs to the loop's thread. Without clients it costs one descriptor per listening socket and no wake-up.
package final class ControlServer {
    package let loop: EventLoop
    package let limits: ControlLimits
    package let errors: ControlErrors
    private let log: (ControlEvent) -> Void
    private var logAllowance = LogAllowance()
    private let omissions = SourceBox<TimeSource>()
    private let service: Service
    private var authorization: Authorization
    private unowned let handler: any ControlHandler
    /// The handler, where it takes posts that were read by themselves.
    private unowned let messageHandler: (any MessageHandler)?
    /// Whether it does.
    package let readsMessages: Bool
    /// Where chunks are read into; there while a client is connected.
    package var buffer: [UInt8] = []
    private var listeners: [ControlListener] = []
    private var workerListeners: [WorkerID: ControlListener] = [:]
    /// Whether a peer is a process of a worker; asked for each connection to a socket of one worker.
    package var owns: (WorkerID, PeerProcess) -> Bool = { _, _ in false }
    private var connections: [UInt64: ControlConnection] = [:]
    var clients: ControlClients
    private var nextNumber: UInt64 = 0
    private let connectionLimit: Int
    var unsettled: [ControlConnection] = []
    let settling = SourceBox<DeferSource>()
    private let stalls = SourceBox<TimeSource>()
    /// Connections with calls that wait for their turn: those of operators, and those of others.
    var work: [ControlLane: FairQueue<Peer.Account, ControlConnection>] = [:]
    let turns = SourceBox<DeferSource>()
    /// Ends the waiting of accounts that have used their share of the processor.
    let refills = SourceBox<TimeSource>()

    private static let chunk = 64 << 10

    /// A server that listens nowhere yet; `handler` outlives it.
    ///
    /// `log` gets what an operator should know; it must not call the server.
    package init(
        on loop: EventLoop, service: Service, authorization: Authorization = Authorization(),
        limits: ControlLimits = ControlLimits(), errors: ControlErrors = .supervisor,
        handler: any ControlHandler,
        log: @escaping (ControlEvent) -> Void
    ) throws(SystemdError) {
        self.loop = loop
        self.service = service
        self.authorization = authorization
        self.limits = limits
        self.errors = errors
        self.handler = handler
        messageHandler = handler as? any MessageHandler
        readsMessages = messageHandler != nil
        self.log = log
        clients = ControlClients(limits)
        connectionLimit = min(limits.connections, max(ThisProcess.descriptorLimit / 4, 1))
        settling.handle = try DeferSource(on: loop, enabled: .off, priority: .clients) {
            [unowned self] in settle()
        }
        turns.handle = try DeferSource(on: loop, enabled: .off, priority: .clients) {
            [unowned self] in takeTurns()
        }
        refills.handle = try TimeSource(on: loop, priority: .clients) { [unowned self] _ in
            turns.handle?.setEnabled(.oneshot)
        }
        omissions.handle = try TimeSource(on: loop, accuracy: 1_000_000, priority: .clients) {
            [unowned self] _ in tellOmissions()
        }
        stalls.handle = try TimeSource(on: loop, accuracy: 250_000, priority: .clients) {
            [unowned self] now in cutOffStalled(at: now)
        }
    }

    /// The names of the sockets that clients connect to: a path, or a NUL and an abstract name.
    private var names: [[UInt8]: Int] = [:]

    /// Whether the Unix socket of this name is one that clients connect to.
    package func serves(_ name: [UInt8]) -> Bool { names[name] != nil }

    /// How many clients are connected.
    package var connectionCount: Int { connections.count }

    /// Serves `listener`, too.
    package func listen(_ listener: consuming StreamListener) throws(SystemdError) {
        let listener = try ControlListener(listener, of: self)
        listeners.append(listener)
        names[listener.name, default: 0] += 1
    }

    /// Serves `listener`, too, for the processes of one worker; where it is not open, clients that connect wait until ``admit(_:)``.
    package func listen(
        _ listener: consuming StreamListener, for worker: WorkerID, isOpen: Bool = true
    ) throws(SystemdError) {
        let listener = try ControlListener(listener, of: self, for: worker)
        if !isOpen { listener.setEnabled(.off) }
        workerListeners[worker] = listener
        names[listener.name, default: 0] += 1
    }

    /// Has clients that connect wait, or serves them and those that have waited.
    package func hold(_ isHeld: Bool) {
        for listener in listeners { listener.setEnabled(isHeld ? .off : .on) }
    }

    /// Serves processes that connect, or have connected, to the socket of a worker.
    package func admit(_ worker: WorkerID) { workerListeners[worker]?.setEnabled(.on) }

    /// How long what a worker has asked for last keeps the loop at most, in microseconds: it may have filled many sockets.
    private static let lastWords: Int64 = 20_000

    /// Carries out what the processes of a worker have asked for before they ended, all of them; what there is no time for is dropped.
    package func hearLast(_ worker: WorkerID) {
        workerListeners[worker]?.open()
        let end = KernelClock.monotonic + Self.lastWords
        for connection in connections.values where connection.peer.worker == worker {
            connection.hearLast(until: end)
        }
    }

    /// Serves no process of this worker any more.
    package func stopServing(_ worker: WorkerID) {
        if let name = workerListeners[worker]?.name, let count = names[name] {
            names[name] = count > 1 ? count - 1 : nil
        }
        workerListeners[worker] = nil
        for connection in connections.values where connection.peer.worker == worker { remove(connection) }
    }

    /// Takes no new connections; the listening sockets and their files are gone.
    package func stopListening() {
        listeners = []
        workerListeners = [:]
    }

    /// Ends everything: what waits is sent as far as the sockets take it at once.
    package func close() {
        stopListening()
        for connection in connections.values {
            connection.settle()
            remove(connection)
        }
        for omission in logAllowance.allOmissions() {
            log(.omitted(uid: omission.uid, count: omission.count))
        }
    }

    // MARK: the log

    /// Reports an event, unless its user causes too many: then it is counted.
    package func report(_ event: ControlEvent) {
        let now = Instant(microseconds: loop.now)
        if logAllowance.admits(event.uid, at: now) { return log(event) }
        guard omissions.handle?.isArmed == false, let due = logAllowance.dueAt else { return }
        omissions.handle?.arm(at: due.microseconds)
    }

    private func tellOmissions() {
        for omission in logAllowance.omissions(at: Instant(microseconds: loop.now)) {
            log(.omitted(uid: omission.uid, count: omission.count))
        }
        if let due = logAllowance.dueAt { omissions.handle?.arm(at: due.microseconds) }
    }

    /// Judges by another rule from now on: a client that may do less by it is told nothing more, once it has the answer to its last call.
    package func judge(by authorization: Authorization) {
        self.authorization = authorization
        loop.callSoon { [weak self] in
            guard let self else { return }
            for connection in connections.values where connection.peer.exceeds(self.authorization) {
                remove(connection)
            }
        }
    }

    // MARK: connections

    /// Serves a connection that was accepted, unless there are too many.
    package func admit(_ socket: consuming StreamSocket, for worker: WorkerID? = nil) {
        var peer: Peer
        do {
            peer = try Peer(socket, judgedBy: authorization)
        } catch {
            return report(.acceptFailed(error))
        }
        if let worker {
            // A peer that is not of the worker hears nothing at all.
            guard isOwned(socket, peer, by: worker) else { return report(.stranger(peer)) }
            peer.worker = worker
        }
        let allowance = peer.isOperator ? limits.operators : limits.others
        let total = peer.isOperator ? connectionLimit : max(connectionLimit - limits.reserved, 1)
        guard clients.connections(of: peer.account) < allowance.connections else {
            return turnAway(socket, peer, ConnectionBound(connections: allowance.connections))
        }
        guard connections.count < total else {
            let isOfDescriptors = connectionLimit < limits.connections
            return turnAway(
                socket, peer,
                ConnectionBound(
                    connections: total,
                    shortage: isOfDescriptors ? .ofProcess(ThisProcess.descriptorLimit) : nil))
        }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.chunk) }
        do {
            connections[nextNumber] = try ControlConnection(
                socket, number: nextNumber, of: peer, limits: allowance.connection, server: self)
        } catch {
            return report(.watchFailed(error))
        }
        nextNumber += 1
        clients.add(peer)
    }

    private func isOwned(_ socket: borrowing StreamSocket, _ peer: Peer, by worker: WorkerID) -> Bool {
        let credentials = PeerCredentials(pid: peer.pid, uid: peer.uid, gid: peer.gid)
        guard let pidfd = socket.peerPidfd() else {
            return owns(worker, PeerProcess(credentials, tellsPidfd: socket.tellsPeerPidfd()))
        }
        return owns(worker, PeerProcess(credentials, pidfd: pidfd.descriptor))
    }

    /// Says no to a connection for which there is no descriptor: none of ours, or none of the system's (`isOfSystem`, ENFILE).
    package func turnAway(_ socket: consuming StreamSocket, isOfSystem: Bool) {
        do {
            let peer = try Peer(socket, judgedBy: authorization)
            turnAway(
                socket, peer,
                ConnectionBound(
                    connections: connections.count,
                    shortage: isOfSystem ? .ofSystem : .ofProcess(ThisProcess.descriptorLimit)))
        } catch {
            report(.acceptFailed(error))
        }
    }

    private func turnAway(_ socket: consuming StreamSocket, _ peer: Peer, _ bound: ConnectionBound) {
        report(.turnedAway(peer, bound))
        let message = EncodedMessage(error: errors.tooManyConnections(bound))
        // Ignoring the result: the socket is empty and takes it, or the client has gone.
        _ = try? socket.write(message.bytes.span)
    }

    /// Ends a connection.
    package func remove(_ connection: ControlConnection) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        connection.close()
        account(for: connection, holding: Allotment.Holding())
        clients.remove(connection.peer, at: Instant(microseconds: loop.now))
        if connections.isEmpty { buffer = [] }
    }

    // MARK: calls

    /// Answers a call, or has it carried out.
    package func dispatch(_ call: Call, on connection: ControlConnection) {
        let responder = Responder(call, on: connection)
        let peer = connection.peer
        let permits: (String) -> Bool = { [self] method in
            if authorization.permits(method, by: peer) { return true }
            report(.denied(peer, method: method))
            return false
        }
        switch service.route(call, permitting: permits) {
        case .reply(let parameters): return responder.reply(parameters)
        case .fail(let error): return responder.fail(error)
        case .perform: break
        }
        loop.doing = call.member
        handler.perform(call, by: connection.peer, responder)
        // One that is answered already costs nothing more.
        if responder.isOpen { connection.keep(call, responder) }
    }

    /// Has a message of an operator carried out by the message handler; false where it is read as a call.
    package func takes(_ message: Span<UInt8>, on connection: ControlConnection) -> Bool {
        switch messageHandler?.perform(message, on: connection) ?? .unread {
        case .unread: return false
        case .done: return true
        case .call(let call):
            dispatch(call, on: connection)
            return true
        }
    }

    // MARK: one server after the other

    /// Reads no more calls, or goes on reading.
    package func pause(_ isPaused: Bool) {
        for connection in connections.values { connection.pause(isPaused) }
    }

    /// Goes on with a call that a predecessor has begun.
    package func resume(_ call: Call, with note: JSON.Object, on connection: ControlConnection) {
        let responder = Responder(call, on: connection)
        responder.note = note
        handler.resume(call, with: note, by: connection.peer, responder)
        if responder.isOpen { connection.keep(call, responder) }
    }

    /// All that a successor needs to go on with all connections.
    package var handover: [ConnectionHandover] {
        connections.values.sorted { $0.number < $1.number }.compactMap { connection in
            var handover = connection.handover
            handover?.worker = connection.peer.worker
            return handover
        }
    }

    /// The listening sockets: the control sockets first, then those of workers.
    package var handedListeners: (own: [ListenerHandover], workers: [WorkerID: Int32]) {
        (
            listeners.map { ListenerHandover(descriptor: $0.descriptor, ownsFile: $0.ownsFile) },
            workerListeners.mapValues(\.descriptor)
        )
    }

    /// Goes on with a client of a predecessor.
    package func resume(_ handover: ConnectionHandover) {
        do {
            let socket = try StreamSocket(inheriting: handover.descriptor)
            var peer = try Peer(socket, judgedBy: authorization)
            peer.worker = handover.worker
            let allowance = peer.isOperator ? limits.operators : limits.others
            if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.chunk) }
            let connection = try ControlConnection(
                socket, number: nextNumber, of: peer, limits: allowance.connection, server: self,
                from: handover)
            connections[nextNumber] = connection
            nextNumber += 1
            clients.add(peer)
            connection.resume(handover.calls)
        } catch {
            report(.acceptFailed((error as? LinuxError) ?? LinuxError(errno: 9, call: "inherit")))
        }
    }

    // MARK: what clients hold

    /// Accounts for what `connection` holds now.
    package func account(for connection: ControlConnection, holding: Allotment.Holding) {
        let old = connection.holding
        connection.holding = holding
        let mayGoOn = clients.account(for: connection.peer, replacing: old, by: holding)
        if mayGoOn { for other in connections.values where other.isHeldBack { settleSoon(other) } }
        if holding.output < old.output, !(work[connection.lane]?.isEmpty ?? true) {
            turns.handle?.setEnabled(.oneshot)
        }
    }

    /// Whether more may be read for that client.
    package func mayRead(_ connection: ControlConnection) -> Bool { clients.mayRead(connection.peer.account) }

    /// Accounts for work that is done for a client outside of its turns, in microseconds.
    package func charge(_ peer: Peer, _ span: TimeSpan) {
        clients.worked(peer.account, for: span, at: Instant(microseconds: KernelClock.monotonic))
    }

    // MARK: patience

    /// Looks again when patience with a client that begins to stall now would be over.
    package func watchStalls() {
        guard stalls.handle?.isArmed == false else { return }
        stalls.handle?.arm(at: loop.now + limits.patience.microseconds)
    }

    private func cutOffStalled(at now: Int64) {
        let patience = limits.patience.microseconds
        let stalled = connections.values.filter { $0.stalledSince != nil }
        for connection in stalled where (connection.stalledSince ?? now) + patience <= now {
            connection.losePatience()
        }
        if let next = connections.values.compactMap(\.stalledSince).min() {
            stalls.handle?.arm(at: next + patience)
        }
    }
}
