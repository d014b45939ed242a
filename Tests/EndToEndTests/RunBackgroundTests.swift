import Foundation
import TestSupport
import Testing

/// What wakes the command of `torpor run` into the background: fetches and silent posts, and what low-power mode makes of them.
@Suite(.timeLimit(.minutes(60))) struct `torpor run --mode` {
    private func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func torpor(_ words: String..., at socket: String) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let verb = try Wrapper([], [], line: [Wrapper.program] + words + ["--socket", socket])
        let output = try verb.output.rest().joined(separator: "\n")
        let errors = try verb.errors.rest().joined(separator: "\n")
        guard case .exited(let status) = try verb.wait() else { return (-1, output, errors) }
        return (status, output, errors)
    }

    @Test func `fetches while it sleeps, and waits with that in low-power mode`() throws {
        try withTemporaryDirectory { directory in
            let fetched = "\(directory)/fetched"
            let run = try Wrapper(
                [
                    "-v", "--mode", "fetch", "--fetch-interval", "1s", "--wake-budget", "infinity", "--on",
                    "performFetch=exec:/bin/sh -c 'echo low=$TORPOR_LOW_POWER >> \(fetched)'",
                ], ["/bin/sleep", "1000"],
                environment: ["TORPOR_POWER_SUPPLIES": "\(directory)/none"])
            let socket = try run.controlSocket()
            #expect(try torpor("suspend", "sleep", at: socket).status == 0)
            _ = try eventually("a fetch") { lines(fetched).isEmpty ? nil : true }
            _ = try eventually("status to say what woke it") {
                try torpor("status", "sleep", at: socket).output.contains("Woken by: fetch") ? true : nil
            }
            #expect(try torpor("status", "sleep", at: socket).output.contains("Fetch: every 1s"))
            _ = try eventually("why to name the next fetch") {
                try torpor("why", "sleep", at: socket).output.contains("the next background fetch")
                    ? true : nil
            }
            let off = try torpor("low-power", at: socket)
            #expect(off.status == 0 && off.output.hasPrefix("off: "), "\(off)")
            #expect(
                try torpor("low-power", "on", at: socket).output
                    == "Low-power mode is on: an operator switched it on.")
            #expect(
                try torpor("status", "sleep", at: socket).output
                    .contains("Low power: on, so fetches wait: an operator switched it on"))
            // One that had begun before is over when the worker sleeps again.
            _ = try eventually("it to sleep") {
                try torpor("status", "sleep", at: socket).output.contains("State: suspended") ? true : nil
            }
            let count = lines(fetched).count
            // What comes due by now is not performed, however long it waits.
            usleep(1_500_000)
            #expect(lines(fetched).count == count)
            #expect(try torpor("low-power", "off", at: socket).status == 0)
            _ = try eventually("the fetch that waited") { lines(fetched).count > count ? true : nil }
            #expect(try torpor("kill", "sleep", at: socket).status == 0)
            #expect(try run.wait() == .exited(137))
        }
    }

    @Test(arguments: [true, false])
    func `is woken by silent posts, where it may be`(_ isAllowed: Bool) throws {
        try withTemporaryDirectory { directory in
            let heard = "\(directory)/heard"
            let run = try Wrapper(
                ["-v"] + (isAllowed ? ["--mode", "remote-notification", "--wake-budget", "1"] : [])
                    + ["--on", "my.news=exec:/bin/sh -c 'echo heard >> \(heard)'"],
                ["/bin/sleep", "1000"])
            let socket = try run.controlSocket()
            #expect(try torpor("suspend", "sleep", at: socket).status == 0)
            let post = try torpor("post", "sleep", "my.news", "--wake", at: socket)
            #expect(post.status == 0)
            if isAllowed {
                _ = try eventually("it to hear of it, and to sleep again") {
                    try !lines(heard).isEmpty
                        && torpor("status", "sleep", at: socket).output.contains("State: suspended")
                        ? true : nil
                }
                // The next one is past its budget.
                #expect(try torpor("post", "sleep", "my.news", "--wake", at: socket).status == 0)
                let why = try torpor("why", "sleep", at: socket).output
                #expect(why.contains("its budget of wakes (--wake-budget)"), "\(why)")
                #expect(try torpor("low-power", "auto", at: socket).status == 0)
            } else {
                #expect(
                    (post.output + post.errors).contains("started without --mode remote-notification"),
                    "\(post)")
                let refused = try torpor("low-power", "on", at: socket)
                #expect(
                    refused.status != 0
                        && refused.errors.contains("only with --mode fetch or --mode remote-notification"),
                    "\(refused)")
                #expect(lines(heard).isEmpty)
            }
            #expect(try torpor("kill", "sleep", at: socket).status == 0)
            _ = try run.wait()
        }
    }
}
