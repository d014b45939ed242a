internal import Lifecycle
internal import Linux
internal import Systemd

/// Our own standard input on its way to the command's, line by line, while it is active (3.5).
///
/// Otherwise nothing is read: it stays, in order, where it came from, and what comes for a command that sleeps wakes it.
final class RunInput {
    /// What is done with it.
    enum Use: Hashable {
        /// It is read and passed on; its end too, where no hook has to write after that.
        case passes(end: Bool)
        /// The command reads it itself; we only see that something is there for one that sleeps.
        case watches
    }

    /// The longest line that is passed on in one piece.
    private static let longest = 64 << 10

    private let use: Use
    private let stream: SharedStream
    private let isTerminal: Bool
    private let source = SourceBox<IOSource>()
    /// For what epoll(7) does not take, since it is always ready: files.
    private let always = SourceBox<DeferSource>()
    private var state = State.notRunning
    private var line: [UInt8] = []
    /// What is being written; nil while nothing is.
    private var unwritten: [UInt8]?
    private var isAtEnd = false

    /// Passes bytes on to the command, and hears when they are written; false where it has no standard input any more.
    var pass: ([UInt8], @escaping () -> Void) -> Bool = { _, _ in false }
    /// Ends the command's standard input.
    var end: () -> Void = {}
    /// Something is there for a command that sleeps.
    var wake: () -> Void = {}
    /// Something has been passed on.
    var used: () -> Void = {}

    /// Descriptor 0 for this use; nothing is done before ``changed(to:)``.
    init(_ use: Use, on loop: EventLoop) throws {
        self.use = use
        stream = SharedStream(0, for: .reading)
        isTerminal = Terminal(descriptor: 0) != nil
        let ready: () -> Void = { [unowned self] in isReady() }
        do throws(SystemdError) {
            source.handle = try IOSource(
                on: loop, descriptor: stream.rawValue, events: .readable, priority: .clients
            ) { _ in ready() }
        } catch {
            // EPERM: a file, or nothing at all.
            always.handle = try DeferSource(on: loop, enabled: .off, priority: .clients, handler: ready)
        }
        enable(false)
    }

    /// The command is in another state.
    func changed(to state: State) {
        self.state = state
        look()
    }

    /// The command has been launched again: it gets what the one before has not taken, and the end that came meanwhile.
    func launchedAgain() {
        if let unwritten { send(unwritten) }
        if isAtEnd, use == .passes(end: true) { end() }
    }

    /// Looks for what is there: after a change, and when we may read the terminal again.
    func look() {
        switch state {
        case .active: enable(use != .watches && unwritten == nil)
        case .background, .suspended: enable(true)
        case .notRunning, .inactive: enable(false)
        }
    }

    private func enable(_ isEnabled: Bool) {
        let isEnabled = isEnabled && !isAtEnd
        // Ignoring a failure: nothing but memory could be short.
        try? source.handle?.setEnabled(isEnabled ? .on : .off)
        always.handle?.setEnabled(isEnabled ? .on : .off)
    }

    private func isReady() {
        guard state == .active else {
            // Once for each state: whether it is woken by that is not ours to say.
            enable(false)
            return wake()
        }
        var room = [UInt8](repeating: 0, count: Self.longest)
        switch stream.read(into: &room) {
        case .moved(let count): took(room[..<count])
        // A terminal whose foreground is another job's: until we are continued there.
        case .wouldWait: if isTerminal { enable(false) }
        case .ended: ended()
        }
    }

    private func took(_ bytes: ArraySlice<UInt8>) {
        used()
        line += bytes
        if let last = line.lastIndex(of: UInt8(ascii: "\n")) {
            let lines = Array(line[...last])
            line.removeSubrange(...last)
            send(lines)
        } else if line.count >= Self.longest {
            let part = line
            line = []
            send(part)
        }
    }

    private func ended() {
        isAtEnd = true
        enable(false)
        if use == .passes(end: true) {
            if !line.isEmpty { send(line) }
            end()
        } else if !line.isEmpty {
            // Its end is not passed on, and what reads lines would wait for ever.
            send(line + [UInt8(ascii: "\n")])
        }
        line = []
    }

    /// Nothing more is read until it is written, so that who writes to us waits as it would for the command.
    private func send(_ bytes: [UInt8]) {
        unwritten = bytes
        enable(false)
        let isThere = pass(bytes) { [weak self] in
            self?.unwritten = nil
            self?.look()
        }
        if !isThere { isAtEnd = true }
    }
}
