internal import ControlAPI
internal import ControlServer
internal import History
internal import Lifecycle
internal import Linux
internal import Supervisor
internal import SupervisorPorts
internal import TransferShell
internal import Transferring
package import Varlink

/// Transfers: what callers begin, cancel and see of them.
extension OperatorService {
    static let transferMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.BeginTransfer.self, OperatorService.beginTransfer),
        MethodHandler(API.CancelTransfer.self, returning: OperatorService.cancelTransfer),
        MethodHandler(API.Transfers.self, returning: OperatorService.listTransfers),
    ]

    private func house() throws(MethodError) -> TransferHouse {
        guard let transfers else { throw .methodNotImplemented("it has no place for transfers") }
        return transfers
    }

    func beginTransfer(
        _ parameters: API.BeginTransfer.Parameters, _ responder: Responder
    ) throws(MethodError) {
        let house = try house()
        let entry = try known(parameters.name)
        if daemon?.isShuttingDown ?? false { throw API.shuttingDown }
        let (name, peer) = (entry.name, responder.peer)
        let request = try TransferRequest(
            parameters.command, parameters.purpose, parameters.workingDirectory, parameters.limitUsec)
        house.begin(
            request, of: entry.id, by: .operator(uid: peer.uid, pid: peer.pid)
        ) { result in
            switch result {
            case .success(let transfer):
                responder.reply(API.BeginTransfer.Reply(number: Int64(transfer.number)))
            case .failure(.refused(let refusal)):
                responder.fail(API.refused(name: name, why: refusal.sentence))
            case .failure(.system(let why)): responder.fail(API.transferNotBegun(name: name, why: why))
            case .failure(.short(let why)):
                responder.fail(API.tryAgain(why: "\(name): the transfer was not begun: \(why)"))
            }
        }
    }

    func cancelTransfer(
        _ parameters: API.CancelTransfer.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Nothing {
        let house = try house()
        guard let number = UInt32(exactly: parameters.number) else { throw .invalidParameter("number") }
        // A worker that is no longer defined may have some.
        if let refusal = house.cancel(number, of: ownName(parameters.name)) {
            throw API.noSuchTransfer(name: parameters.name, why: refusal.sentence)
        }
        return API.Nothing()
    }

    func listTransfers(
        _ parameters: API.Transfers.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Transfers.Reply {
        let all = transfers(of: parameters.name, for: peer)
        // A name that is neither that of a worker nor of one that was is a mistake.
        if let name = parameters.name, all.isEmpty { _ = try known(name) }
        return API.Transfers.Reply(transfers: all)
    }

    /// The name of a worker as transfers have it, which is that of its configuration.
    private func ownName(_ name: String) -> String {
        registry[name].flatMap { supervisor.workers[$0.id] }?.configuration.name ?? name
    }

    /// The transfers of a worker, or of all, as `peer` may see them.
    func transfers(of worker: String?, for peer: Peer) -> [API.Transfer] {
        (transfers?.all(of: worker.map(ownName)) ?? []).map { entry, report in
            let transfer = API.Transfer(entry, report, now: now)
            return peer.isOperator ? transfer : transfer.redacted
        }
    }
}

extension TransferRequest {
    /// What a caller asks for, as it is given.
    package init(
        _ command: [String], _ purpose: String?, _ directory: String?, _ limit: Int64?
    ) throws(MethodError) {
        guard let program = command.first, !program.isEmpty,
            command.reduce(0, { $0 + $1.utf8.count }) <= Self.longestCommand, command.count <= Self.mostWords,
            !command.contains(where: { $0.utf8.contains(0) })
        else { throw .invalidParameter("command") }
        if let directory, directory.utf8.first != UInt8(ascii: "/") || directory.utf8.contains(0) {
            throw .invalidParameter("workingDirectory")
        }
        self.init(
            command: command, purpose: purpose.map { String($0.prefix(Self.longestPurpose)) },
            directory: directory, limit: try TimeSpan(limit: limit, "limitUsec"))
    }
}

extension SupervisorInterface.Transfer {
    init(_ entry: TransferPlan.Entry, _ report: TransferReport?, now: Instant) {
        let transfer = entry.transfer
        let progress = entry.end?.progress ?? report?.progress ?? TransferProgress()
        let lines = entry.end?.lines ?? report?.lines ?? []
        self.init(
            number: Int64(transfer.number), worker: transfer.worker, purpose: transfer.purpose,
            command: transfer.command, stage: .init(entry.stage),
            began: WallClock.microseconds(of: transfer.began, now: now))
        if entry.end == nil {
            remainingUsec = transfer.due.map { max(0, ($0 - now).microseconds) }
            pid = report.flatMap { $0.command > 0 ? Int64($0.command) : nil }
            printedBytes = report.map { Int64(clamping: $0.printed) }
        }
        done = progress.done.map { Int64(clamping: $0) }
        total = progress.total.map { Int64(clamping: $0) }
        percent = progress.percentage.map { Int64($0) }
        text = progress.text.isEmpty ? nil : progress.text
        output = lines.isEmpty ? nil : lines
        by = SupervisorInterface.Caller(transfer.requester)
        guard let end = entry.end else { return }
        outcome = .init(rawValue: end.outcome.rawValue) ?? .lost
        ended = WallClock.microseconds(of: end.at, now: now)
        switch end.status {
        case .exited(let code): exitStatus = Int64(code)
        case .killed(let number): signal = Signal(rawValue: number)?.description ?? "\(number)"
        case .notStarted, .unknown: break
        }
    }
}

extension SupervisorInterface.TransferStage {
    init(_ stage: TransferPlan.Stage) {
        self =
            switch stage {
            case .starting: .starting
            case .running: .running
            case .stopping, .killed: .stopping
            case .ended: .ended
            }
    }
}
