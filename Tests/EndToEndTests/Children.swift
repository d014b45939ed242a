import Cgroups
import Glibc
import Linux
import TestSupport

/// Programs to supervise.
enum Children {
    /// Says its pid, then the number of every signal that it gets, in the order in which it gets them; SIGRTMAX ends it.
    ///
    /// All are blocked, so that none is lost. A second process of its group, if asked for, says the same as `b`.
    static func reporter(withSecond: Bool = false) -> [String] {
        ["/usr/bin/python3", "-IS", "-c", script, withSecond ? "2" : "1"]
    }

    static let script = """
        import os, signal, sys
        every = set(range(1, 65)) - {9, 17, 19, 32, 33}
        signal.pthread_sigmask(signal.SIG_BLOCK, every)
        main = os.getpid()
        name = 'a'
        if len(sys.argv) > 1 and sys.argv[1] == '2':
            ready, done = os.pipe()
            if os.fork() == 0:
                name = 'b'
                os.write(done, b'.')
            else:
                os.read(ready, 1)
        if name == 'a':
            print('ready', os.getpid(), os.getsid(0), os.getpgrp(), flush=True)
        while True:
            number = signal.sigwaitinfo(every).si_signo
            os.write(1, f'{name} {number}\\n'.encode())
            if number == 64 or name == 'b' and os.getppid() != main:
                os._exit(0)
        """
}

extension Wrapper {
    /// Waits for the reporter's first line: its pid, session and process group.
    func awaitReporter() throws -> (pid: Int32, session: Int32, group: Int32) {
        let numbers = try output.until("ready ").split(separator: " ").dropFirst().compactMap { Int32($0) }
        guard numbers.count == 3 else { throw TimedOut(description: "a strange first line") }
        return (numbers[0], numbers[1], numbers[2])
    }
}
