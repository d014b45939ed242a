internal import Records

/// The database as the store's thread sees it: opened when it is first needed, and again after every failure.
final class Database {
    private let file: DatabaseFile
    /// How much is kept.
    var retention: Retention {
        didSet { if retention != oldValue { writtenSincePruning = Self.pruningInterval } }
    }
    private let bootID: String
    /// The wall clock, in microseconds since 1970.
    private let clock: @Sendable () -> Int64
    /// Asked before each step with the file: the error with which it fails.
    var failure: (StoreServer.DiskStep) -> StoreError? = { _ in nil }
    private var connection: Connection?
    private var boot: Int64 = 0
    private var nextHistory: Int64 = 1
    private var nextTermination: Int64 = 1
    private var writtenSincePruning = Database.pruningInterval
    /// When a broken file was set aside last: once in a while is enough on a disk that breaks every file.
    private var lastSetAside: Int64?

    /// How many rows are written before it is seen whether others have to go.
    private static let pruningInterval = 512
    /// How long a file must have lasted to be set aside, in microseconds.
    private static let patience: Int64 = 60_000_000

    init(
        _ file: DatabaseFile, retention: Retention, bootID: String, clock: @escaping @Sendable () -> Int64
    ) {
        self.file = file
        self.retention = retention
        self.bootID = bootID
        self.clock = clock
    }

    // MARK: writing

    /// Stores all of it in one transaction; on a failure nothing of it.
    ///
    /// It returns when the disk has it, where a caller waits for it, else when the kernel has.
    func write(_ backlog: Backlog) throws(StoreError) {
        let connection = try opened()
        let (history, termination) = (nextHistory, nextTermination)
        do throws(StoreError) {
            try connection.transaction(onDisk: backlog.isAwaited) { () throws(StoreError) in
                nextTermination = try add(backlog.terminations, from: nextTermination, to: connection)
                if backlog.loss.history > 0 {
                    nextHistory = try add([lost(backlog.loss)], from: nextHistory, to: connection)
                }
                nextHistory = try add(backlog.history, from: nextHistory, to: connection)
                if !backlog.notifications.isEmpty {
                    try NotificationRows(connection).write(backlog.notifications)
                }
                for worker in Set(backlog.terminations.map(\.worker)) {
                    try retention.prune(connection, terminationsOf: worker)
                }
                if let error = failure(.committing) { throw error }
            }
        } catch {
            (nextHistory, nextTermination) = (history, termination)
            if backlog.isAwaited { connection.voidCommit() }
            throw error
        }
        writtenSincePruning += backlog.count
    }

    /// Adds rows with the numbers from `id` on; returns the next one.
    private func add<Entry: Row>(
        _ entries: [Entry], from id: Int64, to connection: Connection
    ) throws(StoreError) -> Int64 {
        guard !entries.isEmpty else { return id }
        let statement = try connection.statement(Entry.insertion)
        var id = id
        for entry in entries {
            statement.bind(id)
            statement.bind(boot)
            entry.bind(to: statement)
            try statement.run()
            id += 1
        }
        return id
    }

    private func lost(_ loss: Backlog.Loss) -> HistoryEntry {
        HistoryEntry(
            worker: "", kind: .lost, at: clock(), reason: "lost",
            message: "\(loss.history) entries are missing here: they could not be written in time")
    }

    /// Whether it is time to see what has to go.
    var isPruningDue: Bool { writtenSincePruning >= Self.pruningInterval && connection != nil }

    /// Deletes a portion of what is not kept any more; true when there may be more.
    func prune() throws(StoreError) -> Bool {
        let hasMore = try retention.prune(opened(), now: clock())
        if !hasMore { writtenSincePruning = 0 }
        return hasMore
    }

    // MARK: the file

    /// The open database.
    func opened() throws(StoreError) -> Connection {
        if let connection { return connection }
        let connection = try file.open()
        boot = try number(ofBootIn: connection)
        nextHistory = try next(in: HistoryEntry.table, connection)
        nextTermination = try next(in: TerminationEntry.table, connection)
        self.connection = connection
        return connection
    }

    /// The greatest number that a row of the store can have: numbering never comes that far.
    static let greatestNumber: Int64 = 1 << 62
    /// How many rows with a number that was not written here were set aside since that was last told.
    private(set) var oddRows = 0

    /// How many rows were set aside since it was asked last.
    func takeOddRows() -> Int {
        defer { oddRows = 0 }
        return oddRows
    }

    /// The number that the next row of a table gets.
    ///
    /// A row whose number is greater than ``greatestNumber`` is put behind all others, under its opposite: there it is never read, and is
    /// the first to be deleted.
    private func next(in table: String, _ connection: Connection) throws(StoreError) -> Int64 {
        let last = try connection.number("SELECT max(id) FROM \(table)")
        guard last > Self.greatestNumber else { return max(last, 0) + 1 }
        try connection.execute("UPDATE OR REPLACE \(table) SET id = -id WHERE id > \(Self.greatestNumber)")
        oddRows += connection.changes
        return max(try connection.number("SELECT max(id) FROM \(table)"), 0) + 1
    }

    /// The number of this boot, which is entered where it is not yet known: a reader does not wait for a writer.
    private func number(ofBootIn connection: Connection) throws(StoreError) -> Int64 {
        let known = try connection.statement("SELECT id FROM boot WHERE uuid = ?")
        known.bind(bootID)
        defer { known.reset() }
        if try known.step() { return known.number(0) ?? 0 }
        known.reset()
        let entry = try connection.statement("INSERT OR IGNORE INTO boot(uuid) VALUES(?)")
        entry.bind(bootID)
        try entry.run()
        known.bind(bootID)
        return try known.step() ? known.number(0) ?? 0 : 0
    }

    /// Moves a broken file away, and returns where; the next use begins a new one.
    func setAside(because error: StoreError) throws(StoreError) -> String {
        connection = nil
        let now = clock()
        if let lastSetAside, abs(now - lastSetAside) < Self.patience { throw error }
        lastSetAside = now
        return try file.setAside(at: now / 1_000_000)
    }

    /// Lets go of the database, so that it is opened anew: after a failure nothing is certain.
    func close() { connection = nil }

    // MARK: reading

    /// The rows that fit `query`, those that wait to be written too.
    func page<Entry: Row>(_ query: Query, waiting: [Entry]) throws(StoreError) -> Page<Entry> {
        if let error = failure(.reading) { throw error }
        let connection = try opened()
        // One more than asked for tells whether there are older ones.
        var wanted = query
        wanted.limit += 1
        let next = Entry.table == HistoryEntry.table ? nextHistory : nextTermination
        let bottom =
            query.isSelective ? max(min(max(query.before ?? next, 0), next) - 1 - query.mostSearched, 0) : 0
        let reading = Reading<Entry>(connection)
        var rows = try reading.rows(wanted, after: bottom)
        rows += fitting(waiting, from: next, query)
        var goesOn = rows.count <= query.limit && bottom > 0
        if goesOn, let since = query.since {
            // Where so many rows in a row are older, all that follow are.
            goesOn = try reading.hasRow(since: since, after: bottom, before: query.before ?? .max)
        }
        if goesOn {
            return Page(rows: rows, hasOlder: true, continuation: bottom + 1)
        }
        return Page(rows: Array(rows.suffix(query.limit)), hasOlder: rows.count > query.limit)
    }

    /// Of those that wait to be written what fits: all there is where the database cannot be read.
    func page<Entry: Row>(_ query: Query, onlyWaiting waiting: [Entry], _ problem: StoreError) -> Page<Entry>
    {
        let next = Entry.table == HistoryEntry.table ? nextHistory : nextTermination
        let rows = fitting(waiting, from: next, query)
        return Page(
            rows: Array(rows.suffix(query.limit)), hasOlder: rows.count > query.limit, problem: problem)
    }

    /// All that is kept for workers.
    ///
    /// Rows beyond the limits, and rows that are not the store's, are left where they are and counted.
    func notifications(within limits: NotificationLimits) throws(StoreError) -> [String: StoredNotifications]
    {
        if let error = failure(.reading) { throw error }
        let reading = try NotificationReading(opened(), limits)
        oddRows += reading.passedOver
        return reading.notifications
    }

    /// The last end of each of these workers that has one on the disk.
    func lastTerminations(of workers: [String]) throws(StoreError) -> [Stored<TerminationEntry>] {
        let reading = Reading<TerminationEntry>(try opened())
        var found: [Stored<TerminationEntry>] = []
        for worker in workers { found += try reading.rows(Query(names: [worker], limit: 1)) }
        return found
    }

    private func fitting<Entry: Row>(
        _ waiting: [Entry], from id: Int64, _ query: Query
    ) -> [Stored<Entry>] {
        let names = query.names.map(NamePatterns.init)
        return zip(id..., waiting).compactMap { id, entry in
            guard names?.match(entry.worker) ?? true, id < query.before ?? .max, query.fits(entry)
            else { return nil }
            return Stored(id: id, bootID: bootID, content: entry)
        }
    }
}
