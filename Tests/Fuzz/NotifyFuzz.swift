// The fuzz target for what workers send to the notify socket, one module with the sources that read it.

/// One input: one datagram, which is read the same way twice, or dropped for a stated reason.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNotify(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(NotifyDrop) {
        let message = try NotifyMessage(parsing: bytes)
        precondition(bytes.count <= NotifyMessage.lengthLimit, "too long, and read")
        precondition(!bytes.dropLast().contains(0), "a zero byte inside, and read")
        precondition((try? NotifyMessage(parsing: bytes)) == message, "read otherwise the second time")
    } catch {
        precondition(!String(describing: error).isEmpty)
    }
    return 0
}
