// The fuzz target for what workers send to the notify socket, and for what a service manager passes by the environment, one module with
// the sources that read it.

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
    readPassed(String(decoding: bytes, as: UTF8.self))
    return 0
}

/// The lines of the input are the variables that are passed.
private func readPassed(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    let passed = PassedEnvironment(pid: 77) { name in
        lines.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    if let period = passed.watchdogPeriod { precondition(period > 0, "a watchdog of no time") }
    precondition(passed.descriptors.count <= Int(PassedEnvironment.descriptorLimit), "too many descriptors")
    for (index, descriptor) in passed.descriptors.enumerated() {
        precondition(
            descriptor.number == PassedEnvironment.firstDescriptor + Int32(index), "another descriptor")
    }
    precondition(passed.notifySocket != "", "an empty address")
}
