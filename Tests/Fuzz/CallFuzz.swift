// The fuzz target for the messages of both interfaces: the scanner of plain posts, the decoders of parameters and replies, and
// the options of a launch.

import ControlAPI
import Varlink

private let supervisor = SupervisorInterface.methods
private let ownMethods = WorkerInterface.methods

/// One input: a number of a method, and a message to it, which is a plain post, parameters or a reply.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCall(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    if let post = PlainPost(bytes.span) { check(post, bytes) }
    guard let json = try? JSON(parsing: bytes.span) else { return 0 }
    if let options = try? LaunchOptions(json) {
        precondition((try? LaunchOptions(parsing: options.text)) == options, "other options")
    }
    guard let object = (json["parameters"] ?? json).object else { return 0 }
    let number = Int(first) % (supervisor.count + ownMethods.count)
    let named = json["method"]?.string ?? ""
    if let method = supervisor.first(where: { $0.name == named }) {
        check(supervisor: method, object)
    } else if let method = ownMethods.first(where: { $0.name == named }) {
        check(worker: method, object)
    } else if number < supervisor.count {
        let method = supervisor[number]
        check(supervisor: method, object)
    } else {
        let method = ownMethods[number - supervisor.count]
        check(worker: method, object)
    }
    if let read = try? SupervisorInterface.Post.Parameters(reading: object) {
        guard let general = try? JSON.object(object).decode(SupervisorInterface.Post.Parameters.self) else {
            preconditionFailure("read by hand, and not by the rules for all calls")
        }
        precondition(read == general, "read otherwise by hand")
    }
    return 0
}

/// A plain post means what the same message means by the rules for all calls.
private func check(_ post: PlainPost, _ bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes.span), let object = json["parameters"]?.object,
        json["method"]?.string == SupervisorInterface.Post.name, json.object?.members.count == 2,
        var read = try? SupervisorInterface.Post.Parameters(reading: object)
    else { preconditionFailure("a plain post that is none") }
    if read.wake == false { read.wake = nil }
    if read.transient == false { read.transient = nil }
    precondition(read.names == [post.name] && read.topic == post.topic, "another post")
    guard let again = try? SupervisorInterface.Post.Parameters(reading: post.parameters) else {
        preconditionFailure("a plain post that cannot be carried out")
    }
    precondition(again == read, "carried out otherwise")
    var answer: [UInt8] = []
    PostAnswer(post.name).write(.max, into: &answer)
    precondition(answer.popLast() == 0 && (try? JSON(parsing: answer.span)) != nil, "an answer that is none")
}

private func check<Method: SupervisorInterface.Method>(supervisor method: Method.Type, _ object: JSON.Object)
{
    check(
        SupervisorInterface.definition, Method.member, Method.Parameters.self, Method.Reply.self, object)
}

private func check<Method: WorkerInterface.Method>(worker method: Method.Type, _ object: JSON.Object) {
    check(WorkerInterface.definition, Method.member, Method.Parameters.self, Method.Reply.self, object)
}

/// What fits the description is decoded, and what is decoded is written so that it is decoded as the same.
private func check<Parameters: Codable & Hashable, Reply: Codable & Hashable>(
    _ interface: InterfaceDefinition, _ member: String, _ parameters: Parameters.Type, _ reply: Reply.Type,
    _ object: JSON.Object
) {
    guard let method = interface.method(member) else { preconditionFailure("a method without a description") }
    let fits = interface.firstInvalid(object, of: method.input) == nil
    precondition(turn(parameters, object) || !fits, "\(member): parameters that fit are not decoded")
    let replyFits = interface.firstInvalid(object, of: method.output) == nil
    precondition(turn(reply, object) || !replyFits, "\(member): a reply that fits is not decoded")
}

/// Whether the object is decoded.
private func turn<Value: Codable & Hashable>(_ type: Value.Type, _ object: JSON.Object) -> Bool {
    guard let value = try? JSON.object(object).decode(type) else { return false }
    guard let json = try? JSON(encoding: value), let again = try? json.decode(type) else {
        preconditionFailure("decoded, and not written")
    }
    precondition(again == value, "written otherwise than decoded")
    return true
}
