internal import CLinux
internal import Glibc
package import Linux

/// A command that we run and wait for, on our terminal and with our environment, as system(3) does.
package struct Subcommand: Sendable {
    private let words: [String]

    /// The command of these words, the program first.
    package init(_ words: [String]) {
        self.words = words
    }

    /// Runs it to its end, and returns its exit status, or 128 and the number of the signal that ended it.
    ///
    /// The keyboard's signals are the command's meanwhile: we ignore SIGINT and SIGQUIT.
    package func run() throws(LinuxError) -> Int32 {
        let before = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, before.0)
            signal(SIGQUIT, before.1)
        }
        return try Running(pid: spawn(), program: words[0]).wait()
    }

    /// Starts it, and leaves it to the caller to wait; the keyboard's signals are the command's from now on.
    package func start() throws(LinuxError) -> Running {
        let running = Running(pid: try spawn(), program: words[0])
        signal(SIGINT, SIG_IGN)
        signal(SIGQUIT, SIG_IGN)
        return running
    }

    /// A command that was started and not waited for.
    package struct Running: Sendable {
        let pid: Int32
        let program: String

        /// Waits for its end, on any thread, and returns its exit status, or 128 and the number of the signal that ended it.
        package func wait() throws(LinuxError) -> Int32 {
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) < 0 {
                guard errno == EINTR else { throw .last("waitpid", program) }
            }
            let ending = status & 0x7f
            return ending == 0 ? (status >> 8) & 0xff : 128 + ending
        }
    }

    /// Runs it to its end without a terminal, and returns the first `limit` bytes that it prints; nil where it fails or takes
    /// longer than `timeout` microseconds, after which it is killed.
    package func output(within timeout: Int64, limit: Int = 1 << 20) -> [UInt8]? {
        guard let (ours, theirs) = try? Self.pipe(), let pid = try? spawn(printingTo: theirs) else {
            return nil
        }
        close(theirs)
        defer { close(ours) }
        let deadline = KernelClock.monotonic + timeout
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 << 10)
        var isWhole = false
        while bytes.count < limit {
            var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
            let left = Int32(clamping: max(0, deadline - KernelClock.monotonic) / 1000)
            let ready = unsafe poll(&entry, 1, left)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { break }
            let count = unsafe read(ours, &room, room.count)
            guard count > 0 else {
                isWhole = count == 0
                break
            }
            bytes += room.prefix(count)
        }
        // What prints no more may still run, and what was cut off prints on.
        if !isWhole { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return isWhole && status == 0 ? bytes : nil
    }

    private static func pipe() throws(LinuxError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw .last("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func spawn(printingTo descriptor: Int32? = nil) throws(LinuxError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        if let descriptor {
            // dup2(2) leaves the mark of closing behind.
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGINT)
        unsafe sigaddset(&defaults, SIGQUIT)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ)
        guard result == 0 else { throw LinuxError(errno: result, call: "posix_spawn", subject: words[0]) }
        return pid
    }
}

extension LinuxError {
    /// Whether what was meant is not there.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
}
