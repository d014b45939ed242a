import SnapshotCoding
import SupervisorPorts
import Testing

@testable import Lifecycle

/// The cases of every kind that a snapshot names, in both forms.
@Suite struct `Cases in snapshots` {
    /// A field of any kind of value.
    private struct Field<Value: SnapshotValue & Equatable>: SnapshotObject, Equatable {
        let value: Value

        init(_ value: Value) { self.value = value }

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ field: Field?) throws(C.Failure) {
            value = try c.required("value", 1, field?.value)
        }
    }

    /// What is wrong with a value that is written and read again, in either form; nil is nothing.
    private func violation<Value: SnapshotValue & Equatable>(of value: Value) -> String? {
        let field = Field(value)
        var writer = RecordWriter()
        writer.begin(format: 4)
        _ = Field(&writer, field)
        writer.end()
        var reader = RecordReader(writer.bytes[...])
        _ = try? reader.format()
        guard (try? Field<Value>(&reader, nil)) == field, (try? reader.end()) != nil else {
            return "\(value) is another in a record"
        }
        let text = HandoverWriter.text(of: field)
        guard (try? HandoverReader.value(Field<Value>.self, of: text)) == field else {
            return "\(value) is another in a handover"
        }
        return nil
    }

    private func expect<Kind: SnapshotKind & Equatable>(_ kind: Kind.Type, _ names: [String]) {
        let cases = kind.allCases.sorted { $0.snapshotNumber < $1.snapshotNumber }
        #expect(Set(cases.map(\.snapshotNumber)).count == cases.count, "two cases of \(kind) with one number")
        #expect(cases.map(\.snapshotName) == names)
        #expect(cases.map { Int($0.snapshotNumber) } == Array(names.indices))
        for value in cases { #expect(violation(of: value) == nil) }
    }

    /// A name and a number are for good: new ones go to the end.
    @Test func `have the names and the numbers that they always had`() {
        expect(Goal.self, ["active", "inactive", "background", "suspended", "notRunning"])
        expect(RestReason.self, ["neverLaunched", "exited", "evicted", "forceQuit", "failed", "backingOff"])
        expect(
            LaunchReason.self,
            [
                "operator", "boot", "socket", "url", "notification", "silentNotification", "schedule",
                "fetch",
                "path", "device", "activity", "transfer", "restart", "restore", "prelaunch", "failure",
                "processing",
            ])
        expect(
            Callback.self,
            [
                "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
                "didEnterBackground", "willEnterForeground", "willTerminate", "didReceiveMemoryWarning",
                "backgroundTaskWillExpire", "performFetch", "didReceiveNotifications", "openURL",
                "continueActivity", "handleTransferEvents", "protectedDataWillBecomeUnavailable",
                "protectedDataDidBecomeAvailable", "significantTimeChange", "shouldSaveState", "saveState",
                "restoreState", "performProcessing",
            ])
        expect(
            Inbound.Kind.self,
            ["url", "activity", "notification", "fetch", "transfer", "silentNotification", "processing"])
        expect(
            TerminationRecord.Cause.self,
            [
                "exited", "failed", "crashed", "stopped", "watchdog", "backgroundTask", "transfer", "fetch",
                "backgroundCPU", "heldResource", "forceQuit", "evicted", "memory-limit", "kernel-oom",
                "launchFailed",
            ])
        expect(LaunchStep.self, ["attach", "willFinish", "restore", "ready", "didFinish"])
        expect(LeaveStep.self, ["tell", "askForState", "saveState", "done", "woken", "stuck", "look"])
        expect(Ending.Stage.self, ["waking", "notifying", "stopping", "killed"])
    }

    private static let requesters: [Requester] = [
        .operator(uid: .max, pid: .max), .worker, .idle, .handOver, .dependency, .machine, .memoryPressure,
        .memoryLimit, .wakeSource, .supervisor,
    ]
    private static let causes: [Transition.Cause] =
        [.launched(.boot), .woken, .interruption, .reload, .outside, .ended(.kernelOOM)]
        + requesters.map { .goal($0) }
    private static let timers: [Lifecycle.Timer] = [
        .launch, .callback, .backgroundTasks, .grace, .activity(7), .watchdog, .idle, .ending, .backoff,
        .quiet,
        .hold(.max), .freeze,
    ]
    private static let continuations: [Continuation] =
        [.none, .launch(nil), .enterForeground, .terminate] + LaunchStep.allCases.map { .launch($0) }
        + LeaveStep.allCases.map { .leave($0) } + causes.map { .resign($0) }
    private static let positions: [Position] =
        [
            .inactive, .active, .background(.inspecting), .background(.freezing),
            .suspended(Sleep(since: .zero, held: true, thawing: false)),
            .suspended(Sleep(since: Instant(microseconds: .max), held: false, thawing: true)),
        ] + LeaveStep.allCases.map { .background(.awake(leave: $0)) }

    @Test func `that carry something are read as they were written`() {
        let launch = Launch(incarnation: 3, reason: .url, intoForeground: true, restoresState: true)
        let kill = PendingKill(cause: .watchdog, requester: .supervisor, relaunch: .restart)
        for value in Self.requesters { #expect(violation(of: value) == nil) }
        for value in Self.causes { #expect(violation(of: value) == nil) }
        for value in Self.continuations { #expect(violation(of: value) == nil) }
        for value in Self.positions {
            #expect(violation(of: value) == nil)
            let facts = ProcessFacts(
                launch: launch, pid: 1, position: value, times: Times(started: .zero, stateSince: .zero))
            #expect(violation(of: Phase.running(Process(facts))) == nil)
        }
        for timer in Self.timers {
            #expect(violation(of: Timers.Armed(timer: timer, due: .zero, generation: 1)) == nil)
        }
        for phase in [Phase.spawning(launch, pendingKills: nil), .spawning(launch, pendingKills: kill)]
            + RestReason.allCases.map({ .notRunning($0) })
        {
            #expect(violation(of: phase) == nil)
        }
        for set in [CallbackSet(), .all] + Callback.allCases.map({ CallbackSet([$0]) }) {
            #expect(violation(of: set) == nil)
        }
    }
}
