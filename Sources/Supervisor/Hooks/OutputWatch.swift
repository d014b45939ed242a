internal import WorkerFile

/// Waits for a line that matches, in what a worker prints from now on.
struct OutputWatch {
    /// The most bytes of a line that are looked at.
    static let longest = 4096

    private let pattern: OutputPattern
    private var cutters: [LineCutter] = []

    init(for pattern: OutputPattern) {
        self.pattern = pattern
    }

    /// Whether a line matches, with the next piece of what came through `channel`; a line whose end has not come counts too,
    /// since a prompt has none.
    mutating func hears(_ piece: ArraySlice<UInt8>, from channel: Int) -> Bool {
        while cutters.count <= channel { cutters.append(LineCutter(longest: Self.longest)) }
        var isThere = false
        cutters[channel].take(piece) { line in
            if !isThere { isThere = pattern.matches(String(decoding: line, as: UTF8.self)) }
        }
        if isThere { return true }
        let begun = cutters[channel].partial
        return !begun.isEmpty && pattern.matches(String(decoding: begun, as: UTF8.self))
    }
}
