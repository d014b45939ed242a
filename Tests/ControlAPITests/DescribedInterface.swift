import ControlAPI
import Testing
import Varlink

/// An interface with all that its tests compare with its description.
struct DescribedInterface: Sendable, CustomTestStringConvertible {
    let name: String
    let definition: InterfaceDefinition
    let beginning: String
    let requiringMore: Set<String>
    let samples: @Sendable () throws -> [MethodSample]

    var testDescription: String { name }

    /// Both.
    static let all = [
        DescribedInterface(
            name: "io.torpor.Supervisor", definition: SupervisorInterface.definition,
            beginning: "# The control interface of the Torpor supervisor",
            requiringMore: SupervisorInterface.requiringMore, samples: { try MethodSample.ofOperators() }),
        DescribedInterface(
            name: "io.torpor.Worker", definition: WorkerInterface.definition,
            beginning: "# The interface between a worker and the supervisor",
            requiringMore: WorkerInterface.requiringMore, samples: { try MethodSample.ofWorkers() }),
    ]
}
