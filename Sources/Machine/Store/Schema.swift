/// The tables, and how older ones become them: a step for each version (`PRAGMA user_version`).
struct Schema: Sendable {
    /// What makes version n + 1 of version n; the first makes everything of nothing.
    var steps: [String]

    /// "torp": this marks a database of Torpor (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x746f_7270

    /// As it is now.
    ///
    /// A step that has been in a release is never changed: a new one is added.
    static let current = Schema(steps: [
        """
        CREATE TABLE boot(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE);
        CREATE TABLE history(
            id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, worker TEXT NOT NULL, kind TEXT NOT NULL,
            at INTEGER NOT NULL, "from" TEXT, "to" TEXT, reason TEXT NOT NULL, uid INTEGER, pid INTEGER,
            suspended_for INTEGER, not_told TEXT, message TEXT);
        CREATE INDEX history_worker ON history(worker, id);
        CREATE TABLE termination(
            id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, worker TEXT NOT NULL, at INTEGER NOT NULL,
            pid INTEGER NOT NULL, launch_reason TEXT NOT NULL, state TEXT NOT NULL, goal TEXT NOT NULL,
            cause TEXT NOT NULL, code INTEGER, exit_status INTEGER, signal TEXT, sentence TEXT NOT NULL,
            requester_uid INTEGER, requester_pid INTEGER, ran INTEGER NOT NULL,
            in_background INTEGER NOT NULL, suspended INTEGER NOT NULL, peak_memory INTEGER,
            pressure_some REAL, pressure_full REAL, callback TEXT, callback_age INTEGER,
            queue_length INTEGER NOT NULL, last_output TEXT);
        CREATE INDEX termination_worker ON termination(worker, id);
        """,
        """
        CREATE TABLE mailbox(worker TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE notification(
            worker TEXT NOT NULL, sequence INTEGER NOT NULL, topic TEXT NOT NULL, rule TEXT NOT NULL,
            count INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, payload TEXT, added TEXT,
            removed TEXT, dropped INTEGER NOT NULL, PRIMARY KEY(worker, sequence)) WITHOUT ROWID;
        CREATE TABLE known(
            worker TEXT NOT NULL, topic TEXT NOT NULL, payload TEXT, PRIMARY KEY(worker, topic)) WITHOUT ROWID;
        CREATE TABLE schedule(
            worker TEXT NOT NULL, id INTEGER NOT NULL, topic TEXT NOT NULL, rule TEXT NOT NULL, payload TEXT,
            added TEXT, removed TEXT, wakes INTEGER NOT NULL, survives INTEGER NOT NULL, due INTEGER NOT NULL,
            period INTEGER, PRIMARY KEY(worker, id)) WITHOUT ROWID;
        """,
        """
        ALTER TABLE termination ADD COLUMN freed_memory INTEGER;
        ALTER TABLE termination ADD COLUMN given_back INTEGER;
        """,
        """
        ALTER TABLE notification ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE notification ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0;
        """,
        """
        ALTER TABLE schedule ADD COLUMN poster_uid INTEGER;
        ALTER TABLE schedule ADD COLUMN poster_pid INTEGER;
        ALTER TABLE schedule ADD COLUMN poster_program TEXT;
        """,
    ])

    /// Makes the tables what they should be; a file that is not a database of Torpor, or is of a later version, is `broken`.
    func apply(to connection: Connection) throws(StoreError) {
        let version = try connection.number("PRAGMA user_version")
        let isEmpty = try connection.number("SELECT count(*) FROM sqlite_schema") == 0
        guard !isEmpty else {
            // Before there is a table: it cannot be changed afterwards.
            try connection.execute(script: "PRAGMA auto_vacuum = INCREMENTAL")
            return try migrate(connection, from: 0)
        }
        guard try connection.number("PRAGMA application_id") == Self.applicationID, version > 0 else {
            throw StoreError(.broken, "\(connection.path) is not a database of torpord")
        }
        guard version <= steps.count else {
            throw StoreError(
                .broken,
                "\(connection.path) belongs to a newer torpord: its schema has version \(version), this one supports \(steps.count)"
            )
        }
        try migrate(connection, from: Int(version))
    }

    private func migrate(_ connection: Connection, from version: Int) throws(StoreError) {
        for number in version..<steps.count {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(
                    script: steps[number]
                        + "; PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(number + 1)"
                )
            }
        }
    }
}
