#if canImport(Linux)
internal import ControlAPI
internal import Linux
internal import TorporWorker
internal import Varlink

/// Where it listens.
final class Listener: Sendable {
    private let listener: StreamListener

    init(_ path: String) throws(LinuxError) {
        listener = try StreamListener(at: UnixSocketAddress(path), access: .ours)
    }

    var descriptor: Int32 { listener.rawValue }

    func accept() -> StreamSocket? { try? listener.accept() }
}

/// The connections of a fake supervisor, on its thread.
final class FakeConnections {
    private final class Client {
        let socket: StreamSocket
        var connection = ServerConnection(slowReader: WorkerInterface.tooManyConnections(limit: 1))
        var attachment: Call.ID?

        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    var manners: Manners
    private let tell: (Heard) -> Void
    private let path: String
    /// Nil while it is away.
    private var listener: Listener?
    private var clients: [Client] = []
    private var lastToken: Int64 = 0

    init(_ path: String, _ listener: Listener?, _ manners: Manners, _ tell: @escaping (Heard) -> Void) {
        self.path = path
        self.manners = manners
        self.tell = tell
        self.listener = listener
    }

    func turn(_ wakeup: Int32) {
        var wait = DescriptorWait()
        wait.add(wakeup)
        if let listener { wait.add(listener.descriptor) }
        for client in clients {
            wait.add(client.socket.rawValue, writing: client.connection.outputPending > 0)
        }
        // Ignoring a failure: it says that memory is short, and the next turn tries again.
        try? wait.wait(timeout: nil)
        while let socket = listener?.accept() { clients.append(Client(socket)) }
        for client in clients { serve(client) }
    }

    private func serve(_ client: Client) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try? client.socket.read(into: &buffer) {
            if count == 0 {
                clients.removeAll { $0 === client }
                if client.attachment != nil { tell(.detached) }
                return
            }
            let chunk = buffer
            for call in client.connection.receive(chunk.span.extracting(..<count)) { answer(call, client) }
        }
        flush(client)
    }

    private func flush(_ client: Client) {
        try? client.connection.sendOutput { (bytes) throws(LinuxError) in try client.socket.write(bytes) }
    }

    func deliver(_ callback: WorkerInterface.Callback) {
        if let json = try? JSON(encoding: callback) { deliver(json) }
    }

    func deliver(_ callback: JSON) { send(["callback": callback]) }

    func ask(_ number: Int64, _ type: String) {
        send(["question": ["number": .int(number), "type": .string(type), "timeLimitUsec": 30_000_000]])
    }

    private func send(_ message: JSON.Object) {
        for client in clients {
            guard let attachment = client.attachment else { continue }
            try? client.connection.reply(
                to: attachment, EncodedMessage(reply: message, continues: true))
            flush(client)
        }
    }

    /// Lets every connection go; tokens of background tasks go on behind `token`.
    func dropClients(tokensAfter token: Int64? = nil) {
        clients = []
        if let token { lastToken = token }
    }

    /// Lets every connection go, and does not listen any more.
    func leave() {
        listener = nil
        dropClients()
    }

    /// Listens again.
    func comeBack() {
        guard listener == nil else { return }
        do throws(LinuxError) { listener = try Listener(path) } catch {
            tell(.called("cannot listen again: \(error)"))
        }
    }

    private func answer(_ call: Call, _ client: Client) {
        if call.member == manners.silentOn { return tell(.called(call.member)) }
        let outcome = result(call, client)
        if call.member == "Attach", case .success = outcome { return }
        do {
            switch outcome {
            case .success(let reply): try client.connection.reply(to: call.id, reply)
            case .failure(let error): try client.connection.fail(call.id, error)
            }
        } catch {
            tell(.called("not answered: \(error)"))
        }
    }

    private static let service = Service(
        identity: .init(vendor: "Torpor", product: "test", version: "1", url: ""),
        interfaces: [WorkerInterface.definition])

    private func result(_ call: Call, _ client: Client) -> Result<JSON.Object, MethodError> {
        if case .reply(let reply) = Self.service.route(call) { return .success(reply) }
        let parameters = call.parameters
        let id = parameters["id"]?.int ?? 0
        switch call.member {
        case "Attach":
            tell(.attached(parameters["callbacks"]?.array?.compactMap(\.string)))
            if let error = manners.attachError {
                manners.attachError = nil
                return .failure(error)
            }
            client.attachment = call.id
            let standing = WorkerInterface.Standing(
                worker: "test", state: .background,
                launch: WorkerInterface.Launch(
                    reason: .operator, intoForeground: true, restoresState: false, options: [:]))
            if let message = try? EncodedMessage(
                reply: WorkerInterface.Attach.Reply(standing: standing), continues: true)
            {
                try? client.connection.reply(to: call.id, message)
            }
            return .success([:])
        case "Complete":
            if parameters["refused"]?.bool == true {
                tell(.refused(id))
            } else if parameters["fetched"]?.string == "noData" {
                tell(.noData(id))
            } else if parameters["fetched"]?.string == "failed" {
                tell(.failed(id, "the fetch failed"))
            } else if let failure = parameters["failure"]?.string {
                tell(.failed(id, failure))
            } else if let state = parameters["state"] {
                tell(.saved(id, state))
            } else {
                tell(.completed(id))
            }
            defer { manners.completionError = nil }
            return manners.completionError.map { .failure($0) } ?? .success([:])
        case "BeginBackgroundTask":
            tell(.began(parameters["name"]?.string ?? ""))
            if let error = manners.taskError { return .failure(error) }
            lastToken += 1
            return .success(["token": .int(lastToken)])
        case "EndBackgroundTask":
            tell(.ended(parameters["token"]?.int ?? 0))
            return .success([:])
        case "Interrupt":
            tell(.interrupted(parameters["purpose"]?.string ?? ""))
            lastToken += 1
            return .success(["number": .int(lastToken)])
        case "BeginTransfer":
            tell(.transferred(parameters["command"]?.array?.compactMap(\.string) ?? []))
            lastToken += 1
            return .success(["number": .int(lastToken)])
        case "OfferActivity":
            tell(.offered(parameters["type"]?.string ?? ""))
            return .success([:])
        case "AnswerActivity":
            let number = parameters["number"]?.int ?? 0
            if let failure = parameters["failure"]?.string {
                tell(.notTold(number, failure))
            } else {
                tell(.told(number, parameters["payload"] ?? [:]))
            }
            return .success([:])
        case "GetState":
            return .success([
                "state": .string(manners.state().rawValue), "sinceUsec": 5,
                "lowPower": .bool(manners.isLowPower()),
            ])
        case "BackgroundTimeRemaining":
            return .success(manners.remaining().map { ["remainingUsec": .int($0)] } ?? [:])
        case "SaveState":
            tell(.saved(0, parameters["state"] ?? .null))
            return .success([:])
        case "Post", "Schedule", "Cancel":
            tell(.posted(call.member, parameters))
            if let error = manners.postError { return .failure(error) }
            if call.member == "Schedule" { return .success(["id": 1]) }
            return .success(
                call.member == "Post" ? manners.sequence.map { ["sequence": .int($0)] } ?? [:] : [:])
        default:
            tell(.called(call.member))
            return .success([:])
        }
    }
}
#endif
