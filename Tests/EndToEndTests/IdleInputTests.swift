import Foundation
import Glibc
import TestSupport
import Testing

/// Standard input on its way through `torpor run`, and the sleep of a command that it keeps awake.
@Suite(.timeLimit(.minutes(60))) struct `torpor run --idle` {
    /// Reads messages as a language server does, by their length, and answers each with its text.
    private static let languageServer = """
        import sys
        while True:
            header = sys.stdin.buffer.readline()
            if not header: break
            sys.stdin.buffer.readline()
            text = sys.stdin.buffer.read(int(header.split(b':')[1]))
            sys.stdout.buffer.write(b'got ' + text + b'\\n')
            sys.stdout.buffer.flush()
        """

    /// Writes all that it reads, as it comes, with a mark behind each piece.
    private static let marker = """
        import os
        while True:
            piece = os.read(0, 65536)
            if not piece: break
            os.write(1, piece.replace(b'\\n', b'|') + b'.\\n')
        """

    @Test func `passes bytes at once, whether a line is complete or not`() throws {
        let (input, typing) = try makePipe()
        let server = try Wrapper(
            ["-v", "--idle", "3s"], ["python3", "-c", Self.languageServer], input: input)
        close(input)
        for text in ["initialize", "shutdown"] {
            type("Content-Length: \(text.utf8.count)\r\n\r\n\(text)", to: typing)
            #expect(try server.output.next() == "got \(text)")
            try server.errors.until("→ suspended")
        }
        close(typing)
        #expect(try server.wait() == .exited(0))
    }

    @Test func `has a hook's line wait for the end of a line that was begun, and for nothing else`() throws {
        let (input, typing) = try makePipe()
        let reader = try Wrapper(
            ["-v", "--on", "didEnterBackground=stdin:HOOK"], ["python3", "-c", Self.marker], input: input)
        close(input)
        defer { close(typing) }
        let socket = try reader.controlSocket()
        type("ab", to: typing)
        #expect(try reader.output.next() == "ab.")
        let suspending = try Wrapper.start("suspend", at: socket)
        try reader.errors.until("active → inactive")
        // The hook waits while it is in the background; the rest of the line has to reach it there.
        type("c\nde", to: typing)
        var text = ""
        while !text.hasSuffix("de") {
            text += try #require(try reader.output.next()).split(separator: ".").joined()
        }
        #expect(text == "c|HOOK|de")
        _ = try suspending.wait()
        reader.send(SIGTERM)
        #expect(try reader.wait() == .exited(128 + SIGTERM))
    }

    @Test(arguments: ["echo x |", "</dev/null", "<&-"])
    func `does not put a command to sleep that nothing could wake`(_ input: String) throws {
        let line = input.hasSuffix("|") ? "\(input) \"$0\" run" : "\"$0\" run"
        let redirection = input.hasSuffix("|") ? "" : input
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c",
            "\(line) --idle 10ms -- sh -c 'read x; sleep 0.5; sleep 0.5; echo d''one' \(redirection)",
            Wrapper.program,
        ])
        #expect(try wrapper.output.next() == "done")
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `does not put a command to sleep that has not read all that came`() throws {
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c",
            "{ head -c 1000000 /dev/zero; sleep 1000; } | \"$0\" run --idle 10ms -- sh -c 'sleep 1; echo do''ne'",
            Wrapper.program,
        ])
        #expect(try wrapper.output.next() == "done")
    }

    /// Ends when its directory has `end`, and says when it was asked to.
    private static let slowToEnd = """
        echo started; trap 'echo asked; while ! [ -e end ]; do sleep 0.01; done; pwd; exit 3' TERM
        while :; do sleep 1000 & wait; done
        """

    @Test(arguments: ["SIGTERM", "terminate"])
    func `launches nothing for input, or for a client, once its end has begun`(_ way: String) throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let (input, typing) = try makePipe()
            let wrapper = try Wrapper(
                ["-v", "--idle", "2s"], ["/bin/sh", "-c", Self.slowToEnd], directory: directory,
                input: input)
            close(input)
            defer { close(typing) }
            let socket = try wrapper.controlSocket()
            #expect(try wrapper.output.next() == "started")
            try wrapper.errors.until("→ suspended")
            let ending = way == "SIGTERM" ? nil : try Wrapper.start(way, at: socket)
            if ending == nil { wrapper.send(SIGTERM) }
            #expect(try wrapper.output.next() == "asked")
            type("input\n", to: typing)
            let activating = try Wrapper.start("activate", at: socket)
            _ = try eventually("the client to be heard") { () throws -> Bool? in
                let list = try Wrapper.start("why", at: socket)
                return try list.output.rest().isEmpty ? nil : true
            }
            try "".write(toFile: "\(directory)/end", atomically: true, encoding: .utf8)
            #expect(try wrapper.output.rest() == [directory])
            #expect(try wrapper.wait() == .exited(3))
            _ = try activating.wait()
            _ = try ending?.wait()
        }
    }

    @Test(arguments: [SIGINT, SIGQUIT])
    func `passes what is sent to end a sleeping command on at once`(_ signal: Int32) throws {
        let (input, typing) = try makePipe()
        let wrapper = try Wrapper(["-v", "--idle", "2s"], Children.reporter(), input: input)
        close(input)
        defer { close(typing) }
        _ = try wrapper.awaitReporter()
        try wrapper.errors.until("→ suspended")
        wrapper.send(signal)
        #expect(try wrapper.output.next() == "a \(signal)")
        wrapper.send(64)
    }

    @Test func `leaves Ctrl-C at a terminal its meaning while the command sleeps`() throws {
        for options in [[], ["--no-session"]] {
            let console = try Console()
            let leader = try OnConsole(
                console,
                [Wrapper.program, "run", "-v", "--idle", "2s"] + options + ["--"] + Children.reporter())
            try console.screen.until("ready ")
            try console.screen.until("→ suspended")
            console.type("\u{3}")
            try console.screen.until("a 2")
            kill(leader.pid, SIGTERM)
            try console.screen.until("a 15")
            console.type("\u{1c}")
            try console.screen.until("a 3")
            kill(leader.pid, 64)
            #expect(try leader.wait() == 0)
        }
    }

    @Test(.requires(.program(clangd)))
    func `answers initialize through clangd as quickly as without`() throws {
        let (input, typing) = try makePipe()
        let server = try Wrapper(["--idle", "1s"], [clangd, "--log=error"], input: input)
        close(input)
        defer { close(typing) }
        let text = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#
        type("Content-Length: \(text.utf8.count)\r\n\r\n\(text)", to: typing)
        try server.output.untilText("capabilities")
    }

    // MARK: acting

    private func type(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }
}

/// Where the language server for C is, if anywhere.
private let clangd: String = {
    let places: [String] = ["/usr/bin/clangd", "/opt/swift/usr/bin/clangd"]
    return places.first { access($0, X_OK) == 0 } ?? places[0]
}()
