internal import Lifecycle
internal import Linux
internal import WorkerFile

extension Blueprint {
    /// Takes over what a definition does for callbacks, and what that needs; `prepare` gets the process of a command ready.
    mutating func takeHooks(
        of definition: WorkerDefinition,
        prepare: @escaping (HookCall, Environment) throws(LaunchError) -> PreparedLaunch
    ) {
        hooks = [:]
        for (name, action) in definition.callbacks.actions {
            guard let callback = Callback(name), let hook = definition.hook(action, for: name) else {
                continue
            }
            hooks[callback] = hook
            if hook.action == .command { prepareHook = prepare }
        }
        holdsInput = definition.effectiveStandardInput == .pipe
        capturesOutput = definition.capturesOutput
        snapshotRedact = definition.snapshot == false ? nil : definition.snapshotRedact
    }
}

extension WorkerDefinition {
    fileprivate func hook(_ action: CallbackAction, for name: CallbackName) -> Hook? {
        guard let completion = completion(of: name) else { return nil }
        switch action {
        case .signal(let number):
            return Signal(rawValue: number.number).map { Hook(.signal($0), completes: completion) }
        case .stdin(let line): return Hook(.input(line), completes: completion)
        case .exec(let command):
            var hook = Hook(.command, completes: completion)
            hook.ignoresFailure = command.ignoresFailure
            return hook
        }
    }
}

extension WorkerDefinition.Callbacks {
    /// The command that is run for `callback`.
    func command(for callback: Callback) throws(LaunchError) -> Command {
        guard let name = CallbackName(rawValue: callback.rawValue), case .exec(let command) = actions[name]
        else {
            throw LaunchError(
                stage: .preparation, errno: 0,
                subject: "there was no command for \(callback.rawValue) when it was launched")
        }
        return command
    }
}

extension LaunchRequest {
    /// The launch of a command line whose program was found to be `program`, with what `environment` has for its variables and
    /// `url` for its `%u`.
    init(_ command: Command, program: String, environment: Environment, url: String? = nil) {
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
    consuming func withNullInput() throws(LaunchError) -> PreparedLaunch {
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
