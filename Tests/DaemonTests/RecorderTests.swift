import ControlAPI
import DaemonCore
import Foundation
import Pressure
import Records
import TestSupport
import Testing

@testable import ConfigurationSyntax
@testable import History
@testable import Launching
@testable import Lifecycle
@testable import Linux
@testable import LinuxHost
@testable import Store
@testable import Supervisor
@testable import SupervisorPorts
@testable import Systemd

@Suite(.timeLimit(.minutes(60))) struct `What is kept of a worker's life` {
    private static let at = Instant(microseconds: 5_000_000)
    private static let record = TerminationRecord(
        incarnation: 1, pid: 42, launchReason: .socket, state: .background, goal: .suspended,
        cause: .watchdog,
        status: .killed(signal: 9, coreDumped: false), launchErrno: nil,
        requester: .operator(uid: 7, pid: 8), ran: .seconds(3), inBackground: .seconds(2),
        suspended: .seconds(1), unfinished: .init(callback: .didEnterBackground, age: .seconds(5)), at: at,
        restartsAt: nil)
    private static let change = Transition(
        from: .suspended, to: .background, cause: .goal(.operator(uid: 7, pid: 8)),
        notTold: [.init([.willResignActive]), .init([.didEnterBackground])], suspendedFor: .seconds(1), at: at
    )

    private func entry(_ notice: Notice) -> HistoryEntry? {
        let entry = HistoryEntry(
            notice, of: "web", at: Self.at + .milliseconds(500), now: Self.at + .seconds(1))
        #expect(notice.isStored == (entry != nil))
        return entry
    }

    @Test func `is every change with all that the model says of it`() throws {
        func wall() -> Int64 { WallClock.microseconds(of: Self.at, now: Self.at + .seconds(1)) }
        let before = wall()
        let kept = try #require(entry(.changed(Self.change)))
        #expect((before - 1000...wall() + 1000).contains(kept.at))
        #expect(
            kept
                == HistoryEntry(
                    worker: "web", kind: .changed, at: kept.at, from: "suspended", to: "background",
                    reason: "operator", uid: 7, pid: 8, suspendedFor: 1_000_000,
                    notTold: "willResignActive didEnterBackground"))
    }

    @Test func `is launches, ends and warnings, and nothing that only chatters`() throws {
        #expect(entry(.launchCompleted)?.kind == .launched)
        let failed = entry(.launchFailed(LaunchError(stage: .exec, errno: 2, subject: "a\nb")))
        #expect(failed?.kind == .launchFailed && failed?.reason == "exec")
        #expect(failed?.message == "command not found: a\\x0ab")
        let ended = entry(.ended(Self.record))
        #expect(ended?.kind == .ended && ended?.reason == "watchdog" && ended?.uid == 7 && ended?.pid == 8)
        #expect(ended?.from == "background" && ended?.message == StatusPrinter.sentence(Self.record))
        let warned = entry(.warned(.overrun(.willTerminate), detail: "busy"))
        #expect(warned?.kind == .warned && warned?.reason == "willTerminate" && warned?.message == "busy")
        #expect(entry(.ignored("noise")) == nil && entry(.refused(.startLimit, .idle)) == nil)
    }

    @Test func `shows strangers no text of a worker, a hook, a command or an operator, whatever happened`()
        throws
    {
        let secret = "/nonexistent/SECRET7path"
        let transition = Transition(
            from: .background, to: .suspended, cause: .goal(.operator(uid: 7, pid: 8)), notTold: [],
            suspendedFor: nil, at: Self.at)
        var blamed = Self.record
        blamed.detail = "ExecStartPost=\(secret) has not ended"
        var shown: [String?] = []
        for notice: Notice in [
            .changed(transition), .launchCompleted, .ended(blamed),
            .launchFailed(LaunchError(stage: .exec, errno: 2, subject: secret)),
            .warned(.holdsResource, detail: secret), .warned(.startLimitHit, detail: nil),
            .hookFailed(.didEnterBackground, "command not found: \(secret)"),
            .hookFailed(.saveState, secret), .hookPrinted(.willTerminate, secret), .ignored(secret),
            .refused(.startLimit, .worker),
        ] {
            guard let kept = entry(notice) else { continue }
            let stored = Stored(id: 1, bootID: "b", content: kept)
            let redacted = SupervisorInterface.HistoryEntry(stored).redacted
            #expect(redacted.requestedBy == nil)
            #expect(!"\(redacted)".contains("SECRET"), "\(notice)")
            shown.append(redacted.message)
        }
        #expect(shown.count == 8)
        #expect(shown.compactMap(\.self) == [])
    }

    @Test func `is the whole record of an end`() throws {
        let some = PressureStall.Share(average10: 1.5, average60: 0, average300: 0, total: .zero)
        let full = PressureStall.Share(average10: 0.5, average60: 0, average300: 0, total: .zero)
        let exitDetails = ExitDetails(peakMemory: 4096, pressure: PressureStall(some: some, full: full))
        let kept = TerminationEntry(Self.record, of: "web", exitDetails: exitDetails, now: Self.at)
        #expect(
            kept
                == TerminationEntry(
                    worker: "web", at: kept.at, pid: 42, launchReason: "socket", state: "background",
                    goal: "suspended", cause: "watchdog", code: 0x8bad_f00d, signal: "SIGKILL",
                    sentence: StatusPrinter.sentence(Self.record), requester: .init(uid: 7, pid: 8),
                    ran: 3_000_000, inBackground: 2_000_000, suspended: 1_000_000, peakMemory: 4096,
                    pressureSome: 1.5, pressureFull: 0.5, callback: "didEnterBackground",
                    callbackAge: 5_000_000))
        let told = SupervisorInterface.Termination(kept)
        #expect(told.code == "0x8badf00d" && told.signal == "SIGKILL" && told.state == .background)
        #expect(told.goal == .suspended && told.launchReason == .socket && told.peakMemoryBytes == 4096)
        #expect(told.requestedBy == .init(uid: 7, pid: 8) && told.callback == "didEnterBackground")
    }

    @Test func `comes back from the disk on the loop, in the life of another recorder`() throws {
        try withTemporaryDirectory { path throws in
            for round in 0..<2 {
                let loop = try EventLoop()
                let recorder = Recorder(in: path + "/state", maxAge: nil, maxSize: 1 << 20, on: loop)
                if round == 0 {
                    recorder.record(.changed(Self.change), of: "web", at: Self.at)
                    recorder.record(.ended(Self.record), of: "web", at: Self.at)
                }
                var told: [String] = []
                recorder.history(Query(names: ["web"], limit: 10)) { page in
                    told += page.rows.map { $0.content.kind.rawValue }
                }
                recorder.terminations(Query(names: ["web"], limit: 10)) { page in
                    told += page.rows.map { $0.content.cause }
                }
                recorder.lastTerminations(of: ["web", "nobody"]) { found in
                    told += found.map { "last \($0.content.pid)" }
                    loop.exit(0)
                }
                _ = try loop.run()
                recorder.close()
                #expect(told == ["changed", "ended", "watchdog", "last 42"])
                let files = try FileManager.default.contentsOfDirectory(atPath: path + "/state")
                #expect(files == ["torpor.db"], "its log is cleared away")
            }
        }
    }

    @Test func `is said to be in danger while it cannot be written`() throws {
        try withTemporaryDirectory { path throws in
            try "".write(toFile: path + "/state", atomically: false, encoding: .utf8)
            let loop = try EventLoop()
            let recorder = Recorder(in: path + "/state", maxAge: nil, maxSize: 1 << 20, on: loop)
            #expect(recorder.finding(directory: path).available)
            var events = 0
            recorder.report = { _ in
                events += 1
                loop.exit(0)
            }
            recorder.record(.ended(Self.record), of: "web", at: Self.at)
            _ = try loop.run()
            let finding = recorder.finding(directory: path)
            #expect(events == 1 && !finding.available && finding.remedy?.contains("--state-dir") == true)
            recorder.close()
        }
    }

    @Test func `is read after all when it can be, and says that it could not`() throws {
        try withTemporaryDirectory { path throws in
            let loop = try EventLoop()
            let before = Recorder(in: path, maxAge: nil, maxSize: 1 << 20, on: loop)
            before.keep([.knows("net", "{}")], of: "web") { _ in loop.exit(0) }
            _ = try loop.run()
            before.close()
            // A link to itself: no process can open that, not even one of root's.
            try FileManager.default.moveItem(atPath: path + "/torpor.db", toPath: path + "/aside")
            try FileManager.default.createSymbolicLink(
                atPath: path + "/torpor.db", withDestinationPath: "torpor.db")
            let second = try EventLoop()
            let recorder = Recorder(
                in: path, maxAge: nil, maxSize: 1 << 20, on: second, firstRetry: .milliseconds(1))
            var events: [StoreEvent] = []
            recorder.report = { events.append($0) }
            #expect(recorder.storedInboxes().isEmpty)
            #expect(recorder.obstacle?.contains("cannot read") == true)
            #expect(recorder.finding(directory: path).remedy?.contains("retries automatically") == true)
            // At once: in between, a new one could be made.
            #expect(rename(path + "/aside", path + "/torpor.db") == 0)
            var kept: [String: StoredInbox] = [:]
            recorder.wasRead = {
                kept = $0
                second.exit(0)
            }
            _ = try second.run()
            #expect(kept["web"]?.known.count == 1)
            #expect(recorder.obstacle == nil && recorder.finding(directory: path).available)
            #expect(events.count == 2 && events.last == .readable, "\(events)")
            recorder.close()
        }
    }
}
