internal import Lifecycle
internal import Linux
internal import Systemd

/// The command whose standard input passes through `torpor run`.
protocol InputCommand: AnyObject {
    /// Passes bytes on to it, and calls `then` when they are written; false where it has no standard input any more.
    func pass(_ bytes: [UInt8], then: @escaping () -> Void) -> Bool
    /// Ends its standard input.
    func endInput()
    /// Something is there for it, and it sleeps.
    func wake()
    /// It begins to be used, or its use is over.
    func inputUsed(_ isUsed: Bool)
    /// Nothing more will come for it.
    func inputEnded()
}

/// Our own standard input on its way to the command's while that is active (3.5).
///
/// Bytes pass as they come, whether a line is complete or not. While the command is not active nothing is read: the input
/// stays, in order, where it came from, and what comes for a command that sleeps wakes it. The one exception is the rest of a
/// line that was begun, since a hook's line waits for its end.
final class RunInput {
    /// What is done with it.
    enum Use: Hashable {
        /// It is read and passed on; its end too, where no hook has to write after that.
        case passes(end: Bool)
        /// The command reads it itself; we only see that something is there for one that sleeps.
        case watches
    }

    /// The most that is read at once.
    private static let most = 64 << 10

    private let use: Use
    private let stream: SharedStream
    private let isTerminal: Bool
    private let source = SourceBox<IOSource>()
    /// For what epoll(7) does not take, since it is always ready: files.
    private let always = SourceBox<DeferSource>()
    private var state = State.notRunning
    /// What follows the line that a hook waits for, until the command is active again.
    var held: [UInt8] = []
    /// Whether the last byte that was passed on ended no line.
    private var isMidLine = false
    /// What is being written; nil while nothing is.
    private var unwritten: [UInt8]?
    private var isAtEnd = false

    /// The command that it goes to.
    weak var command: (any InputCommand)?

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
        if isAtEnd, use == .passes(end: true) { command?.endInput() }
    }

    /// Looks for what is there: after a change, and when we may read the terminal again.
    func look() {
        switch state {
        case .active:
            enable(use != .watches && unwritten == nil)
            sendHeld()
        case .inactive: enable(finishesLine)
        case .background, .suspended: enable(true)
        case .notRunning: enable(false)
        }
    }

    /// Whether the rest of a line is read for a hook that may wait for it.
    private var finishesLine: Bool { use == .passes(end: false) && isMidLine && unwritten == nil }

    /// Whether the command counts as used while nothing comes: bytes wait for it to read, or a hook could not write.
    private var keepsAwake: Bool {
        use != .watches && (unwritten != nil || use == .passes(end: false) && isMidLine)
    }

    private func enable(_ isEnabled: Bool) {
        let isEnabled = isEnabled && !isAtEnd
        // Ignoring a failure: nothing but memory could be short.
        try? source.handle?.setEnabled(isEnabled ? .on : .off)
        always.handle?.setEnabled(isEnabled ? .on : .off)
    }

    private func isReady() {
        guard state == .active || finishesLine && state != .suspended else {
            // Once for each state: whether that wakes it is for the session to decide.
            enable(false)
            command?.wake()
            return
        }
        var room = [UInt8](repeating: 0, count: Self.most)
        switch stream.read(into: &room) {
        case .moved(let count): took(room[..<count])
        // A terminal whose foreground is another job's: until we are continued there.
        case .wouldWait: if isTerminal { enable(false) }
        case .ended: ended()
        }
    }

    private func took(_ bytes: ArraySlice<UInt8>) {
        command?.inputUsed(true)
        if state != .active, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            held = Array(bytes[bytes.index(after: end)...])
            send(Array(bytes[...end]))
        } else {
            send(Array(bytes))
        }
        command?.inputUsed(keepsAwake)
        if state != .active { command?.wake() }
    }

    private func sendHeld() {
        guard !held.isEmpty, unwritten == nil else { return }
        let bytes = held
        held = []
        send(bytes)
    }

    private func ended() {
        isAtEnd = true
        enable(false)
        command?.inputEnded()
        if use == .passes(end: true) {
            command?.endInput()
        } else if isMidLine {
            // Its end is not passed on, and what reads lines would wait for ever.
            send([UInt8(ascii: "\n")])
        }
        command?.inputUsed(keepsAwake)
        if state != .active { command?.wake() }
    }

    /// Nothing more is read until it is written, so that a process that writes to `torpor run` waits as it would for the command.
    private func send(_ bytes: [UInt8]) {
        unwritten = bytes
        isMidLine = bytes.last != UInt8(ascii: "\n")
        enable(false)
        var isOver = false
        let written: () -> Void = { [weak self] in
            guard let self else { return }
            unwritten = nil
            if isOver { command?.inputUsed(keepsAwake) }
            look()
        }
        let isThere = command?.pass(bytes, then: written) ?? false
        isOver = true
        if !isThere {
            isAtEnd = true
            command?.inputEnded()
        }
    }
}
