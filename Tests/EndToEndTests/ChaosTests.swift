import Cgroups
import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// Kill -9 of the daemon at random moments while everything happens to its workers: none is lost, none is there twice, and
/// nothing that was acknowledged is forgotten.
@Suite(.timeLimit(.minutes(60)), .requires(.cgroupV2Writable), .requires(.program("/usr/bin/python3")))
struct `A daemon that is killed at random moments` {
    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    /// How often it is killed; 200 times by `make chaos`.
    private static let rounds = setting("TORPOR_CHAOS_ROUNDS", 2)
    private static let workers = setting("TORPOR_CHAOS_WORKERS", 200)
    private static let seed = setting("TORPOR_CHAOS_SEED", 1)

    /// Every fourth is ended and launched on the way; the others have one process for all their life.
    private func isMortal(_ number: Int) -> Bool { number % 4 == 3 }

    private func files() -> [String: String] {
        var files = [
            "sink": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/sink.py DIRECTORY/sink.log
            Type=app
            """
        ]
        for number in 0..<Self.workers {
            files["w\(number)"] = """
                [Worker]
                ExecStart=/bin/sleep 100000
                Launch=\(number % 2 == 0 ? "boot" : "boot-background")
                Restart=always
                RestartSec=1ms
                StartLimitBurst=0
                """
        }
        return files
    }

    @Test func `loses no worker, doubles none, and forgets nothing that was acknowledged`() throws {
        let daemon = try DaemonUnderTest(files())
        try daemon.write("../sink.py", `A daemon that is killed again and again`.worker)
        #expect(try daemon.torpor("launch", "sink").status == 0)
        try settle(daemon)
        let base = try daemon.groups()
        var pids = try self.pids(daemon)
        var random = SplitMix64(seed: UInt64(Self.seed))
        var acknowledged = Set<Int>()
        var next = 1
        var outstanding = 0
        var adopted = 0
        var roundsWithPosts = 0
        for round in 0..<Self.rounds {
            let poster = try Poster(daemon.socket)
            let operators = try (0..<4).map { _ in try Poster(daemon.socket) }
            let posts = Int.random(in: 2...100, using: &random)
            // A queue holds a thousand of a topic: more would be counted, and not kept.
            outstanding += posts
            if outstanding > 900 {
                try drain(daemon)
                outstanding = posts
            }
            poster.send((next..<next + posts).map { "{\"n\":\($0)}" }, to: "sink")
            for one in operators { one.send(calls: (0..<40).map { _ in call(&random) }) }
            // Mostly in the middle of posts of which some are acknowledged; now and then at any moment.
            let isAtAnyMoment = round % 4 == 3
            let before = isAtAnyMoment ? [] : poster.receive(Int.random(in: 1..<posts, using: &random))
            usleep(UInt32.random(in: 0...(isAtAnyMoment ? 60_000 : 20_000), using: &random))
            daemon.process.send(SIGKILL)
            let answers = before + poster.receive(.max)
            #expect(
                answers.allSatisfy { $0.contains(#""sequence":"#) }, "round \(round): \(answers.last ?? "")")
            if !answers.isEmpty { roundsWithPosts += 1 }
            acknowledged.formUnion(next..<next + answers.count)
            next += posts
            try daemon.killAndRestart()
            adopted += try daemon.listBySocket().count { $0.adopted ?? false }
            try settle(daemon)
            let found = try check(daemon, base, round)
            for number in 0..<Self.workers where !isMortal(number) {
                let name = "w\(number)"
                #expect(found[name] == pids[name], "round \(round): \(name) was \(pids[name] ?? 0)")
            }
            pids = found
        }
        #expect(roundsWithPosts >= (Self.rounds + 1) / 2)
        try drain(daemon)
        let log = try String(contentsOfFile: "\(daemon.directory)/sink.log", encoding: .utf8)
        let got = Set(
            log.split(separator: "\n").filter { $0.hasPrefix("got") }.flatMap {
                $0.split(separator: " ").dropFirst().compactMap { Int($0) }
            })
        let lost = acknowledged.subtracting(got)
        #expect(lost.isEmpty, "lost: \(lost.sorted().prefix(5))")
        print(
            "measured: \(Self.rounds) times killed with \(Self.workers) workers: 0 lost, 0 doubled, \(adopted) taken over; \(acknowledged.count) posts acknowledged, in \(roundsWithPosts) rounds before the end, \(lost.count) lost"
        )
    }

    /// Something that an operator asks for.
    private func call(_ random: inout SplitMix64) -> String {
        let number = Int.random(in: 0..<Self.workers, using: &random)
        let gentle = ["Suspend", "Activate", "Background", "Resume", "Suspend", "Activate"]
        let verbs = isMortal(number) ? gentle + ["Terminate", "Kill", "Launch", "Launch"] : gentle
        let verb = verbs.randomElement(using: &random) ?? "Suspend"
        let wait = Bool.random(using: &random)
        return
            #"{"method":"io.torpor.Supervisor.\#(verb)","parameters":{"names":["w\#(number)"],"wait":\#(wait)}}"#
    }

    /// Waits until every worker is where it is wanted.
    private func settle(_ daemon: DaemonUnderTest) throws {
        _ = try eventually("every worker to be where it is wanted") {
            try daemon.listBySocket().allSatisfy { $0.state == $0.goal } ? true : nil
        }
    }

    private func pids(_ daemon: DaemonUnderTest) throws -> [String: Int32] {
        Dictionary(
            uniqueKeysWithValues: try daemon.listBySocket().compactMap { worker in
                worker.pid.map { (worker.name, $0) }
            })
    }

    /// Compares what the daemon says with what is there; answers the processes by name.
    private func check(_ daemon: DaemonUnderTest, _ base: String, _ round: Int) throws -> [String: Int32] {
        var found: [String: Int32] = [:]
        for worker in try daemon.listBySocket() {
            let group = Cgroup(path: "\(base)/worker-\(worker.name)")
            let members = group.exists ? try group.processes() : []
            #expect(
                members == [worker.pid].compactMap(\.self),
                "round \(round): \(worker.name) is \(worker.state), and \(members) are there")
            #expect(!worker.held, "round \(round): \(worker.name) is held")
            if worker.pid != nil {
                let isFrozen = try group.events().isFrozen
                #expect(
                    isFrozen == (worker.state == "suspended"),
                    "round \(round): \(worker.name) is \(worker.state), frozen: \(isFrozen)")
            }
            found[worker.name] = worker.pid
        }
        // Nor anywhere else.
        for pid in ProcessTree.snapshot().processes.keys {
            guard let environment = Environment.of(process: pid),
                let name = environment["TORPOR_WORKER"]?.description, found[name] != pid,
                let own = try? String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8),
                own.contains((base as NSString).lastPathComponent)
            else { continue }
            Issue.record("round \(round): \(name) is there a second time, as \(pid)")
        }
        return found
    }

    private func drain(_ daemon: DaemonUnderTest) throws {
        _ = try eventually("all of it to be taken") {
            try daemon.torpor("notifications", "sink").output.hasPrefix("0 notifications") ? true : nil
        }
    }
}
