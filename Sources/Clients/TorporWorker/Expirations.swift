internal import Synchronization

/// The background tasks of this process, and what cancels each.
final class Expirations: Sendable {
    private struct Entry {
        var isExpired = false
        var cancel: (@Sendable () -> Void)?
    }

    private struct Table {
        var lastNumber: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
    }

    private let table = Mutex(Table())

    /// A number that nothing else of the worker has.
    func nextNumber() -> UInt64 {
        table.withLock { table in
            table.lastNumber += 1
            return table.lastNumber
        }
    }

    /// A task is about to begin.
    func add(_ number: UInt64) {
        table.withLock { $0.entries[number] = Entry() }
    }

    /// Its body runs; where the time was over before that, it is cancelled at once.
    func start(_ number: UInt64, _ cancel: @escaping @Sendable () -> Void) {
        let isExpired = table.withLock { table in
            table.entries[number]?.cancel = cancel
            return table.entries[number]?.isExpired ?? false
        }
        if isExpired { cancel() }
    }

    func remove(_ number: UInt64) {
        _ = table.withLock { $0.entries.removeValue(forKey: number) }
    }

    /// The background time is nearly over.
    func expireAll() {
        let cancels = table.withLock { table in
            for number in table.entries.keys { table.entries[number]?.isExpired = true }
            return table.entries.values.compactMap(\.cancel)
        }
        // Not with the lock held: a cancellation handler may do anything.
        for cancel in cancels { cancel() }
    }
}
