internal import ConfigurationSyntax
internal import WorkerFile

/// Workers of service directories: of runsv(8), of s6-supervise, and the sources of s6-rc.
///
/// Their programs stay where they are: the worker runs them there.
struct ServiceDirectoryImport {
    private let files: ForeignFiles
    private(set) var drafts: [WorkerDraft] = []
    private(set) var notes: [ImportNote] = []

    init(_ files: ForeignFiles) { self.files = files }

    /// Whether a directory with these names in it is a service directory.
    static func isService(_ names: [String]) -> Bool { names.contains("run") || names.contains("type") }

    /// Reads the service directory at `path`, an absolute one, of the suite `format`; nil where its files have to tell.
    mutating func read(_ path: String, as format: ImportFormat?) throws(ImportFailure) {
        do throws(FileSourceError) {
            let names = try files.names(in: path)
            if drafts.isEmpty {
                notes.append(
                    ImportNote(
                        ForeignLine(file: path),
                        ForeignText.inheritance("the supervisor of service directories")))
            }
            let suite = if let format { format } else { try suite(of: path, names) }
            try read(path, names, isS6: suite == .s6)
        } catch { throw ImportFailure(error) }
    }

    /// Which suite's directory it is, by files that only one of them knows.
    private func suite(of path: String, _ names: [String]) throws(FileSourceError) -> ImportFormat {
        let s6: Set<String> = [
            "type", "notification-fd", "timeout-kill", "timeout-finish", "down-signal", "max-death-tally",
            "flag-newpidns",
            "producer-for", "consumer-for", "lock-fd", "dependencies", "dependencies.d", "timeout-up", "data",
            "env",
        ]
        if names.contains(where: s6.contains) { return .s6 }
        guard names.contains("run") else { return .runit }
        let start = String(decoding: try files.bytes(of: "\(path)/run").prefix(200), as: UTF8.self)
        return start.hasPrefix("#!") && start.prefix { $0 != "\n" }.contains("execlineb") ? .s6 : .runit
    }

    private mutating func read(_ path: String, _ names: [String], isS6: Bool) throws(FileSourceError) {
        let name = ForeignText.split(path).name
        func line(_ file: String, _ text: String = "") -> ForeignLine {
            ForeignLine(file: "\(path)/\(file)", text: text)
        }
        var draft = WorkerDraft(id: "directory:\(name)", name: name, origin: "the service directory \(path)")
        let kind = names.contains("type") ? try word(of: "\(path)/type") : "longrun"
        switch kind {
        case "longrun": draft.set("ExecStart", WrittenValue.command(["\(path)/run"]), from: line("run"))
        case "oneshot":
            draft.set("Type", "oneshot", from: line("type"))
            draft.set("ExecStart", WrittenValue.command(["execlineb", "-P", "\(path)/up"]), from: line("up"))
        case "bundle":
            notes.append(ImportNote(line("type", kind), "bundles have no counterpart; Wants= names workers"))
            return
        default:
            throw FileSourceError(
                path: "\(path)/type", reason: "got \(kind.quoted); expected longrun, oneshot or bundle")
        }
        draft.set("WorkingDirectory", WrittenValue.plain(path), from: line("run"))
        draft.set(
            "Launch", names.contains("down") && kind == "longrun" ? "on-demand" : "boot", from: line("down"))
        if kind == "longrun" {
            draft.set("Restart", "always", from: line("run"))
            // A service is started once a second at most, and without end.
            draft.set("RestartSec", "1s", from: line("run"))
            draft.set("StartLimitIntervalSec", "0", from: line("run"))
            draft.set("TimeoutStopSec", try stopTimeout(path, names, isS6), from: line("timeout-kill"))
        }
        if isS6, names.contains("down-signal") {
            let signal = try word(of: "\(path)/down-signal").uppercased()
            draft.set("KillSignal", signal, from: line("down-signal", signal))
        }
        for name in names { try take(name, in: path, isS6: isS6, kind, &draft) }
        drafts.append(draft)
    }

    /// How long the stop may take: without end, unless s6 is told otherwise, in milliseconds.
    private func stopTimeout(_ path: String, _ names: [String], _ isS6: Bool) throws(FileSourceError)
        -> String
    {
        guard isS6, names.contains("timeout-kill") else { return "infinity" }
        let text = try word(of: "\(path)/timeout-kill")
        guard let time = Int(text), (0...1_000_000_000).contains(time) else {
            throw FileSourceError(
                path: "\(path)/timeout-kill", reason: "got \(text.quoted); expected milliseconds")
        }
        return time == 0 ? "infinity" : "\(time)ms"
    }

    /// The first word of a small file.
    private func word(of path: String) throws(FileSourceError) -> String {
        let text = String(decoding: try files.bytes(of: path).prefix(4096), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }

    private func take(_ name: String, in path: String, isS6: Bool, _ kind: String, _ draft: inout WorkerDraft)
        throws(FileSourceError)
    {
        let place = ForeignLine(file: "\(path)/\(name)")
        switch name {
        case "dependencies", "dependencies.d", "dependencies-bad":
            guard isS6 else { return }
            var others: [String] = []
            if try files.kind(of: place.file) == .directory {
                others = try files.names(in: place.file)
            } else {
                others = String(decoding: try files.bytes(of: place.file), as: UTF8.self)
                    .split(whereSeparator: \.isWhitespace).map(String.init).filter { !$0.hasPrefix("#") }
            }
            for other in others {
                let place = ForeignLine(file: place.file, text: other)
                for key in ["Requires", "After"] {
                    draft.refer(key, to: "directory:\(other)", called: other, from: place)
                }
            }
        default:
            if let reason = Self.reason(name, isS6: isS6, kind) { draft.note(place, reason) }
        }
    }

    private static func reason(_ name: String, isS6: Bool, _ kind: String) -> String? {
        switch name {
        case "finish":
            "no command runs after a worker has ended; 'torpor history' and OnFailure= tell of ends"
        case "log": "output goes to the journal; the logger is not started"
        case "check": isS6 ? nil : "Type=notify or ReadyWhen= tells that a worker is ready"
        case "control":
            isS6 ? nil : "a command of WillTerminate= or ExecReload= takes the place of scripts for signals"
        case "notification-fd": "a line on a descriptor shows no readiness; Type=notify or ReadyWhen= does"
        case "producer-for", "consumer-for", "pipeline-name":
            "output goes to the journal; workers have no pipes between them"
        case "timeout-finish": "no command runs after a worker has ended"
        case "timeout-up", "timeout-down":
            kind == "oneshot"
                ? "set TimeoutStartSec= for it" : "Type=notify and TimeoutStartSec= take its place"
        case "down" where kind == "oneshot": "no command runs when a oneshot worker is ended"
        case "max-death-tally": "StartLimitBurst= limits how often a worker is launched"
        case "flag-newpidns": "workers have no namespaces of their own"
        case "rlimits": "Limit…= in the worker's file takes its place"
        case "contents", "contents.d": "bundles have no counterpart; Wants= names workers"
        default: nil
        }
    }
}
