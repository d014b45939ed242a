import ControlAPI
import ControlServer
import Supervisor
import Varlink

/// A handler whose methods do what a test needs: Ping answers, Cat answers much, Why never, Watch is told of each SetLogLevel.
final class FakeHandler: ControlHandler {
    let record: Record
    private var subscribers: [Int: Responder] = [:]
    private var unanswered: [Responder] = []
    private var next = 0

    /// How long the text is that Cat answers.
    static let textLength = 100_000

    init(_ record: Record) { self.record = record }

    func perform(_ call: Call, by peer: Peer, _ responder: Responder) {
        record.add("\(call.member)")
        switch call.method {
        case SupervisorInterface.Ping.name:
            responder.reply(SupervisorInterface.Ping.Reply(pid: Int64(peer.pid), version: "1"))
        case SupervisorInterface.Cat.name:
            let file = SupervisorInterface.File(
                path: "/x", content: String(repeating: "x", count: Self.textLength))
            responder.reply(SupervisorInterface.Cat.Reply(files: [file]))
        case SupervisorInterface.Describe.name:
            responder.fail(SupervisorInterface.noSuchWorker(name: call.parameters["name"]?.string ?? ""))
        case SupervisorInterface.Why.name:
            responder.onClose { [record] in record.add("gone") }
            unanswered.append(responder)
        case SupervisorInterface.Watch.name:
            let number = next
            next += 1
            subscribers[number] = responder
            responder.onClose { [unowned self] in
                subscribers[number] = nil
                record.add("unsubscribed")
            }
            responder.more(SupervisorInterface.Watch.Reply(present: []))
        case SupervisorInterface.SetLogLevel.name:
            let message = EncodedMessage(
                reply: ["text": .string(String(repeating: "y", count: 10_000))], continues: true)
            for subscriber in subscribers.values { subscriber.more(message) }
            responder.reply(SupervisorInterface.SetLogLevel.Reply())
        case SupervisorInterface.Reload.name:
            break  // A mistake: no answer at all.
        default:
            responder.fail(.methodNotImplemented(call.method))
        }
    }
}
