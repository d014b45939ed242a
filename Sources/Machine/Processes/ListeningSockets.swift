internal import Glibc
internal import Linux

/// Sockets that listen at a TCP port, as /proc/PID/net/tcp shows them (proc_pid_net(5)), and their holders.
package enum ListeningSockets {
    /// Whether one of `processes` listens at `port`, in the network that `main` is in.
    ///
    /// Where none of them may be looked at, any socket that listens there counts.
    package static func isListening(at port: UInt16, main: Int32, processes: [Int32]) -> Bool {
        var inodes: Set<UInt64> = []
        for table in ["tcp", "tcp6"] {
            // Ignoring a failure: there may be no IPv6, and the process may be gone.
            guard let bytes = try? KernelFile.read("/proc/\(main)/net/\(table)") else { continue }
            inodes.formUnion(Self.inodes(listeningAt: port, in: bytes))
        }
        guard !inodes.isEmpty else { return false }
        var isKnown = false
        for pid in processes {
            let own = sockets(of: pid)
            if own.contains(where: inodes.contains) { return true }
            if !own.isEmpty { isKnown = true }
        }
        return !isKnown && processes.allSatisfy { Directory.entries(of: "/proc/\($0)/fd").isEmpty }
    }

    /// The inodes of sockets that listen at `port`, in a table of the kernel's; lines that are none are passed over.
    static func inodes(listeningAt port: UInt16, in table: [UInt8]) -> Set<UInt64> {
        var inodes: Set<UInt64> = []
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            // TCP_LISTEN is 10.
            guard fields.count > 9, text(fields[3]) == "0A",
                let colon = fields[1].lastIndex(of: UInt8(ascii: ":")),
                UInt16(text(fields[1][(colon + 1)...]), radix: 16) == port,
                let inode = UInt64(text(fields[9])), inode > 0
            else { continue }
            inodes.insert(inode)
        }
        return inodes
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The inodes of the sockets that a process has open.
    private static func sockets(of pid: Int32) -> [UInt64] {
        let directory = "/proc/\(pid)/fd"
        var inodes: [UInt64] = []
        for name in Directory.entries(of: directory) {
            var target = [CChar](repeating: 0, count: 64)
            let length = unsafe readlink("\(directory)/\(name)", &target, target.count)
            guard length > 0 else { continue }
            let link = String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard link.hasPrefix("socket:["), link.hasSuffix("]"),
                let inode = UInt64(link.dropFirst(8).dropLast())
            else { continue }
            inodes.append(inode)
        }
        return inodes
    }
}
