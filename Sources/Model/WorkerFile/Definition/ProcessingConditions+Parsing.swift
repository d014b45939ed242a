package import ConfigurationSyntax
internal import Lifecycle
package import Processing

extension PowerCondition: PlainValue {
    /// Reads a boolean as systemd's `ConditionACPower=` has it, or `any`.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("any") {
            self = .any
            return
        }
        do throws(ValueError) { self = try Bool(parsing: text) ? .mains : .battery } catch {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a condition looks like.
    package static var expectation: String { "yes for mains, no for batteries, or any" }
    /// A condition is one word.
    package static var isClosed: Bool { true }
}

extension PressureCondition: PlainValue {
    /// Reads `10%`, `10%/1min` or `any`: a share, and the time over which it is meant, as systemd's `ConditionMemoryPressure=` has it.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("any") {
            self = .any
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let hundredths = Self.hundredths(String(first).trimmed) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        guard parts.count == 2 else {
            self = .atMost(hundredths: hundredths, over: .fiveMinutes)
            return
        }
        let window = Window.allCases.first { window in
            guard let span = try? TimeSpan(parsing: window.rawValue) else { return false }
            return (try? TimeSpan(parsing: String(parts[1]).trimmed)) == span
        }
        guard let window else { throw ValueError(text, isNot: Self.expectation) }
        self = .atMost(hundredths: hundredths, over: window)
    }

    /// `12.5%` as 1250; nil for what is no percentage.
    private static func hundredths(_ text: String) -> Int? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = UInt8(first), whole <= 100 else { return nil }
        guard parts.count == 2 else { return Int(whole) * 100 }
        guard (1...2).contains(parts[1].utf8.count), let number = UInt8(parts[1]) else { return nil }
        let hundredths = Int(whole) * 100 + Int(number) * (parts[1].utf8.count == 1 ? 10 : 1)
        return hundredths <= 10_000 ? hundredths : nil
    }

    /// What a condition looks like.
    package static var expectation: String {
        "a percentage such as 10%, with /10s, /1min or /5min for the time that is meant, or any"
    }
    /// A condition is one word.
    package static var isClosed: Bool { true }
}
