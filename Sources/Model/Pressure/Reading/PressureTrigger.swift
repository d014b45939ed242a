package import Lifecycle

/// A threshold that the kernel watches: what is written to a pressure file so that it wakes the supervisor.
///
/// (Documentation/accounting/psi.rst, "Monitoring for pressure thresholds".)
package struct PressureTrigger: Hashable, Sendable {
    /// Which of the two kinds of stall.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// At least one task waits for memory.
        case some
        /// All wait.
        case full
    }

    /// Which stall.
    package let kind: Kind
    /// How long it must have lasted, all together, within a window.
    package let stall: TimeSpan
    /// The window; one event comes in each at most.
    package let window: TimeSpan

    /// The windows that the kernel knows.
    package static let windows = TimeSpan.milliseconds(500)...TimeSpan.seconds(10)
    /// Without CAP_SYS_RESOURCE a window has to be a multiple of this.
    package static let unprivilegedStep = TimeSpan.seconds(2)

    /// A trigger that the kernel can take; nil when it has no such window, or the stall does not fit into it.
    package init?(_ kind: Kind, stall: TimeSpan, window: TimeSpan) {
        guard Self.windows.contains(window), stall > .zero, stall <= window else { return nil }
        self.kind = kind
        self.stall = stall
        self.window = window
    }

    /// A share of a window, in percent, made to fit: the window is one that a process without privileges may have too.
    package init(_ kind: Kind, percent: Double, window: TimeSpan = unprivilegedStep) {
        let steps =
            (window.microseconds + Self.unprivilegedStep.microseconds / 2)
            / Self.unprivilegedStep.microseconds
        let fitting = min(max(steps, 1), 5) * Self.unprivilegedStep.microseconds
        let share = percent.isFinite ? min(max(percent, 0), 100) : 100
        self.kind = kind
        self.stall = TimeSpan(microseconds: max(1, Int64(Double(fitting) * share / 100)))
        self.window = TimeSpan(microseconds: fitting)
    }

    /// Reads the text form; nil when the kernel would refuse it for any process.
    package init?(parsing text: String) {
        let words = text.words(between: " \n\0")
        guard words.count == 3, let kind = Kind(rawValue: String(words[0])),
            let stall = KernelTable.number(words[1]), let window = KernelTable.number(words[2])
        else { return nil }
        self.init(kind, stall: TimeSpan(microseconds: stall), window: TimeSpan(microseconds: window))
    }

    /// What is written to the pressure file, without the byte behind it that the kernel overwrites.
    package var text: String { "\(kind.rawValue) \(stall.microseconds) \(window.microseconds)" }

    /// Whether the kernel takes it from a process without CAP_SYS_RESOURCE.
    package var isTakenUnprivileged: Bool {
        window.microseconds % Self.unprivilegedStep.microseconds == 0
    }
}
