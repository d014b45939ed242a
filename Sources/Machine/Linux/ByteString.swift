internal import CLinux

/// A string as the kernel has it: bytes of no particular encoding.
///
/// Arguments, environment entries and paths need not be UTF-8, and `String` would mend those that are not.
/// A zero byte ends a string for the kernel; callers that pass one on refuse it.
package struct ByteString: Hashable, Sendable {
    /// The bytes, without a terminating zero.
    package var bytes: [UInt8]

    /// The string of these bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 bytes of `string`.
    package init(_ string: String) {
        bytes = Array(string.utf8)
    }

    /// The bytes up to the terminating zero.
    @unsafe init(cString: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        var next = unsafe cString
        while let byte = unsafe UInt8(exactly: UInt32(bitPattern: Int32(next.pointee)) & 0xff), byte != 0 {
            bytes.append(byte)
            unsafe next += 1
        }
        self.bytes = bytes
    }

    /// The arguments of this process, its own name first, exactly as it was given them.
    package static var processArguments: [ByteString] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe ByteString(cString: argument)
        }
    }
}

extension ByteString: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The UTF-8 bytes of a literal.
    package init(stringLiteral value: String) {
        self.init(value)
    }

    /// The bytes read as UTF-8; what is not is shown as U+FFFD.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
