import Testing

@testable import Launching
@testable import Linux

@Suite struct `Environments` {
    @Test func `answer with the first of a name, and leave one when set`() {
        var environment = Environment(entries: ["A=1", "B=", "A=2", "=odd", "bare"])
        #expect(environment["A"] == "1")
        #expect(environment["B"] == "")
        #expect(environment["bare"] == nil)
        #expect(environment["C"] == nil)
        environment["A"] = "3=3"
        environment["C"] = "new"
        #expect(environment.entries == ["A=3=3", "B=", "=odd", "bare", "C=new"])
        environment["B"] = nil
        #expect(environment.entries == ["A=3=3", "=odd", "bare", "C=new"])
    }

    @Test(arguments: [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
        "FDSTORE",
        "MAINPID", "MANAGERPID", "SYSTEMD_EXEC_PID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
        "TORPOR_SOCKET", "TORPOR_ANYTHING", "TORPOR_",
    ])
    func `lose by scrubbing what was meant for the supervisor`(_ name: String) {
        let environment = Environment(entries: [ByteString("\(name)=x"), "PATH=/bin"])
        #expect(environment.scrubbed().entries == ["PATH=/bin"])
    }

    @Test(arguments: [
        "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN", "MYTORPOR_X", "XNOTIFY_SOCKET", "HOME", "TORPOR",
    ])
    func `keep by scrubbing what is the child's too`(_ name: String) {
        let entry = ByteString("\(name)=x")
        #expect(Environment(entries: [entry]).scrubbed().entries == [entry])
    }

    @Test func `are ours to begin with`() {
        #expect(Environment.current["PATH"] != nil)
        #expect(ByteString.processArguments.count == Int(CommandLine.argc))
    }
}

@Suite struct `Search for a program` {
    @Test func `follows the path as execvp does`() {
        let find = ExecutableSearch.candidates
        #expect(find("ls", "/a:/b") == ["/a/ls", "/b/ls"])
        #expect(find("ls", ":/b:") == ["ls", "/b/ls", "ls"])
        #expect(find("ls", nil) == ["/bin/ls", "/usr/bin/ls"])
        #expect(find("./ls", "/a") == ["./ls"])
        #expect(find("/x/ls", "/a") == ["/x/ls"])
        #expect(find("", "/a") == [])
        #expect(find("ls", ByteString(String(repeating: "d", count: 5000) + ":/b")) == ["/b/ls"])
    }
}
