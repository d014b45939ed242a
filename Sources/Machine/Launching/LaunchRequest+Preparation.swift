internal import CLinux
internal import Cgroups
internal import Glibc
internal import Linux

extension LaunchRequest {
    /// Refuses what the kernel would read otherwise than it was meant: zero bytes inside of strings, and names of
    /// descriptors that would break the list.
    func validate() throws(LaunchError) {
        let strings =
            [executable] + arguments + [name, workingDirectory].compactMap(\.self) + environment.entries
        if let bad = strings.first(where: { $0.bytes.contains(0) }) {
            throw LaunchError(stage: .request, errno: EINVAL, subject: "a NUL byte in '\(bad)'")
        }
        for passed in passedDescriptors {
            let isClean = passed.name.utf8.allSatisfy { $0 > 0x1f && $0 < 0x7f && $0 != UInt8(ascii: ":") }
            guard isClean, passed.name.utf8.count <= 255, passed.source >= 0 else {
                throw LaunchError(stage: .request, errno: EINVAL, subject: "descriptor '\(passed.name)'")
            }
        }
    }

    /// Opens the group's directory for clone3(2); nil when there is none to start in.
    func openGroup() throws(LaunchError) -> Int32? {
        guard let cgroup else { return nil }
        do throws(LinuxError) {
            if try cgroup.isFreezingOrFrozen() {
                throw LinuxError(errno: EBUSY, call: "clone3", subject: cgroup.path)
            }
            return try unsafe check(torpor_open_directory(cgroup.path), "open", cgroup.path)
        } catch {
            let state = error.errno == EBUSY ? " (it is frozen)" : ""
            throw LaunchError(stage: .cgroup, errno: error.errno, subject: cgroup.path + state)
        }
    }

    /// The environment without the variables that the child completes, with the list of passed descriptors.
    var announcedEnvironment: Environment {
        var result = environment
        if announces {
            result["LISTEN_PID"] = nil
            result["LISTEN_FDS"] = ByteString(String(passedDescriptors.count))
            result["LISTEN_FDNAMES"] = ByteString(passedDescriptors.map(\.name).joined(separator: ":"))
        }
        if setsWatchdogPid { result["WATCHDOG_PID"] = nil }
        return result
    }

    /// The variables whose value is the child's pid, which only the child knows in time.
    var pidVariables: [[UInt8]] {
        (announces ? [Array("LISTEN_PID=".utf8)] : [])
            + (setsWatchdogPid ? [Array("WATCHDOG_PID=".utf8)] : [])
    }

    private var announces: Bool { announcesDescriptors && !passedDescriptors.isEmpty }

    /// Signals as the kernel has them, bit 0 for SIGHUP.
    private static func set(of signals: [Signal]) -> UInt64 {
        signals.reduce(0) { $0 | 1 << UInt64($1.rawValue - 1) }
    }

    /// Copies what needs no memory of its own into `plan`.
    func fill(_ plan: inout torpor_launch) {
        unsafe plan.terminal = -1
        unsafe plan.working_descriptor = workingDescriptor ?? -1
        unsafe plan.ignored = Self.set(of: ignoredSignals)
        unsafe plan.blocked = Self.set(of: blockedSignals)
        switch session {
        case .ownSession: unsafe plan.session = TORPOR_SESSION_OWN_SESSION
        case .ownProcessGroup(let terminal):
            unsafe plan.session = TORPOR_SESSION_OWN_GROUP
            unsafe plan.terminal = terminal ?? -1
        case .asIs: unsafe plan.session = TORPOR_SESSION_AS_IS
        }
        unsafe plan.standard = (standardInput.source, standardOutput.source, standardError.source)
        unsafe plan.keeps_descriptors = inheritsDescriptors ? 1 : 0
        unsafe plan.notices_binds = noticesBinds ? 1 : 0
        unsafe plan.wants_pidfd = wantsPidfd ? 1 : 0
        unsafe plan.parent_death_signal = parentDeathSignal?.rawValue ?? 0
        unsafe (plan.sets_umask, plan.umask) = Self.option(confinement.umask.map { Int32($0 & 0o7777) })
        unsafe (plan.sets_nice, plan.nice) = Self.option(confinement.nice)
        unsafe (plan.sets_io_priority, plan.io_priority) = Self.option(confinement.ioPriority)
        unsafe plan.no_new_privileges = confinement.noNewPrivileges ? 1 : 0
        unsafe (plan.sets_uid, plan.uid) = Self.option(credentials?.user)
        unsafe (plan.sets_gid, plan.gid) = Self.option(credentials?.group)
        unsafe plan.sets_groups = credentials?.supplementaryGroups == nil ? 0 : 1
    }

    private static func option<Number: FixedWidthInteger>(_ value: Number?) -> (Int32, Number) {
        (value == nil ? 0 : 1, value ?? 0)
    }
}

extension LaunchRequest.Descriptor {
    /// The descriptor to copy; -1 for none.
    fileprivate var source: Int32 {
        switch self {
        case .inherited: -1
        case .copied(let source): source
        }
    }
}
