import ControlAPI
import Foundation
import TestSupport
import Testing
import Varlink

/// Calls of an interface with one extreme in one place each, made from its description.
private struct ExtremeCalls {
    let definition: InterfaceDefinition
    /// What a field of that name holds when it is another's turn.
    let usual: [String: JSON]
    /// Methods that are called as they are, or last.
    let last: Set<String>

    /// One call, as it is sent.
    struct Sent {
        let method: String
        let text: String
    }

    /// All of them: each field of each method, at any depth, with each extreme of its type.
    var all: [Sent] {
        var calls: [Sent] = []
        let methods = definition.entries.compactMap { entry -> (String, [InterfaceField])? in
            if case .method(let method) = entry.member { (entry.name, method.input) } else { nil }
        }
        for (name, fields) in methods.sorted(by: { !last.contains($0.0) && last.contains($1.0) }) {
            let base = fields.map { ($0.name, text(usual[$0.name] ?? plain($0.type))) }
            calls.append(call(name, base))
            for (index, field) in fields.enumerated() {
                for extreme in extremes(field.type) {
                    var parameters = base
                    if let extreme { parameters[index].1 = extreme } else { parameters.remove(at: index) }
                    calls.append(call(name, parameters))
                }
            }
            calls.append(
                Sent(method: name, text: #"{"method":"\#(definition.name).\#(name)","parameters":[]}"#))
        }
        return calls
    }

    private func call(_ name: String, _ parameters: [(String, String)]) -> Sent {
        let members = parameters.filter { $0.1 != "null" }.map { #""\#($0.0)":\#($0.1)"# }.joined(
            separator: ",")
        let more = ["Watch", "Hold", "Attach"].contains(name) ? #","more":true"# : ""
        return Sent(
            method: name,
            text: #"{"method":"\#(definition.name).\#(name)","parameters":{\#(members)}\#(more)}"#)
    }

    private func text(_ value: JSON) -> String { value.text }

    /// A harmless value.
    private func plain(_ type: InterfaceType) -> JSON {
        switch type {
        case .bool: false
        case .int: 1
        case .float: 1.5
        case .string: "x"
        case .object, .dictionary: [:]
        case .any, .nullable: .null
        case .array: []
        case .structure(let fields):
            .object(fields.reduce(into: JSON.Object()) { $0[$1.name] = usual[$1.name] ?? plain($1.type) })
        case .enumeration(let cases): .string(cases.first?.name ?? "")
        case .named(let name): definition.type(name).map(plain) ?? .null
        }
    }

    private static let numbers = [
        "0", "-0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775",
        "-9223372036854775", "4294967296", "9223372036854775808", "1e308", "-1e308", "1e400", "0.5", "1e-400",
        "NaN",
    ]
    private static let deep = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
    private static let nested =
        String(repeating: #"{"a":"#, count: 60) + "1" + String(repeating: "}", count: 60)

    /// Extremes as they are written; nil leaves the field out.
    private func extremes(_ type: InterfaceType) -> [String?] {
        let wrong: [String?] = [
            nil, "null", "true", #""1""#, "-9223372036854775808", "[]", "{}", Self.deep, Self.nested,
        ]
        return wrong + fitting(type).map(Optional.some)
    }

    private func fitting(_ type: InterfaceType) -> [String] {
        switch type {
        case .bool: ["true", "false"]
        case .int, .float: Self.numbers
        case .string:
            [
                #""""#, #""\u0000""#, #""\u001b[2J\n""#, #""\ud83d\ude00""#, #""\ud800""#, #""/""#, #""..""#,
                #""@""#, #""w@""#,
                #""*""#, #""[""#, #""[!-\\""#, #""w%n%s""#, #""nan""#, #""-9223372036854775808""#, #""x:y""#,
                "\"" + String(repeating: "a", count: 60_000) + "\"",
                "\"" + String(repeating: "*a", count: 30_000) + "\"",
            ]
        case .object, .any, .dictionary:
            [
                #"{"":""}"#, #"{"a":1,"a":2}"#, Self.nested,
                #"{"a":["# + Array(repeating: "[]", count: 20_000).joined(separator: ",") + "]}",
                #"{"a":""# + String(repeating: "\\u0001", count: 20_000) + #""}"#,
                #"{"a":-9223372036854775808,"b":1e308}"#,
            ]
        case .nullable(let type): fitting(type)
        case .array(let element):
            fitting(element).map { "[\($0)]" } + [
                "[" + Array(repeating: text(plain(element)), count: 10_000).joined(separator: ",") + "]",
                "[\(text(plain(element))),null]",
            ]
        case .enumeration(let cases): cases.map { "\"\($0.name)\"" } + [#""""#, #""nope""#]
        case .named(let name): definition.type(name).map(fitting) ?? []
        case .structure(let fields):
            fields.indices.flatMap { index in
                extremes(fields[index].type).map { extreme in
                    let members = fields.enumerated().compactMap { other, field in
                        let value = other == index ? extreme : text(usual[field.name] ?? plain(field.type))
                        return value.map { #""\#(field.name)":\#($0)"# }
                    }
                    return "{\(members.joined(separator: ","))}"
                }
            }
        }
    }
}

/// Numbers, texts and structures at their extremes, in every field of both interfaces (docs/security.md, rule 5).
@Suite(.timeLimit(.minutes(60))) struct `Extremes in every field` {
    /// Sends each line of a file as a call, and writes what became of it: an answer, or the end of the connection.
    ///
    /// It attaches first where it is the worker.
    private static let replay = """
        import os, socket, sys
        path, calls, answers = sys.argv[1:4]
        is_worker = path == "worker"
        if is_worker:
            path = os.environ["TORPOR_SOCKET"]
        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(60)
            s.connect(path)
            return s
        def answer(s):
            data = b""
            while not data.endswith(b"\\0"):
                chunk = s.recv(1 << 16)
                if not chunk:
                    return b"closed"
                data += chunk
            return data.split(b"\\0")[0]
        if is_worker:
            attached = connect()
            attached.sendall(b'{"method":"io.torpor.Worker.Attach","parameters":{"callbacks":[]},"more":true}\\0')
            answer(attached)
        s = None
        with open(answers + ".part", "wb") as out:
            for line in open(calls, "rb"):
                # A call may have ended the connection after its answer: then once more, on one of its own.
                for isFresh in ([True] if s is None else [False, True]):
                    s = s or connect()
                    try:
                        s.sendall(line.rstrip(b"\\n") + b"\\0")
                        reply = answer(s)
                    except (BrokenPipeError, ConnectionResetError):
                        reply = b"closed"
                    except TimeoutError:
                        reply = b"timeout"
                    if reply != b"closed" or isFresh:
                        break
                    s.close()
                    s = None
                if reply in (b"closed", b"timeout") or b'"continues":true' in reply:
                    s.close()
                    s = None
                out.write(reply[:200].replace(b"\\n", b" ") + b"\\n")
        os.rename(answers + ".part", answers)
        if is_worker:
            attached.recv(1)
        """

    private func write(_ calls: [ExtremeCalls.Sent], _ daemon: DaemonUnderTest, _ name: String) throws {
        let text = calls.map(\.text).joined(separator: "\n") + "\n"
        try text.write(toFile: "\(daemon.directory)/\(name)", atomically: true, encoding: .utf8)
    }

    /// Each call has an answer, or ended its connection because it was no message.
    private func expectAnswers(_ path: String, to calls: [ExtremeCalls.Sent]) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let answers = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(answers.count == calls.count)
        for (call, answer) in zip(calls, answers) {
            #expect(answer != "timeout", "\(call.text.prefix(300))")
            if answer == "closed" {
                // What is no JSON, too deep or too long for it, or has more values than a worker's message may, ends the connection.
                if call.text.utf8.count(where: { $0 == UInt8(ascii: ",") }) > 4096 { continue }
                #expect(throws: JSON.ParseError.self, "\(call.text.prefix(300))") {
                    _ = try JSON(parsing: Array(call.text.utf8).span)
                }
            }
        }
    }

    @Test func `of the operators' interface leave the daemon as it was, and are answered each`() throws {
        let daemon = try DaemonUnderTest([
            "w": "[Worker]\nExecStart=/bin/sleep 1000\nURLSchemes=x\nLaunch=boot\n",
            "t@": "[Worker]\nExecStart=/bin/sleep 1000\n",
        ])
        let calls = ExtremeCalls(
            definition: SupervisorInterface.definition,
            usual: [
                "name": "w", "names": ["w"], "topic": "news", "url": "x:y", "arguments": ["/bin/true"],
                "wait": .null,
                "section": "Worker", "key": "Description", "value": "d", "environment": ["A=b"],
                "level": "info",
            ], last: ["Shutdown", "Reexec"]
        ).all.filter { $0.method != "Reexec" }
        #expect(calls.count > 1000)
        try write(calls, daemon, "calls")
        let pid = daemon.process.pid
        let replay = try Wrapper(
            [], [],
            line: [
                "/usr/bin/python3", "-c", Self.replay, daemon.socket, "\(daemon.directory)/calls",
                "\(daemon.directory)/answers",
            ])
        #expect(try DaemonUnderTest.result(of: replay).status == 0)
        try expectAnswers("\(daemon.directory)/answers", to: calls)
        let status = try daemon.torpor("status", "--json=short")
        #expect(status.status == 0 && status.output.contains("\(pid)"))
    }

    @Test(.requires(.root))
    func `of the workers' interface leave the daemon as it was, and are answered each`() throws {
        let daemon = try DaemonUnderTest([
            "app": """
            [Worker]
            Type=app
            ExecStart=/usr/bin/python3 DIRECTORY/replay.py worker DIRECTORY/calls DIRECTORY/answers
            """
        ])
        let calls = ExtremeCalls(
            definition: WorkerInterface.definition,
            usual: ["topic": "news", "at": 4_000_000_000_000_000, "callbacks": []], last: []
        ).all
        #expect(calls.count > 300)
        try write(calls, daemon, "calls")
        try Self.replay.write(toFile: "\(daemon.directory)/replay.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "app").status == 0)
        let answers = "\(daemon.directory)/answers"
        let deadline = Date(timeIntervalSinceNow: 240)
        while !FileManager.default.fileExists(atPath: answers), Date.now < deadline { usleep(10_000) }
        try expectAnswers(answers, to: calls)
        #expect(try daemon.torpor("status", "app").status == 0)
    }
}
