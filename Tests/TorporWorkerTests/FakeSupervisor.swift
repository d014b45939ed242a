import ControlAPI
import Foundation
import Linux
import Synchronization
import Varlink

@testable import TorporWorker

/// What the supervisor of a test has heard.
enum Heard: Hashable, Sendable {
    case attached([String]?)
    case detached
    case completed(Int64)
    case refused(Int64)
    case failed(Int64, String)
    case saved(Int64, JSON)
    case began(String)
    case ended(Int64)
    case called(String)
    case posted(String, JSON.Object)
}

/// How it behaves.
struct Manners: Sendable {
    var attachError: MethodError?
    var taskError: MethodError?
    var completionError: MethodError?
    var postError: MethodError?
    /// What Post answers.
    var sequence: Int64?
    var remaining: Int64?
    /// Calls of this member get no answer.
    var silentOn: String?
}

/// A supervisor on a real socket that does what a test says and tells what it hears.
final class FakeSupervisor: Sendable {
    let path: String
    private struct Orders {
        var list: [@Sendable (FakeConnections) -> Void] = []
        var isOver = false
    }
    private let orders = Mutex(Orders())
    private let wakeup: Wakeup
    private let stream: AsyncStream<Heard>
    private let heard: AsyncStream<Heard>.Continuation
    private let over = DispatchSemaphore(value: 0)

    init(_ path: String, _ manners: Manners = Manners()) throws {
        self.path = path
        wakeup = try Wakeup()
        let (stream, heard) = AsyncStream.makeStream(of: Heard.self)
        self.heard = heard
        self.stream = stream
        // Before the thread: a client that connects now has to find a listener.
        let listener = try Listener(path)
        try DetachedThread.start { [self] in
            let writeQueue = FakeConnections(listener, manners) { heard.yield($0) }
            while true {
                wakeup.clear()
                let (list, isOver) = orders.withLock { orders in
                    defer { orders.list = [] }
                    return (orders.list, orders.isOver)
                }
                for order in list { order(writeQueue) }
                if isOver { break }
                writeQueue.turn(wakeup.rawValue)
            }
            over.signal()
        }
    }

    func order(_ order: @escaping @Sendable (FakeConnections) -> Void) {
        orders.withLock { $0.list.append(order) }
        wakeup.signal()
    }

    func deliver(_ callback: WorkerInterface.Callback) {
        order { $0.deliver(callback) }
    }

    func deliver(_ id: Int64, _ name: CallbackName) {
        deliver(WorkerInterface.Callback(id: id, name: name))
    }

    /// Lets every connection go, and listens on, as a supervisor that was started again.
    func restart() { order { $0.restart() } }

    /// The next `count` things that it hears.
    func hear(_ count: Int = 1) async -> [Heard] {
        var all: [Heard] = []
        for await heard in stream {
            all.append(heard)
            if all.count == count { break }
        }
        return all
    }

    func close() {
        orders.withLock { $0.isOver = true }
        wakeup.signal()
        over.wait()
        heard.finish()
    }
}

/// Where it listens.
final class Listener: Sendable {
    private let listener: StreamListener

    init(_ path: String) throws { listener = try StreamListener(at: UnixSocketAddress(path), access: .ours) }

    var descriptor: Int32 { listener.rawValue }

    func accept() -> StreamSocket? { try? listener.accept() }
}

/// Its connections, on its thread.
final class FakeConnections {
    private final class Client {
        let socket: StreamSocket
        var connection = ServerConnection(slowReader: WorkerInterface.tooManyConnections(limit: 1))
        var attachment: Call.ID?

        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    var manners: Manners
    private let tell: (Heard) -> Void
    private let listener: Listener
    private var clients: [Client] = []
    private var lastToken: Int64 = 0

    init(_ listener: Listener, _ manners: Manners, _ tell: @escaping (Heard) -> Void) {
        self.manners = manners
        self.tell = tell
        self.listener = listener
    }

    func turn(_ wakeup: Int32) {
        var wait = DescriptorWait()
        wait.add(wakeup)
        wait.add(listener.descriptor)
        for client in clients {
            wait.add(client.socket.rawValue, writing: client.connection.outputPending > 0)
        }
        try? wait.wait(timeout: nil)
        while let socket = listener.accept() { clients.append(Client(socket)) }
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

    func deliver(_ callback: JSON) {
        for client in clients {
            guard let attachment = client.attachment else { continue }
            try? client.connection.reply(
                to: attachment, EncodedMessage(reply: ["callback": callback], continues: true))
            flush(client)
        }
    }

    func restart() {
        clients = []
        lastToken = 100
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
        case "GetState": return .success(["state": "background", "sinceUsec": 5])
        case "BackgroundTimeRemaining":
            return .success(manners.remaining.map { ["remainingUsec": .int($0)] } ?? [:])
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

/// A worker whose supervisor is at hand, for the length of `body`.
func withSupervisor(
    _ manners: Manners = Manners(), _ body: (FakeSupervisor, Worker) async throws -> Void
) async throws {
    let directory = "/tmp/torpor-worker-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let supervisor = try FakeSupervisor(directory + "/socket", manners)
    defer { supervisor.close() }
    let environment = Environment(entries: [
        ByteString("TORPOR_SOCKET=\(directory)/socket"), "TORPOR_WORKER=test",
    ])
    try await body(supervisor, Worker(environment: environment))
}
