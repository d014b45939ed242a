internal import Glibc

/// Memory of one process, in bytes.
public struct ProcessMemory: Hashable, Sendable {
    /// In memory: anonymous, of files and shared.
    public var resident: Int64
    /// In swap.
    public var swapped: Int64
    /// Of what is in memory, what belongs to no file.
    public var anonymous: Int64

    /// These figures.
    public init(resident: Int64, swapped: Int64 = 0, anonymous: Int64 = 0) {
        self.resident = resident
        self.swapped = swapped
        self.anonymous = anonymous
    }

    /// The bytes of `pid` that are in memory, as /proc/PID/statm tells (proc_pid_statm(5)); nil when it is gone.
    public static func resident(of pid: Int32) -> Int64? {
        guard let text = try? KernelFile.text("/proc/\(pid)/statm") else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// What `pid` holds, as /proc/PID/status tells (proc_pid_status(5)); nil when it is gone or has no memory any more.
    ///
    /// Pages that several processes share count for each.
    public static func current(of pid: Int32) -> ProcessMemory? {
        (try? KernelFile.text("/proc/\(pid)/status")).flatMap { ProcessMemory(status: $0) }
    }

    /// Its share of what it holds, by /proc/PID/smaps_rollup (proc_pid_smaps(5)): a page of three processes counts a third
    /// for each; nil where that may not be read, or it is gone.
    ///
    /// The kernel walks all its pages for it, which takes about a millisecond for each 100 MB.
    public static func share(of pid: Int32) -> ProcessMemory? {
        (try? KernelFile.text("/proc/\(pid)/smaps_rollup")).flatMap { ProcessMemory(rollup: $0) }
    }

    init?(status text: String) {
        let table = KilobyteTable(text)
        guard let resident = table["VmRSS"] else { return nil }
        self.init(resident: resident, swapped: table["VmSwap"] ?? 0, anonymous: table["RssAnon"] ?? 0)
    }

    init?(rollup text: String) {
        let table = KilobyteTable(text)
        guard let resident = table["Pss"] else { return nil }
        self.init(
            resident: resident, swapped: table["SwapPss"] ?? table["Swap"] ?? 0,
            anonymous: table["Pss_Anon"] ?? 0)
    }
}

/// Lines of a name with a colon, a number and `kB`, as bytes; read byte by byte, and only as far as somebody asks.
private struct KilobyteTable {
    private var text: String

    init(_ text: String) {
        self.text = text
        self.text.makeContiguousUTF8()
    }

    subscript(name: String) -> Int64? {
        let (bytes, wanted) = (text.utf8.span, name.utf8.span)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            if let found = Self.bytes(of: wanted, in: bytes.extracting(start..<end)) { return found }
            start = end + 1
        }
        return nil
    }

    private static func bytes(of name: borrowing Span<UInt8>, in line: borrowing Span<UInt8>) -> Int64? {
        guard line.count > name.count, line[name.count] == UInt8(ascii: ":") else { return nil }
        for index in name.indices where line[index] != name[index] { return nil }
        var at = name.count + 1
        while at < line.count, line[at] == UInt8(ascii: " ") || line[at] == UInt8(ascii: "\t") { at += 1 }
        let digits = at
        var number: Int64 = 0
        while at < line.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[at] {
            // More than could be multiplied by ten is more than any machine has.
            guard number < Int64.max / 1024 / 16 else { return nil }
            number = number * 10 + Int64(line[at] - UInt8(ascii: "0"))
            at += 1
        }
        guard at > digits, at + 3 == line.count, line[at] == UInt8(ascii: " "),
            line[at + 1] == UInt8(ascii: "k"),
            line[at + 2] == UInt8(ascii: "B")
        else { return nil }
        return number * 1024
    }
}
