import ControlServer
import Lifecycle
import LinuxHost
import SnapshotCoding
import SupervisorPorts
import Testing
import Varlink

@testable import DaemonCore
@testable import Supervisor

/// The file by which one daemon hands everything to the next.
@Suite struct `A handover` {
    private static let now = Instant(microseconds: 1000)

    private func read(_ text: String) throws(SnapshotError) -> DaemonHandover {
        try DaemonHandover(reading: Array(text.utf8), now: Self.now)
    }

    private static let life = #"""
        {"record":{"name":"web","at":900,"since":800,"lastUsed":3,"life":{"goal":"notRunning","goalRequester":
        {"kind":"supervisor"},"phase":{"kind":"notRunning","reason":"exited"}}},"tasks":[{"token":1,"since":700,
        "name":"sync","requester":{"kind":"worker"}}],"goalOrigin":{"worker":"app","tie":"isNeeded","requester":
        {"kind":"dependency"}}}
        """#

    @Test func `of a later version is read, and of an earlier one`() throws {
        let handover = try read(
            #"""
            {"format":6,"began":500,"lock":3,"moonPhase":{"name":["full",[{"a":null}]]},"workers":[{"name":"web",
            "id":4,"life":\#(Self.life),"running":{"main":12,"leader":12,"freeze":"ours","colour":"green",
            "reaping":{"status":"killed","signal":9,"killsAt":2000},"hooks":[{"id":1,"callback":"saveState"}],
            "prioritizedState":"dreaming"}}],"operators":[{"descriptor":9,"output":"AAE=","calls":[{"method":"a.B",
            "parameters":{"x":1}}]}]}
            """#)
        #expect(handover.lock == 3 && handover.began == Instant(microseconds: 500))
        #expect(handover.stateLock == nil && !handover.isReady && handover.logLevel == "info")
        let worker = try #require(handover.workers.first)
        #expect(worker.name == "web" && worker.id == WorkerID(4) && !worker.isOrphaned)
        let life = try worker.life.get()
        #expect(life.record.life.restReason == .exited && life.record.status == nil)
        #expect(life.tasks.map(\.task.name) == ["sync"])
        #expect(life.goalOrigin?.tie == .isNeeded && life.goalOrigin?.goal == nil)
        let running = try #require(worker.running)
        #expect(running.main == 12 && running.freeze == .ours && running.prioritizedState == nil)
        #expect(running.hooks.first?.callback == .saveState)
        let client = try #require(handover.operators.first)
        #expect(client.snapshot.output == [0, 1] && client.calls.first?.call.parameters["x"]?.int == 1)
        #expect(handover.descriptors == [3, 9])
        // What is read is written, and reads the same.
        let again = try DaemonHandover(reading: handover.text, now: Self.now)
        #expect(again.text == handover.text)
    }

    @Test(arguments: [
        ("", "the text (invalid JSON at byte 0: unexpected end of input) is damaged"),
        ("\u{5}\u{0}", "the text (invalid JSON at byte 0: unexpected byte) is damaged"),
        (#"{"format":5,"began":1,"lock":1}"#, "format is damaged"),
        (#"{"format":7,"began":1,"lock":1}"#, "format is damaged"),
        (#"{"began":1,"lock":1}"#, "format is missing"),
        (#"{"format":6,"began":1001,"lock":1}"#, "began is damaged"),
        (#"{"format":6,"began":1,"lock":-1}"#, "lock is damaged"),
        (
            #"{"format":6,"began":1,"lock":1,"workers":[{"name":"a","id":1},{"id":1}]}"#,
            "workers[1].name is missing"
        ),
        (
            #"{"format":6,"began":1,"lock":1,"workers":[{"name":"a","id":1,"running":{"main":1,"leader":1,"tail":[1]}}]}"#,
            "workers[0].running.tail[0] is damaged"
        ),
        (
            #"{"format":6,"began":1,"lock":1,"operators":[{"descriptor":1,"output":"A"}]}"#,
            "operators[0].output is damaged"
        ),
    ])
    func `that is damaged is refused in one line that names the member`(_ text: String, _ line: String) {
        let error = #expect(throws: SnapshotError.self) { try read(text) }
        #expect(error.map { "\($0)" } == line)
    }

    @Test func `in which one worker is damaged is read for the others`() throws {
        let damaged = Self.life.replacing("\"exited\"", with: "\"bored\"")
        let handover = try read(
            #"""
            {"format":6,"began":1,"lock":1,"workers":[{"name":"a","id":1,"life":\#(damaged)},
            {"name":"b","id":2,"life":\#(Self.life)}]}
            """#)
        #expect(throws: SnapshotError.damaged("workers[0].life.record.life.phase.reason")) {
            try handover.workers[0].life.get()
        }
        #expect(throws: Never.self) { try handover.workers[1].life.get() }
    }

    @Test(arguments: [
        (Takeover.answer, true), ("torpord 2.0 takes over formats 6 to 9", true),
        ("torpord 2.0 takes over formats 1 to 6", true), ("torpord 2.0 takes over formats 7 to 9", false),
        ("torpord 0.1 takes over formats 1 to 5", false), ("torpord 0.1 takes over format 5", false),
        ("torpord 0.1 takes over format 6", false), ("torpord 2.0 takes over formats 9 to 6", false),
        ("torpord 2.0 takes over formats six to 9", false), ("", false), ("Usage: torpord", false),
    ])
    func `goes to a program that says it reads the format`(_ answer: String, _ isRead: Bool) {
        #expect(Takeover.canTakeOver(answer) == isRead)
    }
}
