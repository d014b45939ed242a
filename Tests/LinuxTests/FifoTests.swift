import Glibc
import TestSupport
import Testing

@testable import Linux

@Suite struct `A pipe to a worker` {
    private static let path = "/tmp/torpor-fifo-\(getpid())"

    @Test func `is its owner's alone, outlives our end, and goes with us`() throws {
        do {
            var pipe = try Fifo(at: Self.path, user: nil, group: nil)
            var status = stat()
            try #require(stat(Self.path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600 && status.st_mode & S_IFMT == S_IFIFO)
            let worker = try pipe.openForWorker()
            for text in ["one", "two"] {
                // Opened anew for each: to the worker it never ends.
                let ours = try pipe.openOurs(for: .writing)
                #expect(ours.write(Array(text.utf8)[...]) == .moved(3))
            }
            var room = [UInt8](repeating: 0, count: 16)
            #expect(read(worker.rawValue, &room, 16) == 6)
            #expect(String(decoding: room.prefix(6), as: UTF8.self) == "onetwo")
        }
        #expect(access(Self.path, F_OK) != 0)
    }

    @Test func `cannot be written to when the worker has closed it`() throws {
        var pipe = try Fifo(at: Self.path + "-closed", user: nil, group: nil)
        do { _ = try pipe.openForWorker() }
        // A child that another test begins may have it open until it executes its program.
        let error: LinuxError = try eventually {
            do throws(LinuxError) {
                _ = try pipe.openOurs(for: .writing)
                return nil
            } catch {
                return error
            }
        }
        #expect(error == LinuxError(errno: ENXIO, call: "open", subject: Self.path + "-closed"))
    }

    @Test(arguments: [true, false])
    func `works without a name`(_ endsWithUs: Bool) throws {
        var pipe = try Fifo(anonymous: .writing, endsWithUs: endsWithUs)
        let worker = try pipe.openForWorker()
        do {
            let ours = try pipe.openOurs(for: .writing)
            var count = 0
            while case .moved(let more) = ours.write([UInt8](repeating: 1, count: 4096)[...]) {
                count += more
            }
            #expect(count == 65_536)
            #expect(ours.write([1]) == .wouldWait)
        }
        #expect((fcntl(worker.rawValue, F_GETFL) & O_ACCMODE) == (endsWithUs ? O_RDONLY : O_RDWR))
        #expect(fcntl(worker.rawValue, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func `is told apart: nothing there, and nobody there`() throws {
        var pipe = try Fifo(anonymous: .reading, endsWithUs: true)
        let ours = try pipe.openOurs(for: .reading)
        var room = [UInt8](repeating: 0, count: 16)
        do {
            let worker = try pipe.openForWorker()
            #expect(ours.read(into: &room) == .wouldWait)
            #expect(write(worker.rawValue, "x", 1) == 1)
        }
        #expect(ours.read(into: &room) == .moved(1))
        _ = try eventually { ours.read(into: &room) == .ended ? true : nil }
    }

    @Test func `leaves a shared descriptor as others know it`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let stream = SharedStream(ends[1], for: .writing)
        while case .moved = stream.write([UInt8](repeating: 1, count: 4096)[...]) {}
        #expect(stream.write([1]) == .wouldWait)
        #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    }
}
