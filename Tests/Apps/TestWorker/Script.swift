import ControlAPI
import Glibc
import Linux
import Varlink

/// The life of the test worker: waits for callbacks, and answers each as it was told to.
final class Script {
    private let options: Options
    private let journal: Journal
    private let calls: Wire
    private var attached: Wire?
    /// What is to be done, and when.
    private var agenda: [(due: Int64, callback: WorkerInterface.Callback?, actions: [Action])] = []
    private var tasks: [Int64] = []
    private var ends: [(due: Int64, token: Int64)] = []

    init(_ options: Options, _ journal: Journal) throws(LinuxError) {
        self.options = options
        self.journal = journal
        calls = try Wire(options.socket)
        if options.attaches { try attach() }
        agenda.append((KernelClock.monotonic, nil, options.start))
    }

    func run() {
        while true {
            let due = agenda.filter { $0.due <= KernelClock.monotonic }
            agenda.removeAll { $0.due <= KernelClock.monotonic }
            for entry in due { perform(entry.actions[...], entry.callback) }
            for end in ends where end.due <= KernelClock.monotonic { endTask(end.token) }
            ends.removeAll { $0.due <= KernelClock.monotonic }
            wait()
            guard let wire = attached else { continue }
            for event in wire.events() { take(event) }
            if wire.isOver, attached === wire {
                attached = nil
                journal.write("detached")
            }
        }
    }

    private func wait() {
        let next = (agenda.map(\.due) + ends.map(\.due)).min()
        let milliseconds = next.map { Int32(clamping: max($0 - KernelClock.monotonic, 0) / 1000 + 1) } ?? -1
        var entry = pollfd(fd: attached?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, milliseconds)
    }

    private func attach() throws(LinuxError) {
        let wire = try Wire(options.socket)
        var parameters: JSON.Object = [:]
        parameters["callbacks"] = options.callbacks.map { .array($0.map { .string($0) }) }
        wire.send("Attach", parameters, mode: .more)
        attached = wire
    }

    private func take(_ event: ClientConnection.Event) {
        switch event {
        case .reply(_, let parameters, _):
            if let standing = parameters["standing"] { journal.write("attached", ["standing": standing]) }
            guard let json = parameters["callback"] else { return }
            guard let callback = try? json.decode(WorkerInterface.Callback.self) else {
                return journal.write("strange", ["callback": json])
            }
            journal.write("callback", json.object ?? [:])
            let isLast = callback.name == .willTerminate
            perform((options.rules[callback.name] ?? (isLast ? [.exit(0)] : [.complete]))[...], callback)
        case .failed(_, let error): report("Attach", .failure(error))
        case .closed(let reason, _): journal.write("closed", ["why": .string("\(reason)")])
        }
    }

    private func perform(_ actions: ArraySlice<Action>, _ callback: WorkerInterface.Callback?) {
        var actions = actions
        while let action = actions.popFirst() {
            switch action {
            case .sleep(let span):
                return agenda.append((KernelClock.monotonic + Int64(span) * 1000, callback, Array(actions)))
            case .complete: complete(callback)
            case .refuse: complete(callback, ["refused": true])
            case .fail(let why): complete(callback, ["failure": .string(why)])
            case .state(let text): complete(callback, ["state": ["text": .string(text)]])
            case .twice:
                complete(callback)
                complete(callback)
            case .stranger: report("Complete", calls.call("Complete", ["id": 1_000_000]))
            case .begin(let name, let span): begin(name, span)
            case .end: if let token = tasks.popLast() { endTask(token) }
            case .endTwice:
                guard let token = tasks.popLast() else { break }
                endTask(token)
                endTask(token)
            case .endForeignChild: endTask(1_000_000)
            case .flood(let count): flood(count)
            case .close:
                attached = nil
                journal.write("detached")
            case .attach:
                do { try attach() } catch { journal.write("failed", ["why": .string("\(error)")]) }
            case .save, .block, .spin, .activate, .remaining, .getState, .log, .exit, .abort: perform(action)
            }
        }
    }

    /// What has nothing to do with a callback.
    private func perform(_ action: Action) {
        switch action {
        case .save(let count): save(count)
        case .block(let span): usleep(UInt32(clamping: span * 1000))
        case .spin(let span):
            let end = KernelClock.monotonic + Int64(span) * 1000
            while KernelClock.monotonic < end {}
        case .activate: report("RequestActivation", calls.call("RequestActivation"))
        case .remaining: report("BackgroundTimeRemaining", calls.call("BackgroundTimeRemaining"))
        case .getState: report("GetState", calls.call("GetState"))
        case .log(let text): journal.write("log", ["text": .string(text)])
        case .exit(let status):
            journal.write("exit", ["status": .int(Int64(status))])
            exit(status)
        default: abort()
        }
    }

    private func complete(_ callback: WorkerInterface.Callback?, _ answer: JSON.Object = [:]) {
        guard let callback else { return }
        var parameters: JSON.Object = ["id": .int(callback.id)]
        for member in answer.members { parameters[member.key] = member.value }
        report("Complete", calls.call("Complete", parameters), ["id": .int(callback.id)])
    }

    private func begin(_ name: String, _ span: Int?) {
        let result = calls.call("BeginBackgroundTask", ["name": .string(name)])
        report("BeginBackgroundTask", result)
        guard case .success(let reply)? = result, let token = reply["token"]?.int else { return }
        if let span {
            ends.append((KernelClock.monotonic + Int64(span) * 1000, token))
        } else {
            tasks.append(token)
        }
    }

    private func endTask(_ token: Int64) {
        report("EndBackgroundTask", calls.call("EndBackgroundTask", ["token": .int(token)]))
    }

    private func flood(_ count: Int) {
        let ids = (0..<count).map { calls.send("BeginBackgroundTask", ["name": .string("flood\($0)")]) }
        var begun: Int64 = 0
        var refusals: [String: Int64] = [:]
        for id in ids {
            switch calls.answer(to: id) {
            case .success?: begun += 1
            case .failure(let error)?: refusals[error.name, default: 0] += 1
            case nil: refusals["closed", default: 0] += 1
            }
        }
        var object: JSON.Object = [:]
        for (name, count) in refusals.sorted(by: { $0.key < $1.key }) { object[name] = .int(count) }
        journal.write("flooded", ["begun": .int(begun), "refused": .object(object)])
    }

    private func save(_ count: Int) {
        guard let wire = try? Wire(options.socket) else { return journal.write("saved", ["sent": 0]) }
        let sent = wire.saveState(bytes: count)
        let answer = wire.rawAnswer()
        journal.write("saved", ["sent": .int(Int64(sent)), "answer": answer.map { .string($0) } ?? .null])
    }

    /// What a call came to.
    private func report(
        _ method: String, _ result: Result<JSON.Object, MethodError>?, _ fields: JSON.Object = [:]
    ) {
        var line: JSON.Object = ["method": .string(method)]
        for member in fields.members { line[member.key] = member.value }
        switch result {
        case .success(let reply)?: line["reply"] = .object(reply)
        case .failure(let error)?:
            line["error"] = .string(error.name)
            line["parameters"] = .object(error.parameters)
        case nil: line["error"] = "closed"
        }
        journal.write("called", line)
    }
}
