internal import Linux

/// What /proc/locks says of file locks, as in proc_locks(5): their holders and waiters.
package struct LockTable: Hashable, Sendable {
    /// A lock that is held.
    package struct Lock: Hashable, Sendable {
        /// `POSIX`, `FLOCK`, `OFDLCK` or another kind.
        package let kind: String
        /// The process that took it, which may have ended since; -1 for one of an open file, 0 in another pid namespace.
        package let owner: Int32
        /// Device and inode of the file, as the kernel writes them: `08:01:1234`.
        package let file: String
    }

    /// A lock that another process waits for.
    package struct Contested: Hashable, Sendable {
        /// The lock.
        package let lock: Lock
        /// The process that waits.
        package let waiter: Int32
    }

    /// The locks that are held, in the kernel's order.
    package let locks: [Lock]
    /// Those that are waited for, once for each waiter, in the kernel's order.
    package let contested: [Contested]

    /// Reads the file's text; lines that are no locks are passed over.
    ///
    /// A line with `->` waits for the lock of its number that stands before it.
    package init(parsing text: some StringProtocol) {
        var held: [Substring: Lock] = [:]
        var locks: [Lock] = []
        var found: [Contested] = []
        for line in text.split(separator: "\n") {
            let fields = Substring(line).split(separator: " ")
            guard let number = fields.first, number.hasSuffix(":") else { continue }
            let waits = fields.count > 1 && fields[1] == "->"
            guard let lock = Lock(fields.dropFirst(waits ? 2 : 1)) else { continue }
            if !waits {
                held[number] = lock
                locks.append(lock)
            } else if let taken = held[number] {
                found.append(Contested(lock: taken, waiter: lock.owner))
            }
        }
        self.locks = locks
        contested = found
    }

    /// The table as it is now; an empty one where the kernel shows none.
    ///
    /// One read of one file.
    package static func current() -> LockTable {
        LockTable(parsing: (try? KernelFile.text("/proc/locks")) ?? "")
    }

    /// The first lock that one of `processes` holds, or that is one of `others`, and that a process outside of them waits for.
    package func held(by processes: Set<Int32>, or others: Set<Lock> = []) -> Contested? {
        contested.first {
            (processes.contains($0.lock.owner) || others.contains($0.lock))
                && !processes.contains($0.waiter)
        }
    }

    /// Whether one of `processes` holds a lock, or one of `others` is held.
    package func isHeld(by processes: Set<Int32>, or others: Set<Lock> = []) -> Bool {
        locks.contains { processes.contains($0.owner) || others.contains($0) }
    }

    /// Whether there are locks whose owners do not tell which process holds them: those of open files, and those of processes that
    /// have ended and left the file to others.
    package func hasOrphans(isAlive: (Int32) -> Bool) -> Bool {
        locks.contains { $0.owner <= 0 || !isAlive($0.owner) }
    }
}

extension LockTable.Lock {
    /// Reads kind, ADVISORY or MANDATORY, READ or WRITE, pid, file, start, end.
    init?(_ fields: ArraySlice<Substring>) {
        guard fields.count >= 5, let owner = Int32(fields[fields.startIndex + 3]),
            fields[fields.startIndex + 4].split(separator: ":").count == 3
        else { return nil }
        self.init(
            kind: String(fields[fields.startIndex]), owner: owner,
            file: String(fields[fields.startIndex + 4]))
    }
}
