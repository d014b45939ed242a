package import ConfigurationSyntax
package import Linux
internal import WorkerFile

/// Where the daemon of this user finds its configuration, in the order in which later ones win.
package enum ConfigurationDirectories {
    /// The system's for root; for any other user the one in `$XDG_CONFIG_HOME`, or in `~/.config`.
    ///
    /// A user that has neither variable nor home has none.
    package static func standard(environment: Environment = .current, isRoot: Bool = ThisProcess.isRoot)
        -> [String]
    {
        if isRoot { return WorkerLoader<DiskFileSource>.systemDirectories }
        let account = try? UserAccount.numbered(ThisProcess.user)
        let home = environment.path("HOME") ?? account?.home
        let base = environment.path("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
        return base.map { [$0 + "/torpor"] } ?? []
    }
}

extension SpecifierContext.Place {
    /// This machine and this user, as systemd.unit(5) has its specifiers for a system's or a user's manager.
    ///
    /// The user's name may have to be asked from the network: this is for start and reload, not for between.
    package static func here(environment: Environment = .current, isRoot: Bool = ThisProcess.isRoot)
        -> Self
    {
        var place = Self()
        let machine = Machine.current
        let account = (try? UserAccount.numbered(ThisProcess.user)).flatMap { $0 }
        place.home = environment.path("HOME") ?? account?.home
        place.shell = account?.shell
        place.user = account?.name
        place.uid = ThisProcess.user
        place.gid = ThisProcess.userGroup
        place.group = (try? GroupAccount.numbered(ThisProcess.userGroup)).flatMap { $0?.name }
        place.hostName = machine.hostName
        place.kernelRelease = machine.kernelRelease
        place.architecture = machine.architecture
        place.machineID = identifier(in: "/etc/machine-id")
        place.bootID = identifier(in: "/proc/sys/kernel/random/boot_id")
        if let temporary = ["TMPDIR", "TEMP", "TMP"].lazy.compactMap({ environment.path($0) }).first {
            place.temporaryDirectory = temporary
            place.persistentTemporaryDirectory = temporary
        }
        if !isRoot { place.takeUserDirectories(from: environment) }
        return place
    }

    /// The XDG base directories.
    private mutating func takeUserDirectories(from environment: Environment) {
        let home = home ?? "/"
        runtimeDirectory = environment.path("XDG_RUNTIME_DIR") ?? "/run/user/\(ThisProcess.user)"
        configurationDirectory = environment.path("XDG_CONFIG_HOME") ?? home + "/.config"
        stateDirectory = environment.path("XDG_STATE_HOME") ?? home + "/.local/state"
        cacheDirectory = environment.path("XDG_CACHE_HOME") ?? home + "/.cache"
        logsDirectory = stateDirectory + "/log"
    }

    /// An identifier of machine-id(5), without its dashes; nil where there is none.
    private static func identifier(in path: String) -> String? {
        // The kernel's file says that it is empty: it is read like any other all the same.
        guard let bytes = try? RegularFile.read(path, limit: 256) else { return nil }
        let digits = bytes.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }
        let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return digits.count == 32 && isHexadecimal ? String(decoding: digits, as: UTF8.self) : nil
    }
}
