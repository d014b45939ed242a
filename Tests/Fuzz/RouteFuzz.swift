// The fuzz target for what the kernel tells of the network, and for the table of mounts.
import Notifications

/// One input: messages of rtnetlink, which are read the same way twice and leave a network that can be told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoute(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let messages = RouteMessage.messages(in: bytes)
    precondition(messages == RouteMessage.messages(in: bytes), "read otherwise the second time")
    precondition(messages.count <= bytes.count / 16, "more messages than have room")
    var network = NetworkSnapshot()
    for message in messages { network.apply(message) }
    precondition(network.addressTexts.count <= messages.count && network.routeTexts.count <= messages.count)
    let mounts = MountTable(String(decoding: bytes, as: UTF8.self))
    precondition(mounts.points.allSatisfy { !$0.isEmpty }, "a mount nowhere")
    return 0
}
