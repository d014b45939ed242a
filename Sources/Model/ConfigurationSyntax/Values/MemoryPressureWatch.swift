package import Lifecycle

/// Whether a worker gets `MEMORY_PRESSURE_WATCH`, as `MemoryPressureWatch=` of systemd.resource-control(5).
package enum MemoryPressureWatch: Hashable, Sendable, PlainValue {
    /// Where that can be had.
    case auto
    /// It does; where it cannot be had, that is said.
    case on
    /// It is told not to watch: `/dev/null`.
    case off
    /// The variable is left alone.
    case skip

    /// Reads `auto`, `skip` or a boolean.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("auto") {
            self = .auto
        } else if text.isExactly("skip") {
            self = .skip
        } else if let isOn = try? Bool(parsing: text) {
            self = isOn ? .on : .off
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What it takes.
    package static var expectation: String { "auto, skip or a boolean" }
    /// A word is never followed by anything.
    package static var isClosed: Bool { true }
}

/// How much time must be lost to memory pressure within a window of 2 s before a worker is told.
package struct PressureThreshold: Hashable, Sendable, PlainValue {
    /// The time.
    package let stall: TimeSpan

    /// systemd's 200 ms.
    package static let standard = PressureThreshold(.milliseconds(200))
    /// The window.
    package static let window = TimeSpan.seconds(2)

    private init(_ stall: TimeSpan) { self.stall = stall }

    /// Reads a time span that is not zero and fits into the window.
    package init(parsing text: String) throws(ValueError) {
        guard let stall = try? TimeSpan(parsing: text), stall > .zero, stall <= Self.window else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.stall = stall
    }

    /// What it takes.
    package static var expectation: String { "a time span up to 2s such as 200ms" }
    /// A time span is units and numbers.
    package static var isClosed: Bool { true }
}
