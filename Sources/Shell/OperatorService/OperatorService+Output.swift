internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import History
internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Varlink
internal import WorkerFile

/// What workers print, for operators, and what operators write to them.
extension OperatorService {
    static let outputMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Logs.self, OperatorService.logs),
        MethodHandler(API.Send.self, OperatorService.send),
    ]

    func logs(_ parameters: API.Logs.Parameters, _ responder: Responder) throws(MethodError) {
        let entry = try known(parameters.name)
        guard let definition = entry.loaded?.definition else {
            throw .methodNotImplemented(
                "torpor run keeps no output: its command writes to the original standard output")
        }
        let id = entry.id
        let place = definition.outputTo(entry.name)
        if definition.snapshot == false, place == nil {
            throw API.unsupported(
                name: entry.name, why: "its output is not kept: its file sets Snapshot=no")
        }
        let most = Int(clamping: max(0, parameters.lines ?? Int64(API.Logs.usual)))
        let reply = API.Logs.Reply(
            lines: supervisor.output(of: id, atMost: most), outputTo: place,
            hasInput: supervisor.holdsInput(of: id))
        guard responder.mode == .more else { return responder.reply(reply) }
        follow(entry, responder)
        responder.more(reply)
    }

    /// Goes on telling a caller what a worker prints that has followed it in the life of a predecessor.
    func logsOn(_ parameters: API.Logs.Parameters, _ responder: Responder) throws(MethodError) {
        follow(try known(parameters.name), responder)
    }

    private func follow(_ entry: RegisteredWorker, _ responder: Responder) {
        let (key, id) = (ObjectIdentifier(responder), entry.id)
        followers[id, default: [:]][key] = responder
        responder.onClose { [weak self] in self?.unfollow(id, key) }
        // Without a follower nothing is cut into lines.
        supervisor.followOutput { [weak self] id, lines in
            self?.printed(lines, by: id)
        }
    }

    private func unfollow(_ id: WorkerID, _ key: ObjectIdentifier) {
        followers[id]?[key] = nil
        if followers[id]?.isEmpty ?? false { followers[id] = nil }
        if followers.isEmpty { supervisor.followOutput(nil) }
    }

    private func printed(_ lines: [String], by id: WorkerID) {
        tellFollowers(of: id, API.Logs.Reply(lines: lines))
    }

    /// Tells those that follow what a worker prints that its process has ended.
    func tellFollowers(of id: WorkerID, _ record: TerminationRecord) {
        tellFollowers(of: id, API.Logs.Reply(lines: [], ended: StatusPrinter.sentence(record)))
    }

    private func tellFollowers(of id: WorkerID, _ reply: API.Logs.Reply) {
        guard let responders = followers[id]?.values, !responders.isEmpty,
            case .object(let reply) = reply.asJSON
        else { return }
        let message = EncodedMessage(reply: reply, continues: true)
        for responder in responders { responder.more(message) }
    }

    func send(_ parameters: API.Send.Parameters, _ responder: Responder) throws(MethodError) {
        let entry = try known(parameters.name)
        let (id, name, text) = (entry.id, entry.name, parameters.text)
        if text.utf8.contains(UInt8(ascii: "\n")) { throw .invalidParameter("text") }
        // One that runs may hold it by its definition of before.
        if let definition = entry.loaded?.definition, definition.effectiveStandardInput != .pipe,
            !supervisor.holdsInput(of: id)
        {
            throw API.unsupported(
                name: name,
                why: "the supervisor does not hold its standard input; set StandardInput=pipe in its file")
        }
        let answer: (String?) -> Void = { problem in
            if let problem { return responder.fail(API.refused(name: name, why: problem)) }
            responder.reply(API.Send.Reply())
        }
        supervisor.send(text, to: id, then: answer)
    }

    /// What the commands before the main process of a worker have printed last, where its last launch has come to no process.
    func wordsOfFailedLaunch(of entry: RegisteredWorker) -> [String]? {
        guard let lines = lastWords(of: entry),
            let commands = entry.loaded.map({ ServiceCommands($0.definition) })
        else { return nil }
        let marks = Set(commands.startPre.map { "\($0.key): " })
        let own = lines.reversed().prefix { line in marks.contains { line.hasPrefix($0) } }
        return own.isEmpty ? nil : own.reversed()
    }

    /// What a worker that failed printed last, for an answer that says so.
    func lastWords(of entry: RegisteredWorker, _ count: Int = 5) -> [String]? {
        let id = entry.id
        let lines = supervisor.outputOfProcess(of: id, atMost: count)
        return lines.isEmpty ? nil : lines
    }
}

extension WorkerDefinition {
    /// Where the output of a worker of that name goes instead of through the supervisor; nil where it passes through it.
    func outputTo(_ name: String) -> String? {
        if capturesOutput { return nil }
        switch execution.standardOutput {
        case .inherit: return nil
        case .null: return "/dev/null"
        case .file(let path), .append(let path), .truncate(let path): return path.text
        // Without a journal they go where our own lines do.
        case .journal where !JournalStream.isThere: return nil
        case .journal: return "journal:\(execution.syslogIdentifier?.text ?? name)"
        }
    }
}
