import Testing

@testable import DaemonCore

/// The limit of open files with which a daemon starts (RLIMIT_NOFILE).
@Suite struct `A limit of open files` {
    @Test(arguments: [(0, false), (28, false), (63, false), (64, true), (1024, true), (Int.max, true)])
    func `that leaves no room for clients keeps a daemon from starting`(_ limit: Int, _ isEnough: Bool) {
        #expect((DescriptorShortage(limit: limit) == nil) == isEnough)
    }

    @Test func `that is too low is told with what is needed and what to do, for a service manager too`()
        throws
    {
        let shortage = try #require(DescriptorShortage(limit: 28))
        #expect("\(shortage)".hasPrefix("its limit of open files is 28, and it needs at least 64"))
        #expect("\(shortage)".contains("LimitNOFILE="))
        // Restarting does not help: RestartPreventExitStatus= of its unit.
        #expect(Daemon.exitStatus(for: shortage) == 78)
    }
}
