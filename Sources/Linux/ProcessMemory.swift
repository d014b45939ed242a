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

/// Lines of a name with a colon, a number and `kB`, as bytes.
private struct KilobyteTable {
    private var bytes: [Substring: Int64] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count == 3, words[2] == "kB", words[0].last == ":", let number = Int64(words[1]),
                (0...Int64.max / 1024).contains(number)
            else { continue }
            bytes[words[0].dropLast()] = number * 1024
        }
    }

    subscript(name: Substring) -> Int64? { bytes[name] }
}
