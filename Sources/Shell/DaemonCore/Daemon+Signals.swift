internal import Glibc
internal import Linux
internal import Systemd

/// The signals that the daemon gets, and its end.
extension Daemon {
    static let handled: [Signal] = [.terminate, .interrupt, .hangup]

    func listen() throws {
        for signal in Self.handled {
            let box = SourceBox<SignalSource>()
            box.handle = try SignalSource(on: loop, signal: signal.rawValue, priority: .clients) {
                [unowned self] info in received(signal, info)
            }
            signals.append(box)
        }
    }
}
