// The fuzz target for what is read out of a program: the build id of an ELF file, and the interpreter of a script.

import Linux

/// One input: a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProgram(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var read = 0
    let id = BuildID.read { offset, count in
        read += count
        guard offset < UInt64(bytes.count) else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    precondition(read < 4 << 20, "much is read for one id")
    if let id {
        precondition((2...128).contains(id.utf8.count), "no build id")
        precondition(id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "no digits")
    }
    if case .interpreter(let name) = MissingInterpreter.need(of: bytes) {
        precondition((1..<MissingInterpreter.headSize).contains(name.bytes.count), "no name")
        precondition(!name.bytes.contains { [0, 9, 10, 32].contains($0) }, "more than a name")
        precondition(bytes.starts(with: [35, 33]), "no script")
    }
    return 0
}
