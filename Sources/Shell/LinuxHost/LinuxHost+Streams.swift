internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import WorkerIO

/// Standard input that the supervisor holds, and output that passes through it (3.5).
extension LinuxHost {
    /// Puts our pipes in the place of the descriptors that a launch was prepared with, where the configuration wants that.
    func connectStreams(
        of running: RunningWorker, _ launch: inout PreparedLaunch
    ) throws(LaunchError) {
        do {
            if running.configuration.holdsInput { try holdInput(of: running, &launch) }
            if running.configuration.capturesOutput {
                try captureOutput(of: running, &launch)
            } else if running.configuration.relaysOutput {
                try relayOutput(of: running, &launch)
            }
        } catch {
            throw (error as? LaunchError)
                ?? LaunchError(
                    stage: .preparation, errno: (error as? LinuxError)?.errno ?? 0,
                    subject: "cannot create the pipes of \(running.configuration.name)")
        }
    }

    private func holdInput(of running: RunningWorker, _ launch: inout PreparedLaunch) throws(LinuxError) {
        var pipe: Fifo
        if running.configuration.endsInput {
            // Only a pipe whose other end only this process has open has an end of input.
            pipe = try Fifo(anonymous: .writing, endsWithUs: true)
        } else {
            pipe = try makePipe("stdin", .writing, of: running, launch.request.credentials)
        }
        launch.request.standardInput = .copied(from: launch.keep(try pipe.openForWorker()))
        running.input = StdinPipe(pipe, on: loop)
    }

    private func captureOutput(of running: RunningWorker, _ launch: inout PreparedLaunch) throws {
        let (output, errors) = (launch.request.standardOutput, launch.request.standardError)
        launch.request.standardOutput = try capture(output, 1, "stdout", of: running, &launch)
        // One description for both stays one; captured streams have one each.
        launch.request.standardError =
            errors == output && errors != .inherited
            ? launch.request.standardOutput : try capture(errors, 2, "stderr", of: running, &launch)
    }

    private func capture(
        _ stream: LaunchRequest.Descriptor, _ own: Int32, _ name: String, of running: RunningWorker,
        _ launch: inout PreparedLaunch
    ) throws -> LaunchRequest.Descriptor {
        var pipe = try makePipe(name, .reading, of: running, launch.request.credentials)
        let theirs = launch.keep(try pipe.openForWorker())
        switch stream {
        case .copied(let source):
            let copy = try OwnedDescriptor.copy(of: source)
            let destination = copy.rawValue
            try capture(pipe, to: destination, keeping: copy, of: running)
        case .inherited where running.configuration.relaysOutput: try relay(pipe, isHeard: true, of: running)
        case .inherited: try capture(pipe, to: own, keeping: nil, of: running)
        }
        return .copied(from: theirs)
    }

    /// Gives it one pipe in the place of our own standard output and error, as far as it was to have those.
    private func relayOutput(of running: RunningWorker, _ launch: inout PreparedLaunch) throws {
        guard launch.request.inheritsOutput else { return }
        let place = OutputPlace(of: running.configuration, in: places)
        try relay(try OutputPipe(for: &launch, at: place), of: running)
    }

    private func relay(_ output: consuming OutputPipe, of running: RunningWorker) throws {
        guard let fifo = output.fifo.take() else { return }
        try relay(fifo, output.ours.take(), isHeard: running.configuration.keepsOutput, of: running)
    }

    /// Passes on what a process that was just launched prints through `output`.
    func relay(_ output: Handoff<OutputPipe>, of running: RunningWorker, _ pid: Int32) {
        do {
            try relay(try output.take(), of: running)
        } catch {
            // It would wait for ever when the pipe is full.
            inform(running.id, .ignored("its output cannot be read, so it is killed: \(error)"))
            Signal.kill.send(toChild: pid)
        }
    }

    /// Passes on to our standard error, as marked lines, what comes through `pipe`.
    private func relay(
        _ pipe: consuming Fifo, _ end: consuming OwnedDescriptor? = nil, isHeard: Bool,
        of running: RunningWorker
    ) throws {
        let log = outputLog ?? OutputLog(on: loop)
        outputLog = log
        let (name, channel) = (running.configuration.name, running.outputs.count)
        let mark = { [weak running] in
            // It may print before the loop knows that it has been launched.
            guard let running, let main = running.main > 0 ? running.main : running.launching?.ticket.pid
            else {
                return "\(name): "
            }
            return "\(name)[\(main)]: "
        }
        let stream: RelayedOutput
        if isHeard {
            stream = try RelayedOutput(pipe, end, to: log, on: loop, mark: mark) {
                [unowned self, weak running] in
                if let running { heard($0, from: channel, of: running) }
            }
        } else {
            stream = try RelayedOutput(pipe, end, to: log, on: loop, mark: mark)
        }
        running.outputs.append(stream)
    }

    /// Goes on reading what a worker prints that a predecessor has launched, as far as that passes through the supervisor.
    func reopenOutputs(of running: RunningWorker, _ handed: HandedOutputs?) {
        let configuration = running.configuration
        let names: [(Int32, String)] =
            configuration.capturesOutput
            ? [(1, "stdout"), (2, "stderr")] : configuration.relaysOutput ? [(2, "output")] : []
        for (number, name) in names {
            guard let pipe = places.adoptPipe(for: running.configuration.groupName, name) else { continue }
            do {
                try listen(to: pipe, number, of: running, handed)
            } catch {
                inform(running.id, .ignored("its \(name) can no longer be read: \(error)"))
            }
        }
    }

    private func listen(
        to pipe: consuming Fifo, _ number: Int32, of running: RunningWorker, _ handed: HandedOutputs?
    ) throws {
        let (configuration, bytes) = (running.configuration, handed?.next() ?? [])
        guard configuration.capturesOutput else {
            try relay(pipe, isHeard: configuration.keepsOutput, of: running)
            return running.outputs.last?.passOn(bytes) ?? ()
        }
        guard let reopen = configuration.reopenOutput else {
            return try goOn(pipe, number, to: nil, of: running, bytes)
        }
        // What the worker prints waits in its pipe meanwhile.
        let reopening = Reopening(pipe, of: running, handed, bytes)
        openings.perform {
            Handoff(reopen(number))
        } then: { [weak self] opened in
            self?.reopened(reopening, number, opened)
        }
    }

    /// A pipe that is read on when the destination of what comes through it is open.
    private final class Reopening {
        var pipe: Fifo?
        weak var running: RunningWorker?
        private let handed: HandedOutputs?
        /// What is passed on first.
        let bytes: [UInt8]

        init(
            _ pipe: consuming Fifo, of running: RunningWorker, _ handed: HandedOutputs?, _ bytes: [UInt8]
        ) {
            self.pipe = consume pipe
            (self.running, self.handed, self.bytes) = (running, handed, bytes)
        }
    }

    private func reopened(_ reopening: Reopening, _ number: Int32, _ opened: Handoff<OwnedDescriptor?>) {
        guard let running = reopening.running, workers[running.id] === running,
            let pipe = reopening.pipe.take()
        else { return }
        do {
            try goOn(pipe, number, to: opened.take(), of: running, reopening.bytes)
        } catch {
            inform(running.id, .ignored("its output can no longer be read: \(error)"))
        }
    }

    /// Passes on what comes through `pipe`: to what was opened for it, or to our own output.
    private func goOn(
        _ pipe: consuming Fifo, _ number: Int32, to opened: consuming OwnedDescriptor?,
        of running: RunningWorker, _ bytes: [UInt8]
    ) throws {
        defer { running.outputs.last?.passOn(bytes) }
        if let opened {
            let destination = opened.rawValue
            try capture(pipe, to: destination, keeping: opened, of: running)
        } else if running.configuration.relaysOutput {
            try relay(pipe, isHeard: true, of: running)
        } else {
            try capture(pipe, to: number, keeping: nil, of: running)
        }
    }

    /// Passes on to `destination` what comes through `pipe`.
    func capture(
        _ pipe: consuming Fifo, to destination: Int32, keeping kept: consuming OwnedDescriptor?,
        of running: RunningWorker
    ) throws {
        let (id, channel) = (running.id, running.outputs.count)
        running.outputs.append(
            try CapturedStream(
                pipe, to: destination, keeping: kept, on: loop,
                pace: { [weak running] in running?.hooks.bytesPerTurn ?? PipeReader.turn },
                heard: { [unowned self, weak running] bytes in
                    if let running { heard(bytes, from: channel, of: running) }
                },
                flushed: { [unowned self] in
                    if let running = workers[id], running.reaping != nil { continueReaping(running) }
                }))
    }

    /// A FIFO in the runtime directory; where none can be made, a pipe without a name.
    private func makePipe(
        _ name: String, _ direction: SharedStream.Direction, of running: RunningWorker,
        _ credentials: LaunchRequest.Credentials?
    ) throws(LinuxError) -> Fifo {
        try Fifo.make(
            atFirstOf: places.pipes(for: running.configuration.groupName, name), or: direction,
            user: credentials?.user, group: credentials?.group)
    }

    /// The last lines that it printed, until its exit has been told.
    package func lastOutput(of worker: WorkerID) -> [String] {
        (workers[worker] ?? ended.flatMap { $0.id == worker ? $0 : nil })?.tail.lines ?? []
    }

    /// The last lines that it printed, and before them those of its processes before.
    package func recentOutput(of worker: WorkerID, atMost lines: Int) -> [String] {
        let running = workers[worker] ?? ended.flatMap { $0.id == worker ? $0 : nil }
        let present = running?.tail.lines(atMost: lines) ?? []
        // The one that has just ended is among them already.
        let isAmong = running == nil || running === ended
        if isAmong { return earlierOutput[worker]?.lines(atMost: lines) ?? present }
        return (earlierOutput[worker]?.lines(atMost: lines - present.count) ?? []) + present
    }

    /// Keeps nothing of what it printed any more.
    package func dropOutput(of worker: WorkerID) { earlierOutput[worker] = nil }

    /// Has `body` told of each line that a worker prints from now on.
    package func followOutput(_ body: ((WorkerID, [String]) -> Void)?) { printed = body }

    /// Keeps what a process printed that has ended, behind what those before it did.
    func keepOutput(of running: RunningWorker) {
        let lines = running.tail.lines(atMost: .max)
        guard !lines.isEmpty else { return }
        earlierOutput[running.id, default: OutputTail()].take(lines)
    }

    /// Whether its standard input is held.
    package func holdsInput(of worker: WorkerID) -> Bool { workers[worker]?.input != nil }

    /// Writes a line to its standard input, where that is held.
    package func send(_ line: String, to worker: WorkerID, then: @escaping (String?) -> Void) {
        guard let running = workers[worker] else { return then("it is not running") }
        guard let input = running.input else {
            return then("the supervisor does not hold its standard input; set StandardInput=pipe in its file")
        }
        passed("'torpor send'", to: worker)
        input.write(line: line, for: StdinPipe.operators, then: then)
    }

    /// Passes on to the worker's standard input what has come for it; false where that is not held by the supervisor.
    package func pass(_ bytes: [UInt8], to worker: WorkerID, then: @escaping () -> Void) -> Bool {
        guard let input = workers[worker]?.input else { return false }
        passed("input", to: worker)
        input.pass(bytes, then: then)
        return true
    }

    /// Ends the worker's standard input, where that ends with the supervisor.
    package func endInput(of worker: WorkerID) { workers[worker]?.input?.end() }
}
