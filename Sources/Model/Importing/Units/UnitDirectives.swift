/// Which directives of units have a counterpart, and why the others have none.
enum UnitDirectives {
    /// A directive of a worker file.
    struct Counterpart {
        let section: String
        let key: String
        /// Whether its value may hold specifiers.
        var takesSpecifiers = false
        /// Whether it is a command line.
        var isCommand = false
    }

    /// The directive that `key` of [Service] becomes; nil where it has no counterpart.
    static func counterpart(ofService key: String) -> Counterpart? {
        if let resource = memory[key] { return Counterpart(section: "Memory", key: resource) }
        if ["CPUWeight", "IOWeight"].contains(key) { return Counterpart(section: "Foreground", key: key) }
        if commands.contains(key) {
            return Counterpart(section: "Worker", key: key, takesSpecifiers: true, isCommand: true)
        }
        if texts.contains(key) { return Counterpart(section: "Worker", key: key, takesSpecifiers: true) }
        if let key = plain[key] { return Counterpart(section: "Worker", key: key) }
        return key.hasPrefix("Limit") ? Counterpart(section: "Worker", key: key) : nil
    }

    /// The directive that `key` of [Socket] becomes; nil where it has no counterpart.
    static func counterpart(ofSocket key: String) -> Counterpart? {
        if [
            "ListenStream", "ListenDatagram", "ListenSequentialPacket", "ListenFIFO", "FileDescriptorName",
            "SocketUser", "SocketGroup",
        ]
        .contains(key) {
            return Counterpart(section: "Foreground", key: key, takesSpecifiers: true)
        }
        let plain = [
            "Backlog", "BindIPv6Only", "FreeBind", "ReusePort", "NoDelay", "KeepAlive", "DeferAcceptSec",
            "RemoveOnStop", "SocketMode", "DirectoryMode",
        ]
        return plain.contains(key) ? Counterpart(section: "Foreground", key: key) : nil
    }

    private static let memory = [
        "MemoryMax": "MemoryMax", "MemoryLimit": "MemoryMax", "MemoryHigh": "MemoryHigh",
        "MemoryPressureWatch": "MemoryPressureWatch",
        "MemoryPressureThresholdSec": "MemoryPressureThresholdSec",
    ]
    private static let commands: Set<String> = ["ExecStartPre", "ExecStartPost", "ExecReload"]
    private static let texts: Set<String> = [
        "Environment", "EnvironmentFile", "PassEnvironment", "UnsetEnvironment", "WorkingDirectory", "User",
        "Group",
        "SupplementaryGroups", "StandardInput", "StandardOutput", "StandardError", "SyslogIdentifier",
        "StateDirectory", "RuntimeDirectory",
    ]
    private static let plain: [String: String] = {
        let same = [
            "Restart", "RestartSec", "RestartSteps", "RestartMaxDelaySec", "SuccessExitStatus",
            "RestartPreventExitStatus", "RestartForceExitStatus", "StartLimitIntervalSec", "StartLimitBurst",
            "TimeoutStartSec", "TimeoutStopSec", "TimeoutSec", "WatchdogSec", "NotifyAccess", "KillSignal",
            "UMask",
            "Nice", "OOMScoreAdjust", "TasksMax", "FileDescriptorStoreMax", "NoNewPrivileges",
        ]
        var keys = Dictionary(uniqueKeysWithValues: same.map { ($0, $0) })
        keys["StartLimitInterval"] = "StartLimitIntervalSec"
        return keys
    }()

    /// Why `key` has no counterpart.
    static func reason(_ key: String) -> String {
        if let reason = reasons[key] { return reason }
        if key.hasPrefix("Condition") || key.hasPrefix("Assert") {
            return "conditions of a launch have no counterpart"
        }
        if sandbox.contains(where: key.hasPrefix) {
            return "sandboxing has no counterpart"
        }
        if [
            "CPU", "IO", "Memory", "Block", "Slice", "Delegate", "IPA", "IPE", "ManagedOOM", "Startup",
            "Allowed",
        ].contains(where: key.hasPrefix) {
            return
                "of resource control CPUWeight=, IOWeight=, MemoryMax=, MemoryHigh= and TasksMax= have counterparts"
        }
        if [
            "CacheDirectory", "LogsDirectory", "ConfigurationDirectory", "RuntimeDirectory", "StateDirectory",
        ].contains(where: key.hasPrefix) {
            return
                "of the directories StateDirectory= and RuntimeDirectory= have counterparts, with the mode 0755; ExecStartPre= can make others"
        }
        return "worker files have no such directive"
    }

    private static let sandbox = [
        "Protect", "Private", "Restrict", "SystemCall", "Capabilit", "AmbientCapabilities", "ReadWritePaths",
        "ReadOnlyPaths", "InaccessiblePaths", "ReadWriteDirectories", "ReadOnlyDirectories",
        "InaccessibleDirectories", "LockPersonality", "MemoryDenyWriteExecute", "DynamicUser", "Device",
        "Root", "BindPaths", "BindReadOnlyPaths", "NoExecPaths", "ExecPaths", "Proc", "KeyringMode",
        "RemoveIPC",
        "AppArmorProfile", "SELinuxContext", "SmackProcessLabel", "SecureBits", "TemporaryFileSystem",
        "MountFlags",
    ]
    private static let reasons = [
        "KillMode": "signals go to all processes of a worker",
        "SendSIGKILL": "what does not end within TimeoutStopSec= is killed",
        "SendSIGHUP": "the stop signal is the only one", "FinalKillSignal": "it is SIGKILL",
        "RestartKillSignal": "KillSignal= is sent in any case",
        "RemainAfterExit": "a oneshot worker is inactive again when its commands have ended",
        "PIDFile": "the main process is the one that was launched",
        "GuessMainPID": "the main process is the one that was launched",
        "BusName": "the owner of a name on the bus shows no readiness here",
        "ExecStopPost": "no command runs after a worker has ended",
        "ExecCondition": "conditions of a launch have no counterpart",
        "RuntimeMaxSec": "the time that a worker may run is not limited",
        "TimeoutAbortSec": "a missed watchdog ends the worker at once",
        "Documentation": "worker files name no documents",
        "DefaultDependencies": "workers have no dependencies but those in their files",
        "Alias": "a worker has one name; a symbolic link NAME.worker is another worker",
        "Also": "give the other unit to torpor import as well",
        "DefaultInstance": "launch the instance by its name",
        "PartOf": "a worker is restarted by itself",
        "Conflicts": "ForegroundGroup= lets one of several be active",
        "Requisite": "Requires= launches what it names",
        "OnSuccess": "OnFailure= has a counterpart, OnSuccess= has none",
        "JoinsNamespaceOf": "workers have no namespaces of their own",
        "TTYPath": "workers have no terminal", "LogLevelMax": "the journal has filters of its own",
        "CPUSchedulingPolicy": "CPUWeight= and Nice= have counterparts",
        "IOSchedulingClass": "IOWeight= has a counterpart",
    ]
}
