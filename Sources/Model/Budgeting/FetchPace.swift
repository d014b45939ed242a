package import Lifecycle
package import SnapshotCoding

/// What came of a background fetch.
package enum FetchResult: String, Hashable, Sendable, CaseIterable {
    /// There was something new.
    case newData
    /// There was nothing new.
    case noData
    /// The fetch failed, or was not completed in time.
    case failed

    /// The result of a fetch that was completed in this way: a worker that refuses had nothing to fetch.
    package init(_ completion: Completion?) {
        self =
            switch completion {
            case .done: .newData
            case .refused: .noData
            case .failed, nil: .failed
            }
    }
}

/// How the fetches of one worker are spaced: the interval adapts to what they bring (1.4).
///
/// New data brings it back to `FetchIntervalSec=`; no data doubles it, up to eight times that; a failure leaves it.
package struct FetchPace: Hashable, Sendable {
    /// The longest interval, as a multiple of `FetchIntervalSec=`.
    package static let most = 8

    /// The present interval, as a multiple of `FetchIntervalSec=`.
    package private(set) var factor = 1
    /// What the last fetch brought; nil before the first.
    package private(set) var last: FetchResult?
    /// When it was over.
    package private(set) var lastAt: Instant?

    /// Before the first fetch.
    package init() {}

    /// A fetch is over.
    package mutating func ended(_ result: FetchResult, at now: Instant) {
        switch result {
        case .newData: factor = 1
        case .noData: factor = min(Self.most, factor * 2)
        case .failed: break
        }
        (last, lastAt) = (result, now)
    }

    /// The present interval, where `FetchIntervalSec=` is `base`.
    package func interval(of base: TimeSpan) -> TimeSpan {
        let (span, overflow) = base.microseconds.multipliedReportingOverflow(by: Int64(factor))
        return overflow ? base : TimeSpan(microseconds: span)
    }
}

extension FetchResult: SnapshotKind {
    /// The number of the result in records, which is for good.
    package var snapshotNumber: UInt8 {
        switch self {
        case .newData: 0
        case .noData: 1
        case .failed: 2
        }
    }
}

extension FetchPace: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: FetchPace?) throws(C.Failure) {
        let factor = try c.value("factor", 1, value.map { UInt32(clamping: $0.factor) }, or: 1)
        self.factor = Int(min(max(factor, 1), UInt32(Self.most)))
        last = try c.optional("last", 2, value?.last)
        lastAt = try c.optional("lastAt", 3, value?.lastAt)
        try c.checkPast("lastAt", lastAt?.microseconds)
    }
}
