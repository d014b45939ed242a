import Glibc
import HostContract
import Lifecycle
import Supervisor
import SupervisorPorts
import Varlink

/// A client at the operators' socket.
final class WalkClient: WalkSocket {
    /// What it has called and not heard the end of.
    enum OpenCall {
        case ask(Walk.Ask, count: Int)
        case post(Int, to: WalkWorker)
        case question
    }

    /// Calls in the order in which they are answered.
    var open: [OpenCall] = []

    /// Leaves a message to be sent.
    func call(_ member: String, _ parameters: String, _ call: OpenCall) {
        open.append(call)
        leave(#"{"method":"io.torpor.Supervisor.\#(member)","parameters":\#(parameters)}"#)
    }
}

/// Calls of operators, through the control server and the service behind it.
extension Walk {
    private static let mostClients = 4

    private func client() -> WalkClient? {
        if clients.count < Self.mostClients, clients.isEmpty || chance(20) {
            guard let life, let ends = WalkSocket.pair() else { return nil }
            life.admit(ends.other)
            clients.append(WalkClient(ends.own))
        }
        return clients.isEmpty ? nil : clients[pick(clients.count)]
    }

    /// A client calls something.
    func callAsClient() {
        guard !isKilled, let client = client() else { return }
        switch pick(10) {
        case 0..<4: steer(client)
        case 4..<7: post(client)
        case 7: ask(client)
        case 8:
            // It goes away, whatever it waits for.
            for case .ask(let ask, _) in client.open { ask.isDropped = true }
            clients.removeAll { $0 === client }
            return client.close()
        default: break
        }
        // Not always all at once.
        client.send(chance(85) ? client.unsentCount : pick(client.unsentCount + 1))
    }

    private func names(_ most: Int) -> [WalkWorker] { Array(shuffled(workers).prefix(1 + pick(most))) }

    private func list(_ workers: [WalkWorker]) -> String {
        "[" + workers.map { "\"\($0.name)\"" }.joined(separator: ",") + "]"
    }

    private func steer(_ client: WalkClient) {
        let workers = names(3)
        let members = [
            "Activate", "Resign", "Background", "Suspend", "Terminate", "Resume", "Kill", "ReloadWorker",
        ]
        let member = members[pick(members.count - (isCalm ? 2 : 0))]
        let ask = Ask(workers[0], nil)
        asks.append(ask)
        figures.calls += 1
        trace(60, Int(workers[0].key.rawValue), workers.count, "client: \(member) \(list(workers))")
        client.call(
            member, #"{"names":\#(list(workers)),"wait":\#(chance(80))}"#, .ask(ask, count: workers.count))
    }

    private func post(_ client: WalkClient) {
        guard let worker = workers.filter(\.takesPosts).randomElement(using: &random) else { return }
        if let id = life?.ids[worker.name], life?.supervisor.notifications(of: id)?.waiting.count ?? 0 > 400 {
            return
        }
        lastPost += 1
        figures.posts += 1
        figures.calls += 1
        ledger.posts(lastPost, to: worker.name)
        trace(61, Int(worker.key.rawValue), lastPost, "client: posts \(lastPost) to \(worker.name)")
        // With blanks it is no plain post: it takes the general way.
        let blank = chance(30) ? " " : ""
        let wake = chance(20) ? #","wake":true"# : ""
        client.call(
            "Post",
            #"{"names":["\#(worker.name)"],"topic":"each","rule":"each",\#(blank)"payload":{"number":\#(lastPost)}\#(wake)}"#,
            .post(lastPost, to: worker))
    }

    private func ask(_ client: WalkClient) {
        figures.calls += 1
        let worker = workers[pick(workers.count)]
        switch pick(6) {
        case 0: client.call("List", "{}", .question)
        case 3: client.call("Why", #"{"name":"\#(worker.name)"}"#, .question)
        case 4: client.call("Figures", #"{"names":["\#(worker.name)"]}"#, .question)
        case 1: client.call("Describe", #"{"name":"\#(worker.name)"}"#, .question)
        case 2: client.call("Notifications", #"{"name":"\#(worker.name)"}"#, .question)
        default: client.call("Ping", "{}", .question)
        }
    }

    /// Clients send what they have not sent yet.
    func sendRest() {
        for client in clients { client.send(client.unsentCount) }
        for worker in workers where machine.runs(worker.key) { worker.connection?.sendAll() }
    }

    /// Clients read what they are told.
    func readReplies() {
        for client in clients {
            guard let messages = client.receive() else {
                if !isKilled { problems.append("a client was cut off") }
                clients.removeAll { $0 === client }
                continue
            }
            for message in messages { take(message, client) }
        }
        for worker in workers { listen(worker) }
    }

    private func take(_ message: [UInt8], _ client: WalkClient) {
        let text = String(decoding: message, as: UTF8.self)
        guard let object = (try? JSON(parsing: message.span))?.object else {
            return problems.append("a client was told \(text)")
        }
        if object["continues"]?.bool ?? false { return }
        guard !client.open.isEmpty else {
            return problems.append("a client was told more than it asked: \(text)")
        }
        let error = object["error"]?.string
        switch client.open.removeFirst() {
        case .question: trace(62, error == nil ? 0 : 1, 0, "client: is told \(text.prefix(80))")
        case .ask(let ask, let count):
            ask.answers += 1
            let results = object["parameters"]?.object?["results"]?.array?.count
            trace(63, results ?? -1, 0, "client: is told \(error ?? "\(results ?? 0) results")")
            if error == nil, results != count {
                problems.append(
                    "a request for \(count) workers was answered with \(results ?? 0) results: \(text)")
            }
            if error?.hasSuffix("MethodNotImplemented") ?? false {
                problems.append("a request was not answered: \(text)")
            }
        case .post(let number, let worker):
            trace(
                64, number, error == nil ? 0 : 1,
                "client: post \(number) to \(worker.name) \(error ?? "is kept"): \(text)")
            if error?.hasSuffix("MethodNotImplemented") ?? false {
                problems.append("a post was not answered: \(text)")
            }
            if let error, error.hasSuffix("InvalidParameter") {
                problems.append("a post was refused: \(text)")
            }
            let result = object["parameters"]?.object?["results"]?.array?.first?.object
            let isKept = error == nil && result?["obstacle"] == nil
            if let sequence = result?["sequence"]?.int {
                ledger.queued(number, as: UInt64(clamping: sequence))
            }
            ledger.answered(number, isKept: isKept, isCertain: true, at: machine.now)
        }
    }

    /// The supervisor is killed: clients read what had been written before, and find the connection closed.
    func loseClients() {
        readReplies()
        for client in clients {
            for case .ask(let ask, _) in client.open { ask.isDropped = true }
            client.close()
        }
        clients = []
    }
}
