import ControlAPI
import Testing
import Varlink

/// An interface with all that its tests compare with its description.
struct DescribedInterface: Sendable, CustomTestStringConvertible {
    let name: String
    let definition: InterfaceDefinition
    let beginning: String
    let members: [String]
    let requiringMore: Set<String>
    let errors: [MethodError]
    let enumerations: [(name: String, values: [String])]
    let samples: @Sendable () throws -> [MethodSample]

    var testDescription: String { name }

    /// Both.
    static let all = [supervisor, worker]

    private static func enumeration<E: CaseIterable & RawRepresentable>(
        _ type: E.Type
    ) -> (name: String, values: [String]) where E.RawValue == String {
        ("\(type)", E.allCases.map(\.rawValue))
    }

    private typealias API = SupervisorInterface

    static let supervisor = DescribedInterface(
        name: "io.torpor.Supervisor", definition: API.definition,
        beginning: "# The control interface of the Torpor supervisor",
        members: API.methods.map { $0.member }, requiringMore: API.requiringMore,
        errors: [
            API.noSuchWorker(name: "a"), API.invalidName(name: "a/b", why: "slash"),
            API.workerMasked(name: "a", file: "/f"),
            API.badDefinition(name: "a", file: "/f", line: 3, key: "K", message: "m"),
            API.badDefinition(name: "a", file: nil, line: nil, key: nil, message: "m"),
            API.goalNotReached(name: "a", goal: .active, state: .background, why: "w"),
            API.refused(name: "a", why: "w"), API.unsupported(name: "a", why: "w"),
            API.hookFailed(name: "a", why: "w"),
            API.launchFailed(name: "a", why: "w"), API.tryAgain(why: "w"),
            API.alreadyExists(name: "a"),
            API.noSuchScheme(scheme: "x"),
            API.shuttingDown, API.notReplaced(why: "w"), API.notPosted(name: "a", obstacle: .full, why: "w"),
            API.noSuchSchedule(name: "a", id: 1), API.noSuchNotification(name: "a", sequence: 1),
            API.tooManyConnections(limit: 1), API.slowReader(limit: 1),
        ],
        enumerations: [
            enumeration(API.State.self), enumeration(API.Goal.self), enumeration(API.NotRunningReason.self),
            enumeration(API.LaunchReason.self), enumeration(API.FreezeMethod.self),
            enumeration(API.HistoryKind.self), enumeration(API.MergeRule.self),
            enumeration(API.PostObstacle.self), enumeration(API.LogLevel.self),
        ],
        samples: { try MethodSample.all() })

    static let worker = DescribedInterface(
        name: "io.torpor.Worker", definition: WorkerInterface.definition,
        beginning: "# What a worker says to the supervisor",
        members: WorkerInterface.methods.map { $0.member }, requiringMore: WorkerInterface.requiringMore,
        errors: [
            WorkerInterface.alreadyAttached, WorkerInterface.noSuchCallback(id: 1),
            WorkerInterface.noSuchTask(token: 1), WorkerInterface.notNow(why: "w"),
            WorkerInterface.tooManyTasks(limit: 1), WorkerInterface.stateTooLarge(limit: 1),
            WorkerInterface.stateNotKept(why: "w"),
            WorkerInterface.notPosted(obstacle: .full, why: "w"), WorkerInterface.noSuchSchedule(id: 1),
            WorkerInterface.tooManyConnections(limit: 1),
        ],
        enumerations: [
            enumeration(WorkerInterface.State.self), enumeration(WorkerInterface.LaunchReason.self),
            enumeration(WorkerInterface.CallbackName.self), enumeration(WorkerInterface.MergeRule.self),
            enumeration(WorkerInterface.PostObstacle.self),
        ],
        samples: { try MethodSample.ofTheWorker() })
}
