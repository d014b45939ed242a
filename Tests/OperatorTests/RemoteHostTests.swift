import Testing

@testable import Operator

@Suite
struct `Another machine` {
    private func host(
        _ name: String = "box", _ choice: RemoteHost.Choice = .usual, ssh: String? = nil, asks: Bool = false
    ) throws(Failure) -> RemoteHost {
        try RemoteHost(name, choice: choice, command: ssh, asks: asks)
    }

    @Test func `is reached by ssh, which asks nothing where there is no terminal`() throws {
        #expect(
            try host().bridge(mayLaunch: false)
                == ["ssh", "-xT", "-o", "BatchMode=yes", "--", "box", "torpor", "bridge"])
        #expect(
            try host("a@b", .system, ssh: "  ", asks: true).bridge(mayLaunch: true)
                == ["ssh", "-xT", "--", "a@b", "torpor", "bridge", "--system", "--may-launch"])
        #expect(
            try host("box", .user, ssh: "/opt/ssh -F '/my config'", asks: true).bridge(mayLaunch: false)
                == ["/opt/ssh", "-F", "/my config", "-xT", "--", "box", "torpor", "bridge", "--user"])
    }

    @Test func `has words that its shell reads back as they are`() throws {
        #expect(
            try host(asks: true).command(["tail", "-n", "5", "--", "/a b/it's", "", "$x;*"]).dropFirst(4)
                == ["tail", "-n", "5", "--", "'/a b/it'\\''s'", "''", "'$x;*'"])
        #expect(
            try host("box", .socket("/run/my socket"), asks: true).bridge(mayLaunch: false).last
                == "'/run/my socket'")
    }

    @Test(arguments: ["", "-oProxyCommand=x", "a b", "a\nb", "\u{7f}"])
    func `has no name that ssh would take for something else`(_ name: String) {
        #expect(throws: Failure.self) { try host(name) }
    }

    struct Ending: Sendable {
        var status: Int32?
        var errors = ""
        var wasAlive = false
        var isGarbled = false
        let exit: OperatorExit
        let sentence: String
    }

    @Test(arguments: [
        Ending(
            status: 255, errors: "Warning: x\nssh: Could not resolve hostname box: no\n\n",
            exit: .unavailable,
            sentence: "cannot reach box: ssh: Could not resolve hostname box: no"),
        Ending(
            status: 255, errors: "box: Permission denied (publickey).", exit: .notAllowed,
            sentence: "cannot reach box: box: Permission denied (publickey)."),
        Ending(status: 255, exit: .unavailable, sentence: "cannot reach box"),
        Ending(
            status: 255, errors: "Connection reset", wasAlive: true, exit: .unavailable,
            sentence: "the connection to box was lost: Connection reset"),
        Ending(
            status: 127, errors: "sh: torpor: not found", exit: .unavailable,
            sentence:
                "torpor is not installed on box, or not in the PATH of commands that are run there by ssh"),
        Ending(
            status: 64, errors: "torpor: unknown verb 'bridge'; see 'torpor --help'", exit: .unavailable,
            sentence:
                "torpor on box has no verb 'bridge': its version differs from that of this command; update it there"
        ),
        Ending(
            status: 77, errors: "motd\ntorpor: permission denied", exit: .notAllowed,
            sentence: "box: permission denied"),
        Ending(
            status: 69, errors: "torpor: no supervisor", isGarbled: false, exit: .unavailable,
            sentence: "box: no supervisor"),
        Ending(status: 3, errors: "x", exit: .unavailable, sentence: "torpor on box ended with status 3: x"),
        Ending(status: 0, exit: .unavailable, sentence: "the supervisor on box closed the connection"),
        Ending(wasAlive: true, exit: .unavailable, sentence: "the supervisor on box closed the connection"),
    ])
    func `says why its connection ended`(_ ending: Ending) throws {
        let failure = try host().failure(
            status: ending.status, errors: ending.errors, wasAlive: ending.wasAlive,
            isGarbled: ending.isGarbled)
        #expect(failure.status == ending.exit)
        #expect(failure.description == ending.sentence)
    }

    @Test func `says that its shell prints text before the answers`() throws {
        // ssh that is ended by a signal has its status for errors.
        for status in [143, 255, 0] as [Int32] {
            let failure = try host().failure(status: status, errors: "", wasAlive: false, isGarbled: true)
            #expect(failure.status == .unavailable && failure.description.contains("start-up files"))
        }
    }
}
