internal import Glibc
internal import Records

/// Reads rows of one table, the newest that fit.
struct Reading<Entry: Row> {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The newest rows that fit `query`, oldest first.
    func rows(_ query: Query) throws(StoreError) -> [Stored<Entry>] {
        var newestFirst: [Stored<Entry>] = []
        if let names = query.names {
            for name in try workers(matching: NamePatterns(names)) {
                // What is older than all that fits already need not be read.
                let floor = newestFirst.count < query.limit ? 0 : newestFirst.last?.id ?? 0
                let found = try rows(of: name, query, after: floor)
                if found.isEmpty { continue }
                newestFirst = Array((newestFirst + found).sorted { $0.id > $1.id }.prefix(query.limit))
            }
        } else {
            newestFirst = try rows(of: nil, query, after: 0)
        }
        return newestFirst.reversed()
    }

    private func rows(
        of worker: String?, _ query: Query, after floor: Int64
    ) throws(StoreError) -> [Stored<Entry>] {
        let condition = worker == nil ? "" : "worker = ? AND "
        let table = Entry.table
        let statement = try connection.statement(
            Entry.selection(where: "\(condition)\(table).id < ? AND \(table).id > ?"))
        defer { statement.reset() }
        if let worker { statement.bind(worker) }
        statement.bind(query.before ?? .max)
        statement.bind(floor)
        statement.bind(Int64(query.limit))
        var rows: [Stored<Entry>] = []
        while try statement.step() {
            let entry = Entry(statement, from: 2)
            // From the newest back: what comes now is older still, but where the clock was set.
            guard entry.at >= query.since ?? .min else { break }
            rows.append(
                Stored(id: statement.number(0) ?? 0, bootID: statement.text(1) ?? "", content: entry))
        }
        return rows
    }

    /// The workers of which there are rows and that the patterns mean.
    ///
    /// From name to name by the index, so that it costs as many steps as there are workers, however many rows.
    private func workers(matching patterns: NamePatterns) throws(StoreError) -> [String] {
        if let names = patterns.plain { return names }
        let statement = try connection.statement("SELECT min(worker) FROM \(Entry.table) WHERE worker > ?")
        var names: [String] = []
        var last = ""
        while true {
            defer { statement.reset() }
            statement.bind(last)
            guard try statement.step(), let next = statement.text(0) else { return names }
            if patterns.match(next) { names.append(next) }
            last = next
        }
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
