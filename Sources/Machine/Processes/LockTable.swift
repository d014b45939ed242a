internal import Linux

/// What /proc/locks says of file locks, as in proc_locks(5): their holders and waiters.
package struct LockTable: Hashable, Sendable {
    /// A lock that another process waits for.
    package struct Contested: Hashable, Sendable {
        /// The process that holds it.
        package let holder: Int32
        /// The process that waits.
        package let waiter: Int32
        /// `POSIX`, `FLOCK`, `OFDLCK` or another kind.
        package let kind: String
        /// Device and inode of the file, as the kernel writes them: `08:01:1234`.
        package let file: String
    }

    /// The locks that are waited for, in the kernel's order.
    package let contested: [Contested]

    /// Reads the file's text; lines that are no locks are passed over.
    ///
    /// A line with `->` waits for the lock of its number that stands before it. A lock whose owner has no pid (-1: of an open
    /// file), or is of another pid namespace (0), has no holder that could be told.
    package init(parsing text: some StringProtocol) {
        // Most tables have no waiter: then nothing is cut up.
        guard text.utf8.contains(UInt8(ascii: ">")) else {
            contested = []
            return
        }
        var holders: [Substring: Contested] = [:]
        var found: [Contested] = []
        for line in text.split(separator: "\n") {
            let fields = Substring(line).split(separator: " ")
            guard let number = fields.first, number.hasSuffix(":") else { continue }
            let waits = fields.count > 1 && fields[1] == "->"
            let rest = fields.dropFirst(waits ? 2 : 1)
            // Kind, ADVISORY or MANDATORY, READ or WRITE, pid, file, start, end.
            guard rest.count >= 5, let pid = Int32(rest[rest.startIndex + 3]),
                rest[rest.startIndex + 4].split(separator: ":").count == 3
            else { continue }
            if !waits {
                holders[number] = Contested(
                    holder: pid, waiter: 0, kind: String(rest[rest.startIndex]),
                    file: String(rest[rest.startIndex + 4]))
            } else if let lock = holders[number], lock.holder > 0 {
                found.append(
                    Contested(holder: lock.holder, waiter: pid, kind: lock.kind, file: lock.file))
            }
        }
        contested = found
    }

    /// The table as it is now; an empty one where the kernel shows none.
    ///
    /// One read of one file.
    package static func current() -> LockTable {
        LockTable(parsing: (try? KernelFile.text("/proc/locks")) ?? "")
    }

    /// The first lock that one of `processes` holds and a process outside of them waits for.
    package func held(by processes: Set<Int32>) -> Contested? {
        contested.first { processes.contains($0.holder) && !processes.contains($0.waiter) }
    }
}
