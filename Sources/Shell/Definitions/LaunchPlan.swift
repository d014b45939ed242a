package import ConfigurationSyntax
internal import Idleness
internal import Launching
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
package import WorkerFile

/// A loaded worker with all that is found out once, and how each of its launches is prepared.
///
/// One object per worker: the code that keeps workers keeps this, and its configuration refers to it.
package final class LaunchPlan: Sendable {
    /// What its files say.
    package let worker: LoadedWorker
    /// The user and groups that it runs as.
    package let identity: WorkerIdentity
    /// What is around it.
    let context: LaunchContext

    /// What is held for it, with the owners of files.
    let heldSockets: [HeldSocket]

    /// A plan for `worker`; fails with the one line that says what is wrong when an account is not to be had.
    ///
    /// Looking accounts up may wait for the network (nsswitch.conf(5)): this is for start and reload.
    package init(_ worker: LoadedWorker, in context: LaunchContext) throws(Diagnostic) {
        do throws(IdentityError) {
            let foreground = worker.definition.foreground
            identity = try WorkerIdentity(worker.definition.execution)
            heldSockets = foreground.heldSockets(
                user: try foreground.socketUser.map(WorkerIdentity.socketUser),
                group: try foreground.socketGroup.map(WorkerIdentity.socketGroup))
        } catch {
            throw Diagnostic(
                .error, file: worker.files.first ?? worker.name.fileName, key: error.key,
                problem: error.problem)
        }
        self.worker = worker
        self.context = context
    }

    var definition: WorkerDefinition { worker.definition }
    var execution: WorkerDefinition.Execution { worker.definition.execution }
    /// Its name, as text.
    package var name: String { worker.name.text }

    /// Gets a launch ready: makes directories, reads files of variables, opens its output.
    func prepare(_ launch: Launch, _ details: LaunchDetails = .init()) throws(LaunchError) -> PreparedLaunch {
        guard let command = definition.command else {
            throw LaunchError(stage: .preparation, errno: 0, subject: "\(name) has no ExecStart=")
        }
        try makeDirectories()
        let found = launchedProgram(command, details)
        let environment = try environment(for: launch, details, found.verdict)
        var request = request(for: command, environment, url: details.url)
        request.setsWatchdogPid = definition.watchdog != nil
        var prepared = PreparedLaunch(request)
        prepared.program = found
        try openStreams(for: &prepared)
        return prepared
    }

    /// The version of a program that saves state, and what becomes of the state that it is handed.
    private func launchedProgram(_ command: Command, _ details: LaunchDetails) -> LaunchedProgram {
        var found = LaunchedProgram()
        guard
            details.savedState != nil || definition.type == .app
                || definition.callbacks.actions[.saveState] != nil
        else { return found }
        found.version = definition.stateVersion.name ?? BuildID.ofProgram(program(of: command))
        found.verdict = details.savedState.map {
            definition.stateVersion.verdict(on: $0.version, for: found.version)
        }
        return found
    }

    /// The environment of commands that run before the main process (`ExecStartPre=`), and of hooks of one that a predecessor has launched:
    /// of the saved state they see what the main process is to see.
    func environmentOfCommands(
        for launch: Launch, _ details: LaunchDetails
    ) throws(LaunchError) -> Environment {
        guard details.savedState != nil, let command = definition.command else {
            return try environment(for: launch, details)
        }
        return try environment(for: launch, details, launchedProgram(command, details).verdict)
    }

    /// Gets the process of a hook ready: a command as its worker's user, where the worker is and with what it may do.
    func prepareHook(_ call: HookCall, _ environment: Environment) throws(LaunchError) -> PreparedLaunch {
        // The main process's own preparation comes later.
        if call.command?.phase == .startPre { try makeDirectories() }
        let prepared = PreparedLaunch(
            request(
                for: try definition.command(for: call), environment,
                url: environment["TORPOR_URL"]?.description))
        return try prepared.withNullInput()
    }

    /// Gets the holder of a transfer ready: as the worker's user, where the worker is or where the caller says, with the worker's
    /// environment but for what its own processes alone are given.
    func prepareTransfer(_ call: TransferCall) throws(LaunchError) -> PreparedLaunch {
        try makeDirectories()
        let launch = Launch(incarnation: 0, reason: .transfer, intoForeground: false, restoresState: false)
        var environment = try environment(for: launch, .init())
        for name in [
            "WATCHDOG_USEC", "FDSTORE", "TORPOR_LAUNCH_STATE", "TORPOR_LAUNCH_REASON",
            "TORPOR_LAUNCH_OPTIONS",
        ] {
            environment[name] = nil
        }
        environment["TORPOR_TRANSFER"] = ByteString(String(call.number))
        var request = LaunchRequest(
            ByteString(call.command[0]), call.command.dropFirst().map { ByteString($0) },
            environment: environment)
        request.workingDirectory = ByteString(call.directory ?? workingDirectory)
        request.credentials = identity.credentials
        request.confinement = confinement
        if let size = definition.background.transferFileSizeMax?.bytes {
            let resource = ConfigurationSyntax.ResourceLimit.Resource.fileSize.number
            request.confinement.limits.removeAll { $0.resource == resource }
            request.confinement.limits.append(.init(resource: resource, soft: size, hard: size))
        }
        return try PreparedLaunch(request).withNullInput()
    }

    private func request(for command: Command, _ environment: Environment, url: String?) -> LaunchRequest {
        var request = LaunchRequest(
            command, program: program(of: command), environment: environment, url: url)
        request.workingDirectory = ByteString(workingDirectory)
        request.credentials = identity.credentials
        request.confinement = confinement
        return request
    }

    /// The program with its directory, as far as the usual ones have it: a PATH of the worker's own changes nothing
    /// (systemd.service(5), "Command lines").
    private func program(of command: Command) -> String {
        if command.program.utf8.contains(UInt8(ascii: "/")) { return command.program }
        return ExecutableSearch.find(command.program, in: LaunchContext.searchPath) ?? command.program
    }

    private var workingDirectory: String {
        let directory: String
        switch execution.workingDirectory?.location {
        case .path(let path): directory = path.text
        case .home: directory = identity.account?.home ?? context.place.home ?? "/"
        case nil: directory = context.isRoot ? "/" : context.place.home ?? "/"
        }
        guard execution.workingDirectory?.mayBeMissing ?? false else { return directory }
        let kind = try? RegularFile.kind(of: directory)
        return kind == .directory ? directory : "/"
    }

    private var confinement: Confinement {
        var confinement = Confinement()
        confinement.umask = UInt32(execution.umask.bits)
        confinement.nice = execution.nice.map(Int32.init)
        confinement.oomScoreAdjustment = execution.oomScoreAdjust.map(Int32.init)
        confinement.noNewPrivileges = execution.noNewPrivileges
        confinement.limits = execution.limits.sorted { $0.key.number < $1.key.number }.map {
            resource, limit in
            let limit = Confinement.ResourceLimit(
                resource: resource.number, soft: limit.soft ?? .max, hard: limit.hard ?? .max)
            // What we may not raise is set as high as it goes, as systemd does.
            return context.raisesLimits ? limit : limit.fitted
        }
        return confinement
    }
}

extension ConfigurationSyntax.ResourceLimit.Resource {
    /// RLIMIT_* of asm-generic/resource.h, which x86, ARM and RISC-V share.
    var number: Int32 {
        switch self {
        case .cpu: 0
        case .fileSize: 1
        case .data: 2
        case .stack: 3
        case .core: 4
        case .residentSet: 5
        case .processes: 6
        case .openFiles: 7
        case .lockedMemory: 8
        case .addressSpace: 9
        case .locks: 10
        case .pendingSignals: 11
        case .messageQueues: 12
        case .nice: 13
        case .realTimePriority: 14
        case .realTimeTime: 15
        }
    }
}
