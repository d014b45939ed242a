import Cgroups
import Glibc
import Lifecycle
import Linux

/// What the worker has used, as the kernel counts it.
struct Meter {
    let group: Cgroup?
    let pid: Int32

    /// Processor time so far: of all its processes, or of the main one's first thread where there is no group.
    var cpu: TimeSpan {
        if let time = group?.cpuTime() { return TimeSpan(microseconds: Int64(clamping: time)) }
        // In nanoseconds, unlike the 10 ms ticks of /proc/PID/stat.
        return TimeSpan(microseconds: (field(0, of: "schedstat") ?? 0) / 1000)
    }

    /// Bytes of memory that its main process has in use, as in proc_pid_statm(5).
    var memory: Int { Int(field(1, of: "statm") ?? 0) * sysconf(Int32(_SC_PAGESIZE)) }

    private func field(_ index: Int, of name: String) -> Int64? {
        guard let file = fopen("/proc/\(pid)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(whereSeparator: \.isWhitespace)
        return index < fields.count ? Int64(fields[index]) : nil
    }
}

extension TimeSpan {
    /// As a user reads it: three digits or so.
    var text: String {
        let microseconds = self.microseconds
        if microseconds == 0 { return "0" }
        if microseconds < 1000 { return "\(microseconds) µs" }
        if microseconds < 1_000_000 { return "\(Self.decimal(microseconds, per: 1000)) ms" }
        return "\(Self.decimal(microseconds, per: 1_000_000)) s"
    }

    /// In seconds, to the millisecond.
    var seconds: String {
        let rest = String(microseconds / 1000 % 1000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private static func decimal(_ value: Int64, per unit: Int64) -> String {
        let whole = value / unit
        let scale: Int64 = whole >= 100 ? 1 : whole >= 10 ? 10 : 100
        let scaled = (value * scale + unit / 2) / unit
        guard scale > 1 else { return "\(scaled)" }
        let fraction = String(scaled % scale)
        let width = scale == 10 ? 1 : 2
        return "\(scaled / scale).\(String(repeating: "0", count: width - fraction.count))\(fraction)"
    }
}

extension Int {
    /// Bytes, in MB to one digit.
    var megabytes: String {
        let tenths = (self * 10 + 524_288) / 1_048_576
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}
