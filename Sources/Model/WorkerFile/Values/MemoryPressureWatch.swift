public import Lifecycle

/// Whether a worker gets `MEMORY_PRESSURE_WATCH`, as `MemoryPressureWatch=` of systemd.resource-control(5).
public enum MemoryPressureWatch: Hashable, Sendable, PlainValue {
    /// Where that can be had.
    case auto
    /// It does; where it cannot be had, that is said.
    case on
    /// It is told not to watch: `/dev/null`.
    case off
    /// The variable is left alone.
    case skip

    /// Reads `auto`, `skip` or a boolean.
    public init(parsing text: String) throws(ValueError) {
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
    public static var expectation: String { "auto, skip or a boolean" }
    /// A word is never followed by anything.
    public static var isClosed: Bool { true }
}

/// How much time must be lost to memory pressure within a window of 2 s before a worker is told.
public struct PressureThreshold: Hashable, Sendable, PlainValue {
    /// The time.
    public let stall: TimeSpan

    /// systemd's 200 ms.
    public static let standard = PressureThreshold(.milliseconds(200))
    /// The window.
    public static let window = TimeSpan.seconds(2)

    private init(_ stall: TimeSpan) { self.stall = stall }

    /// Reads a time span that is not zero and fits into the window.
    public init(parsing text: String) throws(ValueError) {
        guard let stall = try? TimeSpan(parsing: text), stall > .zero, stall <= Self.window else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.stall = stall
    }

    /// What it takes.
    public static var expectation: String { "a time span up to 2s such as 200ms" }
    /// A time span is units and numbers.
    public static var isClosed: Bool { true }
}
