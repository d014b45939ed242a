internal import CLinux
internal import Cgroups
internal import Glibc
package import Linux

/// A child that runs its program.
package struct LaunchedProcess: ~Copyable, Sendable {
    /// Its process id; the caller reaps it.
    package let pid: Int32
    /// Whether it has the foreground of the terminal that it was to take.
    package let ownsTerminal: Bool
    private var pidfd: Pidfd?
    /// Why its bind(2) does not wait for answers, as in errno(3); 0 where it does, or was not to.
    package let bindErrno: Int32
    private var bindListener: OwnedDescriptor?

    init(
        pid: Int32, ownsTerminal: Bool, pidfd: consuming Pidfd?, bindListener: consuming OwnedDescriptor?,
        bindErrno: Int32
    ) {
        self.pid = pid
        self.ownsTerminal = ownsTerminal
        self.pidfd = pidfd
        self.bindListener = bindListener
        self.bindErrno = bindErrno
    }

    /// Hands over that by which its bind(2) is told and answered, once; nil where that was not wanted, or could not be had.
    package mutating func takeBindListener() -> OwnedDescriptor? {
        bindListener.take()
    }

    /// Hands over the pidfd, once; nil when none was wanted.
    package mutating func takePidfd() -> Pidfd? {
        pidfd.take()
    }
}

extension LaunchRequest {
    /// Starts the process and returns when it executes its program.
    ///
    /// The calling thread waits for execve(2), some 50 µs as a rule, and for ever where a file system does not answer or
    /// another process of the child's user stops it: an event loop leaves this to a ``LaunchThreads``. Our memory is shared
    /// with the child until then, and all signals of this thread are held back. The child is born in its cgroup, so nothing
    /// is charged elsewhere first; a frozen group is refused.
    ///
    /// With a `ticket`, another thread can end the child meanwhile, and a child that does not execute is left for the
    /// reaper of that thread.
    package func launch(ticket: LaunchTicket? = nil) throws(LaunchError) -> LaunchedProcess {
        try validate()
        let group = try openGroup()
        defer { if let group { close(group) } }

        let candidates = ExecutableSearch.candidates(for: executable, path: environment["PATH"])
        let argv = [name ?? executable] + arguments
        let variables = announcedEnvironment.entries
        let strings = candidates + argv + variables
        // Twice the arguments: a script without #! is handed to the shell with them.
        var memory = LaunchMemory(
            bytes: (strings + arguments).reduce(workingDirectory.map { $0.bytes.count } ?? 0) {
                $0 + $1.bytes.count + 1
            }
                + 160,
            slots: strings.count + arguments.count + 12)

        var plan = unsafe torpor_launch()
        unsafe plan.candidates = UnsafePointer(memory.array(candidates))
        unsafe plan.arguments = UnsafePointer(memory.array(argv))
        let shell = unsafe memory.array(["/bin/sh", ""] + arguments)
        unsafe plan.shell_arguments = shell
        let environ = unsafe memory.array(variables, spare: 2)
        unsafe plan.environment = UnsafePointer(environ)
        for (index, variable) in pidVariables.enumerated() {
            let entry = unsafe memory.string(variable, room: Self.pidDigits)
            unsafe environ[variables.count + index] = entry
            let room = unsafe entry + variable.count
            if index == 0 { unsafe plan.pid_rooms.0 = room } else { unsafe plan.pid_rooms.1 = room }
        }
        if let directory = workingDirectory {
            unsafe plan.working_directory = UnsafePointer(memory.string(directory.bytes))
        }
        if let score = confinement.oomScoreAdjustment {
            unsafe plan.oom_score = UnsafePointer(memory.string(Array(String(score).utf8)))
        }
        unsafe plan.cgroup = group ?? -1
        unsafe fill(&plan)
        ticket?.begin(self)
        guard let ticket else { return try unsafe start(&plan) }
        unsafe plan.leaves_reaping = 1
        unsafe plan.told = ticket.told
        // The place belongs to the ticket.
        return try withExtendedLifetime(ticket) { () throws(LaunchError) in try unsafe start(&plan) }
    }

    /// The longest pid, with a digit to spare.
    private static let pidDigits = 11

    /// Lends the arrays to the plan and runs it.
    private func start(_ plan: inout torpor_launch) throws(LaunchError) -> LaunchedProcess {
        var passed = passedDescriptors.map(\.source)
        var limits = confinement.limits.map {
            torpor_limit(resource: $0.resource, soft: $0.soft, hard: $0.hard)
        }
        let descriptors = Int32(RLIMIT_NOFILE.rawValue)
        // This process may have far more than its children can bear.
        if let usual = ThisProcess.initialDescriptorLimit,
            !limits.contains(where: { $0.resource == descriptors })
        {
            limits.append(torpor_limit(resource: descriptors, soft: usual.soft, hard: usual.hard))
        }
        let groups = credentials?.supplementaryGroups ?? []
        unsafe plan.passed_count = Int32(passed.count)
        unsafe plan.limit_count = Int32(limits.count)
        unsafe plan.group_count = Int32(groups.count)
        let pid = unsafe passed.withUnsafeMutableBufferPointer { passed in
            unsafe limits.withUnsafeBufferPointer { limits in
                unsafe groups.withUnsafeBufferPointer { groups in
                    unsafe plan.passed = passed.baseAddress
                    unsafe plan.limits = limits.baseAddress
                    unsafe plan.groups = groups.baseAddress
                    return unsafe torpor_launch(&plan)
                }
            }
        }
        if let stage = LaunchError.Stage(unsafe plan.stage) { throw failure(stage, unsafe plan.error) }
        let pidfd = unsafe plan.pidfd
        let listener = unsafe plan.bind_listener
        return LaunchedProcess(
            pid: pid, ownsTerminal: unsafe plan.owns_terminal != 0,
            pidfd: pidfd >= 0 ? Pidfd(owning: pidfd) : nil,
            bindListener: listener >= 0 ? OwnedDescriptor(adopting: listener) : nil,
            bindErrno: unsafe plan.bind_error)
    }

    private func failure(_ stage: LaunchError.Stage, _ errno: Int32) -> LaunchError {
        let subject =
            switch stage {
            case .workingDirectory: workingDirectory?.description
            case .cgroup: cgroup?.path
            default: executable.description
            }
        // Another user may not see what we see: of files that are looked for with its rights nothing is told.
        let directory = workingDirectory ?? workingDescriptor.map { ByteString("/proc/self/fd/\($0)") }
        let need =
            stage == .exec && credentials == nil && [ENOENT, ENOTDIR].contains(errno)
            ? MissingInterpreter.clause(for: executable, path: environment["PATH"], in: directory) : nil
        return LaunchError(stage: stage, errno: errno, subject: subject ?? "", need: need)
    }
}
