import Records
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `A database with rows that no store has written` {
    /// A database of the store in which `script` was carried out.
    private func crafted(_ path: String, _ script: String) throws -> String {
        let file = path + "/store.db"
        do {
            let store = TestStore(file)
            try store.commit([
                .history(entry(1)), .termination(end(1)), .history(entry(2)), .termination(end(2)),
            ])
        }
        let connection = try DatabaseFile(path: file).open()
        try connection.execute(script: script)
        return file
    }

    @Test(arguments: [Int64.max, Int64.max - 1, Int64(1) << 62 | 1])
    func `goes on where a row has a number at the end of all numbers`(_ number: Int64) throws {
        try withTemporaryDirectory { path throws in
            let file = try crafted(
                path,
                """
                UPDATE history SET id = \(number) WHERE id = 2;
                UPDATE termination SET id = \(number) WHERE id = 2;
                """)
            let store = TestStore(file)
            try store.commit([.history(entry(3)), .termination(end(3))])
            #expect(try store.history().numbers == [1, 3])
            #expect(try store.terminations().numbers == [1, 3])
            #expect(try store.lastTerminations(of: ["w"]).map(\.content.pid) == [3])
            #expect(store.events == [.oddRows(2)], "one line, and the file stays")
            store.store.close()
            let again = TestStore(file)
            try again.commit([.history(entry(4))])
            #expect(try again.history().numbers == [1, 3, 4])
            #expect(again.events.isEmpty)
        }
    }

    @Test func `reads every column at its extremes`() throws {
        try withTemporaryDirectory { path throws in
            for extreme in [Int64.max, .min, 0, -1] {
                let file = try crafted(
                    path,
                    """
                    UPDATE history SET at = \(extreme), uid = \(extreme), pid = \(extreme), suspended_for = \(extreme);
                    UPDATE termination SET at = \(extreme), pid = \(extreme), code = \(extreme),
                        exit_status = \(extreme), requester_uid = \(extreme), requester_pid = \(extreme),
                        ran = \(extreme), in_background = \(extreme), suspended = \(extreme),
                        peak_memory = \(extreme), pressure_some = 9e999, callback_age = \(extreme),
                        queue_length = \(extreme), freed_memory = \(extreme), given_back = \(extreme);
                    INSERT INTO boot VALUES(\(extreme), 'odd');
                    """)
                let store = TestStore(file) { $0.retention = Retention(maxAge: 1, maxSize: 1 << 30) }
                #expect(try store.history().rows.allSatisfy { $0.content.at == extreme })
                #expect(try store.terminations().rows.allSatisfy { $0.content.ran == extreme })
                for query in [
                    Query(before: .min, limit: .max), Query(before: .max, since: .min, limit: 1),
                    Query(before: .min, until: .max, limit: 1), Query(until: .min, kinds: [""], limit: 1),
                ] {
                    _ = try store.history(query)
                    _ = try store.terminations(query)
                }
                store.store.close()
                try DatabaseFile(path: file).open().execute(
                    script: "DELETE FROM history; DELETE FROM termination; DELETE FROM boot")
            }
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["CAST(x'ff' AS TEXT)", "x'77ff'", "x''", "CAST(x'770077' AS TEXT)"])
    func `is gone through once where a worker's name is no text`(_ name: String) throws {
        try withTemporaryDirectory { path throws in
            let file = try crafted(
                path,
                """
                UPDATE history SET worker = \(name) WHERE id = 1;
                UPDATE termination SET worker = \(name) WHERE id = 1;
                \(Self.notification)(\(name), 1, 't', 'each', 1, 1, 1, NULL, NULL, NULL, 0, 0, 0),
                    ('w', 1, 't', 'each', 1, 1, 1, NULL, NULL, NULL, 0, 0, 0);
                INSERT INTO known VALUES(\(name), 't', '{}');
                """)
            let store = TestStore(file)
            #expect(try store.history(Query(names: ["w*", "[v-z]"], limit: 9)).numbers.contains(2))
            #expect(try store.terminations(Query(names: ["w*", "[v-z]"], limit: 9)).numbers.contains(2))
            #expect(try store.store.notifications()["w"]?.notifications.map(\.sequence) == [1])
        }
    }

    private static let scheduleColumns = """
        schedule(worker, id, topic, rule, payload, added, removed, wakes, survives, due, period)
        """
    private static let notification = "INSERT INTO notification VALUES"

    @Test func `takes over no notification and no schedule whose numbers cannot be ours`() throws {
        try withTemporaryDirectory { path throws in
            let file = try crafted(
                path,
                """
                INSERT INTO mailbox VALUES('w', \(Int64.max)), ('v', -5);
                \(Self.notification)('w', \(Int64.max), 't', 'each', 1, 1, 1, NULL, NULL, NULL, 0, 0, 0),
                    ('w', -1, 't', 'each', 1, 1, 1, NULL, NULL, NULL, 0, 0, 0),
                    ('w', 2, 't', 'each', 0, 1, 1, NULL, NULL, NULL, 0, 0, 0),
                    ('w', 3, 't', 'each', 1, 1, 1, NULL, NULL, NULL, -9, 0, 0),
                    ('w', 4, 't', 'each', \(Int64.max), \(Int64.min), \(Int64.max), NULL, NULL, NULL, \(Int64.max), 0, 0);
                INSERT INTO \(Self.scheduleColumns) VALUES('w', \(Int64.max), 't', 'each', NULL, NULL, NULL, 0, 0, 5, 6),
                    ('w', 7, 't', 'each', NULL, NULL, NULL, 0, 0, \(Int64.min), 0),
                    ('w', 8, 't', 'each', NULL, NULL, NULL, 0, 0, \(Int64.min), 1);
                """)
            let store = TestStore(file)
            let notifications = try store.store.notifications()
            #expect(notifications["w"]?.notifications.map(\.sequence) == [4])
            #expect(notifications["w"]?.lastSequence == 1 << 62 && notifications["v"]?.lastSequence == 0)
            #expect(notifications["w"]?.schedules.map(\.id) == [8])
            try store.wait { $0.events == [.oddRows(6)] }
        }
    }

    @Test func `reads no more than a start has time for, and says how much it has left out`() throws {
        try withTemporaryDirectory { path throws in
            let file = try crafted(
                path,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                    INSERT INTO notification SELECT 'a', i, 't', 'each', 1, 1, 1, '{}', NULL, NULL, 0, 0, 0 FROM n;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                    INSERT INTO \(Self.scheduleColumns) SELECT 'a', i, 't', 'each', NULL, NULL, NULL, 0, 0, 10000 - i, 9 FROM n;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                    INSERT INTO \(Self.scheduleColumns) SELECT 'w' || i, 1, 't', 'each', NULL, NULL, NULL, 0, 0, 5, 9 FROM n;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                    INSERT INTO known SELECT 'a', 't' || i, '{}' FROM n;
                """)
            let store = TestStore(file) { settings in
                settings.notificationLimits = NotificationLimits(
                    workers: 100, notifications: 1000, allNotifications: 2000, bytes: 1 << 20, schedules: 64,
                    known: 50)
            }
            let notifications = try store.store.notifications()
            #expect(notifications["a"]?.notifications.map(\.sequence) == Array(1...1000))
            #expect(notifications["a"]?.schedules.map(\.due) == Array(5000..<5064), "the soonest")
            #expect(notifications["a"]?.known.count == 50 && notifications.count == 100)
            try store.wait { $0.events == [.oddRows(4000 + 4936 + 401 + 450)] }
        }
    }

    @Test func `reads no more bytes than there is room for`() throws {
        try withTemporaryDirectory { path throws in
            let file = try crafted(
                path,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
                    INSERT INTO notification SELECT 'a', i, 't', 'each', 1, 1, 1, zeroblob(100000), NULL, NULL, 0, 0, 0 FROM n;
                """)
            let store = TestStore(file) { $0.notificationLimits.bytes = 1 << 20 }
            #expect(try store.store.notifications()["a"]?.notifications.count == 10)
            try store.wait { $0.events == [.oddRows(10)] }
        }
    }
}
