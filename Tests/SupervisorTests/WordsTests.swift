import HostContract
import Lifecycle
import Linux
import Systemd
import TestSupport
import Testing

@testable import History
@testable import Standalone
@testable import Supervisor
@testable import SupervisorPorts
@testable import WorkerIO

@Suite struct `NotifyReports` {
    private static func report(_ change: (inout NotifyReport) -> Void) -> NotifyReport {
        var report = NotifyReport()
        change(&report)
        return report
    }

    static let table: [(report: NotifyReport, events: [Event])] = [
        (NotifyReport(), []),
        (
            report {
                $0.status = "fine"; $0.errno = 2
            }, []
        ),
        (report { $0.phase = .ready }, [.ready]),
        (report { $0.phase = .reloading }, [.reloading]),
        (report { $0.phase = .reloaded }, [.reloading, .ready]),
        (report { $0.phase = .stopping }, [.stopping]),
        (report { $0.isAlive = true }, [.watchdogPinged]),
        (report { $0.isInUse = false }, [.saidInUse(false)]),
        (report { $0.triggersWatchdog = true }, [.watchdogTriggered]),
        (report { $0.watchdogPeriod = .seconds(3) }, [.watchdogChanged(.seconds(3))]),
        (report { $0.watchdogPeriod = .zero }, [.watchdogChanged(nil)]),
        (
            report {
                $0.phase = .ready
                $0.mainProcess = 5
                $0.extendTimeout = .seconds(1)
                $0.isAlive = true
            }, [.mainProcessChanged(pid: 5), .extendTimeout(.seconds(1)), .watchdogPinged, .ready]
        ),
    ]

    @Test(arguments: table.indices)
    func `mean these events`(_ row: Int) {
        #expect(Self.table[row].report.events == Self.table[row].events)
    }
}

@Suite struct `The signal of a terminal that ends a child` {
    struct Row: Sendable {
        let status: Lifecycle.ExitStatus, typed: Set<Signal>, onTerminal: Bool, fatal: Signal?
    }

    @Test(arguments: [
        Row(
            status: .killed(signal: 2, coreDumped: false), typed: [.interrupt], onTerminal: false,
            fatal: .interrupt),
        Row(status: .killed(signal: 3, coreDumped: true), typed: [.quit], onTerminal: false, fatal: .quit),
        Row(status: .killed(signal: 2, coreDumped: false), typed: [], onTerminal: true, fatal: .interrupt),
        Row(status: .killed(signal: 2, coreDumped: false), typed: [], onTerminal: false, fatal: nil),
        Row(status: .killed(signal: 2, coreDumped: false), typed: [.quit], onTerminal: false, fatal: nil),
        Row(status: .killed(signal: 1, coreDumped: false), typed: [.hangup], onTerminal: true, fatal: nil),
        Row(status: .exited(130), typed: [.interrupt], onTerminal: true, fatal: nil),
    ])
    func `ends the supervisor too, by the same signal`(_ row: Row) {
        let fatal = SignalTable.fatalSignal(of: row.status, typed: row.typed, onTerminal: row.onTerminal)
        #expect(fatal == row.fatal)
    }
}

@Suite struct `The signal table` {
    static let rows: [(signal: Signal, rewrites: [Signal: Signal?], action: SignalTable.Action)] = [
        (.terminate, [:], .stop(.terminate)),
        (.interrupt, [:], .forward(.interrupt)),
        (.hangup, [:], .forward(.hangup)),
        (.windowChange, [:], .forward(.windowChange)),
        (.terminalStop, [:], .suspend),
        (.terminalInput, [:], .suspend),
        (.terminalOutput, [:], .suspend),
        (.resume, [:], .resume),
        (.terminate, [.terminate: .quit], .stop(.quit)),
        (.terminate, [.terminate: Signal?.none], .drop),
        (.hangup, [.hangup: .user1], .forward(.user1)),
        (.hangup, [.user1: .hangup], .forward(.hangup)),
        (.terminalStop, [.terminalStop: .terminate], .suspendOurselves(passing: .terminate)),
        (.terminalInput, [.terminalInput: .terminalStop], .suspendOurselves(passing: .terminalStop)),
        (.terminalStop, [.terminalStop: .stop], .suspend),
        (.terminalStop, [.terminalStop: Signal?.none], .suspendOurselves(passing: nil)),
        (.user1, [.user1: .stop], .suspend),
    ]

    @Test(arguments: rows.indices)
    func `says what a signal means`(_ row: Int) {
        let (signal, rewrites, action) = Self.rows[row]
        #expect(SignalTable(rewrites: rewrites).action(for: signal) == action)
    }

    @Test(arguments: [Signal.terminalStop, .terminalInput, .terminalOutput])
    func `passes a stop of the terminal's on as it is where the child is in our session`(_ signal: Signal) {
        #expect(
            SignalTable(ownSession: false).action(for: signal) == .suspendOurselves(passing: signal))
        #expect(
            SignalTable(rewrites: [signal: .stop], ownSession: false).action(for: signal) == .suspend)
    }

    static let alone: [(signal: Signal, onTerminal: Bool, action: SignalTable.LoneAction)] = [
        (.terminate, false, .end(.terminate)), (.interrupt, false, .end(.interrupt)),
        (.quit, true, .end(.quit)), (.hangup, true, .end(.hangup)), (.hangup, false, .drop),
        (.terminalStop, true, .suspend), (.resume, false, .launch), (.user1, true, .drop),
        (.windowChange, true, .drop),
    ]

    @Test(arguments: alone.indices)
    func `says what a signal means while the command is evicted`(_ row: Int) {
        let (signal, onTerminal, action) = Self.alone[row]
        #expect(SignalTable().loneAction(for: signal, onTerminal: onTerminal) == action)
    }

    @Test func `an evicted command's signals are rewritten too`() {
        let table = SignalTable(rewrites: [.terminate: .quit, .user1: .interrupt, .interrupt: Signal?.none])
        #expect(table.loneAction(for: .terminate, onTerminal: false) == .end(.quit))
        #expect(table.loneAction(for: .user1, onTerminal: false) == .end(.interrupt))
        #expect(table.loneAction(for: .interrupt, onTerminal: false) == .drop)
    }

    @Test func `forwards every signal that nobody else needs`() {
        let special: Set<Signal> = [.terminate, .terminalStop, .terminalInput, .terminalOutput, .resume]
        for signal in Signal.catchable where !special.contains(signal) {
            #expect(SignalTable().action(for: signal) == .forward(signal))
        }
    }

    @Test(arguments: [
        ("TERM:QUIT", Signal.terminate, Signal?.some(.quit)), ("SIGHUP:0", .hangup, nil),
        ("15:3", .terminate, .quit), ("usr1:sigusr2", .user1, .user2), ("TSTP:STOP", .terminalStop, .stop),
    ])
    func `reads a rewrite`(_ text: String, _ from: Signal, _ to: Signal?) throws {
        let rewrite = try SignalTable.rewrite(text)
        #expect(rewrite.from == from)
        #expect(rewrite.to == to)
    }

    @Test(arguments: [
        "", ":", "TERM", "TERM:", ":TERM", "TERM:QUIT:HUP", "NOPE:TERM", "TERM:NOPE", "0:TERM", "65:1",
        "1:65",
        "-1:2", "KILL:TERM", "STOP:TERM", "CHLD:TERM", " TERM:QUIT",
    ])
    func `refuses what makes no sense, in one line that quotes it`(_ text: String) {
        let error = #expect(throws: SignalTable.RewriteError.self) { try SignalTable.rewrite(text) }
        #expect(error?.description.hasPrefix("--rewrite \(text) ") == true)
        #expect(error?.description.contains("\n") == false)
    }
}

@Suite struct `Socket places` {
    @Test func `are tried in order, the abstract one last`() {
        let places = SocketPlaces(directories: ["/a", "/b"])
        #expect(
            places.candidates(for: "web", "notify").map(\.description) == [
                "/a/web.notify", "/b/web.notify", "@torpor/\(ThisProcess.pid)/web.notify",
            ])
    }

    @Test func `are only directories where abstract names will not do`() {
        #expect(SocketPlaces(allowsAbstract: false).candidates(for: "web", "notify").isEmpty)
    }

    @Test func `that are too long for a socket are passed over`() {
        let long = "/" + String(repeating: "x", count: 200)
        let places = SocketPlaces(directories: [long, "/b"], allowsAbstract: false)
        #expect(places.candidates(for: "web", "notify").map(\.description) == ["/b/web.notify"])
    }
}

@Suite struct `The statusPrinter` {
    @Test func `tells a life in these lines`() throws {
        let world = try World()
        let worker = world.active("notifier", Policy(readiness: .notify))
        var report = NotifyReport()
        report.status = "fine"
        world.host.say(worker, report)
        world.host.stopFromOutside(worker)
        world.host.advance(by: .milliseconds(1500))
        world.host.continueFromOutside(worker)
        world.request(.notRunning, of: worker)
        world.host.run()
        let statusPrinter = StatusPrinter(name: "web")
        #expect(
            world.notices.compactMap { statusPrinter.line(for: $0.notice) } == [
                "notRunning → inactive (launch: operator)",
                "launched",
                "inactive → active (operator, uid 0, pid 7)",
                "status: fine",
                "active → inactive (another program), not delivered: willResignActive",
                "inactive → background (another program), not delivered: didEnterBackground",
                "background → suspended (another program)",
                "suspended → background (another program), asleep for 1.500s",
                "background → inactive (operator, uid 0, pid 7)",
                "inactive → active (operator, uid 0, pid 7)",
                "ended: stopped, status 0, ran 1.510s, asleep 1.500s",
                "active → notRunning (stopped)",
            ])
    }
}
