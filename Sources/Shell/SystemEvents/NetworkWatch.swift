internal import Linux
internal import Notifications
internal import SupervisorPorts
internal import Systemd
internal import Varlink

/// Tells when links, addresses or default routes have changed, once the network has been quiet for a moment.
final class NetworkWatch {
    private let socket: RouteSocket
    private let source = SourceBox<IOSource>()
    private let timer = SourceBox<TimeSource>()
    private let quiet: Int64
    private let changed: ([UInt8]) -> Void
    private let began: () -> Void
    private var network = NetworkSnapshot()
    /// What is still to be asked for, the present question first; empty when everything is known.
    private var questions: [RouteSocket.Subject] = []
    private var mustAskAgain = false
    /// The network as it was told last; nil until it is known.
    private(set) var payload: [UInt8]?

    /// Watches from now on; the network as it is at first is not told, but `began` that it is known.
    init(
        on loop: EventLoop, quietMicroseconds quiet: Int64, changed: @escaping ([UInt8]) -> Void,
        began: @escaping () -> Void
    ) throws {
        self.quiet = quiet
        self.changed = changed
        self.began = began
        socket = try RouteSocket()
        timer.handle = try TimeSource(on: loop, accuracy: 1000, priority: .clients) { [unowned self] _ in
            settle()
        }
        source.handle = try IOSource(
            on: loop, descriptor: socket.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in read() }
        askForAll()
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    private func askForAll() {
        network = NetworkSnapshot()
        mustAskAgain = false
        questions = RouteSocket.Subject.allCases
        ask()
    }

    private func ask() {
        guard let question = questions.first else { return settle() }
        do {
            try socket.ask(question)
        } catch {
            // No memory for it, say: once more when it has been quiet.
            askLater()
        }
    }

    private func askLater() {
        mustAskAgain = true
        touch()
    }

    private func touch() { timer.handle?.arm(at: KernelClock.monotonic + quiet) }

    private func read() {
        do {
            switch try socket.read() {
            case .messages(let bytes): for message in RouteMessage.messages(in: bytes) { take(message) }
            case .lost: askLater()
            case .none: break
            }
        } catch {
            askLater()
        }
    }

    private func take(_ message: RouteMessage) {
        switch message {
        case .done:
            guard !questions.isEmpty else { return }
            questions.removeFirst()
            ask()
        case .interrupted, .refused: askLater()
        case .link, .linkGone, .address, .addressGone, .route, .routeGone:
            network.apply(message)
            if questions.isEmpty { touch() }
        case .other: break
        }
    }

    private func settle() {
        if mustAskAgain { return askForAll() }
        guard questions.isEmpty else { return }
        let now = network.payload
        guard now != payload else { return }
        let isFirst = payload == nil
        payload = now
        if isFirst { began() } else { changed(now) }
    }
}

extension NetworkSnapshot {
    /// What is said of it: the same bytes for the same network.
    fileprivate var payload: [UInt8] {
        let links = linkStates.map { link in
            var object = JSON.Object()
            object["name"] = .string(link.name)
            object["up"] = .bool(link.isUp)
            return JSON.object(object)
        }
        return Payload.object([
            ("addresses", .array(addressTexts.map(JSON.string))), ("links", .array(links)),
            ("routes", .array(routeTexts.map(JSON.string))),
        ])
    }
}
