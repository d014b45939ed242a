import Foundation
import Records
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `What is kept` {
    private func database(
        _ path: String, _ retention: Retention, now: @escaping @Sendable () -> Int64 = { 0 }
    ) -> Database {
        Database(DatabaseFile(path: path + "/store.db"), retention: retention, bootID: "b", clock: now)
    }

    private func backlog(_ writes: [Write]) -> Backlog {
        var backlog = Backlog()
        for write in writes { backlog.append(write) }
        return backlog
    }

    private func numbers(_ database: Database) throws -> (history: [Int], terminations: [Int]) {
        let history: Page<HistoryEntry> = try database.page(Query(limit: 100_000), waiting: [])
        let terminations: Page<TerminationEntry> = try database.page(Query(limit: 100_000), waiting: [])
        return (history.numbers, terminations.numbers)
    }

    @Test func `is what is young enough, a portion at a time`() throws {
        try withTemporaryDirectory { path throws in
            let database = database(path, Retention(maxAge: 100, maxSize: .max)) { 3000 }
            try database.write(backlog((1...3000).map { .history(entry($0)) } + [.termination(end(2899))]))
            try database.write(backlog([.termination(end(2900))]))
            #expect(database.isPruningDue)
            var rounds = 0
            while try database.prune() { rounds += 1 }
            #expect(rounds > 1 && !database.isPruningDue)
            let left = try numbers(database)
            #expect(left.history == Array(2900...3000) && left.terminations == [2900])
        }
    }

    @Test func `is less when less is asked for`() throws {
        try withTemporaryDirectory { path throws in
            let database = database(path, Retention(maxAge: nil, maxSize: .max)) { 3000 }
            try database.write(backlog((1...3000).map { .history(entry($0)) }))
            while try database.prune() {}
            #expect(try numbers(database).history.count == 3000)
            database.retention = Retention(maxAge: 100, maxSize: .max)
            #expect(database.isPruningDue)
            while try database.prune() {}
            #expect(try numbers(database).history == Array(2900...3000))
        }
    }

    @Test func `is as much as fits, history going first and the file not growing`() throws {
        try withTemporaryDirectory { path throws in
            let limit: Int64 = 400_000
            let database = database(path, Retention(maxAge: nil, maxSize: limit))
            var number = 0
            var biggest = 0
            for round in 0..<40 {
                var writes: [Write] = [.termination(end(round, "w\(round)"))]
                for _ in 0..<500 {
                    number += 1
                    writes.append(.history(entry(number)))
                }
                try database.write(backlog(writes))
                while try database.prune() {}
                let size = try FileManager.default.attributesOfItem(atPath: path + "/store.db")[.size]
                biggest = max(biggest, size as? Int ?? 0)
            }
            let left = try numbers(database)
            #expect(left.history.last == number && left.history.first ?? 0 > 1)
            #expect(left.terminations.count == 40)
            // Up to a portion may be there before it is deleted, and some pages stay free.
            #expect(biggest < Int(limit) + (1 << 20) + 100_000, "\(biggest)")
        }
    }

    @Test func `is nothing where nothing may be kept`() throws {
        try withTemporaryDirectory { path throws in
            let database = database(path, Retention(maxAge: nil, maxSize: 0))
            try database.write(backlog([.history(entry(1)), .termination(end(1))]))
            while try database.prune() {}
            let left = try numbers(database)
            #expect(left.history.isEmpty && left.terminations.isEmpty)
        }
    }

    @Test func `is so many ends of one worker, and those of others`() throws {
        try withTemporaryDirectory { path throws in
            let database = database(path, Retention(maxAge: nil, maxSize: .max))
            try database.write(backlog([.termination(end(1, "other"))]))
            for number in 1...120 { try database.write(backlog([.termination(end(number))])) }
            #expect(try numbers(database).terminations == [1] + Array(71...120))
        }
    }

    @Test func `gives room back to the disk when less may be kept`() throws {
        try withTemporaryDirectory { path throws in
            let writer = database(path, Retention(maxAge: nil, maxSize: .max))
            for round in 0..<10 {
                try writer.write(backlog((1...5000).map { .history(entry(round * 5000 + $0)) }))
            }
            writer.close()
            let size = { try FileManager.default.attributesOfItem(atPath: path + "/store.db")[.size] as? Int }
            let before = try #require(try size())
            let pruner = database(path, Retention(maxAge: nil, maxSize: 100_000))
            try pruner.write(backlog([.history(entry(1))]))
            while try pruner.prune() {}
            pruner.close()
            #expect(try #require(try size()) < before / 2)
        }
    }
}

@Suite struct `The backlog` {
    @Test func `is bounded, drops the oldest and counts them`() {
        var backlog = Backlog(limit: .init(history: 100, terminations: 10))
        for number in 0..<1000 {
            backlog.append(.history(entry(number)))
            #expect(backlog.history.count <= 100)
        }
        for number in 0..<10 { backlog.append(.termination(end(number))) }
        #expect(backlog.history.last == entry(999))
        #expect(backlog.history.map(\.at) == Array((1000 - Int64(backlog.history.count))..<1000))
        #expect(backlog.loss == .init(history: 1000 - backlog.history.count))
        #expect(backlog.terminations.count == 10, "ends are dropped last")
        for number in 10..<20 { backlog.append(.termination(end(number))) }
        #expect(backlog.loss.terminations + backlog.terminations.count == 20)
    }

    @Test func `has what came later behind what it has`() {
        var pending = Backlog(limit: .init(history: 4, terminations: 4))
        var writeQueue = Backlog(limit: .init(history: 4, terminations: 4))
        for number in 1...3 { writeQueue.append(.history(entry(number))) }
        let first = writeQueue.seal(isAwaited: true)
        pending.absorb(writeQueue.take())
        #expect(writeQueue.isEmpty && pending.isAwaited && pending.last == first)
        writeQueue.append(.history(entry(4)))
        let second = writeQueue.seal(isAwaited: false)
        pending.absorb(writeQueue.take())
        #expect(pending.history.map(\.at) == [1, 2, 3, 4])
        #expect(pending.isAwaited && pending.last == second && first < second)
        for number in 5...7 { writeQueue.append(.history(entry(number))) }
        pending.absorb(writeQueue.take())
        #expect(pending.history.map(\.at) == [4, 5, 6, 7] && pending.loss.history == 3)
    }
}
