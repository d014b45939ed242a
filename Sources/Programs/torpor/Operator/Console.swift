import Glibc
import Linux
import Operator
import Places

/// Our standard output and error, and what they can show.
struct Console {
    /// How output is made.
    let style: Style
    /// The JSON that is wanted.
    let json: JSONStyle
    /// Whether nothing is said that was not asked for.
    let isQuiet: Bool
    /// Whether standard output is a terminal.
    let isTerminal: Bool
    /// Whether standard error is a terminal.
    private let showsProgress: Bool

    init(_ options: OperatorOptions) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        isQuiet = options.quiet
        json = options.json ?? (options.wantsJSON ? (isTerminal ? .pretty : .short) : .off)
        showsProgress = !options.quiet && isatty(STDERR_FILENO) == 1 && Self.variable("TERM") != "dumb"
        let wantsColour = (Self.variable("NO_COLOR") ?? "").isEmpty && Self.variable("TERM") != "dumb"
        style = Style(
            width: isTerminal ? Self.width(of: STDOUT_FILENO) : nil, isColoured: isTerminal && wantsColour,
            isUnicode: Self.isUnicode, hasLegend: !options.noLegend && !options.quiet,
            users: options.host == nil ? Self.users : .none)
    }

    /// The users of this machine.
    private static let users = UserNames { uid in
        // Ignoring a failure: the user is shown by number then.
        (try? UserAccount.numbered(uid))?.name
    }

    /// Writes `text` to standard output, in one go as far as the kernel takes it.
    func print(_ text: String) { write(Array(text.utf8)) }

    /// Writes `bytes` to standard output, in one go as far as the kernel takes it.
    func write(_ bytes: [UInt8]) {
        guard StandardOutput.write(bytes, to: STDOUT_FILENO) else { fail(errno) }
    }

    /// The descriptor of standard output.
    static let output = STDOUT_FILENO

    /// Ends the program as the next write to standard output would: by SIGPIPE, or with an error where that is ignored.
    func endWithoutReader() -> Never {
        raise(SIGPIPE)
        fail(EPIPE)
    }

    /// Waits; ends the program where standard output has no reader any more.
    func pause(milliseconds: Int32) {
        var reader = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        if poll(&reader, 1, milliseconds) > 0, reader.revents & Int16(POLLERR | POLLNVAL) != 0 {
            endWithoutReader()
        }
    }

    private func fail(_ error: Int32) -> Never {
        let reason = String(cString: strerror(error))
        report(Failure(.unavailable, "cannot write to standard output: \(reason)"))
        exit(EXIT_FAILURE)
    }

    /// Says on standard error what went wrong.
    func report(_ failure: Failure) { note("torpor: \(failure)") }

    /// Says `line` on standard error.
    func note(_ line: String) {
        // Ignoring the result: there is nowhere left to complain.
        _ = StandardOutput.write(Array("\(line.printable)\n".utf8), to: STDERR_FILENO)
    }

    /// Shows `line` in the place of the one before, on a terminal only; an empty one clears it.
    func progress(_ line: String) {
        guard showsProgress else { return }
        // Ignoring the result: there is nowhere left to complain.
        _ = StandardOutput.write(Array("\r\(line.printable)\u{1b}[K".utf8), to: STDERR_FILENO)
    }

    /// The style of the progress line, which may be on another terminal than the output.
    var progressStyle: Style { Style(width: Self.width(of: STDERR_FILENO), isUnicode: style.isUnicode) }

    /// Whether the caller has a terminal on which a program may ask for something, wherever our output goes.
    static let hasTerminal: Bool = {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }()

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether the locale's characters are UTF-8, by the variables of locale(7).
    private static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = variable(name)?.lowercased(), !value.isEmpty else { continue }
            // What stands after an @ modifies the locale, not its codeset.
            let codeset = value.prefix { $0 != "@" }
            return codeset.hasSuffix("utf-8") || codeset.hasSuffix("utf8")
        }
        return false
    }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
