internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import TransferShell
internal import Transferring
internal import Varlink

/// Transfers that workers begin and cancel themselves.
extension WorkerService {
    func beginTransfer(
        _ parameters: API.BeginTransfer.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        guard let transfers else { throw .methodNotImplemented("it has no place for transfers") }
        let request = try TransferRequest(
            parameters.command, parameters.purpose, parameters.workingDirectory, parameters.limitUsec)
        transfers.begin(request, of: worker, by: .worker) { result in
            switch result {
            case .success(let transfer):
                responder.reply(API.BeginTransfer.Reply(number: Int64(transfer.number)))
            case .failure(.refused(let refusal)):
                responder.fail(API.transferNotBegun(tooMany: true, why: refusal.sentence))
            case .failure(.short(let why)): responder.fail(API.transferNotBegun(tooMany: true, why: why))
            case .failure(.system(let why)): responder.fail(API.transferNotBegun(tooMany: false, why: why))
            }
        }
    }

    func cancelTransfer(
        _ parameters: API.CancelTransfer.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let failure = API.noSuchTransfer(number: parameters.number)
        guard let transfers, let number = UInt32(exactly: parameters.number),
            let name = supervisor.view(of: worker)?.name
        else { throw failure }
        // Its own end is told to it: it drops none.
        guard transfers.runs(number, of: name), transfers.cancel(number, of: name) == nil else {
            throw failure
        }
        responder.reply(API.Nothing())
    }
}
