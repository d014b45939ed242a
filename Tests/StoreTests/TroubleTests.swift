import Foundation
import Glibc
import Records
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `A store in trouble` {
    private func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    // MARK: files that the store has not written

    private struct Odd: Sendable, CustomStringConvertible {
        let description: String
        let words: String
        let make: @Sendable (_ path: String) throws -> Void
    }

    private static let odd: [Odd] = [
        Odd(description: "text", words: "not a database") { path in
            try String(repeating: "no database ", count: 1000).write(
                toFile: path, atomically: false, encoding: .utf8)
        },
        Odd(description: "somebody else's database", words: "not a database of torpord") { path in
            try Connection(path).execute(script: "CREATE TABLE mine(x); INSERT INTO mine VALUES(1)")
        },
        Odd(description: "a newer version's", words: "newer") { path in
            let connection = try DatabaseFile(path: path).open()
            try connection.execute(script: "PRAGMA user_version = 1000")
        },
        Odd(description: "a damaged one", words: "malformed") { path in
            let store = TestStore(path)
            try store.commit((1...2000).map { .history(entry($0)) })
            store.store.close()
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            let size = try handle.seekToEnd()
            for page in 1..<(size / 4096) {
                try handle.seek(toOffset: page * 4096)
                try handle.write(contentsOf: [UInt8](repeating: 0xa5, count: 4096))
            }
            try handle.close()
        },
        Odd(description: "a directory with a log of nobody", words: "") { path in
            try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path + "-wal"))
        },
    ]

    @Test(arguments: odd.indices) func `sets aside what it cannot use and begins anew`(_ index: Int) throws {
        let odd = Self.odd[index]
        try withTemporaryDirectory { path throws in
            let file = path + "/store.db"
            try odd.make(file)
            let content = try? Data(contentsOf: URL(fileURLWithPath: file))
            let store = TestStore(file) { $0.clock = { 5_000_000 } }
            try store.commit([.history(entry(1)), .termination(end(2))])
            #expect(try store.history().numbers == [1])
            #expect(try store.terminations().numbers == [2])
            guard !odd.words.isEmpty else { return }
            guard case .setAside(let aside, let error)? = store.events.first, store.events.count == 1 else {
                Issue.record("\(odd): \(store.events)")
                return
            }
            #expect(aside == file + ".broken-5" && error.code == .broken)
            #expect(error.description.contains(odd.words), "\(error)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == content, "it is kept as it was")
        }
    }

    @Test func `answers from a broken file with what it has, and goes on`() throws {
        try withTemporaryDirectory { path throws in
            let file = path + "/store.db"
            try "no database at all, but long enough to be one".write(
                toFile: file, atomically: false, encoding: .utf8)
            let store = TestStore(file)
            let page = try store.history()
            #expect(page.rows.isEmpty && page.problem?.code == .broken)
            try store.commit([.history(entry(1))])
            #expect(try store.history().numbers == [1])
            #expect(store.events.count == 1)
        }
    }

    // MARK: places that cannot be written

    @Test func `keeps what it cannot write, answers with it, and writes it when it can`() throws {
        try withTemporaryDirectory { path throws in
            // A file where a directory should be: root is stopped by it too.
            try "".write(toFile: path + "/state", atomically: false, encoding: .utf8)
            let store = TestStore(path + "/state/store.db")
            for number in 1...3 { store.store.write(.history(entry(number))) }
            store.store.write(.termination(end(4)))
            try store.wait { !$0.events.isEmpty }
            let page = try store.history()
            #expect(page.numbers == [1, 2, 3] && page.problem?.code == .unwritable)
            #expect(try store.terminations(Query(names: ["w"], limit: 1)).numbers == [4])
            try FileManager.default.removeItem(atPath: path + "/state")
            try store.commit([.history(entry(5))])
            #expect(try store.history().numbers == [1, 2, 3, 5])
            let events = store.events
            #expect(events.count == 2 && events.last == .available, "\(events)")
        }
    }

    @Test func `gives up the oldest history when too much waits, and says so in the history`() throws {
        try withTemporaryDirectory { path throws in
            try "".write(toFile: path + "/state", atomically: false, encoding: .utf8)
            let store = TestStore(path + "/state/store.db") {
                $0.backlogLimit = .init(history: 32, terminations: 8)
            }
            for number in 1...1000 { store.store.write(.history(entry(number))) }
            for number in 1...8 { store.store.write(.termination(end(number))) }
            try store.wait { !$0.events.isEmpty }
            try FileManager.default.removeItem(atPath: path + "/state")
            try store.commit([])
            let rows = try store.history().rows.map(\.content)
            #expect(try store.terminations().numbers == Array(1...8))
            let kept = rows.filter { $0.kind == .changed }
            #expect(kept.last == entry(1000) && kept.count <= 32)
            let lost = 1000 - kept.count
            #expect(rows.first { $0.kind == .lost }?.message?.hasPrefix("\(lost) entries") == true)
            #expect(store.events.contains(.lost(history: lost, terminations: 0)))
        }
    }

    @Test func `says once that a disk is full, and goes on when it is not`() throws {
        try withTemporaryDirectory { path throws in
            do {
                let store = TestStore(path + "/store.db") { $0.pageLimit = 30 }
                store.store.write(Batch((1...5000).map { .history(entry($0)) }))
                try store.wait { !$0.events.isEmpty }
                guard case .unavailable(let error)? = store.events.first else { return }
                #expect(error.code == .full)
                let page = try store.history(Query(limit: 10_000))
                #expect(page.numbers == Array(1...5000) && page.problem == nil)
                #expect(store.events.count == 1)
            }
            let store = TestStore(path + "/store.db")
            try store.commit([.history(entry(1))])
            #expect(try store.history().numbers == [1], "nothing of a failed batch is there")
        }
    }

    @Test(.requires(.mounting)) func `survives a real full disk`() throws {
        try withTemporaryDirectory { path throws in
            let place = path + "/small"
            mkdir(place, 0o700)
            #expect(mount("none", place, "tmpfs", 0, "size=1m") == 0)
            defer { umount2(place, Int32(MNT_DETACH)) }
            let store = TestStore(place + "/store.db")
            try store.commit([.history(entry(1))])
            let filler = place + "/filler"
            let descriptor = open(filler, O_CREAT | O_WRONLY, 0o600)
            let block = [UInt8](repeating: 1, count: 4096)
            while write(descriptor, block, block.count) > 0 {}
            close(descriptor)
            for number in 2...2000 { store.store.write(.history(entry(number))) }
            try store.wait { !$0.events.isEmpty }
            guard case .unavailable(let error)? = store.events.first else { return }
            #expect([.full, .failed].contains(error.code), "\(error)")
            unlink(filler)
            try store.commit([.history(entry(2001))])
            #expect(try store.history(Query(limit: 10_000)).numbers == Array(1...2001))
            #expect(store.events.last == .available)
        }
    }

    @Test func `waits for one who holds the file, and loses nothing`() throws {
        try withTemporaryDirectory { path throws in
            let store = TestStore(path + "/store.db")
            try store.commit([.history(entry(1))])
            let rival = try Connection(path + "/store.db")
            // What the store has just committed may still be moved to the database.
            try rival.execute(script: "PRAGMA busy_timeout = 60000")
            try rival.execute("BEGIN IMMEDIATE")
            let sequence = store.store.write(Batch([.history(entry(2))], isAwaited: true))
            #expect(store.store.write(.history(entry(3))) > sequence)
            try rival.execute("COMMIT")
            try store.wait { $0.stored >= sequence }
            #expect(try store.history().numbers == [1, 2, 3])
        }
    }

    // MARK: versions

    @Test func `brings older tables up to date, and all of a step or nothing`() throws {
        try withTemporaryDirectory { path throws in
            let file = DatabaseFile(path: path + "/store.db")
            try file.open().execute("INSERT INTO boot(uuid) VALUES('old')")
            var later = file
            later.schema.steps.append("ALTER TABLE boot ADD COLUMN extra TEXT DEFAULT 'new'")
            later.schema.steps.append("CREATE TABLE more(x); INSERT INTO more VALUES(1)")
            #expect(try later.open().number("SELECT x FROM more") == 1)
            let connection = try later.open()
            #expect(try connection.number("PRAGMA user_version") == Int64(later.schema.steps.count))
            #expect(try connection.number("SELECT count(*) FROM boot WHERE extra = 'new'") == 1)
            var bad = later
            bad.schema.steps.append("CREATE TABLE half(x); this is no SQL")
            #expect(throws: StoreError.self) { try bad.open() }
            #expect(try later.open().number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
            #expect(throws: StoreError.self) { try file.open() }
        }
    }
}
