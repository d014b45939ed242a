import Idleness
import Testing
import WorkerFile

@testable import Standalone

@Suite struct `What wakes the command of torpor run` {
    @Test func `without options it is what wakes a worker`() {
        #expect(RunWaking().foreground.wakeRules == WakeRules())
    }

    @Test func `options add up, and commas separate their values`() throws {
        var waking = RunWaking()
        try waking.add(on: "request,data")
        try waking.add(on: "timer")
        try waking.add(from: "10.0.0.0/8,::1")
        try waking.add(from: "192.0.2.1")
        try waking.add(notFrom: "multicast")
        try waking.check()
        let rules = waking.foreground.wakeRules
        #expect(rules.kinds == [.request, .data, .timer])
        #expect(rules.from?.map(\.description) == ["10.0.0.0/8", "::1", "192.0.2.1"])
        #expect(rules.notFrom.map(\.description) == ["224.0.0.0/4", "ff00::/8"])
    }

    @Test func `a bad value is told with its option and what was expected`() throws {
        var waking = RunWaking()
        func problem(_ body: () throws(RunWaking.Problem) -> Void) -> String? {
            do throws(RunWaking.Problem) { try body() } catch { return error.description }
            return nil
        }
        #expect(
            problem { () throws(RunWaking.Problem) in try waking.add(on: "data,knock") }
                == "invalid --wake-on “knock”; expected connection, data, datagram, input, request or timer"
        )
        #expect(
            problem { () throws(RunWaking.Problem) in try waking.add(from: "10.0.0.0/33") }
                == "invalid --wake-from “10.0.0.0/33”; expected a prefix length from 0 to 32 after 10.0.0.0/"
        )
        #expect(
            problem { () throws(RunWaking.Problem) in try waking.add(notFrom: "") }?
                .hasPrefix("invalid --wake-not-from “”; expected an address") == true)
        #expect(waking == RunWaking(), "a bad value leaves nothing behind")
        try waking.add(from: "10.0.0.1")
        try waking.add(notFrom: "any")
        #expect(
            problem { () throws(RunWaking.Problem) in try waking.check() }
                == "--wake-not-from excludes every address of --wake-from")
    }
}
