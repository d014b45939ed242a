internal import Glibc

/// The signals that a screen has to do something about: a handler puts the number of each into a pipe, which is read as it suits.
struct LiveSignals: ~Copyable {
    /// What to wait for; negative where there is none.
    let descriptor: Int32

    private static let ending = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]
    private static let all = ending + [SIGWINCH, SIGTSTP, SIGCONT]
    /// For the handler; there is one screen in a program at most.
    nonisolated(unsafe) private static var pipe: Int32 = -1

    /// Takes them from here on.
    init() {
        var ends: [Int32] = [-1, -1]
        // Ignoring a failure: without a pipe the screen does not hear of them, and the usual happens.
        guard Glibc.pipe(&ends) == 0 else {
            descriptor = -1
            return
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        Self.pipe = ends[1]
        for number in Self.all {
            signal(number) { number in
                // A pipe that is full has enough of them. What the program was doing may depend on errno.
                let error = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(LiveSignals.pipe, &byte, 1)
                errno = error
            }
        }
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        guard descriptor >= 0 else { return }
        for number in Self.all { signal(number, SIG_DFL) }
        close(descriptor)
        close(Self.pipe)
        Self.pipe = -1
    }

    /// The numbers of those that have come.
    borrowing func read() -> [Int32] {
        guard descriptor >= 0 else { return [] }
        var room = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &room, room.count)
        return room.prefix(max(count, 0)).map { Int32($0) }
    }

    static func isEnding(_ number: Int32) -> Bool { ending.contains(number) }

    /// Ends the program by that signal, as if it had never been caught.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }
}
