internal import ControlAPI
internal import ControlServer
internal import Interrupting
internal import Lifecycle
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import Varlink

/// Interruptions that workers begin and end themselves.
extension WorkerService {
    func interrupt(
        _ parameters: API.Interrupt.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let purpose = parameters.purpose
        guard purpose.utf8.count <= Self.longestTaskName else { throw .invalidParameter("purpose") }
        let limit = try TimeSpan(limit: parameters.limitUsec, "limitUsec")
        let result = supervisor.interrupt(worker, .worker(purpose), by: .worker, limit: limit)
        switch result {
        case .success(let interruption):
            responder.reply(API.Interrupt.Reply(number: Int64(interruption.number)))
        case .failure: throw API.tooManyInterruptions(limit: Int64(InterruptionPlan.most))
        }
    }

    func endInterruption(
        _ parameters: API.EndInterruption.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let failure = API.noSuchInterruption(number: parameters.number)
        guard let number = UInt32(exactly: parameters.number) else { throw failure }
        let result = supervisor.settleInterruptions(of: worker, .endedByWorker(number))
        guard case .success = result else { throw failure }
        responder.reply(API.Nothing())
    }
}
