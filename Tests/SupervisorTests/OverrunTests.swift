import Lifecycle
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// A missed deadline is told by the directive that sets it, its span, and what has not happened.
@Suite struct `A missed deadline` {
    struct Row: CustomTestStringConvertible, Sendable {
        let timer: Lifecycle.Timer
        var callback: Callback?
        var hasProcess = true
        var readiness = Policy.Readiness.exec
        var command: ServiceCommand?
        var showsBy: String?
        let words: String?
        var testDescription: String { words ?? "\(timer)" }
    }

    private static let limits: Limits = {
        var limits = Limits.daemon
        limits.launch = .seconds(3)
        limits.stop = .seconds(2)
        limits.watchdog = .milliseconds(500)
        limits.own[.didEnterBackground] = .some(.seconds(7))
        return limits
    }()

    @Test(arguments: [
        Row(timer: .launch, readiness: .notify, words: "TimeoutStartSec=3s: READY=1 was not received"),
        Row(
            timer: .launch, readiness: .notify, showsBy: "ReadyWhen=",
            words: "TimeoutStartSec=3s: ReadyWhen= has not been met"),
        Row(timer: .launch, readiness: .exit, words: "TimeoutStartSec=3s: it has not ended"),
        Row(timer: .launch, hasProcess: false, words: "TimeoutStartSec=3s: its process has not been started"),
        Row(
            timer: .launch, callback: .didFinishLaunching,
            command: ServiceCommand(
                .startPost, 0, key: "ExecStartPost", program: "/bin/sleep", arguments: ["10"]),
            words: "TimeoutStartSec=3s: ExecStartPost=/bin/sleep 10 has not ended"),
        Row(
            timer: .launch, callback: .didFinishLaunching,
            words: "TimeoutStartSec=3s: didFinishLaunching is not complete"),
        Row(timer: .ending, words: "TimeoutStopSec=2s: it has not ended after SIGTERM"),
        Row(timer: .watchdog, words: "WatchdogSec=500ms: WATCHDOG=1 was not received"),
        Row(
            timer: .callback, callback: .didEnterBackground,
            words: "DidEnterBackgroundTimeoutSec=7s: didEnterBackground is not complete"),
        Row(timer: .callback, callback: .didBecomeActive, words: "didBecomeActive is not complete"),
        Row(timer: .idle, words: nil), Row(timer: .backoff, words: nil),
    ]) func `is told by its directive`(_ row: Row) {
        let missed = MissedDeadline(
            row.timer, limits: Self.limits, callback: row.callback, hasProcess: row.hasProcess,
            readiness: row.readiness, command: row.command, showsBy: row.showsBy, stopSignal: "SIGTERM")
        #expect(missed?.description == row.words)
    }

    @Test(arguments: [
        (["/bin/sh", "-c", "exit 3"], "ExecStartPre=/bin/sh -c 'exit 3'"),
        (["/bin/true"], "ExecStartPre=/bin/true"),
        (["a", "", "it's"], "ExecStartPre=a '' 'it'\\''s'"),
    ]) func `and a command with its arguments`(_ words: [String], _ text: String) {
        let command = ServiceCommand(
            .startPre, 0, key: "ExecStartPre", program: words[0], arguments: Array(words.dropFirst()))
        #expect(command.description == text)
    }
}
