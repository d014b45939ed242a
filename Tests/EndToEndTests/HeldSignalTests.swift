import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What comes for a command that sleeps.
@Suite(.timeLimit(.minutes(60))) struct `Signals for a command that sleeps` {
    /// A reporter that the test has stopped; -v tells of its sleep.
    private func asleep(_ options: [String] = []) throws -> (wrapper: Wrapper, child: Int32, control: String)
    {
        let wrapper = try Wrapper(["-v"] + options, Children.reporter())
        let control =
            try wrapper.errors.until("control socket ").split(separator: " ").last.map(String.init) ?? ""
        let child = try wrapper.awaitReporter().pid
        kill(child, SIGSTOP)
        try wrapper.errors.until("→ suspended")
        return (wrapper, child, control)
    }

    /// The notifications that wait, by topic and count.
    private func waiting(_ wrapper: Wrapper, _ control: String) throws -> [String: Int] {
        let listing = try Wrapper(
            [], [], line: [Wrapper.program, "notifications", "--socket", control, "python3", "--json=short"])
        let text = try listing.output.rest().joined()
        let reply = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let entries = reply?["notifications"] as? [[String: Any]] ?? []
        return entries.reduce(into: [:]) { $0[$1["topic"] as? String ?? ""] = $1["count"] as? Int }
    }

    @Test func `are counted, and one of each is passed on when it wakes`() throws {
        let (wrapper, child, control) = try asleep()
        // Of a real-time signal the kernel would keep each.
        for signal in [40, SIGUSR1, 40, SIGHUP, 40, SIGWINCH, SIGWINCH] as [Int32] {
            wrapper.send(signal)
            // Pending twice it would be one to us, too.
            _ = try eventually("it to be taken") { pending(wrapper.pid) == 0 ? true : nil }
        }
        _ = try eventually("all to be counted") {
            try waiting(wrapper, control) == ["signalReceived": 5, "screenChanged": 2] ? true : nil
        }
        kill(child, SIGCONT)
        let told = try (0..<5).map { _ in try wrapper.output.next() }
        // Whichever are pending when it runs again, it hears by number.
        #expect(told.compactMap(\.self).sorted() == ["a 1", "a 10", "a 18", "a 28", "a 40"])
        // Awake it gets each as it comes.
        for _ in 0..<3 { wrapper.send(40) }
        for _ in 0..<3 { #expect(try wrapper.output.next() == "a 40") }
        #expect(try waiting(wrapper, control) == [:])
        wrapper.send(64)
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `do not hold up the one that ends it`() throws {
        let (wrapper, _, _) = try asleep()
        wrapper.send(SIGUSR1)
        wrapper.send(SIGTERM)
        #expect(try wrapper.output.until("a 15") == "a 15")
    }

    @Test func `go to a hook that asks for them`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let script = "\(directory)/hook"
            try "#!/bin/sh\necho \"$TORPOR_NOTIFICATION_COUNT $TORPOR_NOTIFICATION_PAYLOAD\"\n".write(
                toFile: script, atomically: false, encoding: .utf8)
            chmod(script, 0o755)
            let (wrapper, child, control) = try asleep(["--on", "signalReceived=exec:\(script)"])
            for signal in [SIGUSR2, SIGHUP] {
                wrapper.send(signal)
                _ = try eventually("it to be taken") { pending(wrapper.pid) == 0 ? true : nil }
            }
            _ = try eventually("all to be counted") {
                try waiting(wrapper, control) == ["signalReceived": 2] ? true : nil
            }
            kill(child, SIGCONT)
            try wrapper.errors.until(#"2 {"signals":["SIGUSR2","SIGHUP"]}"#)
            #expect(try wrapper.output.next() == "a 18")
        }
    }

    @Test func `come for settings that change, one for all that it slept through`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let settings = "\(directory)/settings"
            try "0".write(toFile: settings, atomically: true, encoding: .utf8)
            let (wrapper, child, control) = try asleep(
                ["--watch-settings", settings, "--on", "settingsChanged=signal:HUP"])
            // It may not have looked at the file yet, so that the first edit is what it finds there.
            let first = try eventually("an edit to be noticed") {
                if let count = try waiting(wrapper, control)["settingsChanged"] { return count }
                try overwrite(settings, "0 and \(KernelClock.monotonic)")
                return nil
            }
            for edit in 1...5 {
                if edit > 2 {
                    try "\(edit)".write(toFile: settings, atomically: true, encoding: .utf8)
                } else {
                    try overwrite(settings, "\(edit)")
                }
                _ = try eventually("edit \(edit) to be noticed") {
                    try waiting(wrapper, control)["settingsChanged"] ?? 0 >= first + edit ? true : nil
                }
            }
            kill(child, SIGCONT)
            // Both may be pending when it runs again: it hears by number then.
            let told = try [wrapper.output.next(), wrapper.output.next()]
            #expect(Set(told) == ["a 18", "a 1"])
            wrapper.send(64)
            #expect(try wrapper.output.rest() == ["a 64"])
        }
    }

    @Test(arguments: [
        ["--watch-settings", "/tmp/x"], ["--watch-settings", "x", "--on", "settingsChanged=signal:HUP"],
        ["--on", "settingsChanged=signal:NOPE"], ["--on", "networkChangde=signal:HUP"],
    ]) func `are not asked for in vain`(_ options: [String]) throws {
        let wrapper = try Wrapper(options, ["/bin/true"])
        #expect(try wrapper.wait() == .exited(64))
    }

    /// The signals that wait for a process, as a mask.
    private func pending(_ pid: Int32) -> UInt64? {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
        return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
    }
}
