internal import Lifecycle
package import Linux
package import Notifications
internal import Systemd
internal import Varlink

/// The signals that come for a command that sleeps: one notification with their number, and one of each when it wakes.
package struct DeferredSignals {
    /// Each that has come, in the order in which the first of its kind came.
    private var signals: [Signal] = []

    /// None yet.
    package init() {}

    /// Whether this one waits: not what continues or kills it, which does not wait for it to run.
    package static func holds(_ signal: Signal) -> Bool {
        signal != .resume && signal != .kill && signal != .stop
    }

    /// Whether this one reaches a command that sleeps at once, and wakes it: people and containers end programs by it.
    ///
    /// A hangup does so where the kernel sends it, since the terminal that could have woken the command is gone.
    package static func asksForEnd(_ signal: Signal, fromKernel: Bool) -> Bool {
        switch signal {
        case .interrupt, .quit: true
        case .hangup: fromKernel
        default: false
        }
    }

    /// Takes one in, and answers what is posted for it.
    package mutating func take(_ signal: Signal) -> Post {
        if !signals.contains(signal) { signals.append(signal) }
        let names = signals.map { JSON.string("\($0)") }
        let topic = SystemTopic.signalReceived
        return Post(
            Topic(topic), topic.rule, payload: Payload.object([("signals", .array(names))]),
            at: KernelClock.wall, survives: false)
    }

    /// It has been woken: what comes from now on is news.
    package mutating func forget() { signals = [] }

    /// The signals that a notification names.
    package static func signals(of entry: QueuedNotification) -> [Signal] {
        let json = entry.payload.flatMap { try? JSON(parsing: $0.span) }
        return json?["signals"]?.array?.compactMap { $0.string.flatMap { Signal($0) } } ?? []
    }

    /// The size of a terminal, as a post.
    package static func screen(_ terminal: Terminal?) -> Post {
        let topic = SystemTopic.screenChanged
        let payload = terminal?.size.map { size in
            Payload.object([("columns", .int(Int64(size.columns))), ("rows", .int(Int64(size.rows)))])
        }
        return Post(Topic(topic), topic.rule, payload: payload, at: KernelClock.wall, survives: false)
    }
}
