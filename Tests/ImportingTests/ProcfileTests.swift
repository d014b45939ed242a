import ConfigurationSyntax
import Importing
import TestSupport
import Testing

@Suite struct `A Procfile` {
    @Test func `has a worker for each process type, with the port of its own`() {
        let imported = Imported(
            ["/app/Procfile": "web: ./web -p $PORT \"x\"\n# no\nworker: ./work %d\n"], ["/app/Procfile"])
        #expect(
            imported.settings("web") == [
                "ExecStart=/bin/sh -c \"./web -p $$PORT \\\"x\\\"\"", "WorkingDirectory=/app", "Launch=boot",
                "TimeoutStopSec=5s", "Environment=PORT=5000",
            ])
        #expect(imported.settings("worker").contains("ExecStart=/bin/sh -c \"./work %%d\""))
        #expect(imported.settings("worker").contains("Environment=PORT=5100"))
    }

    @Test func `names its .env where the daemon reads the same, and has its values where not`() {
        func web(_ env: String) -> [String] {
            Imported(["/app/Procfile": "web: x\n", "/app/.env": env], ["/app/Procfile"]).settings("web")
        }
        #expect(web("A=1\nB='two words'\n# c\n").contains("EnvironmentFile=/app/.env"))
        #expect(!web("A=1\n").contains("Environment=A=1"))
        let other = web("A=a#b\nB=x y\nC=\"1\\n2\"\n")
        for line in ["Environment=A=a", "Environment=B=xy", "Environment=\"C=1\\n2\""] {
            #expect(other.contains(line), "\(other)")
        }
        let port = web("PORT=8000\nA=1\n")
        #expect(port.contains("Environment=PORT=8000") && port.contains("Environment=A=1"))
    }

    @Test(arguments: [
        ("", "/Procfile: no process type; expected lines NAME: COMMAND"),
        ("a: x\na: y\n", "/Procfile:2: a second process type “a”"),
        ("a: x\0", "/Procfile:1: a NUL byte; expected text"),
    ])
    func `bad input is refused in one line`(_ text: String, _ problem: String) {
        #expect(Imported(["/Procfile": text]).problems == [problem])
    }

    /// Many files have lines like its own: it is known by its name, or as it is said to be one.
    @Test func `is not told by its content`() {
        for text in ["web: ./web\n", "root:x:0:0:root:/root:/bin/sh\n"] {
            let imported = Imported(["/etc/passwd": text], ["/etc/passwd"])
            #expect(imported.problems.count == 1 && imported.names.isEmpty, "\(imported.problems)")
            #expect(imported.problems.first?.contains("the format cannot be told") == true)
        }
    }

    @Test func `says which lines of .env foreman and honcho read differently`() {
        let imported = Imported(
            ["/Procfile": "a: x\n", "/.env": "A=p#ss\nB=a b\nC=\nD='x y'\nE=\"q\\nr\"\nF=plain\n"],
            ["/Procfile"])
        let lines = (1...6).filter { line in
            imported.notes().contains { $0.hasPrefix("/.env:\(line):") && $0.contains("differently") }
        }
        #expect(lines == [1, 2, 3], "\(imported.notes())")
    }

    @Test func `a quote that stays open in .env is an error that does not tell the value`() {
        let imported = Imported(["/Procfile": "a: x\n", "/.env": "A=1\nSECRET='abc\n"], ["/Procfile"])
        #expect(imported.problems == ["/.env:2: an unterminated quote or escape"])
    }
}
