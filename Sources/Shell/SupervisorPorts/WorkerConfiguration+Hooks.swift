package import ConfigurationSyntax
package import Launching
package import Lifecycle
package import Linux
internal import Notifications
package import WorkerFile

extension WorkerConfiguration {
    /// Takes over what a definition does for callbacks, and what that needs; `prepare` gets the process of a command ready.
    package func takeHooks(
        of definition: WorkerDefinition,
        prepare: @escaping @Sendable (HookCall, Environment) throws(LaunchError) -> PreparedLaunch
    ) {
        hooks = [:]
        for (callback, action) in definition.callbacks.actions {
            guard let hook = definition.hook(action, for: callback) else { continue }
            hooks[callback] = hook
            if hook.action == .command { prepareHook = prepare }
        }
        notificationHooks = [:]
        for (topic, action) in definition.notifications.actions {
            guard let hook = Hook(action, completes: action.isCommand ? .exit : .immediately) else {
                continue
            }
            notificationHooks[topic] = hook
            if hook.action == .command { prepareHook = prepare }
        }
        commands = ServiceCommands(definition)
        if !commands.isEmpty { prepareHook = prepare }
        activityTypes = definition.activityTypes
        activityHook = ServiceCommands.all(.userActivity, of: definition).first
        if activityHook != nil { prepareHook = prepare }
        alerts = definition.notifications.alerts
        untilForeground = Set(definition.notifications.untilForeground.compactMap { Topic($0.text) })
        wakesForSilentPosts = definition.background.modes.contains(.remoteNotification)
        holdsInput = definition.effectiveStandardInput == .pipe
        capturesOutput = definition.capturesOutput
        snapshotRedact = definition.snapshot == false ? nil : definition.snapshotRedact
    }
}

extension WorkerDefinition {
    fileprivate func hook(_ action: CallbackAction, for callback: Callback) -> Hook? {
        completion(of: callback).flatMap { Hook(action, completes: $0) }
    }
}

extension Hook {
    /// What a file says that is to be done; nil for a signal that there is not.
    fileprivate init?(_ action: CallbackAction, completes completion: CallbackCompletion) {
        switch action {
        case .signal(let number):
            guard let signal = Signal(rawValue: number.number) else { return nil }
            self.init(.signal(signal), completes: completion)
        case .stdin(let line): self.init(.input(line), completes: completion)
        case .exec(let command):
            self.init(.command, completes: completion)
            ignoresFailure = command.ignoresFailure
        }
        text = action.spelling
    }
}

extension CallbackAction {
    /// What a file says that is to be done, in one line.
    fileprivate var spelling: String {
        switch self {
        case .signal(let number): "signal:\(number)"
        case .stdin(let line): "stdin:\(line)"
        case .exec(let command):
            "exec:"
                + ([command.program] + command.arguments.map(\.spelling)).map { word in
                    word.isEmpty || word.contains(where: \.isWhitespace) ? "'\(word)'" : word
                }.joined(separator: " ")
        }
    }

    fileprivate var isCommand: Bool {
        guard case .exec = self else { return false }
        return true
    }
}

extension WorkerDefinition {
    /// The command that is run for a hook: that of its topic, or that of its callback.
    package func command(for call: HookCall) throws(LaunchError) -> Command {
        if let command = call.command { return try self.command(for: command) }
        if let topic = call.topic, case .exec(let command) = notifications.actions[topic] { return command }
        return try callbacks.command(for: call.callback)
    }
}

extension ServiceCommands {
    /// The commands that `definition` has.
    package init(_ definition: WorkerDefinition) {
        self.init(
            startPre: Self.all(.startPre, of: definition), startPost: Self.all(.startPost, of: definition),
            reload: Self.all(.reload, of: definition))
    }

    /// Those of one phase, in their order.
    static func all(_ phase: ServiceCommand.Phase, of definition: WorkerDefinition) -> [ServiceCommand] {
        definition.steps(of: phase).enumerated().map { index, step in
            var command = ServiceCommand(
                phase, index, key: step.key, program: step.command.program,
                arguments: step.command.arguments.map(\.spelling),
                ignoresFailure: step.command.ignoresFailure)
            if step.key == StartSequence.mainKey {
                command.success = .init(definition.restart.successStatus)
            }
            return command
        }
    }
}

extension WorkerDefinition {
    fileprivate func steps(of phase: ServiceCommand.Phase) -> [StartSequence.Step] {
        switch phase {
        case .startPre: StartSequence(self).before
        case .startPost: StartSequence(self).after
        case .reload: reloadCommands.map { StartSequence.Step("ExecReload", $0) }
        case .userActivity:
            if case .exec(let command) = callbacks.userActivity {
                [StartSequence.Step("UserActivity", command)]
            } else {
                []
            }
        }
    }

    /// The command line of a command that belongs to no callback.
    fileprivate func command(for command: ServiceCommand) throws(LaunchError) -> Command {
        let steps = steps(of: command.phase)
        guard steps.indices.contains(command.index) else {
            throw LaunchError(
                stage: .preparation, errno: 0, subject: "no \(command) was configured when it was launched")
        }
        return steps[command.index].command
    }
}

extension WorkerDefinition.Callbacks {
    /// The command that is run for `callback`.
    package func command(for callback: Callback) throws(LaunchError) -> Command {
        guard case .exec(let command) = actions[callback] else {
            throw LaunchError(
                stage: .preparation, errno: 0,
                subject: "no command for \(callback.rawValue) was configured when it was launched")
        }
        return command
    }
}

extension LaunchRequest {
    /// The launch of a command line whose program was found to be `program`, with what `environment` has for its variables and
    /// `url` for its `%u`.
    package init(_ command: Command, program: String, environment: Environment, url: String? = nil) {
        let arguments = command.argumentVector(
            variable: { environment[$0]?.description },
            marker: { $0 == UInt8(ascii: "u") ? url : nil })
        self.init(
            ByteString(program), arguments.dropFirst().map { ByteString($0) }, environment: environment)
        name = arguments.first.map { ByteString($0) }
    }
}

extension PreparedLaunch {
    /// The same with /dev/null for its standard input.
    package consuming func withNullInput() throws(LaunchError) -> PreparedLaunch {
        var prepared = self
        do throws(LinuxError) {
            let null = prepared.keep(try OwnedDescriptor.open("/dev/null", for: .reading))
            prepared.request.standardInput = .copied(from: null)
        } catch {
            throw LaunchError(stage: .preparation, errno: error.errno, subject: "cannot open /dev/null")
        }
        return prepared
    }
}
