internal import Glibc

/// The terminal while it shows a screen: raw, on its alternate page, and put back by ``leave()``.
///
/// It is opened anew where that is allowed, so that what is set on this description touches no other program; then it never waits.
final class LiveTerminal {
    /// What to wait for and to read keys from, and where the screen is written.
    let input: Int32
    let output: Int32
    private let owned: Int32?
    private var before = termios()
    private(set) var isEntered = false
    /// What the terminal has not taken yet.
    private(set) var pending: ArraySlice<UInt8> = []

    /// Alternate page, no cursor, no wrapping, pastes told apart from keys (xterm's ctlseqs; unknown ones are ignored).
    private static let begin: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h"
    fileprivate static let end: StaticString = "\u{1b}[0m\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// The terminal that standard output is; nil where it is none, or keys cannot be read from it.
    init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 256)
        let isNamed = ttyname_r(STDOUT_FILENO, &name, name.count) == 0
        let opened = isNamed ? open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1
        if opened >= 0 {
            (input, output, owned) = (opened, opened, opened)
        } else {
            guard isatty(STDIN_FILENO) == 1 else { return nil }
            (input, output, owned) = (STDIN_FILENO, STDOUT_FILENO, nil)
        }
        guard tcgetattr(input, &before) == 0 else {
            if let owned { close(owned) }
            return nil
        }
    }

    deinit {
        leave()
        if let owned { close(owned) }
    }

    /// How many characters fit onto it; 80 by 24 where it does not say.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Makes it raw and turns to the other page.
    func enter() {
        if !isEntered { tcgetattr(input, &before) }
        isEntered = true
        CrashGuard.arm(output, before)
        var raw = before
        cfmakeraw(&raw)
        // Keys come as they are pressed; reading never waits.
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 0
            $0[Int(VTIME)] = 0
        }
        tcsetattr(input, TCSADRAIN, &raw)
        Self.begin.withUTF8Buffer { pending = ArraySlice($0) }
        flush()
    }

    /// Puts it back as it was; what it has not taken is dropped.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        CrashGuard.disarm()
        // A sequence that was cut short ends with this, whatever it was.
        pending = []
        Self.end.withUTF8Buffer { bytes in
            var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
            // One that takes nothing any more is not waited for without end.
            for _ in 0..<10 {
                if write(output, bytes.baseAddress, bytes.count) >= 0 || errno != EAGAIN { break }
                poll(&entry, 1, 100)
            }
        }
        tcsetattr(input, TCSANOW, &before)
    }

    /// Writes `bytes` as far as the terminal takes them.
    func show(_ bytes: [UInt8]) {
        pending += bytes
        flush()
    }

    /// Writes what is left; false where the terminal is gone.
    @discardableResult
    func flush() -> Bool {
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { write(output, $0.baseAddress, min($0.count, 4096)) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if errno == EAGAIN {
                return true
            } else if errno != EINTR {
                pending = []
                return false
            }
        }
        return true
    }

    /// The bytes of keys that were pressed; nil where the terminal is gone.
    func read() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(input, &room, room.count)
        if count > 0 { return Array(room.prefix(count)) }
        // Without VMIN nothing is 0 too: that the terminal is gone, poll(2) tells.
        if count == 0 || errno == EAGAIN || errno == EINTR { return [] }
        return nil
    }
}

/// Puts the terminal back where the program crashes.
private enum CrashGuard {
    /// For the handler, which may use nothing but what was written before it was set up.
    nonisolated(unsafe) private static var descriptor: Int32 = -1
    nonisolated(unsafe) private static var before = termios()
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

    static func arm(_ descriptor: Int32, _ before: termios) {
        (self.descriptor, self.before) = (descriptor, before)
        for number in signals {
            signal(number) { number in
                // Only write(2), tcsetattr(3), signal(2) and raise(3): signal-safety(7).
                LiveTerminal.end.withUTF8Buffer { _ = write(CrashGuard.descriptor, $0.baseAddress, $0.count) }
                tcsetattr(CrashGuard.descriptor, TCSANOW, &CrashGuard.before)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    static func disarm() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
