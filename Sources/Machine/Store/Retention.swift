internal import Records

/// How much is kept: what is older, or too much, is deleted a little at a time.
package struct Retention: Hashable, Sendable {
    /// How long anything is kept, in microseconds; nil is for ever.
    package var maxAge: Int64?
    /// How big all of it may get, in bytes: the oldest history goes first, ends of processes only when there is none.
    package var maxSize: Int64
    /// How many ends are kept of one worker.
    package var terminationsPerWorker = 50

    /// Keeps what is younger than `maxAge` microseconds, `maxSize` bytes of it.
    package init(maxAge: Int64?, maxSize: Int64) {
        self.maxAge = maxAge
        self.maxSize = maxSize
    }

    /// How many rows go in one transaction, so that no write waits long for it.
    private static let portion = 1000
    /// Free pages that stay in the file, for what comes next.
    private static let spare: Int64 = 64

    /// Deletes a portion of what is not kept; true when there may be more.
    func prune(_ connection: Connection, now: Int64) throws(StoreError) -> Bool {
        var deleted = 0
        try connection.transaction { () throws(StoreError) in
            if let maxAge {
                for table in [HistoryEntry.table, TerminationEntry.table] {
                    deleted += try delete(from: table, on: connection, olderThan: now - maxAge)
                }
            }
            if try size(of: connection) > maxSize { deleted += try deleteOldest(on: connection) }
        }
        return try shrink(connection) || deleted > 0
    }

    /// Deletes the ends of `worker` past the newest few.
    func prune(_ connection: Connection, terminationsOf worker: String) throws(StoreError) {
        let statement = try connection.statement(
            """
            DELETE FROM termination WHERE worker = ? AND id <= (
                SELECT id FROM termination WHERE worker = ? ORDER BY id DESC LIMIT 1 OFFSET ?)
            """)
        statement.bind(worker)
        statement.bind(worker)
        statement.bind(Int64(terminationsPerWorker))
        try statement.run()
    }

    /// Looks at the oldest rows only: there is no index by time, and rows come in its order but where the clock was set.
    private func delete(
        from table: String, on connection: Connection, olderThan moment: Int64
    ) throws(StoreError) -> Int {
        let statement = try connection.statement(
            "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) ORDER BY id LIMIT \(Self.portion)) AND at < ?"
        )
        statement.bind(moment)
        try statement.run()
        return connection.changes
    }

    private func deleteOldest(on connection: Connection) throws(StoreError) -> Int {
        for table in [HistoryEntry.table, TerminationEntry.table] {
            try connection.execute(
                "DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) ORDER BY id LIMIT \(Self.portion))"
            )
            if connection.changes > 0 { return connection.changes }
        }
        return 0
    }

    /// What is in use of the file, in bytes.
    private func size(of connection: Connection) throws(StoreError) -> Int64 {
        let pages =
            try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
        return try pages * connection.number("PRAGMA page_size")
    }

    /// Returns some free pages to the file system, where there are many; whether it did.
    private func shrink(_ connection: Connection) throws(StoreError) -> Bool {
        guard try connection.number("PRAGMA freelist_count") > 2 * Self.spare else { return false }
        try connection.execute("PRAGMA incremental_vacuum(\(Self.spare))")
        return true
    }
}
