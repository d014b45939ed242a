import Foundation
import Glibc
import TestSupport
import Testing

extension Capability {
    /// Debian's less and tmux.
    static let pager = Capability("less and tmux") {
        for program in ["/usr/bin/less", "/usr/bin/tmux"] where access(program, X_OK) != 0 {
            return "\(program) is not installed"
        }
        return nil
    }
}

/// A program that knows nothing of Torpor is handed over by hooks alone: `less` under `torpor run`, each in a terminal of its own, with
/// the file and the line that it shows.
@Suite(.timeLimit(.minutes(60)), .requires(.pager)) struct `A pager` {
    private static let type = "org.example.reading"

    /// A terminal that runs `torpor run … -- less …`, and the socket of its supervisor.
    private final class Desk {
        let socket: String
        private let tmux: [String]

        /// `hooks` are options of `torpor run`, in which TMUX stands for the command that types into the terminal and reads it.
        init(_ name: String, in directory: String, hooks: [String], _ file: String) throws {
            tmux = ["/usr/bin/tmux", "-S", "\(directory)/\(name).tmux", "-f", "/dev/null"]
            let command = tmux.joined(separator: " ")
            let runtime = "\(directory)/\(name)"
            try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: false)
            var words = [
                "env", "XDG_RUNTIME_DIR=\(runtime)", "TORPOR_RUNTIME_DIR=\(runtime)", Wrapper.program, "run",
                "-v",
            ]
            words += hooks.map { $0.replacingOccurrences(of: "TMUX", with: command) }
            words += ["--", "/usr/bin/less", "-M", file]
            let line =
                "exec "
                + words.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }.joined(
                    separator: " ")
                + " 2> \(runtime)/log"
            let script = "\(runtime)/start"
            try line.write(toFile: script, atomically: false, encoding: .utf8)
            let started = try Wrapper(
                [], [], line: tmux + ["new-session", "-d", "-x", "100", "-y", "24", "/bin/sh \(script)"])
            guard try started.wait() == .exited(0) else { throw TimedOut(description: "tmux did not start") }
            socket = try eventually("the control socket") {
                let log = try? String(contentsOfFile: "\(runtime)/log", encoding: .utf8)
                return log?.split(separator: "\n").compactMap { line in
                    line.split(separator: " ").last { $0.contains("io.torpor.Supervisor") }.map {
                        $0.trimmingCharacters(in: CharacterSet(charactersIn: ".,;\"“”"))
                    }
                }.first
            }
        }

        deinit { _ = try? Wrapper([], [], line: tmux + ["kill-server"]).wait() }

        func type(_ keys: String...) throws {
            let sent = try Wrapper([], [], line: tmux + ["send-keys"] + keys)
            guard try sent.wait() == .exited(0) else { throw TimedOut(description: "not typed") }
        }

        /// What is on the screen.
        func screen() throws -> String {
            try DaemonUnderTest.result(of: Wrapper([], [], line: tmux + ["capture-pane", "-p"])).output
        }
    }

    @Test func `is handed from one supervisor to another with its file and line`() throws {
        try withTemporaryDirectory { directory in
            let text = (1...1000).map { "this is line \($0)" }.joined(separator: "\n")
            for name in ["notes", "other"] {
                try "\(text)\n".write(
                    toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
            }
            func hook(_ name: String, _ script: String) throws -> String {
                let path = "\(directory)/\(name)"
                try script.write(toFile: path, atomically: false, encoding: .utf8)
                return path
            }
            // The prompt of `less -M` tells the file and the lines: “notes lines 400-422/1000 42%”.
            let tell = try hook(
                "tell",
                "\"$@\" capture-pane -p | sed -n 's|^\\(.*\\) lines \\([0-9]*\\)-.*|\\1 \\2|p' | tail -n 1\n")
            let take = try hook(
                "take",
                "set -- \"$@\"; file=${TORPOR_ACTIVITY_TEXT% *}; line=${TORPOR_ACTIVITY_TEXT##* }\n"
                    + "\"$@\" send-keys -l \":e $file\" && \"$@\" send-keys Enter && \"$@\" send-keys \"${line}g\"\n"
            )
            let first = try Desk(
                "first", in: directory,
                hooks: ["--activity-type", Self.type, "--on", "userActivity=exec:/bin/sh \(tell) TMUX"],
                "\(directory)/notes")
            let second = try Desk(
                "second", in: directory,
                hooks: ["--activity-type", Self.type, "--on", "continueActivity=exec:/bin/sh \(take) TMUX"],
                "\(directory)/other")
            for desk in [first, second] {
                _ = try eventually("the first line") {
                    try desk.screen().contains("this is line 1\n") ? true : nil
                }
            }
            try first.type("400g")
            _ = try eventually("line 400") { try first.screen().hasPrefix("this is line 400\n") ? true : nil }
            let result = try DaemonUnderTest.result(
                of: Wrapper(
                    [], [],
                    line: [
                        Wrapper.program, "continue", "--socket", first.socket, "less", "--to-socket",
                        second.socket,
                    ]))
            #expect(
                result.status == 0 && result.output.contains("continues \(Self.type) of less"), "\(result)")
            _ = try eventually("the same place") {
                let screen = try second.screen()
                return screen.hasPrefix("this is line 400\n")
                    && screen.contains("\(directory)/notes lines 400-")
                    ? true : nil
            }
            let state = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, "list", "--no-legend", "--socket", first.socket]))
            #expect(state.output.contains("suspended") || state.output.contains("background"), "\(state)")
        }
    }
}
