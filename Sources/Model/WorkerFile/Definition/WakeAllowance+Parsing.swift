package import Budgeting
package import ConfigurationSyntax
internal import Lifecycle

extension WakeAllowance: PlainValue {
    /// The most wakes that a file may allow in an hour.
    private static let most = 1_000_000

    /// Reads `60 10min`, `60` for that many wakes and the usual time, or `infinity`.
    package init(parsing text: String) throws(ValueError) {
        if text.isExactly("infinity") {
            self = .unlimited
            return
        }
        let words = text.split(maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard let first = words.first, let wakes = Int(systemd: String(first)),
            (1...Self.most).contains(wakes)
        else { throw ValueError(text, isNot: Self.expectation) }
        guard words.count == 2 else {
            self = WakeAllowance.usual.allowing(wakes)
            return
        }
        guard let awake = try? TimeSpan(parsing: String(words[1]).trimmed), awake >= .seconds(1) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self = .limited(wakes: wakes, awake: awake)
    }

    /// What an allowance looks like.
    package static var expectation: String {
        "a number of wakes from 1 to \(most), a number and a time span of at least 1s such as 60 10min, or infinity"
    }
    /// It is two words at most.
    package static var isClosed: Bool { true }

    /// The same time, and another number of wakes.
    private func allowing(_ wakes: Int) -> WakeAllowance {
        switch self {
        case .unlimited: .unlimited
        case .limited(_, let awake): .limited(wakes: wakes, awake: awake)
        }
    }
}
