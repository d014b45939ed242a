internal import Cgroups
internal import ControlAPI
internal import ControlServer
internal import Examining
internal import Glibc
internal import Linux
internal import LinuxHost
internal import OperatorService
internal import Places
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import TransferShell
internal import Waking
internal import WorkerFile

/// The control socket cannot be created where the command line wants it.
package struct ControlSocketError: Error, CustomStringConvertible {
    let address: UnixSocketAddress
    let error: LinuxError

    /// One line: what cannot be created, and why.
    package var description: String {
        "--control: cannot create the control socket \(address): \(errorText(error.errno))"
    }

    /// The exit status that is due for it (sysexits.h): as long as another process has the address a later attempt may succeed.
    package var exitStatus: Int32 {
        switch error.errno {
        case EADDRINUSE: 75
        case EACCES, EPERM: 77
        default: 78
        }
    }
}

/// The control socket of `torpor run`: the daemon's interface, for its one worker.
///
/// It is an abstract one, so that it needs no writable directory and a wrapper that is killed leaves nothing behind; what each caller may
/// do is judged by credentials, as at the daemon's. The service behind it is made when a client first connects: a
/// run without clients pays for a listening socket and nothing else.
final class RunControl {
    /// Where `torpor --socket` finds it.
    let address: UnixSocketAddress
    private let loop: EventLoop
    private let supervisor: Supervisor
    private let worker: WorkerID
    let host: LinuxHost
    private let name: String
    private var listener: StreamListener?
    private let knock = SourceBox<IOSource>()
    private var service: OperatorService?
    private var server: ControlServer?
    /// Commands beside the worker, which end with `torpor run`.
    private var transfers: TransferHouse?
    private let groupName: String
    /// Looks at what this place allows, off the loop: some of what it opens is slow to be closed.
    private let examiner = JobThread()
    /// How short the machine is of memory, where we look.
    var pressure: (() -> SupervisorInterface.Pressure.Reply)?
    /// What wakes the command into the background; nil where nothing does.
    var background: WorkerDefinition.Background?
    /// Fetches and low-power mode; nil where there are none.
    weak var lowPower: RunBackgroundWork?
    /// Hears of an end that an operator has asked for, and of the signal that stands for it.
    var endRequested: (Signal) -> Void = { _ in }

    /// Listens at the address that was asked for, else under the name of the run; nil when no socket can be made there, which is no reason not to run.
    ///
    /// A ``ControlSocketError`` is thrown where it was asked for: what calls it there would wait for nothing.
    init?(
        _ groupName: String, at wanted: UnixSocketAddress?, on loop: EventLoop, _ supervisor: Supervisor,
        _ worker: WorkerID, _ host: LinuxHost, name: String
    ) throws {
        guard let address = wanted ?? (try? UnixSocketAddress("@\(groupName)/\(DaemonOptions.socketName)"))
        else { return nil }
        let listener: StreamListener
        do throws(LinuxError) {
            listener = try StreamListener(at: address, access: .ours)
        } catch {
            guard wanted != nil else { return nil }
            throw ControlSocketError(address: address, error: error)
        }
        self.address = address
        self.loop = loop
        self.supervisor = supervisor
        self.worker = worker
        self.host = host
        self.name = name
        self.groupName = groupName
        let descriptor = listener.rawValue
        self.listener = consume listener
        knock.handle = try? IOSource(
            on: loop, descriptor: descriptor, events: .readable, priority: .clients
        ) { [unowned self] _ in open() }
    }

    /// A client has connected: from now on the server has the listener.
    private func open() {
        knock.handle = nil
        guard let listener = listener.take() else { return }
        let service = OperatorService(
            supervisor, on: loop, method: host.method, version: Version.current
        ) { [host] in host.usage(of: $0) }
        let entry = RegisteredWorker(name: name, id: worker, loaded: nil)
        entry.toldBackground = background.map { background in { background } }
        service.registry.add(entry)
        let transfers = makeTransfers()
        self.transfers = transfers
        service.transfers = transfers
        service.pressure = pressure
        service.endRequested = endRequested
        service.lowPower = lowPower
        lowPower?.turned = { [weak service] in service?.forgetAnswers() }
        service.findings = { [examiner, host, loop] answer in
            let doctor = Doctor(
                for: .run, method: host.method, sampleInterval: host.waking.sampleInterval)
            examiner.perform({ doctor.findings() }, on: loop, then: answer) { answer([.noThread($0)]) }
        }
        self.service = service
        server = try? ControlServer(on: loop, service: .torpor(version: Version.current), handler: service) {
            _ in
        }
        host.waking.leaveOut { [weak server] in server?.serves($0) ?? false }
        do {
            try server?.listen(listener)
        } catch {
            server = nil
        }
    }

    private func makeTransfers() -> TransferHouse {
        var tree: CgroupTree?
        if case .cgroup(let found) = host.method { tree = found }
        let house = TransferHouse(
            supervisor, on: loop,
            .init(
                program: TransferHouse.program, directory: nil, tree: tree,
                groupPrefix: "\(groupName)-transfer-")
        ) { [worker] _ in worker }
        supervisor.observe(as: .transfers, house)
        return house
    }

    /// Sends what is still due to the clients that wait for the end.
    func close() {
        transfers?.close()
        server?.close()
    }
}
