internal import CLinux
internal import Glibc

/// A signal by its number, as in signal(7).
package struct Signal: RawRepresentable, Hashable, Sendable {
    /// The number, from 1 to 64.
    package let rawValue: Int32

    /// The signal of that number; nil outside of 1 to 64.
    package init?(rawValue: Int32) {
        guard (1...64).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ known: Int32) {
        rawValue = known
    }

    /// The signal that `text` names; nil when none does.
    ///
    /// Taken are names with or without `SIG` in any case, numbers, and real-time signals counted from either end
    /// (`RTMIN`, `SIGRTMIN+3`, `RTMAX-1`), as systemd.kill(5) and kill(1) take them.
    package init?(_ text: String) {
        if let number = Self.digits(text[...]) {
            self.init(rawValue: number)
            return
        }
        var name = text.uppercased()[...]
        if name.hasPrefix("SIG") { name = name.dropFirst(3) }
        if let index = Self.names.firstIndex(where: { $0 == name }) {
            self.init(Int32(index) + 1)
        } else if let number = Self.aliases[String(name)] ?? Self.realTime(name) {
            self.init(number)
        } else {
            return nil
        }
    }

    /// The signals that a program can catch, block or ignore: all but SIGKILL and SIGSTOP, and but the two that the
    /// C library keeps for itself.
    package static var catchable: [Signal] {
        (Array(1...31) + Array(firstRealTime...lastRealTime)).filter { $0 != SIGKILL && $0 != SIGSTOP }
            .map { Signal($0) }
    }

    /// Whether it is queued as often as it is sent (signal(7)).
    package var isRealTime: Bool { rawValue >= Self.firstRealTime }

    private static func realTime(_ name: Substring) -> Int32? {
        let (first, last) = (firstRealTime, lastRealTime)
        switch name {
        case "RTMIN": return first
        case "RTMAX": return last
        case _ where name.hasPrefix("RTMIN+"):
            return digits(name.dropFirst(6)).flatMap { $0 <= last - first ? first + $0 : nil }
        case _ where name.hasPrefix("RTMAX-"):
            return digits(name.dropFirst(6)).flatMap { $0 <= last - first ? last - $0 : nil }
        default: return nil
        }
    }

    /// A short number of digits alone; `Int32.init` would take a sign too.
    private static func digits(_ text: Substring) -> Int32? {
        guard !text.isEmpty, text.utf8.count <= 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int32(text)
    }

    /// SIGRTMIN and SIGRTMAX: the C library keeps 32 and 33 for itself.
    private static let (firstRealTime, lastRealTime): (Int32, Int32) = (34, 64)

    /// Signals 1 to 31 in order, without `SIG`; SIGIO is `POLL` to the C library (sigabbrev_np(3)).
    private static let names = (1...31).map { number in
        number == SIGIO
            ? "IO" : unsafe torpor_signal_name(number).map { unsafe String(cString: $0) } ?? "\(number)"
    }
    private static let aliases: [String: Int32] = ["IOT": 6, "CLD": 17, "POLL": 29, "UNUSED": 31]
}

extension Signal: CustomStringConvertible {
    /// The full name, such as `SIGTERM` or `SIGRTMIN+3`; the bare number for the two that have none.
    package var description: String {
        let realTime = rawValue - Self.firstRealTime
        if rawValue <= Self.names.count { return "SIG" + Self.names[Int(rawValue) - 1] }
        return realTime < 0 ? String(rawValue) : realTime == 0 ? "SIGRTMIN" : "SIGRTMIN+\(realTime)"
    }
}

extension Signal {
    package static let hangup = Signal(SIGHUP)
    package static let interrupt = Signal(SIGINT)
    package static let quit = Signal(SIGQUIT)
    package static let abort = Signal(SIGABRT)
    package static let kill = Signal(SIGKILL)
    package static let user1 = Signal(SIGUSR1)
    package static let user2 = Signal(SIGUSR2)
    package static let terminate = Signal(SIGTERM)
    package static let child = Signal(SIGCHLD)
    package static let resume = Signal(SIGCONT)
    package static let stop = Signal(SIGSTOP)
    package static let terminalStop = Signal(SIGTSTP)
    package static let terminalInput = Signal(SIGTTIN)
    package static let terminalOutput = Signal(SIGTTOU)
    package static let windowChange = Signal(SIGWINCH)
}
