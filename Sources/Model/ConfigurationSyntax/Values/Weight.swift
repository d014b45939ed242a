/// A CPU weight, as systemd.resource-control(5) takes it.
package enum CPUWeight: Hashable, Sendable, PlainValue {
    /// From 1 to 10000; the kernel's default is 100.
    case weight(Int)
    /// Only what no other task uses (`cpu.idle`).
    case idle

    /// Reads 1 to 10000, or `idle`.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("idle") {
            self = .idle
        } else if let weight = Int(systemd: text), (1...10_000).contains(weight) {
            self = .weight(weight)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a weight looks like.
    package static var expectation: String { "a weight from 1 to 10000, or idle" }
    /// A weight is one word.
    package static var isClosed: Bool { true }
}

/// How much CPU time the background may take: a share of one CPU, or no limit.
package enum CPULimit: Hashable, Sendable, PlainValue {
    /// No limit.
    case off
    /// At most this share of one CPU; more than the whole is possible.
    case share(Share)

    /// Reads a percentage up to 10000%, `yes` for the usual 80 %, or `no`.
    package init(parsing text: String) throws(ValueError) {
        if let on = try? Bool(parsing: text) {
            self = on ? .share(.percent(80)) : .off
        } else if let share = try? Share(parsing: text, atMost: 1_000_000), share.permyriad > 0 {
            self = .share(share)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a limit looks like.
    package static var expectation: String { "a percentage of one CPU up to 10000%, yes (80%) or no" }
    /// A limit is one word.
    package static var isClosed: Bool { true }
}

/// The CPU usage from which on a worker counts as used (`IdleCPU=`): a share of one CPU, or none at all.
package enum CPUThreshold: Hashable, Sendable, PlainValue {
    /// At this share of one CPU; more than the whole is possible.
    case share(Share)
    /// At none: CPU usage does not count.
    case infinity

    /// Reads a percentage up to 10000%, or `infinity`.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("infinity") {
            self = .infinity
        } else if let share = try? Share(parsing: text, atMost: 1_000_000), share.permyriad > 0 {
            self = .share(share)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a threshold looks like.
    package static var expectation: String {
        "a percentage of one CPU above 0% and up to 10000%, or infinity"
    }
    /// A threshold is one word.
    package static var isClosed: Bool { true }

    /// The share in percent; nil where CPU usage does not count.
    package var percent: Double? {
        switch self {
        case .share(let share): Double(share.permyriad) / 100
        case .infinity: nil
        }
    }
}
