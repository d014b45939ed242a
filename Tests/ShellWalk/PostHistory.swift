/// The values that were posted to a topic whose posts replace each other, as far as the last of them may be the one that holds.
struct PostHistory {
    private var values: [(number: Int, text: String)] = []
    /// Those that were refused: they may be on the disk as long as nothing later is.
    private var refused: [(number: Int, text: String)] = []
    /// The first of them is promised: what came before holds no more.
    private(set) var isCertain = false

    /// The order in which they come is not that in which they were posted.
    var isOutOfOrder = false

    /// The worker may know of a value that no supervisor knows of any more: it was handed out by one that was killed before it was on the
    /// disk.
    var isUnsettled = false

    mutating func posts(_ number: Int, _ text: String) { values.append((number, text)) }

    mutating func isKept(_ number: Int) {
        guard let index = values.firstIndex(where: { $0.number == number }) else { return }
        values.removeFirst(index)
        refused.removeAll { $0.number < number }
        isCertain = true
    }

    mutating func isRefused(_ number: Int) {
        // What had merged into it may have gone with it, or not: those before it count too.
        guard values.first?.number != number || !isCertain else { return }
        refused += values.filter { $0.number == number }
        values.removeAll { $0.number == number }
    }

    /// The supervisor is killed: that they do not count may not be on the disk, and they may be.
    mutating func letRefusalsGo() {
        guard !refused.isEmpty else { return }
        let first = isCertain ? values.first?.number ?? 0 : 0
        values = (values + refused.filter { $0.number > first }).sorted { $0.number < $1.number }
        refused = []
    }

    /// What a worker that has taken all may know.
    var candidates: Set<String> { Set(values.map(\.text)) }
}
