package import ControlAPI
package import ControlServer
package import Launching
internal import Lifecycle
package import Linux
internal import OperatorService
package import Supervisor
package import SupervisorPorts
package import Systemd
package import TransferShell
package import Varlink
internal import WorkerIO

/// `io.torpor.Worker`: the sockets of workers that live by the contract, and what their processes call there.
///
/// One server for the sockets of all workers; the socket tells whose process calls, and the kernel that it is one.
package final class WorkerService: ControlHandler, WorkerSockets {
    package typealias API = WorkerInterface

    package let supervisor: Supervisor
    private unowned let host: any WorkerSocketHost
    package let server: ControlServer
    /// Commands beside workers; nil where there is no place for them.
    package weak var transfers: TransferHouse?
    private var attachments: [WorkerID: Attachment] = [:]

    /// A service that listens nowhere yet; `log` gets what an operator should know.
    package init(
        _ supervisor: Supervisor, on loop: EventLoop, _ host: any WorkerSocketHost, version: String,
        log: @escaping (ControlEvent) -> Void
    ) throws(SystemdError) {
        self.supervisor = supervisor
        self.host = host
        let shell = Shell()
        server = try ControlServer(
            on: loop, service: .worker(version: version), authorization: .everybody, limits: .workers,
            errors: .worker, handler: shell, log: log)
        self.shell = shell
        shell.service = self
        server.owns = { [unowned host] worker, peer in host.owns(worker, peer) }
        host.use(self) { [weak server] in server?.serves($0) ?? false }
    }

    /// The server wants its handler before there is one.
    private final class Shell: ControlHandler {
        weak var service: WorkerService?
        func perform(_ call: Call, by peer: Peer, _ responder: Responder) {
            service?.perform(call, by: peer, responder)
        }
        func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
            service?.resume(call, with: note, by: peer, responder)
        }
    }
    private let shell: Shell

    // MARK: sockets

    package func open(
        for worker: WorkerID, _ name: String, at places: [UnixSocketAddress], user: UInt32?
    ) throws(LaunchError) -> UnixSocketAddress {
        let access = SocketAccess(for: user)
        var reason = "no writable directory"
        for place in places {
            do {
                // In the supervisor's own directory: a listener there is a process of a predecessor that has not executed its program yet.
                try server.listen(
                    StreamListener(at: place, access: access, replaces: true), for: worker, isOpen: false)
                return place
            } catch {
                reason = "\(error)"
            }
        }
        throw LaunchError(stage: .request, errno: 98, subject: "a worker socket for \(name): \(reason)")
    }

    package func admit(_ worker: WorkerID) { server.admit(worker) }

    /// Listens on where a predecessor has.
    package func take(_ listener: consuming StreamListener, for worker: WorkerID) throws(SystemdError) {
        try server.listen(listener, for: worker)
    }

    package func hearLast(_ worker: WorkerID) { server.hearLast(worker) }

    package func close(_ worker: WorkerID) {
        attachments[worker] = nil
        server.stopServing(worker)
    }

    /// Closes every listener and connection.
    package func close() { server.close() }

    // MARK: calls

    package func perform(_ call: Call, by peer: Peer, _ responder: Responder) {
        do throws(MethodError) {
            guard let handler = Self.handlers[call.member] else { throw .methodNotImplemented(call.method) }
            try handler.perform(self, call, responder)
        } catch {
            responder.fail(error)
        }
    }

    /// The function for each method, by the method's short name.
    static let handlers = Dictionary(uniqueKeysWithValues: methods.map { ($0.member, $0) })

    private static let methods: [MethodHandler<WorkerService>] = [
        MethodHandler(API.Attach.self, WorkerService.attach),
        MethodHandler(API.Complete.self, WorkerService.complete),
        MethodHandler(API.BeginBackgroundTask.self, WorkerService.beginTask),
        MethodHandler(API.EndBackgroundTask.self, WorkerService.endTask),
        MethodHandler(API.BackgroundTimeRemaining.self, WorkerService.backgroundTimeRemaining),
        MethodHandler(API.GetState.self, WorkerService.getState),
        MethodHandler(API.SaveState.self, WorkerService.saveState),
        MethodHandler(API.Post.self, WorkerService.post),
        MethodHandler(API.Schedule.self, WorkerService.schedule),
        MethodHandler(API.Cancel.self, WorkerService.cancel),
        MethodHandler(API.SetInUse.self, WorkerService.setInUse),
        MethodHandler(API.Interrupt.self, WorkerService.interrupt),
        MethodHandler(API.EndInterruption.self, WorkerService.endInterruption),
        MethodHandler(API.BeginTransfer.self, WorkerService.beginTransfer),
        MethodHandler(API.CancelTransfer.self, WorkerService.cancelTransfer),
        MethodHandler(API.OfferActivity.self, WorkerService.offerActivity),
        MethodHandler(API.WithdrawActivity.self, WorkerService.withdrawActivity),
        MethodHandler(API.AnswerActivity.self, WorkerService.answerActivity),
        MethodHandler(API.RequestActivation.self, WorkerService.requestActivation),
    ]

    private func view(of worker: WorkerID) throws(MethodError) -> WorkerView {
        guard let view = supervisor.view(of: worker) else { throw .permissionDenied }
        return view
    }

    // MARK: attaching

    private func attach(
        _ parameters: API.Attach.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        guard attachments[worker] == nil else { throw API.alreadyAttached }
        let view = try view(of: worker)
        guard let launch = view.life.currentLaunch, view.life.state != .notRunning else {
            throw API.notNow(why: "the process is ending")
        }
        let attachment = Attachment(CallbackSet(parameters.callbacks), responder)
        attachments[worker] = attachment
        responder.onClose { [weak self] in self?.detach(attachment, from: worker) }
        responder.more(
            API.Attach.Reply(
                standing: API.Standing(
                    worker: view.name, state: .init(view.life.state),
                    launch: API.Launch(launch, options: view.launchOptions),
                    lowPower: supervisor.isLowPower)))
        supervisor.attach(attachment, to: worker)
    }

    /// Goes on with a call that a predecessor has begun.
    package func resume(_ call: Call, with note: JSON.Object, by peer: Peer, _ responder: Responder) {
        if let worker = peer.worker, let number = note["posted"] {
            return postedBefore(number, of: worker, note, responder)
        }
        guard call.method == API.Attach.name, let worker = peer.worker,
            let parameters: API.Attach.Parameters = try? call.read()
        else { return perform(call, by: peer, responder) }
        let attachment = Attachment(CallbackSet(parameters.callbacks), responder)
        attachments[worker] = attachment
        responder.onClose { [weak self] in self?.detach(attachment, from: worker) }
        supervisor.stayAttached(attachment, to: worker)
    }

    private func detach(_ attachment: Attachment, from worker: WorkerID) {
        guard attachments[worker] === attachment else { return }
        attachments[worker] = nil
        supervisor.detach(attachment, from: worker)
    }

    private func complete(
        _ parameters: API.Complete.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        guard let id = UInt32(exactly: parameters.id) else { throw API.noSuchCallback(id: parameters.id) }
        let completion: Completion =
            parameters.failure != nil || parameters.fetched == .failed
            ? .failed : parameters.refused ?? false || parameters.fetched == .noData ? .refused : .done
        // It is logged, and kept with the history.
        let failure = parameters.failure.map { String($0.prefix(Self.longestFailure)) }
        let state = try parameters.state.map { (json) throws(MethodError) in try bytes(of: json) }
        // What it has taken is not given to it again once this is answered: so that has to be on the disk first.
        let isAwaited = supervisor.complete(id, completion, failure: failure, state: state, of: worker) {
            responder.reply(API.Nothing())
        }
        guard isAwaited else { throw API.noSuchCallback(id: parameters.id) }
    }

    // MARK: background tasks

    private func beginTask(
        _ parameters: API.BeginBackgroundTask.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        guard parameters.name.utf8.count <= Self.longestTaskName else { throw .invalidParameter("name") }
        let answer: (TaskAnswer, UInt32, TimeSpan?, Int) -> Void = { answer, token, left, limit in
            switch answer {
            case .began:
                responder.reply(
                    API.BeginBackgroundTask.Reply(token: Int64(token), remainingUsec: left?.microseconds))
            case .tooMany: responder.fail(API.tooManyTasks(limit: Int64(limit)))
            case .ending: responder.fail(API.notNow(why: "the worker is ending"))
            case .notRunning, .duplicate, .noSuchTask, .ended:
                responder.fail(API.notNow(why: "the worker is not running"))
            }
        }
        let name = parameters.name
        supervisor.beginTask(name, of: worker, by: .worker, then: answer)
    }

    private func backgroundTimeRemaining(_: API.Nothing, of worker: WorkerID, _ responder: Responder) {
        let remaining = supervisor.backgroundTimeRemaining(of: worker)
        responder.reply(API.BackgroundTimeRemaining.Reply(remainingUsec: remaining?.microseconds))
    }

    static let longestTaskName = 256
    /// How many characters of a failure are kept.
    private static let longestFailure = 1024

    private func endTask(
        _ parameters: API.EndBackgroundTask.Parameters, of worker: WorkerID, _ responder: Responder
    ) {
        let failure = API.noSuchTask(token: parameters.token)
        guard let token = UInt32(exactly: parameters.token) else { return responder.fail(failure) }
        let answer: (TaskAnswer) -> Void = { answer in
            if answer == .ended { responder.reply(API.Nothing()) } else { responder.fail(failure) }
        }
        supervisor.endTask(token, of: worker, by: .worker, then: answer)
    }

    // MARK: state

    private func requestActivation(_: API.Nothing, of worker: WorkerID, _ responder: Responder) {
        supervisor.submit(.requested(Request(.active, by: .worker)), to: worker)
        responder.reply(API.Nothing())
    }

    private func setInUse(
        _ parameters: API.SetInUse.Parameters, of worker: WorkerID, _ responder: Responder
    ) {
        supervisor.submit(.saidInUse(parameters.inUse), to: worker)
        responder.reply(API.Nothing())
    }

    private func getState(
        _: API.Nothing, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let view = try view(of: worker)
        let now = host.now
        responder.reply(
            API.GetState.Reply(
                state: .init(view.life.state), sinceUsec: (now - view.since).microseconds,
                backgroundTimeRemainingUsec: view.life.backgroundTimeRemaining(at: now)?.microseconds,
                lowPower: supervisor.isLowPower))
    }

    private func saveState(
        _ parameters: API.SaveState.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let bytes = try bytes(of: parameters.state)
        let answer: (String?) -> Void = { problem in
            if let problem {
                responder.fail(API.stateNotKept(why: problem))
            } else {
                responder.reply(API.Nothing())
            }
        }
        supervisor.keepState(bytes, of: worker, then: answer)
    }

    /// What is kept of a state; an empty object is nothing.
    private func bytes(of state: JSON) throws(MethodError) -> [UInt8] {
        if state == .object([:]) { return [] }
        var bytes: [UInt8] = []
        state.write(into: &bytes)
        if bytes == Array("{}".utf8) { return [] }
        guard bytes.count <= SavedState.largest else {
            throw API.stateTooLarge(limit: Int64(SavedState.largest))
        }
        return bytes
    }
}

extension Authorization {
    /// A process that may connect to a worker's socket is one of the worker's.
    fileprivate static let everybody = Authorization(
        open: Set(WorkerInterface.methods.map { $0.name }))
}

extension ControlLimits {
    /// What a worker's message may have besides a state: room for the largest payload, with its escapes, and for the members of a set.
    package static let largestPlainMessage = 256 << 10

    /// How much of the server the processes of one worker can use.
    fileprivate static var workers: ControlLimits {
        var limits = ControlLimits()
        var connection = ServerConnection.Limits()
        // A state with its wrapping, as JSON: escapes and spaces may double it. All else is small.
        connection.message = 2 * SavedState.largest + (64 << 10)
        connection.plainMessage = largestPlainMessage
        connection.values = 1 << 14
        connection.verbatim = ["state"]
        connection.calls = 1024
        connection.subscriptions = 1
        connection.backlog = 2 * SavedState.largest + (1 << 20)
        limits.connections = 1 << 16
        limits.reserved = 0
        limits.operators = Allowance(connections: 16, connection: connection)
        limits.others = limits.operators
        // One state at a time: a second connection that sends another meanwhile is cut off.
        limits.othersAllotment = Allotment(account: connection.message + (4 << 20), total: 128 << 20)
        limits.othersTurn = TurnLimits(slice: .milliseconds(5), turn: .milliseconds(10))
        return limits
    }
}

extension Service {
    /// The service at a worker's socket.
    fileprivate static func worker(version: String) -> Service {
        Service(
            identity: Identity(vendor: "Torpor", product: "Torpor", version: version, url: ""),
            interfaces: [WorkerInterface.definition], requiringMore: WorkerInterface.requiringMore)
    }
}
