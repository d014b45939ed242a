import ConfigurationSyntax
import ControlAPI
import TestSupport
import Testing
import WorkerFile

@testable import Operator

@Suite
struct `Verifying` {
    private let files = FakeFiles([
        "good.worker": "[Worker]\nExecStart=/bin/true\n",
        "/w/odd.worker": "[Worker]\nExecStart=/bin/true\nNonsense=1\n",
        "/w/bad.worker": "[Worker]\nExecStart=/bin/true\n[Memory]\nMemoryMax=much\n", "/w/masked.worker": nil,
        "/w/t@.worker": "[Worker]\nExecStart=/bin/echo %i\n",
        "/w/t@.worker.d/a.conf": "[Worker]\nUnknown=1\n",
        "/w/blind.worker": "[Worker]\nExecStart=/bin/true\n[Foreground]\nIdleCPU=5%\n",
        "/w/a b.worker": "", "/w/x.txt": "x", "/w/torpord.conf": "[Daemon]\nLogLevel=loud\n",
        "/w/lost.worker.d/a.conf": "",
    ])

    @Test(
        arguments: [
            ("good.worker", []), ("/w/odd.worker", ["/w/odd.worker:3: Nonsense=: "]),
            ("/w/bad.worker", ["/w/bad.worker:4: MemoryMax=: "]), ("/w/masked.worker", []),
            ("/w/t@.worker", ["/w/t@.worker.d/a.conf:2: Unknown=: "]),
            ("/w/t@.worker.d/a.conf", ["/w/t@.worker.d/a.conf:2: Unknown=: "]),
            ("/w/a b.worker", ["/w/a b.worker: "]),
            ("/w/torpord.conf", ["/w/torpord.conf:2: LogLevel=: "]),
            ("/w/missing.worker", ["/w/missing.worker: no such file"]),
            (
                "/w/lost.worker.d/a.conf",
                ["/w/lost.worker.d/a.conf: /w/lost.worker, to which it belongs, does not exist"]
            ),
            ("/w/x.txt", ["/w/x.txt: unknown kind of file"]),
            ("x.conf", ["x.conf: no such file"]), ("/w/missing", ["/w/missing: no such file"]),
            ("/torpord.conf", ["/torpord.conf: no such file"]),
        ] as [(String, [String])])
    func `says what is wrong, where`(path: String, expected: [String]) {
        var verification = Verification(source: files)
        verification.verify(path)
        let found = verification.diagnostics.map(\.description)
        #expect(found.count == expected.count, "\(found)")
        for (found, expected) in zip(found, expected) { #expect(found.hasPrefix(expected), "\(found)") }
        #expect(verification.holds == expected.isEmpty)
    }

    @Test func `says which programs are not there, and takes that for no error`() {
        let gone = FakeFiles([
            "/w/gone.worker":
                "[Worker]\nExecStart=/usr/bin/gone\nExecStartPre=/bin/true\nExecReload=/usr/bin/lost\n"
        ])
        var verification = Verification(source: gone) { $0 == "/bin/true" }
        verification.verify("/w/gone.worker")
        #expect(verification.diagnostics.map(\.key) == ["ExecStart", "ExecReload"])
        #expect(
            verification.diagnostics.first?.description.contains("“/usr/bin/gone” does not exist") == true)
        #expect(verification.holds)
    }

    @Test func `says which accounts do not exist, and takes that for no error`() {
        let strange = FakeFiles([
            "/w/strange.worker": """
            [Worker]
            ExecStart=/bin/true
            User=gone
            Group=1234
            SupplementaryGroups=here lost
            [Foreground]
            ListenStream=/run/a
            SocketUser=here
            SocketGroup=lost
            """
        ])
        var verification = Verification(
            source: strange, hasUser: { $0 == "here" }, hasGroup: { $0 == "here" })
        verification.verify("/w/strange.worker")
        #expect(
            verification.diagnostics.map(\.description) == [
                "/w/strange.worker: User=: user “gone” does not exist",
                "/w/strange.worker: SocketGroup=: group “lost” does not exist",
                "/w/strange.worker: SupplementaryGroups=: group “lost” does not exist",
            ])
        #expect(verification.holds)
    }

    @Test func `says what comes to nothing, and takes it for no error`() {
        var verification = Verification(source: files)
        verification.verify("/w/blind.worker")
        #expect(
            verification.diagnostics.map(\.description) == [
                "/w/blind.worker:4: IdleCPU=: has no effect; expected IdleSec= as well"
            ])
        #expect(verification.holds)
        verification.verify("/w/odd.worker")
        #expect(!verification.holds)
    }

    private let stack = FakeFiles([
        "/w/web.worker": "[Worker]\nExecStart=/bin/true\nAfter=db cache\nRequires=db\nWants=cache@1\n",
        "/w/db.worker": "[Worker]\nExecStart=/bin/true\n",
        "/w/cache.worker": "[Worker]\nExecStart=/bin/true\nAfter=db\n",
        "/w/cache@.worker": "[Worker]\nExecStart=/bin/true\n",
        "/w/lost.worker": "[Worker]\nExecStart=/bin/true\nRequires=nothing\nOnFailure=mail\n",
        "/etc/torpor/workers/mail.worker": "[Worker]\nExecStart=/bin/true\n",
        "/w/a.worker": "[Worker]\nExecStart=/bin/true\nAfter=b\n",
        "/w/b.worker": "[Worker]\nExecStart=/bin/true\nAfter=c\n",
        "/w/c.worker": "[Worker]\nExecStart=/bin/true\nAfter=a\n",
        "/w/self.worker": "[Worker]\nExecStart=/bin/true\nWants=self\n",
        "/w/x.worker": "[Worker]\nExecStart=/bin/true\nAfter=a lost\n",
    ])

    @Test(
        arguments: [
            (["/w/web.worker"], []), (["/w/x.worker"], []),
            (["/w/lost.worker"], ["/w/lost.worker: Requires=: worker “nothing” does not exist"]),
            (["/w/c.worker"], ["/w/c.worker: After=: dependency cycle: a → b → c → a"]),
            (
                ["/w/a.worker", "/w/b.worker", "/w/c.worker", "/w/x.worker"],
                ["a", "b", "c"].map { "/w/\($0).worker: After=: dependency cycle: a → b → c → a" }
            ),
            (["/w/self.worker"], ["/w/self.worker: Wants=: the worker depends on itself"]),
        ] as [([String], [String])])
    func `says of names that there are not and of circles, one line each`(paths: [String], expected: [String])
    {
        var verification = Verification(source: stack)
        for path in paths { verification.verify(path) }
        verification.verifyTogether(with: ["/etc/torpor"])
        let found = verification.diagnostics.map(\.description)
        #expect(found.count == expected.count, "\(found)")
        for (found, expected) in zip(found, expected) { #expect(found.hasPrefix(expected), "\(found)") }
    }

    @Test func `says nothing twice`() {
        var verification = Verification(source: files)
        for path in ["/w/t@.worker", "/w/t@.worker.d/a.conf"] { verification.verify(path) }
        #expect(verification.diagnostics.count == 1)
        #expect(VerificationReply(verification.diagnostics).failed.first?.line == 2)
    }
}

@Suite
struct `The files of a worker` {
    private let loader = WorkerLoader(
        directories: ["/usr", "/etc"],
        source: FakeFiles([
            "/usr/workers/web.worker": "[Worker]\n", "/etc/workers/web.worker.d/a.conf": "X=\u{1b}c\n",
            "/etc/workers/off.worker": nil,
        ]))

    @Test func `come from the directories where nobody is there to ask`() throws {
        let files = try FilesOfWorker("web", in: loader)
        let raw = "# /usr/workers/web.worker\n[Worker]\n\n# /etc/workers/web.worker.d/a.conf\nX=\u{1b}c\n"
        #expect(String(decoding: files.rendered(forTerminal: false), as: UTF8.self) == raw)
        #expect(String(decoding: files.rendered(forTerminal: true), as: UTF8.self).hasSuffix("X=\\x1bc\n"))
        #expect(FilesOfWorker(files.reply.files) == files)
    }

    @Test(arguments: [("nobody", OperatorExit.noSuchWorker), ("off", .configuration), ("a/b", .usage)])
    func `may not be there`(name: String, status: OperatorExit) {
        let failure = #expect(throws: Failure.self) { try FilesOfWorker(name, in: loader) }
        #expect(failure?.status == status)
    }
}
