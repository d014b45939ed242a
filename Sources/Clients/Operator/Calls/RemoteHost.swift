internal import ConfigurationSyntax

/// Another machine whose supervisor is called through ssh(1): which commands lead there.
///
/// `torpor bridge` runs there, which connects its standard input and output to the supervisor's socket.
package struct RemoteHost: Hashable, Sendable {
    /// The host as ssh takes it: a name of its configuration, `HOST`, `USER@HOST` or `ssh://USER@HOST:PORT`.
    package let name: String
    /// The program that is called, with the options of the caller.
    private let program: [String]
    /// Which supervisor is meant there: options of `torpor bridge`.
    private let choice: [String]
    private var asks: Bool

    /// Which supervisor of a machine is meant.
    package enum Choice: Hashable, Sendable {
        /// The one that is called there without an option.
        case usual
        /// The machine's.
        case system
        /// That of the user who logs in.
        case user
        /// The one whose control socket has this path there.
        case socket(String)
    }

    /// The machine `name`; `command` is the value of `$TORPOR_SSH`, and ssh `asks` for passwords and passphrases where there is a
    /// terminal to ask on.
    package init(_ name: String, choice: Choice, command: String?, asks: Bool) throws(Failure) {
        // ssh itself may take such a name for an option.
        guard !name.isEmpty, !name.hasPrefix("-"), !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f })
        else {
            throw Failure(
                .usage, "invalid --host “\(name)”; expected HOST, USER@HOST or ssh://USER@HOST:PORT")
        }
        self.name = name
        self.asks = asks
        do throws(ValueError) {
            let words = try Words.split(command ?? "")
            program = words.isEmpty ? ["ssh"] : words
        } catch {
            throw Failure(.usage, "TORPOR_SSH is not a command line: \(error)")
        }
        switch choice {
        case .usual: self.choice = []
        case .system: self.choice = ["--system"]
        case .user: self.choice = ["--user"]
        case .socket(let path):
            guard path.hasPrefix("/") || path.hasPrefix("@") else {
                throw Failure(
                    .usage, "“\(path)” is not the path of a socket on \(name); expected an absolute path")
            }
            self.choice = ["--socket", path]
        }
    }

    /// The same, where ssh asks for nothing.
    package var withoutQuestions: RemoteHost {
        var host = self
        host.asks = false
        return host
    }

    /// What the supervisor is called in messages.
    package var address: String { "ssh:\(name)" }

    /// The command that connects its standard input and output to the supervisor; a call that `mayLaunch` may have a service manager
    /// start one.
    package func bridge(mayLaunch: Bool) -> [String] {
        command(["torpor", "bridge"] + choice + (mayLaunch ? ["--may-launch"] : []))
    }

    /// The command that runs `words` there.
    ///
    /// The login shell there splits them again, whichever it is.
    package func command(_ words: [String]) -> [String] {
        // Neither a terminal nor X11, as systemctl calls it.
        program + ["-xT"] + (asks ? [] : ["-o", "BatchMode=yes"]) + ["--", name] + words.map(Self.quoted)
    }

    /// The word as a shell reads it back.
    private static func quoted(_ word: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@:=,+%".utf8)
        if !word.isEmpty, word.utf8.allSatisfy(plain.contains) { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }

    // MARK: what went wrong

    /// ssh cannot be started; `reason` is the kernel's.
    package func notStarted(isMissing: Bool, _ reason: String) -> Failure {
        Failure(
            .unavailable,
            isMissing
                ? "cannot reach \(name): \(program[0]) is not installed; install it, or name another program in TORPOR_SSH"
                : "cannot reach \(name): \(reason)")
    }

    /// What the end of the connection means, by how the bridge ended.
    ///
    /// - Parameters:
    ///   - status: its exit status as a shell has it; nil while it runs.
    ///   - errors: the last of what it has written to its standard error.
    ///   - wasAlive: whether the supervisor had answered before.
    ///   - isGarbled: whether something came that is no answer.
    /// - Returns: what to say, with the exit status.
    package func failure(status: Int32?, errors: String, wasAlive: Bool, isGarbled: Bool) -> Failure {
        let lines = errors.split(whereSeparator: \.isNewline).map { String($0) }
            .filter { line in line.contains { !$0.isWhitespace } }
        let last = lines.last.map { ": \($0)" } ?? ""
        let own = lines.last { $0.hasPrefix("torpor: ") }.map { String($0.dropFirst("torpor: ".count)) }
        switch status {
        case _ where isGarbled && !wasAlive:
            return Failure(
                .unavailable,
                "\(name) sends something else than the answers of a supervisor; the start-up files of the login shell there may "
                    + "print text, which they must not do for commands that are run by ssh")
        // ssh's own status for all its errors (ssh(1)).
        case 255?:
            if wasAlive { return Failure(.unavailable, "the connection to \(name) was lost\(last)") }
            let isRefused = lines.last.map { $0.contains("Permission denied") } ?? false
            return Failure(isRefused ? .notAllowed : .unavailable, "cannot reach \(name)\(last)")
        case 127?:
            return Failure(
                .unavailable,
                "torpor is not installed on \(name), or not in the PATH of commands that are run there by ssh"
            )
        case 64? where own?.contains("'bridge'") ?? false:
            return Failure(
                .unavailable,
                "torpor on \(name) has no verb 'bridge': its version differs from that of this command; update it there"
            )
        case let status?:
            guard status != 0, let own, let exit = OperatorExit(rawValue: status) else { break }
            return Failure(exit, "\(name): \(own)", isNobodyThere: exit == .unavailable)
        case nil: break
        }
        if wasAlive || status == nil || status == 0 {
            return Failure(.unavailable, "the supervisor on \(name) closed the connection")
        }
        return Failure(.unavailable, "torpor on \(name) ended with status \(status ?? 0)\(last)")
    }

    /// The supervisor has not answered in time.
    package func silence(wasAlive: Bool) -> Failure {
        Failure(
            .tryAgain,
            wasAlive
                ? "the supervisor on \(name) does not answer"
                : "no answer from \(name) in time; use --timeout to wait longer")
    }
}
