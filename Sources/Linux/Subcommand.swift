internal import CLinux
internal import Glibc

/// A command that we run and wait for, on our terminal and with our environment, as system(3) does.
public struct Subcommand: Sendable {
    private let words: [String]

    /// The command of these words, the program first.
    public init(_ words: [String]) {
        self.words = words
    }

    /// Runs it to its end, and returns its exit status, or 128 and the number of the signal that ended it.
    ///
    /// The keyboard's signals are the command's meanwhile: we ignore SIGINT and SIGQUIT.
    public func run() throws(LinuxError) -> Int32 {
        let before = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, before.0)
            signal(SIGQUIT, before.1)
        }
        let pid = try spawn()
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw .last("waitpid", words[0]) }
        }
        let ending = status & 0x7f
        return ending == 0 ? (status >> 8) & 0xff : 128 + ending
    }

    private func spawn() throws(LinuxError) -> pid_t {
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
        let result = unsafe posix_spawnp(&pid, words[0], nil, &attributes, &arguments, environ)
        guard result == 0 else { throw LinuxError(errno: result, call: "posix_spawn", subject: words[0]) }
        return pid
    }
}

extension LinuxError {
    /// Whether what was meant is not there.
    public var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
}
