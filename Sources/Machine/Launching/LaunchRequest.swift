package import Cgroups
package import Linux

/// A program to start, and everything about the process that it becomes.
///
/// What is not set is inherited from this process, but for signals: the child starts with none blocked, none ignored but
/// ``ignoredSignals``, and no handler. ``launch()`` carries it out.
package struct LaunchRequest: Hashable, Sendable {
    /// The program: searched in the `PATH` of ``environment`` as execvp(3) does, or taken as it is with a slash in it.
    package var executable: ByteString
    /// The arguments after the program's name.
    package var arguments: [ByteString]
    /// What the program is told is its name (`argv[0]`); nil for ``executable``.
    package var name: ByteString?
    /// The whole environment of the child.
    package var environment: Environment
    /// The directory it starts in; nil inherits it.
    package var workingDirectory: ByteString?
    /// The same by a descriptor, which stays the caller's and is closed on exec, where ``workingDirectory`` is nil.
    package var workingDescriptor: Int32?
    /// The signals that it ignores from the start.
    package var ignoredSignals: [Signal] = []
    /// The signals that are blocked from the start.
    package var blockedSignals: [Signal] = []
    /// Its place among sessions and process groups.
    package var session = Session.ownSession
    /// Its descriptors 0, 1 and 2.
    package var standardInput = Descriptor.inherited
    /// Descriptor 1.
    package var standardOutput = Descriptor.inherited
    /// Descriptor 2.
    package var standardError = Descriptor.inherited
    /// The descriptors placed from 3 upward, in order; every other one from there on is closed.
    package var passedDescriptors: [PassedDescriptor] = []
    /// Whether the descriptors that we were started with, and that are not closed on exec, are left to it where no passed
    /// one takes their number, as with a plain execve(2).
    package var inheritsDescriptors = false
    /// Whether LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES tell of the passed descriptors, as sd_listen_fds(3) reads them.
    package var announcesDescriptors = true
    /// Whether WATCHDOG_PID is set to the child's pid, as sd_watchdog_enabled(3) reads it.
    package var setsWatchdogPid = false
    /// The group it is born in; nil inherits it.
    package var cgroup: Cgroup?
    /// The user it becomes; nil inherits it.
    package var credentials: Credentials?
    /// Its scheduling, limits and privileges.
    package var confinement = Confinement()
    /// The signal it gets when the thread that launched it ends, as PR_SET_PDEATHSIG(2const); nil for none.
    package var parentDeathSignal: Signal?
    /// Whether ``LaunchedProcess`` brings a pidfd, which costs a descriptor for as long as it is held.
    package var wantsPidfd = true
    /// Whether its bind(2), and that of all processes which come from it, waits for answers by what ``LaunchedProcess`` brings
    /// (seccomp_unotify(2)).
    ///
    /// Without CAP_SYS_ADMIN this costs it new privileges (PR_SET_NO_NEW_PRIVS(2const)).
    package var noticesBinds = false

    /// A launch of `executable` with `arguments` in `environment`, in a session of its own, else as we are.
    package init(_ executable: ByteString, _ arguments: [ByteString] = [], environment: Environment) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// The child's place among sessions and process groups, as in credentials(7).
    package enum Session: Hashable, Sendable {
        /// It leads a new session; if its stdin is a terminal that no session has, that becomes its own.
        case ownSession
        /// It leads a new process group in our session, and takes the foreground of `terminal` if there is one.
        case ownProcessGroup(terminal: Int32?)
        /// It is in our process group.
        case asIs
    }

    /// Where a standard descriptor comes from.
    package enum Descriptor: Hashable, Sendable {
        /// That of this process with the same number.
        case inherited
        /// A copy of descriptor `source`, which stays the caller's.
        case copied(from: Int32)
    }

    /// A descriptor that the child gets a copy of, with the name it is announced by.
    package struct PassedDescriptor: Hashable, Sendable {
        /// The descriptor, which stays the caller's.
        package let source: Int32
        /// Its name in LISTEN_FDNAMES; colons and control characters are not allowed.
        package let name: String

        /// A copy of `source` under `name`.
        package init(_ source: Int32, name: String = "unknown") {
            self.source = source
            self.name = name
        }
    }

    /// The user that a child becomes, by setgroups(2), setresgid(2) and setresuid(2) in this order.
    package struct Credentials: Hashable, Sendable {
        /// The user id; nil inherits it.
        package var user: UInt32?
        /// The group id; nil inherits it.
        package var group: UInt32?
        /// The supplementary groups; nil inherits them.
        package var supplementaryGroups: [UInt32]?

        /// A change of what is given.
        package init(user: UInt32? = nil, group: UInt32? = nil, supplementaryGroups: [UInt32]? = nil) {
            self.user = user
            self.group = group
            self.supplementaryGroups = supplementaryGroups
        }
    }
}
