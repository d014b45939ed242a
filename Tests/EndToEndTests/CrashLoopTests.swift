import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Kill -9 of the daemon at random moments, with posts in flight and a worker that takes them.
@Suite(.long, .timeLimit(.minutes(60))) struct `A daemon that is killed again and again` {
    /// How many lives; thousands by `make crash-loop`.
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["TORPOR_CRASH_ROUNDS"].flatMap(Int.init) ?? 24
    }

    /// Takes what it is given: notes the numbers first, completes, and notes what it was told is taken.
    static let worker = """
        import json, os, socket, sys, time
        log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        path = os.environ["TORPOR_SOCKET"]
        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.connect("\\0" + path[1:] if path.startswith("@") else path)
            return s
        def say(method, more=False, **parameters):
            call = {"method": "io.torpor.Worker." + method, "parameters": parameters}
            if more: call["more"] = True
            return json.dumps(call).encode() + b"\\0"
        def messages(c):
            rest = b""
            while True:
                data = c.recv(1 << 16)
                if not data: raise ConnectionError
                rest += data
                while b"\\0" in rest:
                    message, rest = rest.split(b"\\0", 1)
                    yield json.loads(message)
        def live():
            s, t = connect(), connect()
            s.sendall(say("Attach", more=True))
            answers = messages(t)
            for message in messages(s):
                if message.get("error"): raise ConnectionError
                callback = message.get("parameters", {}).get("callback")
                if not callback: continue
                numbers = [n["payload"]["n"] for n in callback.get("notifications", [])]
                if numbers: os.write(log, ("got %s\\n" % " ".join(map(str, numbers))).encode())
                t.sendall(say("Complete", id=callback["id"]))
                if "error" not in next(answers) and numbers:
                    os.write(log, ("taken %s\\n" % " ".join(map(str, numbers))).encode())
        while True:
            # The daemon is killed again and again; its worker lives on and connects anew.
            try: live()
            except OSError: time.sleep(0.005)
        """

    @Test(.requires(.program("/usr/bin/python3")))
    func `loses nothing that was acknowledged, and gives nothing twice that was acknowledged as taken`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "sink": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/sink.py DIRECTORY/sink.log
            Type=app
            Launch=boot
            """
        ])
        try daemon.write("../sink.py", Self.worker)
        // Its first process has begun without its program.
        #expect(try daemon.torpor("launch", "sink").status == 0)
        var random = SplitMix64(seed: UInt64(Self.rounds))
        var acknowledged: Set<Int> = []
        var next = 1
        var outstanding = 0
        var isAsleep = false
        for round in 0..<Self.rounds {
            let poster = try Poster(daemon.socket)
            let size = Int.random(in: 1...400, using: &random)
            // A queue holds a thousand of a topic: more would be counted, and not kept.
            outstanding += size
            if outstanding > 900 {
                try drain(daemon)
                outstanding = size
                isAsleep = false
            } else if Int.random(in: 0..<3, using: &random) == 0 {
                // What is posted while it sleeps waits through the lives of several daemons.
                isAsleep.toggle()
                try have(isAsleep ? "Suspend" : "Activate", daemon)
            }
            poster.send((next..<next + size).map { "{\"n\":\($0)}" }, to: "sink")
            // After some answers, or at a moment of its own: all of them together come with one commit.
            var answered: [String] = []
            if Bool.random(using: &random) {
                answered = poster.receive(Int.random(in: 0...size, using: &random))
            } else {
                usleep(UInt32.random(in: 0...3000, using: &random))
            }
            #expect(
                answered.allSatisfy { !$0.contains("\"error\"") }, "round \(round): \(answered.last ?? "")")
            daemon.process.send(SIGKILL)
            let more = poster.receive(.max)
            acknowledged.formUnion(next..<next + answered.count + more.count)
            next += size
            try daemon.killAndRestart()
        }
        let queued = try queued(daemon)
        try drain(daemon)
        let account = try Account("\(daemon.directory)/sink.log")
        #expect(account.doubled.isEmpty, "given again: \(account.doubled.sorted().prefix(5))")
        let lost = acknowledged.subtracting(account.got)
        #expect(lost.isEmpty, "\(lost.count) lost: \(lost.sorted().prefix(5))")
        print(
            """
            measured: \(next - 1) posted in \(Self.rounds) lives, \(acknowledged.count) acknowledged, \(queued) queued at \
            last; \(account.got.count) given, \(account.taken.count) acknowledged as taken; \(lost.count) lost, \
            \(account.doubled.count) doubled
            """)
    }
}

/// What the worker says of what it was given.
private struct Account {
    /// What it was given.
    private(set) var got: Set<Int> = []
    /// What it was told is taken.
    private(set) var taken: Set<Int> = []
    /// What it was given again after that.
    private(set) var doubled: Set<Int> = []

    init(_ path: String) throws {
        let log = try String(contentsOfFile: path, encoding: .utf8)
        for line in log.split(separator: "\n") {
            let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
            if line.hasPrefix("got") {
                doubled.formUnion(taken.intersection(numbers))
                got.formUnion(numbers)
            } else {
                taken.formUnion(numbers)
            }
        }
    }
}

extension `A daemon that is killed again and again` {
    /// What a call for the worker is answered.
    private func call(_ method: String, _ parameters: String, _ daemon: DaemonUnderTest) throws -> String {
        let caller = try Poster(daemon.socket)
        caller.send(calls: [
            "{\"method\":\"io.torpor.Supervisor.\(method)\",\"parameters\":{\(parameters)}}"
        ])
        return caller.receive(1).first ?? ""
    }

    /// Calls a verb for the worker, and waits until it is where that has it.
    private func have(_ verb: String, _ daemon: DaemonUnderTest) throws {
        let answer = try call(verb, #""names":["sink"]"#, daemon)
        #expect(answer.contains(#""reached":true"#), "\(verb): \(answer)")
    }

    /// How many posts wait.
    private func queued(_ daemon: DaemonUnderTest) throws -> Int {
        let answer = try call("Notifications", #""name":"sink""#, daemon)
        #expect(answer.contains(#""notifications":["#), "\(answer)")
        return answer.components(separatedBy: #""sequence":"#).count - 1
    }

    private func drain(_ daemon: DaemonUnderTest) throws {
        try have("Activate", daemon)
        _ = try eventually("all of it to be taken") { try queued(daemon) == 0 ? true : nil }
    }
}

/// One connection that posts without waiting for answers.
final class Poster {
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(_ path: String) throws {
        descriptor = try connectedSocket(to: path)
    }

    deinit { close(descriptor) }

    func send(_ payloads: [String], to name: String) {
        send(
            calls: payloads.map { payload in
                #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["\#(name)"],"topic":"chat","rule":"each","payload":\#(payload)}}"#
            })
    }

    /// Sends calls, as far as the server takes them.
    func send(calls: [String]) { send(raw: calls.map { $0 + "\0" }.joined()) }

    /// Sends no more.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a text as it is.
    func send(raw text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// All that comes before the other end is gone, as text.
    func everything() -> String {
        _ = receive(.max)
        return String(decoding: rest, as: UTF8.self)
    }

    /// So many answers, or as many as come before the other end is gone.
    func receive(_ limit: Int) -> [String] {
        var answers: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            while answers.count < limit, let end = rest.firstIndex(of: 0) {
                answers.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeFirst(end + 1)
            }
            guard answers.count < limit else { return answers }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return answers }
            rest += buffer.prefix(count)
        }
    }
}
