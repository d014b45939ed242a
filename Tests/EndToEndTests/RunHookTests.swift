import Foundation
import Glibc
import TestSupport
import Testing

/// CLIs that know nothing of us, led through their life by hooks alone.
@Suite(.timeLimit(.minutes(60))) struct `torpor run with hooks` {
    @Test(.requires(.program("/usr/bin/bc")))
    func `leads bc by its standard input and its output, and a typed line reaches it in its sleep`() throws {
        let (input, typing) = try makePipe()
        let bc = try Wrapper(
            [
                "-v", "--idle", "3s", "--on", "didEnterBackground=stdin:40+2", "--completes",
                "didEnterBackground=output:^42$", "--on", "willEnterForeground=stdin:50+1", "--completes",
                "willEnterForeground=output:^51$",
            ], ["bc", "-q"], input: input)
        close(input)
        defer { close(typing) }
        type("6*7+100\n", to: typing)
        #expect(try bc.output.next() == "142")
        try bc.errors.until("background → suspended (idle)")
        #expect(try bc.output.next() == "42")
        type("3^4\n", to: typing)
        #expect(try bc.output.next() == "51")
        #expect(try bc.output.next() == "81")
        try bc.errors.until("inactive → active")
        type("quit\n", to: typing)
        #expect(try bc.wait() == .exited(0))
        #expect(try bc.output.rest() == [])
    }

    @Test func `leads an interactive Python by its prompt, which has no end of line`() throws {
        let (input, typing) = try makePipe()
        let python = try Wrapper(
            [
                "-v", "--on", "didFinishLaunching=stdin:print('up')", "--completes",
                "didFinishLaunching=output:up", "--on", "didEnterBackground=stdin:print('saved')",
                "--completes",
                "didEnterBackground=output:>>> $", "--on", "willTerminate=stdin:raise SystemExit(9)",
            ], ["python3", "-i", "-q", "-u"], input: input)
        close(input)
        defer { close(typing) }
        let socket = try python.controlSocket()
        try python.errors.until("inactive → active")
        try #expect(torpor("suspend", at: socket) == 0)
        try #expect(torpor("activate", at: socket) == 0)
        type("print(6 * 7)\n", to: typing)
        try python.output.until("42")
        python.send(SIGTERM)
        #expect(try python.wait() == .exited(9))
    }

    @Test func `passes every byte through, whatever a hook writes between two lines`() throws {
        let (input, typing) = try makePipe()
        let cat = try Wrapper(
            ["-v", "--on", "didEnterBackground=stdin:HOOK", "--completes", "didEnterBackground=output:HOOK"],
            ["cat"], input: input)
        close(input)
        defer { close(typing) }
        let socket = try cat.controlSocket()
        try cat.errors.until("inactive → active")
        // One line longer than any pipe, then many.
        let long = String(repeating: "x", count: 200_000)
        let writer = Thread {
            type(long + "\n", to: typing)
            for number in 0..<20_000 { type("line \(number)\n", to: typing) }
        }
        writer.start()
        #expect(try cat.output.next() == long)
        var wanted = (0..<20_000).map { "line \($0)" }[...]
        // While it sleeps nothing is passed on, and nothing lost: what is left wakes it again.
        let suspending = try Wrapper.start("suspend", at: socket)
        while let line = try cat.output.next(), line != "HOOK" {
            let next = wanted.popFirst()
            #expect(line == next)
        }
        // What is left may have woken it before it slept.
        _ = try suspending.wait()
        while !wanted.isEmpty, let line = try cat.output.next() {
            let next = wanted.popFirst()
            #expect(line == next)
        }
        #expect(wanted.isEmpty)
        // Asleep it would die silently: it has been able to save itself.
        try #expect(torpor("activate", at: socket) == 0)
        cat.send(SIGTERM)
        #expect(try cat.wait() == .exited(128 + SIGTERM))
    }

    @Test func `passes captured output on unchanged, to the last byte, to a slow reader`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let path = "\(directory)/data"
            var data = Data(count: 3_000_000)
            for index in data.indices { data[index] = UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 7) }
            try data.write(to: URL(fileURLWithPath: path))
            // The reader begins when the command has ended, as far as pipes allow.
            let script = """
                "$0" run --on didEnterBackground=stdin:x --completes didEnterBackground=output:never -- \
                sh -c 'cat "$0"; echo last >&2; exit 5' "$1" | (sleep 0.5; cmp - "$1" && echo same)
                """
            let shell = try Wrapper([], [], line: ["/bin/sh", "-c", script, Wrapper.program, path])
            #expect(try shell.output.rest() == ["same"])
            #expect(try shell.errors.rest() == ["last"])
            #expect(try shell.wait() == .exited(0))
        }
    }

    @Test func `runs a command for the child, where the child is, and says what it prints`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let wrapper = try Wrapper(
                [
                    "-v", "--on",
                    "didBecomeActive=exec:/bin/sh -c 'pwd; echo $TORPOR_CALLBACK of $MAINPID; exit 3'",
                ], ["/bin/sh", "-c", "echo $$; exec sleep 1000"], directory: directory)
            let pid = try #require(try wrapper.output.next())
            try wrapper.errors.until("didBecomeActive: \(directory)")
            try wrapper.errors.until("didBecomeActive: didBecomeActive of \(pid)")
            try wrapper.errors.until("the hook for didBecomeActive failed: exit status 3")
            wrapper.send(SIGTERM)
            #expect(try wrapper.wait() == .exited(128 + SIGTERM))
        }
    }

    @Test func `ends with its child while a command of it hangs`() throws {
        let wrapper = try Wrapper(
            ["-v", "--on", "didBecomeActive=exec:/bin/sh -c \"trap '' TERM; echo hangs; sleep 1000\""],
            ["/bin/sh", "-c", "trap 'exit 4' USR1; echo ready; while :; do sleep 0.01; done"])
        try wrapper.output.until("ready")
        try wrapper.errors.until("didBecomeActive: hangs")
        wrapper.send(SIGUSR1)
        #expect(try wrapper.wait() == .exited(4))
        #expect(try wrapper.output.rest() == [])
    }

    @Test(arguments: [
        ["--on", "didEnterBackground"], ["--on", "nobody=signal:HUP"], ["--on", "willTerminate=signal:NOPE"],
        ["--on", "willTerminate=shout:x"], ["--completes", "willTerminate=notify"],
        ["--on", "willTerminate=signal:HUP", "--completes", "willTerminate=exit"],
        ["--on", "willTerminate=stdin:x", "--completes", "willTerminate=output:("],
        ["--on", "willTerminate=stdin:x", "--on", "willTerminate=stdin:y"], ["--idle", "soon"],
        ["--wake-on", "knock"], ["--wake-on", "data,"], ["--wake-on", ""], ["--wake-from", "home"],
        ["--wake-from", "10.0.0.0/33"], ["--wake-not-from", "::1%lo"],
        ["--wake-from", "10.0.0.1,::1", "--wake-not-from", "any"],
    ])
    func `refuses what makes no sense`(_ options: [String]) throws {
        let wrapper = try Wrapper(options, ["true"])
        #expect(try wrapper.wait() == .exited(64))
        let complaint = try wrapper.errors.rest().first ?? ""
        #expect(options.contains { $0.hasPrefix("--") && complaint.contains($0) }, "\(complaint)")
    }

    // MARK: acting

    @Test func `is controlled at the address that it was given`() throws {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/control"
            let run = try Wrapper(["-v", "--control", path], ["/bin/sleep", "1000"])
            #expect(try run.controlSocket() == path)
            #expect(try torpor("suspend", at: path) == 0)
            #expect(try torpor("resume", at: path) == 0)
            // Another one takes the place of none that lives.
            let second = try Wrapper(["--control", path], ["/bin/sleep", "1000"])
            #expect(try second.wait() == .exited(75))
            #expect(
                try second.errors.rest() == [
                    "torpor: --control: cannot create the control socket \(path): Address already in use"
                ])
            let lost = try Wrapper(["--control", "\(directory)/none/control"], ["/bin/true"])
            #expect(try lost.wait() == .exited(78))
            #expect(
                try lost.errors.rest() == [
                    "torpor: --control: cannot create the control socket \(directory)/none/control: No such file or directory"
                ])
            #expect(try torpor("terminate", at: path) == 0)
            _ = try run.wait()
            #expect(access(path, F_OK) != 0)
            for address in ["@", "", "/" + String(repeating: "x", count: 200)] {
                let wrong = try Wrapper(["--control", address], ["/bin/true"])
                #expect(try wrong.wait() == .exited(64))
                #expect(try wrong.errors.rest().first?.contains("invalid --control") == true)
            }
        }
    }

    private func torpor(_ verb: String, at socket: String) throws -> Int32 {
        let operation = try Wrapper.start(verb, at: socket)
        guard case .exited(let status) = try operation.wait() else { return -1 }
        if status != 0 { Issue.record("\(verb): \(try operation.errors.rest())") }
        return status
    }
}

/// Writes all of it, waiting for the reader.
private func type(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
