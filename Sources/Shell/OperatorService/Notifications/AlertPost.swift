internal import ControlAPI
internal import Interrupting
internal import Lifecycle
internal import Supervisor
internal import SupervisorPorts
internal import Varlink

/// A post that is an alert: it interrupts its worker until it is answered or its time is over (1.4).
struct AlertPost {
    let topic: String
    let requester: Requester
    let limit: TimeSpan

    /// What a call asks for; nil where it is no alert.
    init?(
        _ parameters: SupervisorInterface.Post.Parameters, by requester: Requester
    ) throws(MethodError) {
        let limit = try TimeSpan(limit: parameters.alertLimitUsec, "alertLimitUsec")
        guard parameters.alert ?? false else {
            if limit != nil { throw .invalidParameter("alertLimitUsec") }
            return nil
        }
        guard parameters.at == nil, !(parameters.wake ?? false), !(parameters.foreground ?? false) else {
            throw .invalidParameter("alert")
        }
        topic = parameters.topic
        self.requester = requester
        self.limit = limit ?? AlertRule.usualLimit
    }

    /// Interrupts a worker that has been posted to; answers the number of the alert, or why there is none.
    func begin(for worker: WorkerID, by supervisor: Supervisor) -> Result<UInt32, InterruptionRefusal> {
        supervisor.interrupt(worker, .alert(topic), by: requester, limit: limit).map(\.number)
    }
}

/// The number of an alert, for what comes later.
final class AlertBox {
    var number: UInt32?
}
