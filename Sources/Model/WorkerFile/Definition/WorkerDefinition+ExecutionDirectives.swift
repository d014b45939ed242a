internal import ConfigurationSyntax

extension WorkerDefinition {
    /// The part of [Worker] that systemd.exec(5) describes.
    static let executionDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Worker")
        let directives = [
            section.one(
                "WorkingDirectory", \.execution.workingDirectory,
                "The working directory; “~” is the user's home directory."),
            section.one("User", \.execution.user, "The user to run as."),
            section.one("Group", \.execution.group, "The group to run as."),
            section.many("SupplementaryGroups", \.execution.supplementaryGroups, "Supplementary groups."),
            section.many("Environment", \.execution.environment, "Environment variables."),
            section.lines(
                "EnvironmentFile", \.execution.environmentFiles, "A file of variables, read at each launch."),
            section.many(
                "PassEnvironment", \.execution.passEnvironment, "Variables passed on from the supervisor."),
            section.many(
                "UnsetEnvironment", \.execution.unsetEnvironment, "Variables that are removed last."),
            section.one("UMask", \.execution.umask, "The file mode creation mask."),
            section.number("Nice", \.execution.nice, -20...19, "The nice level."),
            section.number(
                "OOMScoreAdjust", \.execution.oomScoreAdjust, -1000...1000,
                "The adjustment for the kernel's OOM killer."),
            section.one(
                "TasksMax", \.execution.tasksMax,
                "The maximum number of processes and threads; 15% by default."),
            section.one("StandardInput", \.execution.standardInput, "Where standard input comes from."),
            section.one("StandardOutput", \.execution.standardOutput, "Where standard output goes."),
            section.one(
                "StandardError", \.execution.standardError,
                "Where standard error goes; inherit: the same as output."),
            section.one(
                "SyslogIdentifier", \.execution.syslogIdentifier, "The identifier of its lines in the log."),
            section.many("StateDirectory", \.execution.stateDirectories, "Directories created below %S."),
            section.many("RuntimeDirectory", \.execution.runtimeDirectories, "Directories created below %t."),
            section.number(
                "FileDescriptorStoreMax", \.execution.descriptorStoreMax, 0...65_536,
                "How many file descriptors are stored for it."),
            section.one("NoNewPrivileges", \.execution.noNewPrivileges, "Prevent privilege escalation."),
        ]
        return directives + ResourceLimit.Resource.allCases.map(limit)
    }()

    private static func limit(_ resource: ResourceLimit.Resource) -> Directive<Self> {
        DirectiveSection<Self>(name: "Worker").custom(
            "Limit" + resource.rawValue, \.execution.limits[resource],
            expectation: "\(resource.expectation) or infinity, alone or as SOFT:HARD", isClosed: true,
            "The limit RLIMIT_\(resource.rawValue) of setrlimit(2)."
        ) { limit, text, _ throws(ValueError) in
            limit = try ResourceLimit(parsing: text, for: resource)
        }
    }
}
