import Cgroups
import Glibc
import HostContract
import Launching
import Linux
import Supervisor
import TestSupport
import Testing

/// The promises of `HostContract`, kept by the fake machine and by the real one.
@Suite(.timeLimit(.minutes(60))) struct `The host contract` {
    @Test(arguments: HostContract.promises.indices)
    func `is kept by the fake`(_ number: Int) async throws {
        let promise = HostContract.promises[number]
        try await Play(on: FakeStage(.prompt, random: SplitMix64(seed: 1)), number: number).perform(promise)
        for seed in 0..<20 {
            let stage = FakeStage(.late, random: SplitMix64(seed: UInt64(seed)))
            try await Play(on: stage, number: number).perform(promise)
        }
    }

    @Test(.requires(.cgroupV2Writable))
    func `is kept by Linux with the freezer`() throws {
        try playForReal("cgroup")
    }

    @Test func `is kept by Linux with SIGSTOP`() throws {
        try playForReal("signals")
    }

    /// Has the contract played by a process of its own and reads its report.
    private func playForReal(_ method: String) throws {
        let report = try HelperProgram.run("contract", method)
        #expect(report.status == 0)
        #expect(report.lines.last == "nothing is left")
        for promise in HostContract.promises where !report.lines.contains("kept \(promise.name)") {
            let how = report.lines.first { $0.hasPrefix("broken \(promise.name)") } ?? "no word of it"
            Issue.record("\(promise.name): \(how)")
        }
    }
}

/// A program that was built beside the tests.
enum HelperProgram {
    /// Runs it to its end; what it wrote, and its exit status.
    static func run(_ name: String, _ arguments: String...) throws -> (lines: [String], status: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        var request = LaunchRequest(
            ByteString("\(try directory())/\(name)"), arguments.map { ByteString($0) }, environment: .current)
        request.standardOutput = .copied(from: writing)
        let launched = Result { try request.launch().pid }
        close(writing)
        let pid = try launched.get()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(reading, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        return (String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init), status)
    }

    private static func directory() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let slash = try #require(path.lastIndex(of: "/"))
        return String(path[..<slash])
    }
}
