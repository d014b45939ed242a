/// How a descriptor was opened, as its `/proc/PID/fdinfo/FD` tells (proc_pid_fdinfo(5)).
package struct OpenFlags: Hashable, Sendable {
    /// The flags of open(2).
    package let bits: UInt32

    /// These flags.
    package init(bits: UInt32) { self.bits = bits }

    /// The flags that `text` tells of, in octal after `flags:`; nil where it does not.
    package init?(fdinfo text: String) {
        guard
            let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("flags:") }),
            case let digits = line.dropFirst(6).drop(while: { $0 == "\t" || $0 == " " }),
            digits.allSatisfy({ ("0"..."7").contains($0) }), let bits = UInt32(digits, radix: 8)
        else { return nil }
        self.bits = bits
    }

    // asm-generic/fcntl.h: O_ACCMODE, O_WRONLY, O_RDWR, O_PATH.
    private static let accessMode: UInt32 = 3
    private static let writeOnly: UInt32 = 1
    private static let readWrite: UInt32 = 2
    private static let onlyPath: UInt32 = 0o10000000

    /// Whether what is opened may be read from: not where it was opened for its path alone, nor for ioctl(2) alone (mode 3).
    package var mayRead: Bool {
        let mode = bits & Self.accessMode
        return bits & Self.onlyPath == 0 && (mode == 0 || mode == Self.readWrite)
    }

    /// Whether what is opened may be written to.
    package var mayWrite: Bool {
        let mode = bits & Self.accessMode
        return bits & Self.onlyPath == 0 && (mode == Self.writeOnly || mode == Self.readWrite)
    }
}
