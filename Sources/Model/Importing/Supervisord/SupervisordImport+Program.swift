internal import ConfigurationSyntax

extension SupervisordImport {
    /// The options of a program, expanded.
    struct Program {
        private let section: IniFile.Section
        private var values: [String: String] = [:]

        init(
            _ section: IniFile.Section,
            _ expand: (IniFile.Option) throws(ImportFailure) -> String
        ) throws(ImportFailure) {
            self.section = section
            for option in section.options where option.name != "environment" && option.name != "process_name"
            {
                values[option.name] = try expand(option)
            }
        }

        private func source(_ name: String) -> ForeignLine { section[name]?.source ?? section.source }

        private func failure(_ name: String, _ expected: String) -> ImportFailure {
            let place = source(name)
            return ImportFailure(
                place.file, place.line, "got \((values[name] ?? "").quoted)", expected, key: name)
        }

        private func number(_ name: String, _ usual: Int) throws(ImportFailure) -> Int {
            guard let text = values[name] else { return usual }
            guard let number = ForeignText.integer(text) else { throw failure(name, "an integer") }
            return number
        }

        private func isTrue(_ name: String, _ usual: Bool) throws(ImportFailure) -> Bool {
            guard let text = values[name]?.lowercased() else { return usual }
            if SupervisordImport.isTrue(text) { return true }
            guard ["no", "false", "off", "0"].contains(text) else { throw failure(name, "true or false") }
            return false
        }

        /// Writes all of it into `draft`.
        func write(into draft: inout WorkerDraft, _ variables: [(name: String, value: String)])
            throws(ImportFailure)
        {
            try writeCommand(into: &draft)
            draft.set(
                "Launch", try isTrue("autostart", true) ? "boot" : "on-demand", from: source("autostart"))
            try writeRestart(into: &draft)
            try writeStop(into: &draft)
            for (name, value) in variables {
                draft.set("Environment", WrittenValue.variable(name, value), from: source("environment"))
            }
            if let user = values["user"] { draft.setUser(WrittenValue.plain(user), from: source("user")) }
            if let umask = values["umask"] {
                draft.set("UMask", SupervisordImport.octal(umask), from: source("umask"))
            }
            try writeOutput(into: &draft)
            for option in section.options { noteRest(option, in: &draft) }
        }

        private func writeCommand(into draft: inout WorkerDraft) throws(ImportFailure) {
            let place = source("command")
            var words: [String]
            do throws(ForeignTextError) { words = try ShellWords.split(values["command"] ?? "") } catch {
                throw ImportFailure(place, error)
            }
            guard let program = words.first, !program.isEmpty else {
                throw failure("command", "a command line")
            }
            if let directory = values["directory"] {
                draft.set("WorkingDirectory", WrittenValue.plain(directory), from: source("directory"))
            }
            if program.utf8.contains(UInt8(ascii: "/")), !program.hasPrefix("/") {
                guard let directory = values["directory"], directory.hasPrefix("/") else {
                    return draft.refuseCommand(
                        place,
                        "the program's path is relative to the directory that supervisord was started in; give an absolute path"
                    )
                }
                words[0] = ForeignText.path(program, in: directory)
                // The program sees the name that it was given.
                let rest = WrittenValue.command([program] + words.dropFirst())
                return draft.set("ExecStart", "@\(WrittenValue.command([words[0]])) \(rest)", from: place)
            }
            draft.set("ExecStart", WrittenValue.command(words), from: place)
        }

        /// `autorestart`, `exitcodes`, `startsecs` and `startretries`.
        private func writeRestart(into draft: inout WorkerDraft) throws(ImportFailure) {
            let text = values["autorestart"]?.lowercased() ?? "unexpected"
            let isAlways = SupervisordImport.isTrue(text)
            guard isAlways || text == "unexpected" || ["no", "false", "off", "0"].contains(text) else {
                throw failure("autorestart", "true, false or unexpected")
            }
            let (seconds, retries) = (try number("startsecs", 1), try number("startretries", 3))
            guard isAlways || text == "unexpected" else {
                draft.set("Restart", "no", from: source("autorestart"))
                if seconds > 0, retries > 0 {
                    draft.note(
                        source("autorestart"),
                        "a start that ends within startsecs is not tried again; Restart=on-failure restarts each failure"
                    )
                }
                for name in ["startsecs", "startretries", "exitcodes"] where values[name] != nil {
                    draft.note(source(name), "a worker that is not restarted is launched once")
                }
                return
            }
            draft.set("Restart", isAlways ? "always" : "on-failure", from: source("autorestart"))
            if !isAlways { try writeExpected(into: &draft) }
            // supervisord waits 1 s after the first start that fails, 2 s after the next, and gives up after startretries of them.
            let place = values["startretries"] == nil ? source("startsecs") : source("startretries")
            draft.set("RestartSec", "1s", from: place)
            guard retries > 0, retries <= 100 else {
                if seconds <= 0 {
                    draft.set("StartLimitIntervalSec", "0", from: place)
                } else if retries > 100 {
                    draft.set("RestartSteps", "100", from: place)
                    draft.set("RestartMaxDelaySec", "100s", from: place)
                    draft.set("StartLimitIntervalSec", "0", from: place)
                } else {
                    draft.set("StartLimitBurst", "1", from: place)
                    draft.set("StartLimitIntervalSec", "\(max(1, min(seconds, 1_000_000)) + 1)s", from: place)
                }
                return
            }
            let starts = retries + 1
            draft.set("RestartSteps", "\(starts)", from: place)
            draft.set("RestartMaxDelaySec", "\(starts)s", from: place)
            draft.set("StartLimitBurst", "\(starts)", from: place)
            // A start fails that ends before startsecs, and none does where that is 0; what ends later is no failure.
            let longest = max(0, min(seconds, 1_000_000))
            let interval = starts * longest * 1000 + Self.delays(starts)
            draft.set("StartLimitIntervalSec", longest == 0 ? "0" : "\(interval)ms", from: place)
        }

        /// How long the supervisor waits in all before `count` starts after the first, in milliseconds: 1 s, and longer by the same factor
        /// each time (`RestartSteps=`).
        private static func delays(_ count: Int) -> Int {
            // The root by halving: a pure module has no pow(3).
            var (low, high) = (1.0, Double(count))
            for _ in 0..<60 {
                let middle = (low + high) / 2
                if (0..<count).reduce(1.0, { power, _ in power * middle }) < Double(count) {
                    low = middle
                } else {
                    high = middle
                }
            }
            var (delay, sum) = (1.0, 0.0)
            for _ in 0..<count {
                sum += delay
                delay *= low
            }
            return Int(sum * 1000)
        }

        /// Which ends are expected: any signal is not.
        private func writeExpected(into draft: inout WorkerDraft) throws(ImportFailure) {
            let text = values["exitcodes"] ?? "0"
            var codes: [Int] = []
            for part in text.split(separator: ",") where !text.trimmed.isEmpty {
                guard let code = ForeignText.integer(String(part)), (0...255).contains(code) else {
                    throw failure("exitcodes", "exit codes such as 0,2")
                }
                codes.append(code)
            }
            let place = source("exitcodes")
            let clean = codes.filter { $0 != 0 }
            if !clean.isEmpty {
                draft.set("SuccessExitStatus", clean.map(String.init).joined(separator: " "), from: place)
            }
            let signals = "SIGHUP SIGINT SIGTERM SIGPIPE"
            draft.set("RestartForceExitStatus", codes.contains(0) ? signals : "0 " + signals, from: place)
        }

        private func writeStop(into draft: inout WorkerDraft) throws(ImportFailure) {
            if let signal = values["stopsignal"] {
                draft.set("KillSignal", signal.uppercased(), from: source("stopsignal"))
            }
            let seconds = try number("stopwaitsecs", 10)
            draft.set("TimeoutStopSec", seconds > 0 ? "\(seconds)s" : "1ms", from: source("stopwaitsecs"))
            for name in ["stopasgroup", "killasgroup"] where values[name] != nil {
                guard try !isTrue(name, false) else { continue }
                draft.note(source(name), "signals go to all processes of a worker")
            }
        }

        private func writeOutput(into draft: inout WorkerDraft) throws(ImportFailure) {
            let isMerged = try isTrue("redirect_stderr", false)
            let isFile = writeOutput("stdout", "StandardOutput", into: &draft)
            if isMerged {
                if isFile { draft.set("StandardError", "inherit", from: source("redirect_stderr")) }
            } else if values["stderr_logfile"] == nil {
                // Its own log of supervisord; without a word here it would go where standard output goes.
                if isFile { draft.set("StandardError", "journal", from: source("stdout_logfile")) }
            } else if !writeOutput("stderr", "StandardError", into: &draft), isFile,
                !draft.has("StandardError")
            {
                draft.set("StandardError", "journal", from: source("stderr_logfile"))
            }
            for name in ["stdout", "stderr"] {
                for suffix in ["maxbytes", "backups"] {
                    let key = "\(name)_logfile_\(suffix)"
                    guard let value = values[key], !(suffix == "maxbytes" && value == "0") else { continue }
                    draft.note(
                        source(key),
                        "files of output are not rotated; logrotate(8) does that, and the journal by itself")
                }
            }
        }

        /// Where one of the streams goes; whether that is another place than the journal.
        private func writeOutput(_ stream: String, _ key: String, into draft: inout WorkerDraft) -> Bool {
            let name = "\(stream)_logfile"
            if let value = values["\(stream)_syslog"], SupervisordImport.isTrue(value) { return false }
            guard let path = values[name] else { return false }
            let place = source(name)
            switch path.lowercased() {
            case "auto", "syslog": return false
            case "none", "off", "/dev/null": draft.set(key, "null", from: place)
            case "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2":
                draft.set(key, "inherit", from: place)
            default:
                guard path.hasPrefix("/") else {
                    draft.note(
                        place,
                        "the path is relative to the directory that supervisord was started in; the output goes to the journal"
                    )
                    return false
                }
                draft.set(key, "append:" + WrittenValue.plain(path), from: place)
            }
            return true
        }

        /// What no worker file has.
        private func noteRest(_ option: IniFile.Option, in draft: inout WorkerDraft) {
            switch option.name {
            case "command", "directory", "autostart", "autorestart", "startsecs", "startretries", "exitcodes",
                "stopsignal", "stopwaitsecs", "stopasgroup", "killasgroup", "environment", "user", "umask",
                "redirect_stderr", "process_name", "numprocs", "numprocs_start", "priority", "stdout_logfile",
                "stderr_logfile", "stdout_syslog", "stderr_syslog", "stdout_logfile_maxbytes",
                "stderr_logfile_maxbytes", "stdout_logfile_backups", "stderr_logfile_backups":
                return
            case "stdout_capture_maxbytes", "stderr_capture_maxbytes", "stdout_events_enabled",
                "stderr_events_enabled":
                draft.note(
                    option.source,
                    "events of output have no counterpart; a line of it can complete a callback")
            case "serverurl": draft.note(option.source, "TORPOR_SUPERVISOR names the supervisor's socket")
            default: draft.note(option.source, "supervisord has no such option of a program")
            }
        }
    }
}
