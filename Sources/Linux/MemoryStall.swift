/// How much of the last ten seconds was lost to memory pressure, in percent (Documentation/accounting/psi.rst).
public struct MemoryStall: Hashable, Sendable {
    /// While some waited for memory.
    public let some: Double
    /// While all did, and nothing was done.
    public let full: Double

    /// The machine's, as it is now; nil where the kernel does not count it.
    public static func current() -> MemoryStall? {
        (try? KernelFile.text("/proc/pressure/memory")).flatMap(MemoryStall.init(parsing:))
    }

    /// Reads the text of a pressure file; nil when it is none.
    init?(parsing text: String) {
        var averages: [Substring: Double] = [:]
        for line in text.lines {
            let words = line.split(separator: " ")
            guard let kind = words.first,
                let average = words.first(where: { $0.hasPrefix("avg10=") })
            else { continue }
            averages[kind] = Double(average.dropFirst("avg10=".count))
        }
        guard let some = averages["some"], let full = averages["full"] else { return nil }
        self.some = some
        self.full = full
    }
}
