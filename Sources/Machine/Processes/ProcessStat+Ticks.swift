internal import Glibc

extension ProcessStat {
    /// The time that so many clock ticks are (`_SC_CLK_TCK`, sysconf(3)), in microseconds.
    package static func microseconds(ofTicks ticks: UInt64) -> Int64 {
        let (microseconds, overflow) = Int64(clamping: ticks).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : microseconds / Int64(sysconf(Int32(_SC_CLK_TCK)))
    }
}
