/// A signal by its number, as signal(7) lists them for x86 and ARM.
package struct SignalNumber: Hashable, Comparable, Sendable, PlainValue, CustomStringConvertible {
    /// The kernel's number.
    package let number: Int32

    /// A signal by its kernel's number.
    package init(number: Int32) {
        self.number = number
    }

    /// SIGTERM, the stop signal unless `KillSignal=` names another one.
    package static let term = SignalNumber(number: 15)
    /// SIGKILL.
    package static let kill = SignalNumber(number: 9)

    /// Reads a name with or without `SIG`, a number, or `RTMIN+n` and `RTMAX-n`.
    package init(parsing text: String) throws(ValueError) {
        if text.utf8.allSatisfy(\.isDigit), let number = Int32(text), (1...Self.realTimeMax).contains(number)
        {
            self.number = number
            return
        }
        let name = text.utf8.starts(with: "SIG".utf8) ? String(cut: text.utf8.dropFirst(3)) : text
        if let index = Self.names.firstIndex(where: name.isExactly) {
            number = Int32(index + 1)
        } else if let number = Self.realTime(name) {
            self.number = number
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a signal looks like.
    package static var expectation: String { "a signal such as SIGTERM, USR1, 15 or RTMIN+3" }
    /// A signal is one word.
    package static var isClosed: Bool { true }

    /// Whether `a` has the smaller number.
    package static func < (a: SignalNumber, b: SignalNumber) -> Bool { a.number < b.number }

    /// The name as systemd writes it: `TERM`, `RTMIN+3`.
    package var name: String {
        if number >= 1, Int(number) <= Self.names.count { return Self.names[Int(number) - 1] }
        return number == Self.realTimeMin ? "RTMIN" : "RTMIN+\(number - Self.realTimeMin)"
    }

    /// The name with `SIG` in front.
    package var description: String { "SIG" + name }

    // The C library keeps 32 and 33 for itself.
    private static let realTimeMin: Int32 = 34
    private static let realTimeMax: Int32 = 64

    private static func realTime(_ name: String) -> Int32? {
        var cursor = ByteCursor(name)
        let base: Int32
        let sign: UInt8
        if cursor.take("RTMIN") {
            (base, sign) = (realTimeMin, UInt8(ascii: "+"))
        } else if cursor.take("RTMAX") {
            (base, sign) = (realTimeMax, UInt8(ascii: "-"))
        } else {
            return nil
        }
        if cursor.isAtEnd { return base }
        guard cursor.take(sign), cursor.rest.allSatisfy(\.isDigit),
            let offset = Int32(String(cut: cursor.rest)),
            offset <= realTimeMax - realTimeMin
        else { return nil }
        return sign == .dash ? base - offset : base + offset
    }

    private static let names = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
        "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM",
        "PROF",
        "WINCH", "IO", "PWR", "SYS",
    ]
}
