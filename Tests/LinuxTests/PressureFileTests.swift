import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux
@testable import Processes

extension Capability {
    /// The kernel counts memory pressure of the machine.
    static let pressureCounted = Capability("pressureCounted") {
        PressureFile.machine.text() == nil ? "the kernel tells nothing of memory pressure" : nil
    }
}

@Suite struct `Pressure files` {
    @Test(.requires(.pressureCounted), .requires(.root))
    func `take a threshold, and refuse a window that is none`() throws {
        _ = try PressureFile.machine.open(threshold: "some 200000 2000000")
        let refusal = #expect(throws: PressureFileError.self) {
            _ = try PressureFile.machine.open(threshold: "some 200000 1")
        }
        #expect(refusal?.code == .windowRefused)
        #expect(throws: PressureFileError.self) { _ = try PressureFile.machine.open(threshold: "none") }
    }

    @Test(.requires(.pressureCounted), .requires(.root))
    func `take odd windows only from whom they may have them`() throws {
        do throws(PressureFileError) {
            _ = try PressureFile.machine.open(threshold: "some 100000 1000000")
            #expect(ThisProcess.mayRaiseLimits)
        } catch {
            #expect(error.code == .windowRefused && !ThisProcess.mayRaiseLimits)
            #expect(error.description.contains("multiples of 2 s"))
        }
    }

    @Test func `that are not there say so`() {
        let missing = PressureFile(path: "/nowhere/memory.pressure")
        #expect(missing.text() == nil)
        let refusal = #expect(throws: PressureFileError.self) {
            _ = try missing.open(threshold: "some 1 2000000")
        }
        #expect(refusal?.code == .missing && refusal?.failure.errno == ENOENT)
    }

    @Test(.requires(.cgroupV2Writable), .requires(.pressureCounted))
    func `of a group that goes tell of it as an error`() throws {
        var raw: Int32 = -1
        try withGroup { group in
            raw = try PressureFile(of: group).open(threshold: "some 200000 2000000").release()
        }
        let descriptor = OwnedDescriptor(adopting: raw)
        var query = pollfd(fd: descriptor.rawValue, events: Int16(POLLPRI), revents: 0)
        #expect(poll(&query, 1, 10_000) == 1)
        #expect(query.revents & Int16(POLLERR) != 0)
    }
}

@Suite struct `Giving pages back` {
    @Test(.requires(.root), .timeLimit(.minutes(60)))
    func `takes what a stopped process has read from a file out of its memory`() throws {
        try withTemporaryDirectory { directory in
            let script = """
                \(MappedFile.python)
                print("ready", flush=True)
                os.read(0, 1)
                """
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            var request = LaunchRequest(
                "python3", ["-c", ByteString(script), ByteString(directory)], environment: .current)
            request.standardInput = .copied(from: ends[0])
            let child = try Child(request)
            try #require(child.line() == "ready")
            try child.send(.stop)
            #expect(try child.next() == .stopped(by: .stop))
            let identity = try #require(ProcessIdentity(pid: child.pid))
            let before = try #require(ProcessMemory.resident(of: child.pid))
            try #require(before >= 30 << 20)

            try PageOut.run(on: identity) { false }
            let untouched = try #require(ProcessMemory.resident(of: child.pid))
            #expect(untouched >= before - (1 << 20), "nobody wanted it")

            try PageOut.run(on: identity) { true }
            let after = try #require(ProcessMemory.resident(of: child.pid))
            #expect(before - after >= 24 << 20, "\(before) \(after)")
        }
    }

    @Test func `of who is gone is nothing`() throws {
        let child = try Child(script: "exit 0")
        let identity = try #require(ProcessIdentity(pid: child.pid))
        _ = try child.next()
        try PageOut.run(on: identity) { true }
    }
}
