/// How short memory is.
package enum PressureLevel: String, Hashable, Sendable, CaseIterable, Comparable {
    /// No worker has to do anything.
    case normal
    /// Running workers are told.
    case warning
    /// One worker after the other has to go.
    case critical

    /// Whether there is more memory at `a`.
    package static func < (a: PressureLevel, b: PressureLevel) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .normal: 0
        case .warning: 1
        case .critical: 2
        }
    }
}
