// The fuzz target for what a relay is told and tells, and for what its clients send first.

import Relaying

/// One input: a command, a report, an address of the kernel's, or the first bytes of a connection, by its first byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRelay(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let rest = bytes.dropFirst()
    switch bytes.first {
    case 0:
        if let command = RelayCommand(rest) { precondition(RelayCommand(command.bytes[...]) == command) }
    case 1:
        if let report = RelayReport(rest) { precondition(RelayReport(report.bytes[...]) == report) }
    case 2:
        guard let address = RelayAddress(kernelBytes: rest) else { return 0 }
        precondition(RelayAddress(kernelBytes: address.kernelBytes[...]) == address)
        precondition(!address.description.isEmpty || address == .unix([]) || !address.isInternet)
        for header in ProxyHeader.allCases {
            let text = header.bytes(from: address, to: address)
            precondition(header == .v2 || text.count <= 107)
        }
    default:
        guard case .page(let length, _) = RequestHead(rest) else { return 0 }
        // A whole head is one however little of it had come before, and it is all that has come.
        precondition(length == rest.count && length <= RequestHead.limit)
        for part in 0..<length { precondition(RequestHead(rest.prefix(part)) == .incomplete) }
    }
    return 0
}
