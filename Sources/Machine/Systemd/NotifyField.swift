/// A field of a notify message that we send (sd_notify(3)).
package enum NotifyField: Hashable, Sendable {
    /// The start, or the reload that was told before, is complete.
    case ready
    /// A reload begins, at this moment of the monotonic clock in microseconds.
    case reloading(since: Int64)
    /// We are about to end.
    case stopping
    /// A sentence for people.
    case status(String)
    /// Why we failed, as in errno(3).
    case errno(Int32)
    /// Why we failed, as a D-Bus error name.
    case busError(String)
    /// The process that is the main one.
    case mainPID(Int32)
    /// A sign of life, or the opposite.
    case watchdog(NotifyMessage.Watchdog)
    /// The watchdog's period from now on, in microseconds.
    case watchdogPeriod(Int64)
    /// How long from now the deadline in force shall last, in microseconds.
    case extendTimeout(Int64)
    /// Keep the descriptors that are sent along, or close those of a name.
    case storage(NotifyMessage.Storage)
    /// Any other field, as when a child's message is passed on.
    case other(name: String, value: String)

    /// The bytes of a datagram with `fields`: `READY=1` first, wherever it was given, the others in their
    /// order.
    ///
    /// A line is a field, so that line ends and NULs in a value are sent as spaces.
    package static func encode(_ fields: [NotifyField]) -> [UInt8] {
        let ordered = fields.filter { $0 == .ready } + fields.filter { $0 != .ready }
        return Array(ordered.flatMap(\.lines).map(flattened).joined(separator: "\n").utf8)
    }

    private var lines: [String] {
        switch self {
        case .ready: ["READY=1"]
        case .reloading(let moment): ["RELOADING=1", "MONOTONIC_USEC=\(moment)"]
        case .stopping: ["STOPPING=1"]
        case .status(let text): ["STATUS=\(text)"]
        case .errno(let number): ["ERRNO=\(number)"]
        case .busError(let name): ["BUSERROR=\(name)"]
        case .mainPID(let pid): ["MAINPID=\(pid)"]
        case .watchdog(.alive): ["WATCHDOG=1"]
        case .watchdog(.trigger): ["WATCHDOG=trigger"]
        case .watchdogPeriod(let period): ["WATCHDOG_USEC=\(period)"]
        case .extendTimeout(let span): ["EXTEND_TIMEOUT_USEC=\(span)"]
        case .storage(.store(let name, let polled)):
            ["FDSTORE=1", "FDNAME=\(name)"] + (polled ? [] : ["FDPOLL=0"])
        case .storage(.remove(let name)): ["FDSTOREREMOVE=1", "FDNAME=\(name)"]
        case .other(let name, let value): ["\(name)=\(value)"]
        }
    }

    private static func flattened(_ line: String) -> String {
        // By scalar: CR LF is one character.
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { "\n\r\0".unicodeScalars.contains($0) ? " " : $0 }))
    }
}
