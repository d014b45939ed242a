import Foundation
import Glibc
import TestSupport
import Testing

/// Kill -9 of the daemon, and of workers, at random moments of falling asleep and waking: every client is answered or gets its end.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `Sleepers whose daemon or whose processes are killed` {
    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    /// 200 by `make chaos`.
    private static let rounds = setting("TORPOR_CHAOS_ROUNDS", 6)
    private static let seed = setting("TORPOR_CHAOS_SEED", 1)
    private static let workers = 6

    /// Answers each connection with what it says: of even numbers by epoll, of odd ones by poll.
    private static let server = """
        import os, selectors, socket, sys
        l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        l.bind(('127.0.0.1', int(sys.argv[1]))); l.listen(100)
        s = selectors.EpollSelector() if sys.argv[2] == '0' else selectors.PollSelector()
        s.register(l, selectors.EVENT_READ)
        while True:
            for key, _ in s.select():
                if key.fileobj is l: s.register(l.accept()[0], selectors.EVENT_READ)
                else:
                    try: data = key.fileobj.recv(100)
                    except OSError: data = b''
                    if data: key.fileobj.sendall(data)
                    else: s.unregister(key.fileobj); key.fileobj.close()
        """

    /// One worker with a client that stays connected.
    private struct Served {
        let name: String
        let port: UInt16
        var kept: Client

        init(_ number: Int, _ port: UInt16) throws {
            (name, self.port) = ("w\(number)", port)
            kept = try Self.connected(to: port)
        }

        static func connected(to port: UInt16) throws -> Client {
            try eventually("port \(port) to be listened at") { try? Client(port: port) }
        }
    }

    private func daemon(_ ports: [UInt16]) throws -> DaemonUnderTest {
        var files: [String: String] = [:]
        for (number, port) in ports.enumerated() {
            files["w\(number)"] = """
                [Worker]
                ExecStart=/usr/bin/python3 -c "exec(__import__('base64').b64decode('\(Data(Self.server.utf8).base64EncodedString())'))" \(port) \(number % 2)
                Launch=boot
                Restart=always
                RestartSec=1ms
                StartLimitBurst=0
                """
        }
        return try DaemonUnderTest(files)
    }

    private func call(_ verb: String, _ names: [String]) -> String {
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"method":"io.torpor.Supervisor.\#(verb)","parameters":{"names":[\#(list)],"wait":false}}"#
    }

    /// What comes on a connection next, "" for any end of it.
    private func outcome(_ client: Client) throws -> String {
        try #require(Waiting.isReadable(client.descriptor), "a client was neither answered nor left")
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = recv(client.descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// How many descriptors a daemon has, without those of the freezer that it keeps for each worker that has slept before.
    private func descriptors(of process: Int32) -> Int {
        let directory = "/proc/\(process)/fd"
        let open = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return open.count {
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
            return !["/cgroup.freeze", "/cgroup.events"].contains { file?.hasSuffix($0) ?? false }
        }
    }

    /// Waits until the daemon has as many descriptors as a fresh one: what it watched with is closed.
    private func settles(_ daemon: DaemonUnderTest, at count: Int) throws {
        try eventually("the daemon to have \(count) descriptors again") {
            descriptors(of: daemon.process.pid) <= count ? () : nil
        }
    }

    /// Waits until each worker is awake, and answers how many descriptors the daemon has then.
    private func awake(_ daemon: DaemonUnderTest) throws -> Int {
        try eventually("all to be awake") {
            try daemon.listBySocket().allSatisfy { $0.state == "active" } ? () : nil
        }
        // Of a few looks the smallest: the call itself has a connection.
        return (0..<20).map { _ in
            usleep(1000)
            return descriptors(of: daemon.process.pid)
        }.min() ?? 0
    }

    @Test func `answer each client, or leave it, and the daemon has no descriptor more than before`() throws {
        let ports = try (0..<Self.workers).map { _ in try freePort() }
        let daemon = try daemon(ports)
        var served = try ports.enumerated().map { try Served($0.offset, $0.element) }
        for one in served { #expect(try one.kept.ask("x") == "x") }
        var random = SplitMix64(seed: UInt64(Self.seed))
        var (answers, ends, wakes) = (0, 0, 0)
        var most = try awake(daemon)
        for round in 0..<Self.rounds {
            let killsDaemon = round.isMultiple(of: 2)
            let `operator` = try Poster(daemon.socket)
            `operator`.send(calls: [call("Suspend", served.map(\.name))])
            // Before, while and after they are frozen and watched.
            usleep(UInt32.random(in: 0...20_000, using: &random))
            if !killsDaemon, Bool.random(using: &random) {
                try eventually("all to sleep") {
                    try daemon.listBySocket().allSatisfy { $0.state == "suspended" } ? () : nil
                }
            }
            let pids = Dictionary(
                uniqueKeysWithValues: try daemon.listBySocket().compactMap { one in
                    one.pid.map { (one.name, $0) }
                })
            // Something comes for some of them before it happens, and for the others after it.
            let early = served.indices.filter { _ in Bool.random(using: &random) }
            for index in early { try served[index].kept.send("early") }
            usleep(UInt32.random(in: 0...300, using: &random))
            var killed: Set<Int> = []
            if killsDaemon {
                try daemon.killAndRestart()
                most = max(most, descriptors(of: daemon.process.pid))
            } else {
                killed = Set(served.indices.filter { _ in Bool.random(using: &random) })
                for index in killed { if let pid = pids[served[index].name] { kill(pid, SIGKILL) } }
            }
            for index in served.indices where !early.contains(index) {
                // One whose server is gone may be reset at any moment.
                if killed.contains(index) { _ = served[index].kept.offer("late") }
                if !killed.contains(index) { try served[index].kept.send("late") }
            }
            for index in served.indices {
                let got = try outcome(served[index].kept)
                if killed.contains(index) {
                    // Answered before it was killed, perhaps; then its end.
                    if !got.isEmpty {
                        answers += 1
                        #expect(try outcome(served[index].kept) == "", "round \(round)")
                    }
                    ends += 1
                    // One that was asleep is launched when it is wanted again.
                    let launching = try Poster(daemon.socket)
                    launching.send(calls: [call("Activate", [served[index].name])])
                    _ = launching.receive(1)
                    // Of the listener that ended with it there may be a last moment, in which a connection is made and reset.
                    let again = "\(served[index].name) to answer anew, round \(round)"
                    served[index].kept = try eventually(again) {
                        let client = try Served.connected(to: served[index].port)
                        return try client.offer("anew") && outcome(client) == "anew" ? client : nil
                    }
                } else {
                    #expect(got == (early.contains(index) ? "early" : "late"), "round \(round)")
                    answers += 1
                }
            }
            wakes += served.count - killed.count
            // A new connection wakes what was suspended a moment too late for the data.
            for one in served {
                #expect(try Served.connected(to: one.port).ask("new") == "new", "round \(round)")
            }
            let activating = try Poster(daemon.socket)
            activating.send(calls: [call("Activate", served.map(\.name))])
            _ = activating.receive(1)
            most = killsDaemon ? try awake(daemon) : most
            if !killsDaemon {
                _ = try awake(daemon)
                try settles(daemon, at: most + 2)
            }
        }
        print(
            "measured: \(Self.rounds) rounds with \(Self.workers) sleepers, the daemon or some of them killed: \(answers) clients answered, \(ends) left with an end, none kept waiting"
        )
    }
}
