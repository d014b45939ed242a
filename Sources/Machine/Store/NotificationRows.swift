/// Writes the tables of what is kept for workers.
struct NotificationRows {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    // MARK: writing

    func write(_ backlog: NotificationBacklog) throws(StoreError) {
        guard !backlog.isEmpty else { return }
        // Found once for all rows.
        let insertion = try connection.statement(
            "INSERT OR REPLACE INTO notification VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        var last: [String: UInt64] = [:]
        for portion in backlog.portions {
            let worker = portion.worker
            var greatest: UInt64 = 0
            for change in portion.changes {
                try write(change, of: worker, inserting: insertion)
                if case .put(let notification) = change { greatest = max(greatest, notification.sequence) }
            }
            if greatest > 0 { last[worker] = max(last[worker] ?? 0, greatest) }
        }
        for (worker, sequence) in last { try setLast(sequence, of: worker) }
    }

    private func write(
        _ change: NotificationChange, of worker: String, inserting insertion: Statement
    ) throws(StoreError) {
        switch change {
        case .put(let notification): try put(notification, of: worker, by: insertion)
        case .delete(let sequence):
            try delete(from: "notification", "sequence", Int64(clamping: sequence), of: worker)
        case .knows(let topic, let payload):
            let statement = try connection.statement("INSERT OR REPLACE INTO known VALUES(?, ?, ?)")
            statement.bind(worker)
            statement.bind(topic)
            statement.bind(payload)
            try statement.run()
        case .forgets(let topic):
            let statement = try connection.statement("DELETE FROM known WHERE worker = ? AND topic = ?")
            statement.bind(worker)
            statement.bind(topic)
            try statement.run()
        case .schedule(let schedule): try put(schedule, of: worker)
        case .cancel(let id): try delete(from: "schedule", "id", Int64(clamping: id), of: worker)
        }
    }

    private func put(
        _ notification: StoredNotification, of worker: String, by statement: Statement
    ) throws(StoreError) {
        statement.bind(worker)
        statement.bind(Int64(clamping: notification.sequence))
        statement.bind(notification.topic)
        statement.bind(notification.rule)
        statement.bind(notification.count)
        statement.bind(notification.first)
        statement.bind(notification.last)
        statement.bind(notification.payload)
        statement.bind(notification.added)
        statement.bind(notification.removed)
        statement.bind(notification.dropped)
        statement.bind(notification.deaths)
        statement.bind(notification.isSetAside ? 1 : 0 as Int64)
        try statement.run()
    }

    private func put(_ schedule: StoredSchedule, of worker: String) throws(StoreError) {
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO schedule VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        statement.bind(worker)
        statement.bind(Int64(clamping: schedule.id))
        statement.bind(schedule.topic)
        statement.bind(schedule.rule)
        statement.bind(schedule.payload)
        statement.bind(schedule.added)
        statement.bind(schedule.removed)
        statement.bind(schedule.wakes ? 1 : 0 as Int64)
        statement.bind(schedule.survives ? 1 : 0 as Int64)
        statement.bind(schedule.due)
        statement.bind(schedule.period)
        statement.bind(schedule.posterUID)
        statement.bind(schedule.posterPID)
        statement.bind(schedule.posterProgram)
        try statement.run()
    }

    private func delete(
        from table: String, _ column: String, _ number: Int64, of worker: String
    ) throws(StoreError) {
        let statement = try connection.statement("DELETE FROM \(table) WHERE worker = ? AND \(column) = ?")
        statement.bind(worker)
        statement.bind(number)
        try statement.run()
    }

    private func setLast(_ sequence: UInt64, of worker: String) throws(StoreError) {
        let statement = try connection.statement(
            "INSERT INTO mailbox VALUES(?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)")
        statement.bind(worker)
        statement.bind(Int64(clamping: sequence))
        try statement.run()
    }
}
