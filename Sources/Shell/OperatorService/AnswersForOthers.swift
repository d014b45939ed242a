internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import SupervisorPorts
internal import Varlink

/// What callers that are no operators ask for, kept for a moment: they are any user of the machine, and what their questions cost
/// is not to grow with how often they ask.
///
/// What is told of states is never older than the last change of one.
package struct AnswersForOthers {
    /// What workers use of the machine.
    var usage = TimedCache<WorkerID, WorkerUsage?>(least: .seconds(1))
    /// How many processes of workers run on that another program has stopped.
    var runningOthers = TimedCache<WorkerID, Int>(least: .seconds(1))
    /// Workers whose processes were looked at.
    var looks = TimedCache<WorkerID, Bool>(least: .seconds(1))
    /// The list of all workers, until one of them changes.
    var list = TimedCache<UInt64, EncodedMessage>(least: .seconds(1), most: 1)
    /// How short the machine is of memory.
    var pressure = TimedCache<Bool, EncodedMessage>(least: .seconds(1), most: 1)
    /// What this place allows.
    var findings = TimedCache<Bool, EncodedMessage>(least: .seconds(30), most: 1)
    /// Grows with everything that happens to workers.
    var generation: UInt64 = 0

    /// Names and patterns in one question, and the bytes of each.
    static let limits = (names: 32, length: 255)
    /// Subscriptions of one user: each costs something with every change of every worker.
    static let mostWatches = 16

    /// Checks that these names may be asked for by `peer`.
    static func check(_ names: [String]?, by peer: Peer) throws(MethodError) {
        guard !peer.isOperator, let names else { return }
        guard names.count <= limits.names, names.allSatisfy({ $0.utf8.count <= limits.length }) else {
            throw .invalidParameter("names")
        }
    }
}
