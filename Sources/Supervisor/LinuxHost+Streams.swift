internal import Lifecycle
internal import Linux

/// Standard input that we hold, and output that passes through us (3.5).
extension LinuxHost {
    /// Puts our pipes in the place of the descriptors that a launch was prepared with, where the blueprint wants that.
    func connectStreams(
        of hosted: HostedWorker, _ launch: inout PreparedLaunch
    ) throws(LaunchError) {
        do {
            if hosted.blueprint.holdsInput { try holdInput(of: hosted, &launch) }
            if hosted.blueprint.capturesOutput { try captureOutput(of: hosted, &launch) }
        } catch {
            throw LaunchError(
                stage: .preparation, errno: (error as? LinuxError)?.errno ?? 0,
                subject: "cannot make the pipes of \(hosted.blueprint.name)")
        }
    }

    private func holdInput(of hosted: HostedWorker, _ launch: inout PreparedLaunch) throws(LinuxError) {
        var pipe: Fifo
        if hosted.blueprint.endsInput {
            // Only a pipe whose other end is ours alone has an end of input.
            pipe = try Fifo(anonymous: .writing, endsWithUs: true)
        } else {
            pipe = try makePipe("stdin", .writing, of: hosted, launch.request.credentials)
        }
        launch.request.standardInput = .copied(from: launch.keep(try pipe.openForWorker()))
        hosted.input = HeldInput(pipe, on: loop)
    }

    private func captureOutput(of hosted: HostedWorker, _ launch: inout PreparedLaunch) throws {
        let (output, errors) = (launch.request.standardOutput, launch.request.standardError)
        launch.request.standardOutput = try capture(output, 1, "stdout", of: hosted, &launch)
        // One description for both stays one; of ours, each has its own.
        launch.request.standardError =
            errors == output && errors != .inherited
            ? launch.request.standardOutput : try capture(errors, 2, "stderr", of: hosted, &launch)
    }

    private func capture(
        _ stream: LaunchRequest.Descriptor, _ own: Int32, _ name: String, of hosted: HostedWorker,
        _ launch: inout PreparedLaunch
    ) throws -> LaunchRequest.Descriptor {
        var pipe = try makePipe(name, .reading, of: hosted, launch.request.credentials)
        let theirs = launch.keep(try pipe.openForWorker())
        var kept: OwnedDescriptor?
        var destination = own
        if case .copied(let source) = stream {
            let copy = try OwnedDescriptor.copy(of: source)
            destination = copy.rawValue
            kept = consume copy
        }
        try capture(pipe, to: destination, keeping: kept, of: hosted)
        return .copied(from: theirs)
    }

    /// Passes on to `destination` what comes through `pipe`.
    func capture(
        _ pipe: consuming Fifo, to destination: Int32, keeping kept: consuming OwnedDescriptor?,
        of hosted: HostedWorker
    ) throws {
        let (id, channel) = (hosted.id, hosted.outputs.count)
        hosted.outputs.append(
            try CapturedStream(
                pipe, to: destination, keeping: kept, on: loop,
                pace: { [weak hosted] in hosted?.hooks.bytesPerTurn ?? PipeReader.turn },
                heard: { [unowned self, weak hosted] bytes in
                    if let hosted { heard(bytes, from: channel, of: hosted) }
                },
                flushed: { [unowned self] in
                    if let hosted = workers[id], hosted.burial != nil { continueBurial(hosted) }
                }))
    }

    /// A FIFO in the runtime directory; where none can be made, a pipe without a name.
    private func makePipe(
        _ name: String, _ direction: SharedStream.Direction, of hosted: HostedWorker,
        _ credentials: LaunchRequest.Credentials?
    ) throws(LinuxError) -> Fifo {
        for path in places.pipes(for: hosted.blueprint.groupName, name) {
            if let pipe = try? Fifo(at: path, user: credentials?.user, group: credentials?.group) {
                return pipe
            }
        }
        return try Fifo(anonymous: direction)
    }

    /// The last lines that it printed, until its exit has been told.
    public func lastOutput(of worker: WorkerID) -> [String] {
        let hosted = workers[worker] ?? ended.flatMap { $0.id == worker ? $0 : nil }
        return hosted?.tail.lines ?? []
    }

    /// Passes on to the worker's standard input what has come for it; false where that is not held by us.
    func pass(_ bytes: [UInt8], to worker: WorkerID, then: @escaping () -> Void) -> Bool {
        guard let input = workers[worker]?.input else { return false }
        input.pass(bytes, then: then)
        return true
    }

    /// Ends the worker's standard input, where that ends with us.
    func endInput(of worker: WorkerID) {
        workers[worker]?.input?.end()
    }
}
