import ConfigurationSyntax
import Foundation
import Importing
import TestSupport
import Testing

/// Foreign files as big, as tangled and as broken as they may be.
@Suite(.timeLimit(.minutes(60))) struct `Imports of any input` {
    @Test(arguments: [
        ("/s.conf", "[program:a%]\ncommand=/bin/x --number % \"a b\"\nenvironment=A=\"1\",B=2\n"),
        ("/Procfile", "a%: x $PORT %\n"),
        ("/u/a%.service", "[Service]\nExecStart=/bin/x %% %\nEnvironment=A=%\n"),
        ("/c.yaml", "x%: {command: [x, y], environment: {A: b}}\n"),
    ])
    func `grow with its length and no faster`(_ path: String, _ piece: String) {
        func files(_ count: Int) -> (files: [String: String?], paths: [String]) {
            func text(_ number: Int) -> String {
                piece.replacingOccurrences(of: "%%", with: "\u{1}").replacingOccurrences(
                    of: "%", with: "\(number)"
                )
                .replacingOccurrences(of: "\u{1}", with: "%%")
            }
            if path.contains("%") {
                let one = (0..<count).map {
                    text($0).split(separator: "\n").dropFirst(1).joined(separator: "\n")
                }
                return (
                    ["/u/a.service": "[Service]\nType=oneshot\n" + one.joined(separator: "\n")],
                    ["/u/a.service"]
                )
            }
            let start = path == "/c.yaml" ? "services:\n" : ""
            let indent = path == "/c.yaml" ? "  " : ""
            return ([path: start + (0..<count).map { indent + text($0) }.joined()], [path])
        }
        let ratio = WorkRatio(from: 100, to: 800, rounds: 2) { size in
            let (files, paths) = files(size)
            let plan = Importer(source: FakeFiles(files), context: ImportContext()).plan(for: paths)
            #expect(plan.problems.isEmpty, "\(plan.problems)")
        }
        #expect(ratio.value < 24, "\(ratio.value)")
    }

    @Test(arguments: [
        ("/s.conf", "[program:a]\ncommand=x\n", "  y\n"),
        ("/s.conf", "[program:a]\ncommand=x\nenvironment=", "A=1,"),
        ("/s.conf", "", "[program:"), ("/Procfile", "a: x\n", "b\n"),
        ("/a.service", "[Service]\nExecStart=x\n", "ExecStop=/bin/y\n"),
        ("/a.service", "[Service]\n", "Environment=A=1\n"), ("/c.yaml", "a: ", "[b, "),
        ("/c.yaml", "a:\n", " - b\n"),
        ("/c.yaml", "a: ", "x\n  "), ("/c.yaml", "a: \"", "x\n\n"), ("/c.yaml", "", "a: &a b\n"),
        ("/c.yaml", "services:\n", "  - "),
    ])
    func `have 100000 lines without harm`(_ path: String, _ start: String, _ line: String) {
        let text = start + String(repeating: line, count: 100_000)
        let plan = Importer(source: FakeFiles([path: text]), context: ImportContext()).plan(for: [path])
        for problem in plan.problems { #expect(problem.description.utf8.count < 1000) }
    }

    @Test func `do not expand aliases and merge keys without bounds`() {
        var text = "a0: &a0 {x: \(String(repeating: "y", count: 1000))}\n"
        for level in 1..<60 {
            text +=
                "a\(level): &a\(level) {<<: [*a\(level - 1), *a\(level - 1)], l\(level): [*a\(level - 1), *a\(level - 1)]}\n"
        }
        text += "services:\n  web:\n    <<: *a59\n    command: x\n"
        let plan = Importer(source: FakeFiles(["/c.yaml": text]), context: ImportContext()).plan(for: [
            "/c.yaml"
        ])
        #expect(plan.problems.count + plan.workers.count == 1)
    }

    @Test func `are made of 500 programs in a second`() {
        let text = (0..<500).map {
            "[program:p\($0)]\ncommand=/bin/sleep \($0)\nenvironment=A=\"1\"\ndirectory=/tmp\nuser=root\n"
        }.joined()
        var workers = 0
        let ratio = WorkRatio(from: 1, to: 500, rounds: 1) { count in
            let part = count == 1 ? "[program:p]\ncommand=x\n" : text
            workers =
                Importer(source: FakeFiles(["/s.conf": part]), context: ImportContext()).plan(for: [
                    "/s.conf"
                ]).workers.count
        }
        #expect(workers == 500 && ratio.value < 5000)
    }

    @Test func `are read by the daemon's loader whatever was changed in the input`() {
        let starts: [(ImportFormat, String)] = [
            (
                .supervisord,
                "[supervisord]\nenvironment=A=1\n[program:web]\ncommand=/bin/web \"a b\" %(here)s\nnumprocs=2\nprocess_name=x%(process_num)d\nstopsignal=INT\nuser=u\nstdout_logfile=/l\npriority=3\n[group:g]\nprograms=web\n"
            ),
            (.procfile, "web: ./web $PORT\nother-one: x 'y'\n"),
            (
                .systemd,
                "[Unit]\nDescription=x\nAfter=a.service\n[Service]\nType=oneshot\nExecStart=/bin/x ; /bin/y\nEnvironment=\"A=b c\" D=%i\nRestart=on-failure\nRestartSteps=3\nLimitNOFILE=1:2\nUser=u\n[Install]\nWantedBy=x.target\n"
            ),
            (
                .compose,
                "services:\n  web: &w\n    command: [x, \"y z\"]\n    environment: {A: b, C: }\n    ports: [\"1:2\", {target: 3}]\n    ulimits: {nofile: 3}\n    restart: on-failure:2\n  db:\n    <<: *w\n    depends_on: [web]\n"
            ),
        ]
        var generator = SplitMix64(seed: 7)
        let pieces = [
            "\n", "=", "[", "]", "%", "%%", "\"", "'", "\\", "$", "\t", " ", ";", "#", ":", "-", "é", "\u{1}",
            "99999999999999999999", "\n  ", "${", "}", ",",
        ]
        for _ in 0..<400 {
            for (format, start) in starts {
                var text = Array(start.unicodeScalars)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let place = Int.random(in: 0...text.count, using: &generator)
                    if Int.random(in: 0..<3, using: &generator) > 0 {
                        text.insert(
                            contentsOf: (pieces.randomElement(using: &generator) ?? "").unicodeScalars,
                            at: place)
                    } else {
                        text.removeSubrange(place..<min(text.count, place + 5))
                    }
                }
                let path = format == .systemd ? "/u/a.service" : "/x"
                let plan = Importer(
                    source: FakeFiles([path: String(String.UnicodeScalarView(text))]),
                    context: ImportContext()
                ).plan(for: [path], as: format)
                expectThatAllHolds(plan)
            }
        }
    }

    @Test(arguments: [
        ("web", nil), (".x", "_.x"), ("a b/c", "a_b_c"), ("web@1", "web_1"),
        ("memory.max", "worker-memory.max"),
        ("x.worker", "x.worker_"), ("", "_"), ("äö", "____"), ("tasks", "worker-tasks"),
    ])
    func `have valid names`(_ wanted: String, _ name: String?) {
        var names = WorkerNames()
        #expect(names.name(for: wanted)?.text == name ?? wanted)
        #expect(names.name(for: wanted)?.text == (name ?? wanted) + "-2")
    }
}
