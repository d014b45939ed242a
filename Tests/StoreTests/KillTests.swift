import Foundation
import Glibc
import Launching
import Linux
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct `A store whose process is killed` {
    /// One life of the helper: how far it got, and what it was told is stored.
    private struct Life {
        var next: Int64 = 1
        var stored: Int64 = 0
        var complaints: [String] = []
    }

    /// Starts the helper, kills it after it has said `lines` lines, and reads what it had said.
    private func life(of path: String, first: Int64, lines: Int) throws -> Life {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let helper = Bundle.main.bundlePath
        let places = [helper, (helper as NSString).deletingLastPathComponent].map { $0 + "/scribe" }
        let program = try #require(places.first { access($0, X_OK) == 0 })
        var request = LaunchRequest(
            ByteString(program), [ByteString(path), ByteString("\(first)")], environment: .current)
        request.standardOutput = .copied(from: ends[1])
        let launched = Result { try request.launch().pid }
        close(ends[1])
        let pid = try launched.get()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        var isKilled = false
        while case let count = read(ends[0], &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
            if !isKilled, bytes.count(where: { $0 == 10 }) >= lines {
                kill(pid, SIGKILL)
                isKilled = true
            }
        }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        var life = Life(next: first)
        var lasts: [UInt64: Int64] = [:]
        // A last line without an end may be cut.
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ")
            switch words.first {
            case "batch": lasts[try #require(UInt64(words[1]))] = Int64(words[2])
            case "stored":
                life.stored = max(life.stored, lasts[try #require(UInt64(words[1]))] ?? 0)
            case "first": break
            default: life.complaints.append(String(line))
            }
        }
        life.next = (lasts.values.max() ?? first - 1) + 1000
        return life
    }

    @Test func `has everything that it said was stored, whole batches, and nothing twice`() throws {
        try withTemporaryDirectory { path throws in
            let file = path + "/store.db"
            var random = SplitMix64(seed: 42)
            var first: Int64 = 1
            var lives: [(first: Int64, stored: Int64)] = []
            for _ in 0..<40 {
                let life = try life(of: file, first: first, lines: .random(in: 1...300, using: &random))
                #expect(life.complaints == [])
                lives.append((first, life.stored))
                first = life.next
            }
            let connection = try DatabaseFile(path: file).open()
            #expect(
                try connection.number(
                    "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0)
            #expect(try connection.number("SELECT count(*) - count(DISTINCT at) FROM history") == 0)
            for (index, life) in lives.enumerated() {
                let end = index + 1 < lives.count ? lives[index + 1].first : .max
                let range = "at >= \(life.first) AND at < \(end)"
                let last = try connection.number("SELECT max(at) FROM history WHERE \(range)")
                #expect(last >= life.stored, "life \(index)")
                if last > 0 {
                    // No hole, and the batch's last write is there with its first.
                    let count = try connection.number("SELECT count(*) FROM history WHERE \(range)")
                    #expect(count == last - life.first + 1, "life \(index)")
                    #expect(
                        try connection.number("SELECT count(*) FROM termination WHERE at = \(last + 1)") == 1)
                }
            }
            let stored = lives.map { max(0, $0.stored - $0.first + 1) }.reduce(0, +)
            print("measured: \(stored) acknowledged entries in \(lives.count) lives, none lost")
        }
    }
}
