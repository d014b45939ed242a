internal import Glibc
internal import Records

/// Reads rows of one table, the newest that fit.
struct Reading<Entry: Row> {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The newest rows that fit `query`, oldest first, of those with a greater number than `bottom`.
    func rows(_ query: Query, after bottom: Int64 = 0) throws(StoreError) -> [Stored<Entry>] {
        var newestFirst: [Stored<Entry>] = []
        if let names = query.names {
            for name in try workers(matching: NamePatterns(names)) {
                // What is older than all that fits already need not be read.
                let floor = newestFirst.count < query.limit ? bottom : newestFirst.last?.id ?? bottom
                let found = try rows(of: name, query, after: floor)
                if found.isEmpty { continue }
                newestFirst = Array((newestFirst + found).sorted { $0.id > $1.id }.prefix(query.limit))
            }
        } else {
            newestFirst = try rows(of: nil, query, after: bottom)
        }
        return newestFirst.reversed()
    }

    private func rows(
        of worker: String?, _ query: Query, after floor: Int64
    ) throws(StoreError) -> [Stored<Entry>] {
        let table = Entry.table
        var conditions = ["\(table).id < ?", "\(table).id > ?"]
        if worker != nil { conditions.insert("worker = ?", at: 0) }
        if query.since != nil { conditions.append("at >= ?") }
        if query.until != nil { conditions.append("at <= ?") }
        // A set of words in one parameter, whatever their number: no word has a comma.
        if query.kinds != nil { conditions.append("instr(?, ',' || kind || ',') > 0") }
        if query.reasons != nil { conditions.append("instr(?, ',' || reason || ',') > 0") }
        let statement = try connection.statement(
            Entry.selection(where: conditions.joined(separator: " AND ")))
        defer { statement.reset() }
        if let worker { statement.bind(worker) }
        statement.bind(query.before ?? .max)
        statement.bind(floor)
        if let since = query.since { statement.bind(since) }
        if let until = query.until { statement.bind(until) }
        for words in [query.kinds, query.reasons] {
            if let words { statement.bind(",\(words.joined(separator: ",")),") }
        }
        statement.bind(Int64(query.limit))
        var rows: [Stored<Entry>] = []
        while try statement.step() {
            rows.append(
                Stored(
                    id: statement.number(0) ?? 0, bootID: statement.text(1) ?? "",
                    content: Entry(statement, from: 2)))
        }
        return rows
    }

    /// Whether any row with a number between these happened at or after a moment.
    ///
    /// Their order is that in which things happened: where the clock was set back, a row may be older than the ones before it.
    func hasRow(since moment: Int64, after bottom: Int64, before top: Int64) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM \(Entry.table) WHERE id > ? AND id < ? AND at >= ? LIMIT 1")
        defer { statement.reset() }
        for number in [bottom, top, moment] { statement.bind(number) }
        return try statement.step()
    }

    /// The workers of which there are rows and that the patterns mean.
    ///
    /// From name to name by the index, so that it costs as many steps as there are workers, however many rows.
    private func workers(matching patterns: NamePatterns) throws(StoreError) -> [String] {
        if let names = patterns.plain { return names }
        let statement = try connection.statement(NextWorker.question(in: Entry.table))
        var names: [String] = []
        var last: [UInt8] = []
        while true {
            defer { statement.reset() }
            statement.bind(last)
            guard try statement.step(), let next = statement.bytes(0) else { return names }
            let name = String(decoding: next, as: UTF8.self)
            if patterns.match(name) { names.append(name) }
            last = next
        }
    }
}

/// How tables are gone through from worker to worker by their index.
enum NextWorker {
    /// Asks for the next worker of `table` after the one that is bound, as its bytes: those are what the index is ordered by, and a name
    /// that is no UTF-8 would otherwise be found again and again.
    ///
    /// What is no text comes after all texts (`x''` is the least of it) and is left out: it is after every name.
    static func question(in table: String) -> String {
        "SELECT min(worker) FROM \(table) WHERE worker > ? AND worker < x''"
    }
}

/// Names of workers, and shell patterns (fnmatch(3)) of names.
struct NamePatterns {
    private let texts: [String]
    /// The names, each once, where there is no pattern among them.
    let plain: [String]?

    init(_ texts: [String]) {
        self.texts = texts
        let hasPattern = texts.contains { $0.utf8.contains { "*?[".utf8.contains($0) } }
        plain = hasPattern ? nil : Set(texts).sorted()
    }

    /// Whether any of them means `name`.
    func match(_ name: String) -> Bool {
        texts.contains { unsafe $0 == name || fnmatch($0, name, 0) == 0 }
    }
}
