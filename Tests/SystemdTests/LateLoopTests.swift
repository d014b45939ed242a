import Glibc
import Linux
import Systemd
import TestSupport
import Testing

/// A loop that gives libsystemd its sources when it runs.
@Suite(.timeLimit(.minutes(60))) struct `A loop that loads libsystemd later` {
    /// What was served, in order.
    private final class Served { var names: [String] = [] }

    /// The reading end of a pipe with text in it.
    private static func pipeWithText() throws -> OwnedDescriptor {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        #expect(write(ends[1], "x", 1) == 1)
        close(ends[1])
        return OwnedDescriptor(adopting: ends[0])
    }

    @Test func `serves what was made before it runs as any other does`() async throws {
        let names = try await onThread {
            var results: [[String]] = []
            for isLate in [false, true] {
                let loop = try EventLoop(loadsLater: isLate)
                let served = Served()
                let end = try Self.pipeWithText()
                let input = SourceBox<IOSource>()
                input.handle = try IOSource(
                    on: loop, owning: end, events: .readable, priority: .notifications
                ) { _ in
                    served.names.append("input")
                    input.handle = nil
                }
                let soon = try DeferSource(on: loop, priority: .exits) { served.names.append("soon") }
                let off = try DeferSource(on: loop, priority: .exits) { served.names.append("off") }
                off.setEnabled(.off)
                let never = try TimeSource(on: loop) { _ in served.names.append("never") }
                never.arm(at: loop.now + 1)
                never.disarm()
                let second = try TimeSource(on: loop) { _ in
                    served.names.append("second")
                    loop.exit(7)
                }
                let first = try TimeSource(on: loop) { _ in served.names.append("first") }
                let moment = loop.now
                second.arm(at: moment + 2)
                first.arm(at: moment + 1)
                let areArmed = (first.isArmed, never.isArmed)
                #expect(areArmed == (true, false))
                #expect(try loop.run() == 7)
                withExtendedLifetime((loop, input)) {}
                withExtendedLifetime(soon) {}
                withExtendedLifetime(off) {}
                withExtendedLifetime(never) {}
                withExtendedLifetime(first) {}
                withExtendedLifetime(second) {}
                results.append(served.names)
            }
            return results
        }
        #expect(names == [["input", "soon", "first", "second"], ["input", "soon", "first", "second"]])
    }

    @Test func `makes the calls that came before it runs`() async throws {
        let code = try await onThread {
            let loop = try EventLoop(loadsLater: true)
            loop.call { loop.exit(3) }
            return try loop.run()
        }
        #expect(code == 3)
    }

    @Test func `ends at once with the code of an exit that came before it runs`() async throws {
        let (code, names) = try await onThread {
            let loop = try EventLoop(loadsLater: true)
            let served = Served()
            let soon = try DeferSource(on: loop, priority: .exits) { served.names.append("soon") }
            let exit = try ExitSource(on: loop, priority: .exits) { served.names.append("exit") }
            loop.exit(5)
            let code = try loop.run()
            withExtendedLifetime(soon) {}
            withExtendedLifetime(exit) {}
            return (code, served.names)
        }
        #expect(code == 5 && names == ["exit"])
    }

    @Test func `closes the descriptor of a source that is dropped before`() async throws {
        try await onThread {
            let loop = try EventLoop(loadsLater: true)
            let first = try Self.pipeWithText()
            let number = first.rawValue
            let source = SourceBox<IOSource>()
            source.handle = try IOSource(
                on: loop, owning: first, events: .readable, priority: .clients
            ) { _ in }
            #expect(fcntl(number, F_GETFD) >= 0)
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 500)
            var (before, after) = (stat(), stat())
            #expect(unsafe fstat(copy, &before) == 0)
            source.handle = nil
            // Another thread may have been given the number meanwhile: then it is another file.
            let isGone = unsafe fstat(number, &after) != 0 || after.st_ino != before.st_ino
            #expect(isGone)
            close(copy)
        }
    }

    @Test func `is loaded by what needs an answer, and tells at once that a file cannot be watched`()
        async throws
    {
        try await onThread {
            let loop = try EventLoop(loadsLater: true)
            let soon = try DeferSource(on: loop, enabled: .off, priority: .clients) {}
            let isEnabled = soon.isEnabled
            #expect(!isEnabled)
            withExtendedLifetime(soon) {}

            for path in ["/proc/self/exe", "/dev/null"] {
                let late = try EventLoop(loadsLater: true)
                let file = OwnedDescriptor(adopting: unsafe open(path, O_RDONLY | O_CLOEXEC))
                let number = file.rawValue
                let source = SourceBox<IOSource>()
                #expect(throws: SystemdError(errno: EPERM, operation: "sd_event_add_io")) {
                    source.handle = try IOSource(
                        on: late, descriptor: number, events: .readable, priority: .clients
                    ) { _ in }
                }
                withExtendedLifetime(file) {}
            }
        }
    }

    @Test func `is not run without a source that libsystemd did not take`() async throws {
        try await onThread {
            let loop = try EventLoop(loadsLater: true)
            let served = Served()
            let soon = try DeferSource(on: loop, priority: .exits) { served.names.append("soon") }
            // A pipe whose number is no descriptor any more when libsystemd is given it.
            let end = try Self.pipeWithText()
            let copy = fcntl(end.rawValue, F_DUPFD_CLOEXEC, 700)
            let source = SourceBox<IOSource>()
            source.handle = try IOSource(
                on: loop, descriptor: copy, events: .readable, priority: .clients
            ) { _ in }
            close(copy)
            for _ in 0..<2 {
                #expect(throws: SystemdError(errno: EBADF, operation: "sd_event_add_io")) {
                    _ = try loop.run()
                }
            }
            #expect(served.names.isEmpty)
            withExtendedLifetime(soon) {}
            withExtendedLifetime(end) {}
        }
    }
}
