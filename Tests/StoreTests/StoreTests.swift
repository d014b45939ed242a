import Foundation
import Records
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `The store` {
    /// Everything that can be said of an end, and as little as can.
    private static let fullEnd = TerminationEntry(
        worker: "web@1", at: 12, pid: 3, launchReason: "socket", state: "background", goal: "suspended",
        cause: "watchdog", code: 0x8bad_f00d, exitStatus: 1, signal: "SIGKILL", sentence: "it hung",
        requester: .init(uid: 7, pid: 8), ran: 4, inBackground: 5, suspended: 6, peakMemory: 7,
        pressureSome: 1.25, pressureFull: 0, callback: "didEnterBackground", callbackAge: 8, queueLength: 9,
        lastOutput: ["one", "", "thrée"], freedMemory: 10, givenBack: 11)
    private static let fullEntry = HistoryEntry(
        worker: "web@1", kind: .changed, at: 12, from: "active", to: "inactive", reason: "operator", uid: 7,
        pid: 8, suspendedFor: 9, notTold: "willResignActive", message: "a 'quoted' \u{1F600} message")

    @Test func `gives back what it was given, after it was closed too`() throws {
        try withTemporaryDirectory { path throws in
            for round in 0..<2 {
                let store = TestStore(path + "/deep/er/store.db") { $0.bootID = "boot-\(round)" }
                if round == 0 {
                    try store.commit([
                        .history(Self.fullEntry), .termination(Self.fullEnd), .history(entry(1, "")),
                        .termination(end(2)),
                    ])
                }
                #expect(try store.history().rows.map(\.content) == [Self.fullEntry, entry(1, "")])
                #expect(try store.terminations().rows.map(\.content) == [Self.fullEnd, end(2)])
                #expect(try store.history().rows.map(\.bootID) == ["boot-0", "boot-0"])
                #expect(store.events == [])
            }
        }
    }

    @Test func `answers with what was left before, whether anybody waits for that or not`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db") { $0.gathering = 60_000_000 }
            for number in 1...10 {
                store.store.write(.history(entry(number)))
                #expect(try store.history().numbers == Array(1...number))
            }
        }
    }

    @Test func `numbers batches one after the other`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db")
            let numbers = (0..<5).map { _ in store.store.write(Batch([.history(entry(1))])).rawValue }
            #expect(numbers == [1, 2, 3, 4, 5])
            #expect(store.store.write(Batch([], isAwaited: true)).rawValue == 6)
            try store.wait { $0.stored == Sequence(6) }
        }
    }

    @Test func `writes what nobody waits for all the same`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db")
            store.store.write(.history(entry(1)))
            store.store.write(.termination(end(2)))
            #expect(store.store.close())
            let again = TestStore(path + "/store.db")
            #expect(try again.history().numbers == [1])
            #expect(try again.terminations().numbers == [2])
        }
    }

    @Test func `keeps its file from others' eyes`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/state/store.db")
            try store.commit([.history(entry(1))])
            for (name, mode) in [("state/store.db", 0o600), ("state/store.db-wal", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
            }
        }
    }

    @Test func `keeps the last lines of output that fit`() {
        let long = TerminationEntry(
            worker: "w", at: 0, pid: 0, launchReason: "", state: "", goal: "", cause: "", sentence: "",
            ran: 0,
            inBackground: 0, suspended: 0,
            lastOutput: (0..<100_000).map { "line \($0)" })
        #expect(long.lastOutput.last == "line 99999")
        let size = long.lastOutput.map { $0.utf8.count + 1 }.reduce(0, +)
        #expect((TerminationEntry.outputLimit - 20...TerminationEntry.outputLimit).contains(size))
    }

    // MARK: questions

    private static let rows: [(query: Query, numbers: [Int], hasOlder: Bool)] = [
        (Query(limit: 100), Array(1...12), false),
        (Query(limit: 12), Array(1...12), false),
        (Query(limit: 5), [8, 9, 10, 11, 12], true),
        (Query(limit: 0), [], true),
        (Query(before: 8, limit: 3), [5, 6, 7], true),
        (Query(before: 3, limit: 3), [1, 2], false),
        (Query(since: 10, limit: 100), [10, 11, 12], false),
        (Query(since: 10, limit: 2), [11, 12], true),
        (Query(since: 99, limit: 2), [], false),
        (Query(names: ["a"], limit: 100), [1, 4, 7, 10], false),
        (Query(names: ["a"], limit: 2), [7, 10], true),
        (Query(names: ["a", "b", "a"], limit: 3), [8, 10, 11], true),
        (Query(names: ["?"], before: 6, limit: 4), [2, 3, 4, 5], true),
        (Query(names: ["[bc]"], since: 5, limit: 100), [5, 6, 8, 9, 11, 12], false),
        (Query(names: ["nobody", "x*"], limit: 5), [], false),
        (Query(names: [], limit: 5), [], false),
        (Query(names: ["'; DROP TABLE history"], limit: 5), [], false),
        (Query(until: 4, limit: 3), [2, 3, 4], true), (Query(since: 3, until: 4, limit: 3), [3, 4], false),
        (Query(kinds: ["changed"], limit: 2), [11, 12], true), (Query(kinds: ["ended"], limit: 2), [], false),
        (Query(kinds: ["change"], limit: 2), [], false), (Query(kinds: [], limit: 2), [], false),
        (Query(reasons: ["2", "11", "x"], limit: 5), [2, 11], false),
        (Query(reasons: ["2", "11", "12"], limit: 2), [11, 12], true),
        (Query(names: ["a"], kinds: ["changed", "ended"], reasons: ["4", "5"], limit: 5), [4], false),
        (Query(reasons: ["' OR 1 --"], limit: 5), [], false),
    ]

    /// Some rows on the disk and the rest waiting, in every proportion.
    @Test(arguments: rows.indices) func `answers a question`(_ index: Int) throws {
        let row = Self.rows[index]
        let names = ["c", "a", "b"]
        let entries = (1...12).map { entry($0, names[$0 % 3]) }
        try withTemporaryDirectory { path throws in
            for written in [12, 7, 0] {
                let database = Database(
                    DatabaseFile(path: "\(path)/\(written).db"),
                    retention: Retention(maxAge: nil, maxSize: .max), bootID: "b", clock: { 0 })
                var backlog = Backlog()
                for entry in entries.prefix(written) { backlog.append(.history(entry)) }
                try database.write(backlog)
                let page = try database.page(row.query, waiting: Array(entries.dropFirst(written)))
                #expect(page.numbers == row.numbers, "\(written) written")
                #expect(page.hasOlder == row.hasOlder, "\(written) written")
                #expect(page.rows.map(\.id) == row.numbers.map(Int64.init))
            }
        }
    }

    @Test func `searches so many rows at once for those that are rare, and says where it has ended`() throws {
        try withTemporaryDirectory { path throws in
            let database = Database(
                DatabaseFile(path: "\(path)/store.db"), retention: Retention(maxAge: nil, maxSize: .max),
                bootID: "b", clock: { 0 })
            var backlog = Backlog()
            for number in 1...100 { backlog.append(.history(entry(number))) }
            try database.write(backlog)
            var query = Query(reasons: ["3", "55", "56"], limit: 2)
            query.mostSearched = 20
            var (found, continuations): ([Int], [Int64?]) = ([], [])
            while true {
                let page: Page<HistoryEntry> = try database.page(query, waiting: [])
                found = page.numbers + found
                continuations.append(page.continuation)
                query.before = page.continuation ?? page.rows.first?.id
                guard page.hasOlder else { break }
            }
            #expect(found == [3, 55, 56])
            #expect(continuations == [81, 61, 41, 21, nil])
        }
    }

    @Test func `finds what happened since a moment where the clock was set back`() throws {
        try withTemporaryDirectory { path throws in
            let database = Database(
                DatabaseFile(path: "\(path)/store.db"), retention: Retention(maxAge: nil, maxSize: .max),
                bootID: "b", clock: { 0 })
            var backlog = Backlog()
            for number in 1...100 {
                var one = entry(number)
                if number > 60 { one.at -= 30 }
                backlog.append(.history(one))
            }
            try database.write(backlog)
            var query = Query(since: 55, limit: 100)
            query.mostSearched = 45
            var (found, continuations): ([Int64], [Int64?]) = ([], [])
            while true {
                let page: Page<HistoryEntry> = try database.page(query, waiting: [])
                found = page.rows.map(\.id) + found
                continuations.append(page.continuation)
                query.before = page.continuation
                guard page.hasOlder else { break }
            }
            #expect(found == Array(55...60) + Array(85...100))
            #expect(continuations == [56, 11, nil])
        }
    }

    @Test func `knows the last end of each worker`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db")
            try store.commit((1...9).map { .termination(end($0, "w\($0 % 3)")) })
            let last = try store.lastTerminations(of: ["w0", "nobody", "w2"])
            #expect(last.map(\.content) == [end(9, "w0"), end(8, "w2")])
        }
    }

    @Test func `lets others read while it writes`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db")
            try store.commit([.history(entry(1))])
            let reader = try Connection(path + "/store.db")
            try reader.execute("BEGIN")
            #expect(try reader.number("SELECT count(*) FROM history") == 1)
            for number in 2...100 { try store.commit([.history(entry(number))]) }
            #expect(try reader.number("SELECT count(*) FROM history") == 1, "it has its own view")
            try reader.execute("COMMIT")
            #expect(try reader.number("SELECT count(*) FROM history") == 100)
            #expect(store.events == [])
        }
    }

    @Test func `takes writes and questions from several threads`() async throws {
        let path = "/tmp/torpor-store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = TestStore(path + "/store.db")
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<200 { store.store.write(.history(entry(number, "w\(worker)"))) }
                }
            }
        }
        for worker in 0..<8 {
            let numbers = try store.history(Query(names: ["w\(worker)"], limit: 1000)).numbers
            #expect(numbers == Array(0..<200))
        }
    }
}
