internal import CLinux
internal import Glibc

/// What we can be told, and tell the kernel, about the process that we are.
package enum ThisProcess {
    /// Lets others have this processor before this thread goes on (sched_yield(2)): at once where none waits for it, and after their turns
    /// where some do.
    package static func yield() { sched_yield() }

    package static var pid: Int32 { getpid() }

    /// Our effective user id.
    package static var user: UInt32 { geteuid() }

    /// Our effective group id.
    package static var userGroup: UInt32 { getegid() }

    package static var isRoot: Bool { user == 0 }

    /// How many descriptors we may have open, as it is now (RLIMIT_NOFILE, getrlimit(2)).
    package static var descriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The most memory that we had so far, in bytes (ru_maxrss of getrusage(2)).
    static var peakResident: Int64 {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return Int64(usage.ru_maxrss) * 1024
    }

    /// Our process group.
    package static var group: Int32 { getpgrp() }

    package static var session: Int32 { getsid(0) }

    /// The user whose rights we have.
    package static var effectiveUser: UInt32 { geteuid() }

    package static var isPrivileged: Bool { geteuid() == 0 }

    /// The session of process `pid`, as getsid(2); fails with ESRCH when there is none.
    package static func session(of pid: Int32) throws(LinuxError) -> Int32 {
        try check(getsid(pid), "getsid", "process \(pid)")
    }

    /// Ends the process by `signal`, without a core dump; returns where the signal does not end it.
    package static func end(by signal: Signal) {
        _ = torpor_prctl(PR_SET_DUMPABLE, 0)
        _ = Glibc.signal(signal.rawValue, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, signal.rawValue)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), signal.rawValue)
    }

    /// Whether this process ignores `signal` (SIG_IGN, sigaction(2)), set by itself or by the program that executed it.
    package static func ignores(_ signal: Signal) -> Bool {
        torpor_ignores(signal.rawValue) != 0
    }

    /// The signals that the calling thread has blocked (pthread_sigmask(3)), in the order of their numbers.
    package static var blockedSignals: [Signal] {
        var set = sigset_t()
        guard unsafe pthread_sigmask(SIG_BLOCK, nil, &set) == 0 else { return [] }
        return Signal.catchable.filter { unsafe sigismember(&set, $0.rawValue) == 1 }
    }

    /// Goes to the root, so that what our directory is on can be unmounted, and returns a descriptor of that directory, above
    /// `number`; nil where we have to stay, since no process that we start could be put into it.
    package static func leaveDirectory(above number: Int32) -> OwnedDescriptor? {
        let opened = unsafe torpor_open_directory(".")
        guard opened >= 0 else { return nil }
        let low = OwnedDescriptor(adopting: opened)
        let moved = fcntl(low.rawValue, F_DUPFD_CLOEXEC, number + 1)
        guard moved >= 0 else { return nil }
        let directory = OwnedDescriptor(adopting: moved)
        // Not every process may enter the directory that it is in.
        guard fchdir(directory.rawValue) == 0, unsafe chdir("/") == 0 else { return nil }
        return directory
    }

    /// Makes this process the parent of its descendants' orphans, as PR_SET_CHILD_SUBREAPER(2const); it then reaps them.
    package static func becomeSubreaper() throws(LinuxError) {
        try check(torpor_prctl(PR_SET_CHILD_SUBREAPER, 1), "PR_SET_CHILD_SUBREAPER")
    }

    /// Whether we are, as PR_GET_CHILD_SUBREAPER(2const) tells.
    package static var isSubreaper: Bool {
        var answer: Int32 = 0
        let result = unsafe withUnsafeMutablePointer(to: &answer) {
            torpor_prctl(PR_GET_CHILD_SUBREAPER, UInt(bitPattern: $0))
        }
        return result == 0 && answer != 0
    }
}
