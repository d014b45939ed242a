package import ControlAPI
package import ControlClient
internal import Glibc
internal import Linux
package import Operator
package import Screen
internal import Varlink

/// `torpor top`: keeps a screen up to date with what a supervisor tells, until a key or a signal ends it.
package final class LiveTop {
    package typealias API = SupervisorInterface

    /// What the program has to say of texts and of the world.
    package struct Surroundings {
        /// Makes a connection to the supervisor.
        package var connect: () throws(Failure) -> PolledConnection
        /// Whether its processes are of this machine.
        package var isLocal: Bool
        package var isColoured: Bool
        /// What `torpor status` prints.
        package var status: (API.Describe.Reply) -> String
        /// What `torpor why` prints.
        package var why: (API.Why.Reply) -> String
        /// The last lines of an output that does not pass through the supervisor.
        package var outputElsewhere: (_ place: String) -> [String]

        package init(
            connect: @escaping () throws(Failure) -> PolledConnection, isLocal: Bool, isColoured: Bool,
            status: @escaping (API.Describe.Reply) -> String,
            why: @escaping (API.Why.Reply) -> String,
            outputElsewhere: @escaping (_ place: String) -> [String]
        ) {
            (self.connect, self.isLocal, self.isColoured) = (connect, isLocal, isColoured)
            (self.status, self.why, self.outputElsewhere) = (status, why, outputElsewhere)
        }
    }

    private let surroundings: Surroundings
    private let names: [String]?
    let link: LiveLink
    private var screen: TopScreen
    private var painter: GridPainter
    private var keys = KeyReader()
    /// When what is due, by the monotonic clock in microseconds.
    private var tickAt: Int64 = 0
    private var sampleAt: Int64 = 0
    private var frameAt: Int64 = 0
    private var expireAt: Int64?
    private var connectAt: Int64 = 0
    /// When figures were asked for that have not come.
    private var askedAt: Int64?
    private var ticks = 0
    private var needsFrame = true
    private var needsList = false
    private var isOver = false
    /// What the history has told so far, and in how many calls.
    private var past: [API.HistoryEntry] = []
    private var pastCalls = 0
    private static let mostPastCalls = 5

    private static let second: Int64 = 1_000_000
    /// Frames are so far apart at least.
    private static let frame: Int64 = 50_000
    /// How long an ESC may be the beginning of a key.
    private static let escape: Int64 = 50_000
    /// After so long without an answer the supervisor counts as stuck.
    private static let patience: Int64 = 3_000_000

    /// A screen of the workers of these names; nil is all.
    package init(_ screen: TopScreen, of names: [String]?, in surroundings: Surroundings) {
        (self.screen, self.names, self.surroundings) = (screen, names, surroundings)
        link = LiveLink(surroundings.connect)
        painter = GridPainter(isColoured: surroundings.isColoured)
    }

    /// Shows the screen until it is ended by a key; a signal ends the program.
    ///
    /// The terminal is put back in any case. Nothing is shown where standard output is no terminal, or keys cannot be read.
    package func run() throws(Failure) {
        let signals = LiveSignals()
        guard let terminal = LiveTerminal() else {
            throw Failure(.unavailable, "cannot read keys from the terminal of standard output")
        }
        terminal.enter()
        resize(terminal)
        while !isOver {
            let now = KernelClock.monotonic
            work(now)
            draw(on: terminal, now)
            wait(terminal, signals.descriptor, now)
            for number in signals.read() { handle(number, terminal) }
            guard hear(terminal) else { break }
            if link.isConnected, !link.advance() { lose("the supervisor closed the connection") }
        }
        terminal.leave()
    }

    private var now: Int64 { KernelClock.wall }

    // MARK: time

    private func work(_ moment: Int64) {
        if let due = expireAt, due <= moment {
            expireAt = nil
            for key in keys.expire() { press(key) }
        }
        if moment >= tickAt {
            tickAt = moment + Self.second
            ticks += 1
            needsFrame = true
            tick(moment)
        }
        if link.isConnected, askedAt == nil, moment >= sampleAt { sample(moment) }
    }

    private func tick(_ moment: Int64) {
        link.reap()
        guard link.isConnected else {
            if moment >= connectAt { connect(moment) }
            return
        }
        if let askedAt, moment - askedAt > Self.patience {
            screen.unanswered(since: now - (moment - askedAt))
        }
        if needsList { list() }
        if ticks % 2 == 0 { askPressure() }
        if surroundings.isLocal, ticks % 3 == 0, screen.absence == nil {
            screen.counted(OpenConnections.counted(screen.shownProcesses(at: now)))
        }
    }

    private func wait(_ terminal: LiveTerminal, _ signals: Int32, _ moment: Int64) {
        var due = tickAt
        if link.isConnected, askedAt == nil { due = min(due, sampleAt) }
        if let expireAt { due = min(due, expireAt) }
        if needsFrame { due = min(due, frameAt) }
        var wait = DescriptorWait()
        wait.add(terminal.input, writing: !terminal.pending.isEmpty)
        if signals >= 0 { wait.add(signals) }
        for descriptor in link.descriptors { wait.add(descriptor.number, writing: descriptor.wantsToWrite) }
        // Ignoring a failure: what there is is looked at in any case, and the next wait may succeed.
        try? wait.wait(timeout: max(due - moment, 0))
    }

    // MARK: the terminal

    private func resize(_ terminal: LiveTerminal) {
        let size = terminal.size
        screen.resize(columns: size.columns, rows: size.rows)
        needsFrame = true
    }

    private func draw(on terminal: LiveTerminal, _ moment: Int64) {
        // A terminal that is slow gets fewer frames.
        guard needsFrame, moment >= frameAt, terminal.pending.isEmpty else { return }
        needsFrame = false
        frameAt = moment + Self.frame
        let bytes = painter.paint(screen.drawn(at: now))
        if !bytes.isEmpty { terminal.show(bytes) }
    }

    private func handle(_ number: Int32, _ terminal: LiveTerminal) {
        switch number {
        case SIGWINCH: resize(terminal)
        case SIGTSTP: stop(terminal)
        case SIGCONT: resume(terminal)
        case _ where LiveSignals.isEnding(number):
            terminal.leave()
            LiveSignals.end(by: number)
        default: break
        }
    }

    /// Stops the program, with the terminal as it was; goes on when it is continued.
    private func stop(_ terminal: LiveTerminal) {
        terminal.leave()
        kill(getpid(), SIGSTOP)
        resume(terminal)
    }

    /// Another program may have set the terminal meanwhile, and written to it.
    private func resume(_ terminal: LiveTerminal) {
        terminal.enter()
        painter.forget()
        resize(terminal)
    }

    /// Reads keys; false where the terminal is gone.
    private func hear(_ terminal: LiveTerminal) -> Bool {
        guard terminal.flush(), let bytes = terminal.read() else { return false }
        guard !bytes.isEmpty else { return isAlive(terminal) }
        expireAt = nil
        for key in keys.read(bytes) {
            press(key)
            if isStopping {
                isStopping = false
                stop(terminal)
            }
        }
        if keys.isWaiting { expireAt = KernelClock.monotonic + Self.escape }
        return true
    }

    private var isStopping = false

    /// Whether the terminal has not been hung up: reading does not tell that.
    private func isAlive(_ terminal: LiveTerminal) -> Bool {
        var entry = pollfd(fd: terminal.input, events: 0, revents: 0)
        return poll(&entry, 1, 0) <= 0 || Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0
    }

    private func press(_ key: Key) {
        needsFrame = true
        guard let intent = screen.press(key, at: now) else { return }
        switch intent {
        case .quit: isOver = true
        case .stop: isStopping = true
        case .redraw: painter.forget()
        case .why(let name): ask(name, API.Why.self, .init(name: name)) { self.showWhy($0, name) }
        case .status(let name):
            ask(name, API.Describe.self, .init(name: name)) { self.showStatus($0, name) }
        case .output(let name):
            ask(name, API.Logs.self, .init(name: name, lines: 500)) { self.showOutput($0, name) }
        case .steer(let verb, let names): steer(verb, names)
        }
    }

    func say(_ text: String, isBad: Bool = false) {
        screen.say(text, isBad: isBad, at: now)
        needsFrame = true
    }

    // MARK: the supervisor

    private func connect(_ moment: Int64) {
        connectAt = moment + (surroundings.isLocal ? Self.second : 10 * Self.second)
        do throws(Failure) {
            try link.open(names) { [weak self] in self?.watched($0) }
        } catch {
            return screen.lost(error.description, at: now)
        }
        askedAt = moment
        list()
        (past, pastCalls) = ([], 0)
        askPast(since: now - 3600 * Self.second, before: nil)
        askPressure()
    }

    private func lose(_ why: String) {
        link.close()
        askedAt = nil
        connectAt = KernelClock.monotonic + Self.second / 5
        tickAt = min(tickAt, connectAt)
        screen.lost(why, at: now)
        needsFrame = true
    }

    func decoded<Value: JSONConvertible>(_ object: JSON.Object, as type: Value.Type) -> Value? {
        do throws(JSON.Mismatch) {
            return try Value(json: .object(object))
        } catch {
            say("unexpected reply from the supervisor: \(error)", isBad: true)
            return nil
        }
    }

    private func watched(_ result: Result<JSON.Object, Failure>) {
        switch result {
        case .failure(let failure):
            lose(failure.description)
            connectAt = KernelClock.monotonic + 5 * Self.second
        case .success(let object):
            guard let reply = decoded(object, as: API.Watch.Reply.self) else { return }
            needsFrame = true
            if let present = reply.present {
                screen.began(with: present, at: now)
                (askedAt, sampleAt) = (nil, 0)
            }
            if let change = reply.change {
                screen.changed(change)
                if change.from == nil || change.to == nil { needsList = true }
                // Soon, with what else changes in the meantime.
                sampleAt = min(sampleAt, KernelClock.monotonic + Self.second / 10)
            }
        }
    }

    /// Workers whose files do not hold are told by the list alone.
    private func list() {
        needsList = false
        link.ask(API.List.self, .init(names: names)) { [weak self] result in
            guard let self, case .success(let object) = result,
                let reply = decoded(object, as: API.List.Reply.self)
            else { return }
            screen.listed(reply.workers)
            screen.told(lowPower: reply.lowPower)
            needsFrame = true
        }
    }

    /// Asks for what happened before, the newest first, in as many calls as are cheap.
    private func askPast(since: Int64, before: Int64?) {
        link.ask(API.History.self, .init(names: names, since: since, before: before, limit: 1000)) {
            [weak self] in
            // Ignoring a failure: the past is missing then, as with torpor run, which stores none.
            guard let self, case .success(let object) = $0,
                let reply = decoded(object, as: API.History.Reply.self)
            else { return }
            past.insert(contentsOf: reply.entries.filter { $0.kind == .changed }, at: 0)
            pastCalls += 1
            screen.remembered(past)
            needsFrame = true
            if reply.hasOlder, let first = reply.entries.first?.id, pastCalls < Self.mostPastCalls {
                askPast(since: since, before: first)
            } else {
                (past, pastCalls) = ([], 0)
            }
        }
    }

    private func askPressure() {
        link.ask(API.Pressure.self, .init()) { [weak self] result in
            guard let self else { return }
            // Ignoring a failure: torpor run looks at no memory unless it is told to.
            guard case .success(let object) = result else { return screen.told(nil) }
            screen.told(decoded(object, as: API.Pressure.Reply.self))
        }
    }

    private func sample(_ moment: Int64) {
        let wanted = screen.wanted(at: now)
        sampleAt = moment + Self.second
        guard !wanted.isEmpty else { return }
        askedAt = moment
        link.ask(API.Figures.self, .init(names: wanted)) { [weak self] in self?.sampled($0, wanted) }
    }

    /// Why there are no figures, in a few words.
    package static func words(_ failure: Failure) -> String {
        if failure.status == .notAllowed { return "they are for operators only" }
        return failure.isNotOffered ? "this supervisor does not tell them" : failure.description
    }

    private func sampled(_ result: Result<JSON.Object, Failure>, _ wanted: [String]) {
        askedAt = nil
        switch result {
        case .failure(let failure):
            // A supervisor that has gone is told of by itself, and asked again when it is back.
            if failure.status != .unavailable || failure.isNotOffered {
                screen.figuresProblem = Self.words(failure)
            }
        case .success(let object):
            guard let reply = decoded(object, as: API.Figures.Reply.self) else { return }
            screen.found()
            screen.sampled(reply.workers, of: wanted, at: now)
            if screen.isBehind { sampleAt = KernelClock.monotonic + Self.second / 10 }
        }
        needsFrame = true
    }

    // MARK: texts

    private func ask<M: API.Method>(
        _ name: String, _ method: M.Type, _ parameters: M.Parameters, _ show: @escaping (M.Reply) -> Void
    ) {
        link.ask(method, parameters) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let failure): say(failure.description, isBad: true)
            case .success(let object):
                if let reply = decoded(object.printable, as: M.Reply.self) { show(reply) }
            }
            needsFrame = true
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func showWhy(_ reply: API.Why.Reply, _ name: String) {
        screen.open("why \(name)", Self.lines(surroundings.why(reply)))
    }

    private func showStatus(_ reply: API.Describe.Reply, _ name: String) {
        screen.open("status of \(name)", Self.lines(surroundings.status(reply)))
    }

    private func showOutput(_ reply: API.Logs.Reply, _ name: String) {
        guard let place = reply.outputTo else {
            let lines = reply.lines.isEmpty ? ["It has printed nothing that is kept."] : reply.lines
            return screen.open("last output of \(name)", lines, atEnd: true)
        }
        let lines = surroundings.isLocal ? surroundings.outputElsewhere(place) : []
        screen.open(
            "last output of \(name), in \(place)",
            lines.isEmpty
                ? ["Nothing can be read there; see 'torpor logs \(name)'."] : lines.map(\.printable),
            atEnd: true)
    }
}
