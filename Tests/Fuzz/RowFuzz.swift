// The fuzz target for the rows of the store: a database in memory whose rows hold anything.

import Records

@testable import Store

nonisolated(unsafe) private let connection: Connection = {
    guard let connection = try? Connection(":memory:"), (try? Schema.current.apply(to: connection)) != nil
    else {
        preconditionFailure("no database")
    }
    return connection
}()

/// One input: for each row a table, and for each column what kind of value it holds and the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRow(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = ArraySlice(UnsafeBufferPointer(start: start, count: count))
    do throws(StoreError) {
        for table in tables { try connection.execute("DELETE FROM \(table.name)") }
        var rows = 0
        while let first = bytes.popFirst(), rows < 64 {
            rows += 1
            try insert(&bytes, into: tables[Int(first) % tables.count])
        }
        var limits = NotificationLimits()
        (limits.workers, limits.notifications, limits.allNotifications) = (4, 4, 12)
        (limits.bytes, limits.schedules, limits.known) = (4000, 3, 3)
        let reading = try NotificationReading(connection, limits)
        precondition(reading.passedOver >= 0 && reading.passedOver <= rows)
        for box in reading.notifications.values {
            precondition(box.notifications.count <= 4 && box.schedules.count <= 3 && box.known.count <= 3)
            for entry in box.notifications {
                precondition(entry.sequence > 0 && entry.sequence <= UInt64(Database.greatestNumber))
                precondition(entry.count > 0 && entry.dropped >= 0 && entry.deaths >= 0)
            }
        }
        let some = Query(names: ["w*", "[", ""], since: .min, until: .max, limit: 3)
        var kinds = some
        kinds.kinds = ["ended"]
        for query in [Query(limit: 10), some, kinds] {
            let rows = try Reading<HistoryEntry>(connection).rows(query)
            precondition(rows.count <= query.limit, "more rows than asked for")
        }
        // Ends have no kinds.
        for query in [Query(limit: 10), some] {
            let rows = try Reading<TerminationEntry>(connection).rows(query)
            precondition(rows.count <= query.limit, "more rows than asked for")
        }
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}

private let tables: [(name: String, columns: Int)] = [
    ("boot", 2), ("history", 13), ("termination", 27), ("mailbox", 2), ("notification", 13), ("known", 3),
    ("schedule", 14),
]

/// A row that its table does not take is left out.
private func insert(
    _ bytes: inout ArraySlice<UInt8>, into table: (name: String, columns: Int)
) throws(StoreError) {
    let places = Array(repeating: "?", count: table.columns).joined(separator: ",")
    let statement = try connection.statement("INSERT OR REPLACE INTO \(table.name) VALUES(\(places))")
    for _ in 0..<table.columns {
        let kind = bytes.popFirst() ?? 0
        switch kind % 5 {
        case 0: statement.bind(Int64(kind))
        case 1, 2:
            var number: UInt64 = 0
            for _ in 0..<8 { number = number << 8 | UInt64(bytes.popFirst() ?? 0) }
            if kind % 5 == 1 {
                statement.bind(Int64(bitPattern: number))
            } else {
                statement.bind(Double(bitPattern: number))
            }
        case 3:
            let text = Array(bytes.prefix(Int(bytes.popFirst() ?? 0)))
            bytes = bytes.dropFirst(text.count)
            statement.bind(text)
        default: statement.bind(nil as Int64?)
        }
    }
    // Ignoring a failure: a column that must not be missing, for one.
    try? statement.run()
}
