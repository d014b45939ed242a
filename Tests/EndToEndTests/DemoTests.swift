import Foundation
import TestSupport
import Testing

/// What `make demo` shows.
@Suite(.long, .timeLimit(.minutes(60))) struct `The demo` {
    @Test(.requires(.program("/usr/bin/redis-server")))
    func `leads a real redis-server through its whole life`() throws {
        let program = (Wrapper.testPrograms as NSString).appendingPathComponent("demo")
        let demo = try Wrapper([], [], line: [program])
        let shown = try demo.output.rest().joined(separator: "\n")
        #expect(try demo.wait() == .exited(0), "\(demo.errors.pending)")
        for line in [
            "launch requested", "received READY", "CPU used: 0;", "PONG", "its memory is given back",
            "asleep; in",
            "stopped by another program", "continued by another program", "record: stopped, status 0",
        ] {
            #expect(shown.contains(line), "\(line) is missing in:\n\(shown)")
        }
    }
}
