// The fuzz target for what comes over the control socket. The first byte of an input says how the rest is cut into chunks; the rest
// is what a peer sends.

@testable import Varlink

/// One input: the rest of it is read by a server, by a client, as JSON and as an interface description.
///
/// Traps when bounds or promises are broken.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVarlink(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let step = max(Int(first) + 1, bytes.count / 4096)
    // A bound that is met soon, or none that an input meets: then the cost of long messages shows.
    let limit = first.isMultiple(of: 2) ? 200 : 1 << 20
    fuzzServer(bytes, step: step, limit: limit)
    fuzzClient(bytes, step: step, limit: limit)
    fuzzJSON(bytes)
    fuzzInterface(bytes)
    return 0
}

/// However the bytes are cut, the same calls come out; every answer can be sent, and bounds hold.
private func fuzzServer(_ bytes: [UInt8], step: Int, limit: Int) {
    var limits = ServerConnection.Limits()
    limits.message = limit
    limits.calls = 8
    limits.subscriptions = 2
    limits.backlog = 5 * limit
    let error = MethodError("fuzz.SlowReader")
    var whole = ServerConnection(limits: limits, slowReader: error)
    var pieces = whole
    let calls = whole.receive(bytes.span)
    var piecewise: [Call] = []
    for start in stride(from: 0, to: bytes.count, by: step) {
        let chunk = Array(bytes[start..<min(start + step, bytes.count)])
        piecewise += pieces.receive(chunk.span)
    }
    precondition(calls == piecewise, "chunks change the calls")
    precondition(whole.closeReason == pieces.closeReason, "chunks change the end")
    precondition(whole.callsPending <= limits.calls)
    for call in calls.reversed() {
        let message = EncodedMessage(reply: call.parameters, continues: call.mode == .more)
        do throws(ReplyError) {
            try whole.reply(to: call.id, message)
            if call.mode == .more { try whole.reply(to: call.id, call.parameters) }
        } catch {
            preconditionFailure("an answer that is due cannot be sent: \(error)")
        }
    }
    precondition(whole.closeReason != nil || whole.callsPending == 0, "a call without an answer")
    // What a server says is always whole messages, each of them a reply.
    let output = whole.takeOutput()
    var frames = FrameReader(limit: .max)
    let outcome = frames.receive(output.span) { message in
        (try? JSON(parsing: message)).flatMap { try? Reply($0) } != nil
    }
    precondition(outcome.messages.allSatisfy { $0 } && !frames.isInsideMessage, "a reply that is none")
}

private func fuzzClient(_ bytes: [UInt8], step: Int, limit: Int) {
    var client = ClientConnection(limit: limit)
    client.call("a.B")
    client.call("a.C", mode: .more)
    for start in stride(from: 0, to: bytes.count, by: step) {
        let chunk = Array(bytes[start..<min(start + step, bytes.count)])
        _ = client.receive(chunk.span)
    }
    _ = client.inputEnded()
    precondition(client.closeReason != nil && client.callsPending == 0)
}

/// What was read is written so that it reads the same.
private func fuzzJSON(_ bytes: [UInt8]) {
    fuzzCopy(bytes)
    guard let value = try? JSON(parsing: bytes.span) else { return }
    guard let again = try? JSON(parsing: value.text), again == value else {
        preconditionFailure("not read as it was written")
    }
}

/// An object that can be read can be copied, and the copy reads the same; a copy is copied as it is.
private func fuzzCopy(_ bytes: [UInt8]) {
    let value = try? JSON(parsing: bytes.span)
    guard let copy = try? JSON(copying: bytes.span) else {
        precondition(
            value?.object == nil || bytes.first != UInt8(ascii: "{") || bytes.last != UInt8(ascii: "}"))
        return
    }
    if let value {
        guard let again = try? JSON(parsing: copy.text), again == value else {
            preconditionFailure("the copy does not read the same")
        }
    }
    let text = Array(copy.text.utf8)
    guard let second = try? JSON(copying: text.span), second == copy else {
        preconditionFailure("the copy of a copy is another")
    }
}

/// What validates against a description does so after a turn through text.
private func fuzzInterface(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let interface = try? InterfaceDefinition(description: text) else { return }
    for name in interface.methods {
        guard let method = interface.method(name) else { preconditionFailure("a method without a body") }
        _ = interface.firstInvalid([:], of: method.input)
        _ = interface.firstInvalid(["a": [1, ["b": nil]]], of: method.output)
    }
}
