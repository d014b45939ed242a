import Glibc
import HostContract
import Linux
import Systemd

/// The programs of the contract, as real processes.
enum Actor {
    static func play(_ program: ContractProgram) -> Never {
        // Should nobody end it. No PR_SET_PDEATHSIG: that comes with the end of the thread that has launched it, too, which is idle by then.
        alarm(600)
        switch program {
        case .sleeper:
            sayReady()
        case .catcher:
            var term = sigset_t()
            sigemptyset(&term)
            sigaddset(&term, SIGTERM)
            sigprocmask(SIG_BLOCK, &term, nil)
            sayReady()
            var taken: Int32 = 0
            sigwait(&term, &taken)
            exit(7)
        case .stubborn:
            signal(SIGTERM, SIG_IGN)
            sayReady()
        case .failing:
            exit(3)
        case .parent:
            signal(SIGTERM, SIG_IGN)
            leaveChild()
            exit(0)
        case .listener:
            listen()
        case .missing:
            exit(127)
        }
        while true { pause() }
    }

    private static func sayReady() {
        guard let text = getenv("NOTIFY_SOCKET"), let address = try? UnixSocketAddress(String(cString: text)),
            (try? NotifySender(to: address).send([.ready])) != nil
        else { exit(1) }
    }

    /// Hears of memory pressure as systemd's protocol has it, from a socket.
    private static func listen() -> Never {
        guard let path = getenv("MEMORY_PRESSURE_WATCH").map({ String(cString: $0) }),
            let address = try? UnixSocketAddress(path), let socket = try? StreamSocket(connectingTo: address)
        else { exit(1) }
        sayReady()
        var query = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        var room: [UInt8] = [0]
        while poll(&query, 1, -1) != 1 {}
        exit(((try? socket.read(into: &room)) ?? 0) == 1 ? 5 : 6)
    }

    /// Starts a process that outlives us and ignores SIGTERM: ignoring is inherited.
    private static func leaveChild() {
        var pid: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
        guard posix_spawnp(&pid, "sleep", nil, nil, &arguments, environ) == 0 else { exit(1) }
    }
}
