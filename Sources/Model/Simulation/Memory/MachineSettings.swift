package import ConfigurationSyntax
package import WorkerFile

/// `[Machine]`: the memory of the simulated machine; without a size it is not counted.
package struct MachineSettings: Hashable, Sendable {
    /// All of it.
    package var memory: ByteSize?
    /// What others hold from the beginning.
    package var used = ByteSize(bytes: 0)
    package var swap = ByteSize(bytes: 0)
    /// Swap lies in memory, compressed to a third (zram).
    package var compressesSwap = false

    /// Memory is not counted.
    package init() {}
}

extension MachineSettings: DirectiveTable {
    /// All keys of `[Machine]`.
    package static let directives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Machine")
        return [
            section.one("Memory", \.memory, "The total memory."),
            section.one("Used", \.used, "The memory of other programs at the start."),
            section.one("Swap", \.swap, "The total swap."),
            section.one(
                "CompressedSwap", \.compressesSwap, "Whether swap is in memory, compressed (zram)."),
        ]
    }()

    /// The same by section and key.
    package static let index = indexed(directives)

    /// Sizes whose sums would not fit.
    package var contradictions: [Contradiction] {
        let most = ByteSize(bytes: 1 << 50)
        return [("Memory", memory ?? used), ("Used", used), ("Swap", swap)].filter { $0.1 > most }.map {
            Contradiction(key: $0.0, problem: "too much", expected: "at most 1024T")
        }
    }
}
