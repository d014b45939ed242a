internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import Places
internal import SupervisorPorts
internal import Varlink
internal import WorkerFile

extension LaunchPlan {
    /// The whole environment of a launch, put together in systemd's order (systemd.exec(5), "Environment variables"): of
    /// two of one name the later one counts.
    ///
    /// `verdict` is what becomes of the saved state that is handed back.
    func environment(
        for launch: Launch, _ details: LaunchDetails, _ verdict: StateVersion.Verdict? = nil
    ) throws(LaunchError) -> Environment {
        var environment = Environment()
        setBase(of: &environment)
        setLogin(in: &environment)
        setOurs(for: launch, details, in: &environment)
        setRestore(details, verdict, in: &environment)
        for name in execution.passEnvironment {
            if let value = context.environment[name.text] { environment[name.text] = value }
        }
        environment.set(execution.environment.lazy.map { ($0.name, ByteString($0.value)) })
        for reference in execution.environmentFiles {
            environment.set(try variables(of: reference).lazy.map { ($0.name, ByteString($0.value)) })
        }
        for unset in execution.unsetEnvironment {
            guard let value = environment[unset.name] else { continue }
            if unset.value.map({ ByteString($0) == value }) ?? true { environment[unset.name] = nil }
        }
        return environment
    }

    /// What every worker has: nothing of the supervisor's own is inherited but the language.
    private func setBase(of environment: inout Environment) {
        environment["PATH"] = ByteString(LaunchContext.searchPath.joined(separator: ":"))
        if let language = context.environment["LANG"] { environment["LANG"] = language }
        if !context.isRoot {
            environment["XDG_RUNTIME_DIR"] = ByteString(context.place.runtimeDirectory)
        }
    }

    /// The login: of `User=`, and of the user whose supervisor this is.
    private func setLogin(in environment: inout Environment) {
        let place = context.place
        let account = identity.account
        guard account != nil || !context.isRoot else { return }
        let name = account.map(\.name) ?? place.user
        let values = [
            ("USER", name), ("LOGNAME", name), ("HOME", account.map(\.home) ?? place.home),
            ("SHELL", account.map(\.shell) ?? place.shell),
        ]
        for (variable, value) in values {
            if let value, !value.isEmpty { environment[variable] = ByteString(value) }
        }
    }

    /// The contract of 3.3.
    private func setOurs(for launch: Launch, _ details: LaunchDetails, in environment: inout Environment) {
        if let period = definition.watchdog {
            environment["WATCHDOG_USEC"] = ByteString(String(period.microseconds))
        }
        let directories = [
            ("RUNTIME_DIRECTORY", runtimeDirectories), ("STATE_DIRECTORY", stateDirectories),
        ]
        for (variable, paths) in directories where !paths.isEmpty {
            environment[variable] = ByteString(paths.joined(separator: ":"))
        }
        if execution.descriptorStoreMax > 0 {
            environment["FDSTORE"] = ByteString(String(execution.descriptorStoreMax))
        }
        environment["TORPOR_WORKER"] = ByteString(name)
        environment["TORPOR_SUPERVISOR"] = context.supervisor.map { ByteString($0) }
        environment["TORPOR_LAUNCH_STATE"] = launch.intoForeground ? "foreground" : "background"
        environment["TORPOR_LAUNCH_REASON"] = ByteString(launch.reason.rawValue)
        if launch.isRestored { environment["TORPOR_LAUNCH_RESTORED"] = "1" }
        environment["TORPOR_LAUNCH_OPTIONS"] = ByteString(JSON.object(details.options).text)
        if launch.reason == .activity, let activity = details.options["activity"]?.object {
            environment["TORPOR_ACTIVITY_TYPE"] = activity["type"]?.string.map { ByteString($0) }
            environment["TORPOR_ACTIVITY_TEXT"] = activity["payload"]?.object?["text"]?.string
                .map { ByteString($0) }
        }
    }

    /// The saved state: where another version saved it, that is said beside it, and where it is dropped there is none.
    private func setRestore(
        _ details: LaunchDetails, _ verdict: StateVersion.Verdict?, in environment: inout Environment
    ) {
        guard let state = details.savedState else { return }
        switch verdict {
        case .dropped: return
        case .other(let version): environment["TORPOR_RESTORE_VERSION"] = ByteString(version ?? "")
        case .same, nil: break
        }
        environment["TORPOR_RESTORE"] = ByteString(state.file)
    }

    // MARK: files of variables

    private func variables(of reference: EnvironmentFileReference) throws(LaunchError)
        -> [EnvironmentVariable]
    {
        let pattern = reference.pattern
        // The supervisor reads it, so that a worker is not to choose which file that is.
        let source = DiskFileSource(trusting: .ownLinks)
        do throws(FileSourceError) {
            let paths = try pattern.paths(in: source)
            guard !paths.isEmpty else { throw FileSourceError(path: pattern.pattern, reason: "no such file") }
            var variables: [EnvironmentVariable] = []
            for path in paths {
                let bytes = try source.read(path, limit: ConfigurationFile.Bounds().file)
                let file = EnvironmentFile(path: path, bytes: bytes)
                if let error = file.diagnostics.first(where: { $0.severity == .error }) {
                    throw FileSourceError(path: path, reason: "line \(error.line): \(error.problem)")
                }
                variables += file.variables
            }
            return variables
        } catch {
            if reference.mayBeMissing, !error.isRefusal { return [] }
            throw LaunchError(stage: .preparation, errno: 0, subject: "EnvironmentFile=: \(error)")
        }
    }
}

extension PathGlob {
    /// The paths that match, in the order of their names; a pattern without `*`, `?` and `[` is a path itself.
    func paths(in source: DiskFileSource) throws(FileSourceError) -> [String] {
        guard pattern.utf8.contains(where: Self.isMagic) else { return [pattern] }
        var found = [""]
        for part in pattern.split(separator: "/") {
            guard part.utf8.contains(where: Self.isMagic) else {
                found = found.map { "\($0)/\(part)" }
                continue
            }
            guard let glob = try? PathGlob(parsing: "/\(part)") else { return [] }
            var next: [String] = []
            for directory in found {
                // What is no directory has nothing in it.
                let names = (try? source.names(in: directory.isEmpty ? "/" : directory)) ?? []
                next += names.filter { glob.matches("/\($0)") && ($0.first != "." || part.first == ".") }
                    .sorted()
                    .map { "\(directory)/\($0)" }
            }
            found = next
        }
        var existing: [String] = []
        for path in found where try source.kind(of: path) != nil { existing.append(path) }
        return existing
    }

    private static func isMagic(_ byte: UInt8) -> Bool { "*?[".utf8.contains(byte) }
}
