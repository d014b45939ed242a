package import ControlAPI
internal import Launching
package import Lifecycle
internal import Linux
internal import Places
package import Varlink

/// A connection to a supervisor for a program that has nothing else to do: each call waits for its answer.
///
/// It has no thread, handles no signal and takes none amiss: one whose handler returns is followed by more waiting,
/// unless `isInterrupted` says otherwise.
package final class ControlClient {
    /// Where the supervisor listens; what it is called, where a command leads to it.
    package let path: String
    /// The command that leads to the supervisor; nil where that is of this machine.
    package let bridge: BridgeProcess?
    /// Asked after each signal: whether to give up what is waited for.
    package var isInterrupted: () -> Bool = { false }
    /// Where the answers are written: calls end when no process reads that any more (a pipe or a terminal); nil where it does not count.
    package var reader: Int32?
    /// What is made of each answer before it is read as its type; nothing unless said otherwise.
    package var rewrite: (JSON.Object) -> JSON.Object = { $0 }
    private let socket: StreamSocket
    private var varlink = ClientConnection()
    private var events: ArraySlice<ClientConnection.Event> = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var deadline: Int64?

    /// Connects to the supervisor at `path` (or `@` and an abstract name).
    ///
    /// `timeout` is for everything together, from here to the last answer, until ``limit(to:)`` gives another.
    package init(connectingTo path: String, timeout: TimeSpan? = nil) throws(ControlClientError) {
        self.path = path
        bridge = nil
        deadline = timeout.map { (Instant(microseconds: KernelClock.monotonic) + $0).microseconds }
        do {
            socket = try StreamSocket(
                connectingTo: UnixSocketAddress(path), timeout: timeout?.microseconds)
        } catch {
            throw ControlClientError(error, at: path)
        }
    }

    /// Starts `command`, which connects its standard input and output to a supervisor that is called `name` here.
    ///
    /// Whether it gets there is seen with the first call; `timeout` is as above, and `ignoresKeyboard` as in ``BridgeProcess``.
    package init(
        through command: [String], named name: String, timeout: TimeSpan? = nil, ignoresKeyboard: Bool = false
    ) throws(ControlClientError) {
        path = name
        deadline = timeout.map { (Instant(microseconds: KernelClock.monotonic) + $0).microseconds }
        var bridge: BridgeProcess?
        socket = try StreamSocket.pair { (theirs: Int32) throws(ControlClientError) in
            do throws(LaunchError) {
                bridge = try BridgeProcess(command, on: theirs, ignoresKeyboard: ignoresKeyboard)
            } catch {
                throw ControlClientError(.noBridge, errno: error.errno, "\(error)")
            }
        } failing: {
            ControlClientError(.system, errno: $0.errno, "\($0)")
        }
        self.bridge = bridge
    }

    /// Copies between two descriptors of this process and the supervisor, both ways, instead of any calls, until it closes the connection.
    ///
    /// False where no process reads what is written to `output`.
    package func relay(from input: Int32, to output: Int32) throws(ControlClientError) -> Bool {
        do throws(LinuxError) {
            return try StreamRelay.run(input: input, output: output, socket: socket) == .peerClosed
        } catch {
            throw ControlClientError(error, at: path)
        }
    }

    /// Waits so long from now for all that is called from here on; nil is without end.
    package func limit(to timeout: TimeSpan?) {
        deadline = timeout.map { (Instant(microseconds: KernelClock.monotonic) + $0).microseconds }
    }

    /// The process that listens, as far as the kernel tells: the holder of the lock beside the socket, since the socket may be one that
    /// a service manager has made; else the process that has made the socket.
    ///
    /// Nil for one of another machine.
    package var supervisor: Int32? {
        guard bridge == nil else { return nil }
        if let holder = SupervisorPlace(path).process { return holder }
        guard let pid = try? socket.peerCredentials().pid, pid > 0 else { return nil }
        return pid
    }

    /// Calls `method`, and returns its answer.
    package func call<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: M.Parameters
    ) throws(ControlClientError) -> M.Reply {
        try decode(call(M.name, object(parameters)), as: M.Reply.self)
    }

    /// Calls the method of that full name, of whatever interface.
    package func call(
        _ method: String, _ parameters: JSON.Object = [:]
    ) throws(ControlClientError) -> JSON.Object {
        let id = varlink.call(method, parameters)
        return try answer(to: id).parameters
    }

    /// Calls `method` for as many answers as there are, and hands each to `body`, until that answers false or the last one
    /// is there.
    ///
    /// After a false the connection is of no further use: the supervisor still answers.
    package func call<M: SupervisorInterface.Method>(
        more method: M.Type, _ parameters: M.Parameters, _ body: (M.Reply) throws -> Bool
    ) throws {
        let id = varlink.call(M.name, object(parameters), mode: .more)
        while true {
            let (object, continues) = try answer(to: id)
            guard try body(decode(object, as: M.Reply.self)), continues else { return }
        }
    }

    /// Calls `method` and waits for nothing but that the call is on its way.
    package func send<M: SupervisorInterface.Method>(
        oneway method: M.Type, _ parameters: M.Parameters
    ) throws(ControlClientError) {
        varlink.call(M.name, object(parameters), mode: .oneway)
        while true {
            let isThere = transmit()
            if isThere, varlink.outputPending == 0 { return }
            if isThere { try wait() }
            events += receive(isLast: !isThere)
            if let reason = varlink.closeReason { throw ended(reason) }
        }
    }

    // MARK: answers

    private func answer(
        to id: ClientConnection.CallID
    ) throws(ControlClientError) -> (parameters: JSON.Object, continues: Bool) {
        while true {
            while let event = events.popFirst() {
                switch event {
                case .reply(id, let parameters, let continues): return (parameters, continues)
                case .failed(id, let error):
                    // What the supervisor says of the connection comes in the place of an answer.
                    let isLastWord = Self.lastWords.contains(error.name)
                    throw ControlClientError(
                        isLastWord ? .refused(error) : .failed(error), Self.sentence(error))
                case .closed(let reason, _): throw ended(reason)
                // To a call that is not waited for any more.
                case .reply, .failed: break
                }
            }
            if let reason = varlink.closeReason { throw ended(reason) }
            let isThere = transmit()
            if isThere { try wait() }
            events = receive(isLast: !isThere)[...]
        }
    }

    /// Sends what the socket takes; false when the peer does not read any more.
    private func transmit() -> Bool {
        do {
            try varlink.sendOutput { (bytes) throws(LinuxError) in try socket.write(bytes) }
            return true
        } catch {
            // Ignoring which error it was: what the supervisor said before it went may say why.
            return false
        }
    }

    /// What came; when there is nothing and it was the `isLast` chance, the end.
    private func receive(isLast: Bool) -> [ClientConnection.Event] {
        do {
            guard let count = try socket.read(into: &buffer) else {
                return isLast ? varlink.inputEnded() : []
            }
            guard count > 0 else { return varlink.inputEnded() }
            let chunk = buffer
            return varlink.receive(chunk.span.extracting(..<count))
        } catch {
            // Ignoring which error it was: it ends the connection, and all that came before has been read.
            return varlink.inputEnded()
        }
    }

    private func wait() throws(ControlClientError) {
        while true {
            let left = deadline.map { $0 - KernelClock.monotonic }
            let readiness: StreamSocket.Readiness
            do {
                readiness = try socket.wait(
                    writing: varlink.outputPending > 0, timeout: left, reader: reader)
            } catch {
                throw ControlClientError(error, at: path)
            }
            switch readiness {
            case .ready: return
            case .timedOut: throw ControlClientError(.timedOut, "no answer from the supervisor in time")
            case .readerGone: throw ControlClientError(.readerGone, "the reader of the output is gone")
            case .interrupted:
                if isInterrupted() { throw ControlClientError(.interrupted, "interrupted") }
            }
        }
    }

    // MARK: values and words

    /// Parameters are always an object.
    private func object(_ parameters: some JSONConvertible) -> JSON.Object { parameters.asJSON.object ?? [:] }

    private func decode<Value: JSONConvertible>(
        _ object: JSON.Object, as type: Value.Type
    ) throws(ControlClientError) -> Value {
        do throws(JSON.Mismatch) {
            return try Value(json: .object(rewrite(object)))
        } catch {
            throw ControlClientError(.badAnswer, "unexpected reply from the supervisor: \(error)")
        }
    }

    private func ended(_ reason: ClientConnection.CloseReason) -> ControlClientError {
        switch reason {
        case .refused(let error): ControlClientError(.refused(error), Self.sentence(error))
        case .ended, .truncatedMessage:
            ControlClientError(.disconnected, "the supervisor at \(path) closed the connection")
        case .brokenMessage, .notAReply, .messageTooLong, .unexpectedReply:
            ControlClientError(.badAnswer, "the peer at \(path) is not a supervisor: \(reason)")
        }
    }

    /// The errors that end the connection.
    private static let lastWords = [
        SupervisorInterface.tooManyConnections(limit: 0).name, SupervisorInterface.slowReader(limit: 0).name,
    ]

    private static func sentence(_ error: MethodError) -> String {
        let values = error.parameters.members.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        return values.isEmpty ? error.name : "\(error.name): \(values)"
    }
}
