internal import ConfigurationSyntax
internal import Launching
internal import Linux
internal import SupervisorPorts
internal import WorkerFile

extension LaunchPlan {
    // MARK: directories

    /// Where its state lives: below /var/lib, or below the user's.
    var stateDirectories: [String] {
        paths(execution.stateDirectories, below: context.place.stateDirectory)
    }

    /// Where its runtime files live.
    var runtimeDirectories: [String] {
        paths(execution.runtimeDirectories, below: context.place.runtimeDirectory)
    }

    private func paths(_ relative: [RelativePath], below root: String) -> [String] {
        relative.map { "\(root)/\($0.text)" }
    }

    /// Makes what is missing of them, owned by the worker's user (systemd.exec(5), `StateDirectory=`).
    func makeDirectories() throws(LaunchError) {
        let place = context.place
        let roots = [
            (place.stateDirectory, execution.stateDirectories, "state"),
            (place.runtimeDirectory, execution.runtimeDirectories, "runtime"),
        ]
        for (root, directories, kind) in roots {
            for directory in directories {
                let subject = "cannot create the \(kind) directory \(root)/\(directory.text)"
                try preparing(subject) { () throws(LinuxError) in
                    try Directory.make(
                        directory.text, below: root, mode: 0o755, user: identity.credentials?.user,
                        group: identity.credentials?.group)
                }
            }
        }
    }

    // MARK: standard streams

    /// Opens what becomes descriptors 0, 1 and 2.
    func openStreams(for launch: inout PreparedLaunch) throws(LaunchError) {
        launch.request.standardInput = try input(for: &launch)
        let output = try output(execution.standardOutput, "standard output", for: &launch)
        launch.request.standardOutput = output
        if execution.standardError == .inherit || execution.standardError == execution.standardOutput {
            // One description for both, so that neither writes over the other.
            launch.request.standardError = output
        } else {
            launch.request.standardError = try self.output(
                execution.standardError, "standard error", for: &launch)
        }
    }

    private func input(for launch: inout PreparedLaunch) throws(LaunchError) -> LaunchRequest.Descriptor {
        switch definition.effectiveStandardInput {
        case .inherit: return .inherited
        case .file(let path): return try open(path.text, .reading, "standard input", for: &launch)
        // The host puts its pipe in the place of this.
        case .null, .pipe: return try open("/dev/null", .reading, "standard input", for: &launch)
        }
    }

    private func output(
        _ output: StandardOutput, _ stream: String, for launch: inout PreparedLaunch
    ) throws(LaunchError) -> LaunchRequest.Descriptor {
        switch output {
        // The host puts its pipe in place of the daemon's stream.
        case .inherit: return .inherited
        case .null: return try open("/dev/null", .writing, stream, for: &launch)
        case .file(let path): return try open(path.text, .writing, stream, for: &launch)
        case .append(let path): return try open(path.text, .appending, stream, for: &launch)
        case .truncate(let path): return try open(path.text, .truncating, stream, for: &launch)
        case .journal:
            let identifier = execution.syslogIdentifier?.text ?? name
            guard let journal = context.journal(identifier) else { return .inherited }
            if let stream = journal.identity { announce(ByteString(stream), to: &launch) }
            return .copied(from: launch.keep(journal))
        }
    }

    /// Opens again where its standard output (1) or error (2) goes, at the end of what is there; nil is where that of the daemon goes.
    func reopenOutput(_ number: Int32) -> OwnedDescriptor? {
        let output =
            number == 2 && execution.standardError != .inherit
            ? execution.standardError : execution.standardOutput
        switch output {
        case .inherit: return nil
        case .null: return try? OwnedDescriptor.open("/dev/null", for: .writing)
        case .file(let path), .append(let path), .truncate(let path):
            return try? OwnedDescriptor.open(path.text, for: .appending)
        case .journal: return context.journal(execution.syslogIdentifier?.text ?? name)
        }
    }

    private func open(
        _ path: String, _ purpose: OwnedDescriptor.Purpose, _ stream: String, for launch: inout PreparedLaunch
    ) throws(LaunchError) -> LaunchRequest.Descriptor {
        do throws(LinuxError) {
            return .copied(from: launch.keep(try OwnedDescriptor.open(path, for: purpose)))
        } catch {
            throw LaunchError(error, preparing: "cannot open \(path) for \(stream) of \(name)")
        }
    }

    /// Tells the worker that its output is the journal (systemd.exec(5), `$JOURNAL_STREAM`), unless it was told otherwise.
    private func announce(_ stream: ByteString, to launch: inout PreparedLaunch) {
        if launch.request.environment["JOURNAL_STREAM"] == nil {
            launch.request.environment["JOURNAL_STREAM"] = stream
        }
    }

    private func preparing(_ subject: String, _ work: () throws(LinuxError) -> Void) throws(LaunchError) {
        do throws(LinuxError) { try work() } catch {
            throw LaunchError(error, preparing: subject)
        }
    }
}
