/// How much of what is kept for workers is read at a start: more than any interface lets in, and no more than a start has time for.
struct NotificationLimits: Hashable, Sendable {
    /// Workers of which anything is read.
    var workers = 4096
    /// Notifications of one worker.
    var notifications = 32_768
    /// Notifications of all workers.
    var allNotifications = 131_072
    /// Bytes of notifications, of schedules and of known values of all workers.
    var bytes = 64 << 20
    /// Scheduled posts of one worker.
    var schedules = 64
    /// Topics of one worker of which it is known what the worker knows.
    var known = 1024
}

/// What is kept for workers, read within bounds: each row is looked at before it is believed.
struct NotificationReading {
    /// What was read, by worker.
    private(set) var notifications: [String: StoredNotifications] = [:]
    /// How many rows were passed over: not the store's, or more than are read.
    private(set) var passedOver = 0

    private let connection: Connection
    private let limits: NotificationLimits
    private var bytesLeft: Int
    private var notificationsLeft: Int

    init(_ connection: Connection, _ limits: NotificationLimits) throws(StoreError) {
        self.connection = connection
        self.limits = limits
        bytesLeft = limits.bytes
        notificationsLeft = limits.allNotifications
        try readLastNumbers()
        try eachWorker(in: "notification") { (reading, worker) throws(StoreError) in
            try reading.readNotifications(of: worker)
        }
        try eachWorker(in: "known") { (reading, worker) throws(StoreError) in
            try reading.readKnown(of: worker)
        }
        try eachWorker(in: "schedule") { (reading, worker) throws(StoreError) in
            try reading.readSchedules(of: worker)
        }
    }

    private mutating func readLastNumbers() throws(StoreError) {
        let limit = limits.workers
        try each("SELECT * FROM mailbox LIMIT ?", limit: limit) { reading, row in
            let number = min(max(row.number(1) ?? 0, 0), Database.greatestNumber)
            reading.notifications[row.text(0) ?? "", default: StoredNotifications()].lastSequence = UInt64(
                number)
        }
        passedOver += max(0, try count(in: "mailbox") - limit)
    }

    private mutating func readNotifications(of worker: String) throws(StoreError) {
        let room = min(limits.notifications, notificationsLeft)
        var found: [StoredNotification] = []
        let read = try each(
            "SELECT * FROM notification WHERE worker = ? ORDER BY sequence LIMIT ?", worker, limit: room
        ) {
            reading, row in
            let notification = StoredNotification(row)
            guard notification.isPlausible, reading.take(row.size(of: [2, 7, 8, 9])) else {
                reading.passedOver += 1
                return
            }
            found.append(notification)
        }
        notificationsLeft -= read
        if read == room { passedOver += try count(in: "notification", of: worker) - read }
        if !found.isEmpty { notifications[worker, default: StoredNotifications()].notifications = found }
    }

    private mutating func readKnown(of worker: String) throws(StoreError) {
        let read = try each("SELECT * FROM known WHERE worker = ? LIMIT ?", worker, limit: limits.known) {
            reading, row in
            guard reading.take(row.size(of: [1, 2])) else {
                reading.passedOver += 1
                return
            }
            reading.notifications[worker, default: StoredNotifications()].known[row.text(1) ?? ""] = .some(
                row.text(2))
        }
        if read == limits.known { passedOver += try count(in: "known", of: worker) - read }
    }

    private mutating func readSchedules(of worker: String) throws(StoreError) {
        // The soonest: those that are far off are what can be missed.
        let read = try each(
            "SELECT * FROM schedule WHERE worker = ? ORDER BY due, id LIMIT ?", worker,
            limit: limits.schedules
        ) { reading, row in
            let schedule = StoredSchedule(row)
            guard schedule.isPlausible, reading.take(row.size(of: [2, 4, 5, 6, 13])) else {
                reading.passedOver += 1
                return
            }
            reading.notifications[worker, default: StoredNotifications()].schedules.append(schedule)
        }
        if read == limits.schedules { passedOver += try count(in: "schedule", of: worker) - read }
    }

    /// Takes some of the room that is left; false where there is none.
    private mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= bytesLeft else { return false }
        bytesLeft -= bytes
        return true
    }

    // MARK: rows

    /// Goes from worker to worker by the index, as far as workers are read.
    private mutating func eachWorker(
        in table: String, _ body: (inout NotificationReading, String) throws(StoreError) -> Void
    ) throws(StoreError) {
        let next = try connection.statement(NextWorker.question(in: table))
        var last: [UInt8] = []
        for _ in 0..<limits.workers {
            next.bind(last)
            let worker = try next.step() ? next.bytes(0) : nil
            next.reset()
            guard let worker else {
                passedOver += Int(
                    clamping: try connection.number("SELECT count(*) FROM \(table) WHERE worker >= x''"))
                return
            }
            if let name = String(validating: worker, as: UTF8.self) {
                try body(&self, name)
            } else {
                passedOver += try count(in: table, of: worker)
            }
            last = worker
        }
        passedOver += try count(in: table, after: last)
    }

    /// Hands over each row of a query, and counts them.
    @discardableResult
    private mutating func each(
        _ sql: String, _ worker: String? = nil, limit: Int,
        _ body: (inout NotificationReading, Statement) -> Void
    ) throws(StoreError) -> Int {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        if let worker { statement.bind(worker) }
        statement.bind(Int64(limit))
        var count = 0
        while try statement.step() {
            body(&self, statement)
            count += 1
        }
        return count
    }

    private func count(in table: String) throws(StoreError) -> Int {
        Int(clamping: try connection.number("SELECT count(*) FROM \(table)"))
    }

    private func count(in table: String, of worker: String) throws(StoreError) -> Int {
        try count(in: table, of: Array(worker.utf8))
    }

    private func count(in table: String, of worker: [UInt8]) throws(StoreError) -> Int {
        try count("SELECT count(*) FROM \(table) WHERE worker = ?", worker)
    }

    private func count(in table: String, after worker: [UInt8]) throws(StoreError) -> Int {
        try count("SELECT count(*) FROM \(table) WHERE worker > ?", worker)
    }

    private func count(_ sql: String, _ worker: [UInt8]) throws(StoreError) -> Int {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(worker)
        return try statement.step() ? Int(clamping: statement.number(0) ?? 0) : 0
    }
}

extension Statement {
    /// How many bytes these columns of a row take, about, and what is kept besides.
    fileprivate func size(of columns: [Int32]) -> Int { columns.reduce(160) { $0 + length(of: $1) } }
}

extension StoredNotification {
    fileprivate init(_ row: Statement) {
        self.init(
            sequence: UInt64(clamping: row.number(1) ?? 0), topic: row.text(2) ?? "", rule: row.text(3) ?? "",
            count: row.number(4) ?? 1, first: row.number(5) ?? 0, last: row.number(6) ?? 0,
            payload: row.bytes(7), added: row.text(8), removed: row.text(9), dropped: row.number(10) ?? 0,
            deaths: row.number(11) ?? 0, isSetAside: row.number(12) == 1)
    }

    /// Whether its numbers are such as we write.
    fileprivate var isPlausible: Bool {
        sequence > 0 && sequence <= UInt64(Database.greatestNumber) && count > 0 && dropped >= 0
            && deaths >= 0
    }
}

extension StoredSchedule {
    fileprivate init(_ row: Statement) {
        self.init(
            id: UInt64(clamping: row.number(1) ?? 0), topic: row.text(2) ?? "", rule: row.text(3) ?? "",
            payload: row.text(4), added: row.text(5), removed: row.text(6), wakes: row.number(7) == 1,
            survives: row.number(8) == 1, due: row.number(9) ?? 0, period: row.number(10),
            posterUID: row.number(11), posterPID: row.number(12), posterProgram: row.text(13))
    }

    /// Whether its numbers are such as we write.
    fileprivate var isPlausible: Bool {
        id > 0 && id <= UInt64(Database.greatestNumber) && period ?? 1 > 0
    }
}
