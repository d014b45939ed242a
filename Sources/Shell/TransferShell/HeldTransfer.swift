internal import Cgroups
internal import Glibc
internal import Launching
internal import Lifecycle
internal import Linux
internal import Pressure
internal import Processes
internal import SupervisorPorts
internal import Systemd
internal import Transferring
internal import Transfers

/// A transfer that runs: its holder, its group and the file by which the holder reports.
final class HeldTransfer {
    let group: Cgroup?
    /// Where its holder reports; nil where that is nowhere but in memory.
    private let path: String?
    private var memory: TransferFile?
    private let pidfd: Pidfd
    private let source = SourceBox<IOSource>()

    /// The holder behind `pidfd`, not watched yet.
    init(
        _ pidfd: consuming Pidfd, group: Cgroup?, path: String?, memory: consuming TransferFile? = nil
    ) {
        self.pidfd = pidfd
        self.group = group
        self.path = path
        self.memory = consume memory
    }

    /// Watches the holder; `ended` is called once, from the loop.
    func watch(on loop: EventLoop, ended: @escaping () -> Void) throws(SystemdError) {
        source.handle = try IOSource(
            on: loop, descriptor: self.pidfd.descriptor, events: .readable, priority: .exits
        ) { [unowned self] _ in
            source.handle = nil
            ended()
        }
    }

    deinit { source.handle = nil }

    /// What the holder has told last.
    var report: TransferReport? {
        if let path { return TransferFile.look(at: path)?.report }
        return memory?.report
    }

    /// Whether the holder has ended.
    var hasEnded: Bool { pidfd.hasEnded }

    /// Has it end: the holder sees to the rest.
    ///
    /// Ignoring a failure: it has ended, which is told.
    func stop() { try? pidfd.send(.terminate) }

    /// Kills all of it.
    func kill() {
        try? pidfd.send(.kill)
        killRest(report)
    }

    /// Kills what a holder has left that was killed itself; nothing where it ended as it should.
    func killRest(_ report: TransferReport?) {
        if let group {
            try? group.kill()
        } else if let command = report?.command, command > 1 {
            // Its session is its own; a process that has begun another one is lost.
            for pid in ProcessTree.snapshot().members(ofSession: command) {
                try? Signal.kill.send(toProcess: pid)
            }
        }
    }

    /// Whether the kernel has killed in its group for want of memory.
    var isOutOfMemory: Bool {
        group?.memoryEventsText().flatMap { MemoryEvents(parsing: $0) }.map { $0.oomKill > 0 } ?? false
    }
}

/// A holder that was launched, on its way from the thread to the loop.
struct LaunchedTransfer: Sendable {
    let pidfd: Handoff<Pidfd>
    let memory: Handoff<TransferFile>?
}

/// What a holder is launched by.
struct TransferLaunch: Sendable {
    /// torpor-transfer(8).
    let program: String
    let call: TransferCall
    let group: Cgroup?
    /// Where it reports; nil is in memory.
    let path: String?
    let memoryMaximum: Int64?
    let prepare: @Sendable (TransferCall) throws(LaunchError) -> PreparedLaunch

    /// Limits that the command has, and not its holder, which must be able to report: RLIMIT_CPU, FSIZE, DATA, AS of
    /// asm-generic/resource.h.
    private static let forCommand: Set<Int32> = [0, 1, 2, 9]

    /// Launches it on the calling thread, which may wait for file systems.
    func launch() -> Result<LaunchedTransfer, LaunchError> {
        Result { () throws(LaunchError) in
            var prepared = try prepare(call)
            let file = try makeFile()
            var request = prepared.request
            let limits = request.confinement.limits.filter { Self.forCommand.contains($0.resource) }
            request.confinement.limits.removeAll { Self.forCommand.contains($0.resource) }
            request.arguments =
                limits.map { ByteString($0.option) } + [ByteString("--")] + [request.executable]
                + request.arguments
            request.executable = ByteString(program)
            request.passedDescriptors = [.init(file.rawValue)]
            request.announcesDescriptors = false
            request.session = .ownSession
            request.cgroup = group
            request.wantsPidfd = true
            if let group {
                // Ignoring failures: a controller that is not there limits nothing, which 'torpor doctor' tells.
                if let memoryMaximum { try? group.setMemoryMaximum(memoryMaximum) }
                try? group.setCPUWeight(10)
                try? group.setIOWeight(10)
            }
            // It opens nothing that the worker could not: what it prints is its holder's to read.
            let null = try openNull()
            request.standardOutput = .copied(from: null.rawValue)
            request.standardError = .copied(from: null.rawValue)
            prepared.request = request
            var child = try prepared.request.launch(ticket: LaunchTicket())
            guard let pidfd = child.takePidfd() else {
                throw LaunchError(stage: .request, errno: ESRCH, subject: "a pidfd of torpor-transfer")
            }
            return LaunchedTransfer(pidfd: Handoff(pidfd), memory: path == nil ? Handoff(file) : nil)
        }
    }

    private func makeFile() throws(LaunchError) -> TransferFile {
        do throws(LinuxError) {
            guard let path else { return try TransferFile() }
            return try TransferFile(making: path)
        } catch {
            throw LaunchError(stage: .request, errno: error.errno, subject: "\(error)")
        }
    }

    private func openNull() throws(LaunchError) -> OwnedDescriptor {
        do throws(LinuxError) {
            return try OwnedDescriptor.open("/dev/null", for: .appending)
        } catch {
            throw LaunchError(stage: .request, errno: error.errno, subject: "/dev/null")
        }
    }
}
