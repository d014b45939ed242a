internal import Linux

extension Cgroup {
    /// The groups right below, in no order; none when this one is gone.
    package func children() -> [Cgroup] {
        Directory.entries(of: path).map { Cgroup(path: "\(path)/\($0)") }.filter { $0.isGroup }
    }

    /// Memory charged to the group in bytes, as `memory.current`; nil without the controller.
    package func memoryCurrent() -> Int64? { number("memory.current") }

    /// The most memory that was ever charged to it in bytes, as `memory.peak`; nil without the controller, or before 5.19.
    package func memoryPeak() -> Int64? { number("memory.peak") }

    private var isGroup: Bool { (try? KernelFile.read("\(path)/cgroup.procs", limit: 1)) != nil }

    private func number(_ name: String) -> Int64? {
        guard let text = try? KernelFile.text("\(path)/\(name)") else { return nil }
        return Int64(text.prefix { $0 != "\n" })
    }
}
