package import Linux

extension ProcessStat {
    /// The signals that have been sent to process `pid` or to its first thread and that it has not taken yet, in no order; none
    /// where it is gone (proc_pid_status(5), `SigPnd` and `ShdPnd`).
    package static func pendingSignals(of pid: Int32) -> Set<Signal> {
        guard let status = try? KernelFile.text("/proc/\(pid)/status") else { return [] }
        let sets = status.lines.compactMap { line -> UInt64? in
            guard line.hasPrefix("SigPnd:\t") || line.hasPrefix("ShdPnd:\t") else { return nil }
            return UInt64(line.dropFirst(8), radix: 16)
        }
        let all = sets.reduce(0, |)
        return Set((1...64).filter { all & 1 << (UInt64($0) - 1) != 0 }.compactMap { Signal(rawValue: $0) })
    }
}
