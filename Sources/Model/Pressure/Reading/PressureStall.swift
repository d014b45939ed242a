package import Lifecycle

/// How much time memory pressure has cost, as a pressure file tells it (Documentation/accounting/psi.rst).
///
/// The same text is read from `/proc/pressure/memory` and from the `memory.pressure` of a cgroup.
package struct PressureStall: Hashable, Sendable {
    /// One line of the file.
    package struct Share: Hashable, Sendable {
        /// Percent of the last ten seconds.
        package let average10: Double
        /// Percent of the last minute.
        package let average60: Double
        /// Percent of the last five minutes.
        package let average300: Double
        /// All the time that was lost since the group or the machine came to be.
        package let total: TimeSpan

        /// A line with these figures.
        package init(average10: Double, average60: Double, average300: Double, total: TimeSpan) {
            self.average10 = average10
            self.average60 = average60
            self.average300 = average300
            self.total = total
        }
    }

    /// While at least one task waited for memory.
    package let some: Share
    /// While all of them did, and nothing was done.
    package let full: Share

    /// The two lines together.
    package init(some: Share, full: Share) {
        self.some = some
        self.full = full
    }

    /// Reads a pressure file; nil when it is none.
    ///
    /// Lines and fields that are not known are left out, since a newer kernel may add some.
    package init?(parsing text: String) {
        var shares: [Substring: Share] = [:]
        for line in text.words(between: "\n") {
            let words = line.words
            guard let kind = words.first, shares[kind] == nil, let share = Share(words.dropFirst()) else {
                continue
            }
            shares[kind] = share
        }
        guard let some = shares["some"], let full = shares["full"] else { return nil }
        self.init(some: some, full: full)
    }

    /// One of the two.
    package subscript(kind: PressureTrigger.Kind) -> Share {
        switch kind {
        case .some: some
        case .full: full
        }
    }
}

extension PressureStall.Share {
    fileprivate init?(_ words: ArraySlice<Substring>) {
        var averages: [Substring: Double] = [:]
        var total: Int64?
        for word in words {
            let parts = word.utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            )
            .map { Substring($0) }
            guard parts.count == 2 else { continue }
            if parts[0] == "total" {
                total = KernelTable.number(parts[1])
            } else {
                averages[parts[0]] = Self.percent(parts[1])
            }
        }
        guard let average10 = averages["avg10"], let average60 = averages["avg60"],
            let average300 = averages["avg300"], let total
        else { return nil }
        self.init(
            average10: average10, average60: average60, average300: average300,
            total: TimeSpan(microseconds: total))
    }

    /// `1.25`: digits, and two more behind a dot (`LOAD_INT` and `LOAD_FRAC` of the kernel).
    private static func percent(_ word: Substring) -> Double? {
        let parts = word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard parts.count <= 2, let whole = parts.first.flatMap(KernelTable.number), whole <= 100 else {
            return nil
        }
        guard parts.count == 2 else { return Double(whole) }
        guard parts[1].utf8.count == 2, let hundredths = KernelTable.number(parts[1]) else { return nil }
        return Double(whole * 100 + hundredths) / 100
    }
}
