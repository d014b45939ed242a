internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import WorkerIO

/// Standard input that we hold, and output that passes through us (3.5).
extension LinuxHost {
    /// Puts our pipes in the place of the descriptors that a launch was prepared with, where the blueprint wants that.
    func connectStreams(
        of hosted: HostedWorker, _ launch: inout PreparedLaunch
    ) throws(LaunchError) {
        do {
            if hosted.blueprint.holdsInput { try holdInput(of: hosted, &launch) }
            if hosted.blueprint.capturesOutput {
                try captureOutput(of: hosted, &launch)
            } else if hosted.blueprint.relaysOutput {
                try relayOutput(of: hosted, &launch)
            }
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
        switch stream {
        case .copied(let source):
            let copy = try OwnedDescriptor.copy(of: source)
            let destination = copy.rawValue
            try capture(pipe, to: destination, keeping: copy, of: hosted)
        case .inherited where hosted.blueprint.relaysOutput: try relay(pipe, isHeard: true, of: hosted)
        case .inherited: try capture(pipe, to: own, keeping: nil, of: hosted)
        }
        return .copied(from: theirs)
    }

    /// Gives it one pipe in the place of our own standard output and error, as far as it was to have those.
    private func relayOutput(of hosted: HostedWorker, _ launch: inout PreparedLaunch) throws {
        let (output, errors) = (launch.request.standardOutput, launch.request.standardError)
        guard output == .inherited || errors == .inherited else { return }
        var pipe = try makePipe("output", .reading, of: hosted, launch.request.credentials)
        let theirs = launch.keep(try pipe.openForWorker())
        if output == .inherited { launch.request.standardOutput = .copied(from: theirs) }
        if errors == .inherited { launch.request.standardError = .copied(from: theirs) }
        try relay(pipe, isHeard: hosted.blueprint.keepsOutput, of: hosted)
    }

    /// Passes on to our standard error, as marked lines, what comes through `pipe`.
    private func relay(_ pipe: consuming Fifo, isHeard: Bool, of hosted: HostedWorker) throws {
        let log = outputLog ?? OutputLog(on: loop)
        outputLog = log
        let (name, channel) = (hosted.blueprint.name, hosted.outputs.count)
        let mark = { [weak hosted] in
            // It may print before the loop knows that it has been launched.
            guard let hosted, let main = hosted.main > 0 ? hosted.main : hosted.launching?.ticket.pid else {
                return "\(name): "
            }
            return "\(name)[\(main)]: "
        }
        let stream: RelayedOutput
        if isHeard {
            stream = try RelayedOutput(pipe, to: log, on: loop, mark: mark) { [unowned self, weak hosted] in
                if let hosted { heard($0, from: channel, of: hosted) }
            }
        } else {
            stream = try RelayedOutput(pipe, to: log, on: loop, mark: mark)
        }
        hosted.outputs.append(stream)
    }

    /// Goes on reading what a worker prints that a predecessor has launched, as far as that passes through us.
    func reopenOutputs(of hosted: HostedWorker) {
        let blueprint = hosted.blueprint
        let names: [(Int32, String)] =
            blueprint.capturesOutput
            ? [(1, "stdout"), (2, "stderr")] : blueprint.relaysOutput ? [(2, "output")] : []
        for (number, name) in names {
            guard let pipe = adoptPipe(name, of: hosted) else { continue }
            do {
                try listen(to: pipe, number, of: hosted)
            } catch {
                facts(hosted.id, .ignored("its \(name) cannot be read any more: \(error)"))
            }
        }
    }

    private func listen(to pipe: consuming Fifo, _ number: Int32, of hosted: HostedWorker) throws {
        let blueprint = hosted.blueprint
        guard blueprint.capturesOutput else {
            return try relay(pipe, isHeard: blueprint.keepsOutput, of: hosted)
        }
        guard let reopen = blueprint.reopenOutput else { return try goOn(pipe, number, to: nil, of: hosted) }
        // What the worker prints waits in its pipe meanwhile.
        let reopening = Reopening(pipe, of: hosted)
        openings.perform {
            let opened = Opened(reopen(number))
            return { [weak self] in self?.reopened(reopening, number, opened) }
        }
    }

    // Unchecked: the thread that makes it leaves it to the loop's.
    /// What was opened for a stream; nil where that is our own output.
    private final class Opened: @unchecked Sendable {
        var descriptor: OwnedDescriptor?

        init(_ descriptor: consuming OwnedDescriptor?) { self.descriptor = consume descriptor }
    }

    // Unchecked: made, asked and emptied on the loop's thread alone.
    /// A pipe that is read on when the destination of what comes through it is open.
    private final class Reopening: @unchecked Sendable {
        var pipe: Fifo?
        weak var hosted: HostedWorker?

        init(_ pipe: consuming Fifo, of hosted: HostedWorker) {
            self.pipe = consume pipe
            self.hosted = hosted
        }
    }

    private func reopened(_ reopening: Reopening, _ number: Int32, _ opened: Opened) {
        guard let hosted = reopening.hosted, workers[hosted.id] === hosted, let pipe = reopening.pipe.take()
        else { return }
        do {
            try goOn(pipe, number, to: opened.descriptor.take(), of: hosted)
        } catch {
            facts(hosted.id, .ignored("what it prints cannot be read any more: \(error)"))
        }
    }

    /// Passes on what comes through `pipe`: to what was opened for it, or to our own output.
    private func goOn(
        _ pipe: consuming Fifo, _ number: Int32, to opened: consuming OwnedDescriptor?,
        of hosted: HostedWorker
    ) throws {
        if let opened {
            let destination = opened.rawValue
            try capture(pipe, to: destination, keeping: opened, of: hosted)
        } else if hosted.blueprint.relaysOutput {
            try relay(pipe, isHeard: true, of: hosted)
        } else {
            try capture(pipe, to: number, keeping: nil, of: hosted)
        }
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
    package func lastOutput(of worker: WorkerID) -> [String] {
        let hosted = workers[worker] ?? ended.flatMap { $0.id == worker ? $0 : nil }
        return hosted?.tail.lines ?? []
    }

    /// The last lines that it printed, and before them those of its processes before.
    package func recentOutput(of worker: WorkerID, atMost lines: Int) -> [String] {
        let hosted = workers[worker] ?? ended.flatMap { $0.id == worker ? $0 : nil }
        let present = hosted?.tail.lines(atMost: lines) ?? []
        // The one that has just ended is among them already.
        let isAmong = hosted == nil || hosted === ended
        if isAmong { return earlierOutput[worker]?.lines(atMost: lines) ?? present }
        return (earlierOutput[worker]?.lines(atMost: lines - present.count) ?? []) + present
    }

    /// Keeps nothing of what it printed any more.
    package func dropOutput(of worker: WorkerID) { earlierOutput[worker] = nil }

    /// Has `body` told of each line that a worker prints from now on.
    package func followOutput(_ body: ((WorkerID, [String]) -> Void)?) { printed = body }

    /// Keeps what a process printed that has ended, behind what those before it did.
    func keepOutput(of hosted: HostedWorker) {
        let lines = hosted.tail.lines(atMost: .max)
        guard !lines.isEmpty else { return }
        earlierOutput[hosted.id, default: OutputTail()].take(
            Array((lines.joined(separator: "\n") + "\n").utf8)[...], from: 0)
    }

    /// Whether its standard input is held.
    package func holdsInput(of worker: WorkerID) -> Bool { workers[worker]?.input != nil }

    /// Writes a line to its standard input, where that is held.
    package func send(_ line: String, to worker: WorkerID, then: @escaping (String?) -> Void) {
        guard let hosted = workers[worker] else { return then("it does not run") }
        guard let input = hosted.input else {
            return then("its standard input is not held; StandardInput=pipe in its file has it held")
        }
        input.write(line: line, for: HeldInput.operators, then: then)
    }

    /// Passes on to the worker's standard input what has come for it; false where that is not held by us.
    package func pass(_ bytes: [UInt8], to worker: WorkerID, then: @escaping () -> Void) -> Bool {
        guard let input = workers[worker]?.input else { return false }
        input.pass(bytes, then: then)
        return true
    }

    /// Ends the worker's standard input, where that ends with us.
    package func endInput(of worker: WorkerID) {
        workers[worker]?.input?.end()
    }
}
