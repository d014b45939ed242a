/// Where swapped pages go: `/proc/swaps` (proc_swaps(5)), in bytes.
///
/// What lies on zram is compressed, and still in memory: a worker that is swapped out there frees some of it when it ends.
package struct SwapAreas: Hashable, Sendable {
    /// One area.
    package struct Area: Hashable, Sendable {
        /// The file or device, with the kernel's escapes.
        package let name: String
        /// How much goes into it.
        package let size: Int64
        /// How much is in it.
        package let used: Int64

        /// An area of these figures.
        package init(name: String, size: Int64, used: Int64) {
            self.name = name
            self.size = size
            self.used = used
        }

        /// Whether its pages stay in memory, compressed.
        package var isCompressedMemory: Bool { name.hasPrefix("/dev/zram") }
    }

    /// The areas, in the kernel's order.
    package let areas: [Area]

    /// These areas.
    package init(_ areas: [Area]) {
        self.areas = areas
    }

    /// Reads `/proc/swaps`; lines that are no area, such as the heading, are left out.
    package init(parsing text: String) {
        areas = text.words(between: "\n").compactMap { line in
            let words = String(line).words(between: " \t")
            guard words.count >= 4, words[0].first == "/",
                let size = KernelTable.number(words[2]), let used = KernelTable.number(words[3]),
                used <= size,
                size <= Int64.max / 1024
            else { return nil }
            return Area(name: String(words[0]), size: size * 1024, used: used * 1024)
        }
    }

    /// Of 100 swapped bytes, how many lie in memory all the same; nothing swapped asks where the next would go.
    package var compressedPercent: Int64 {
        func share(_ figure: KeyPath<Area, Int64>) -> Int64? {
            let all = areas.reduce(into: 0.0) { $0 += Double($1[keyPath: figure]) }
            guard all > 0 else { return nil }
            let compressed = areas.filter(\.isCompressedMemory)
                .reduce(into: 0.0) { $0 += Double($1[keyPath: figure]) }
            return Int64((compressed / all * 100).rounded())
        }
        return share(\.used) ?? share(\.size) ?? 0
    }
}
