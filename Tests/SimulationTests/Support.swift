import ConfigurationSyntax
import Lifecycle
import Operator
import SimulationText
import TestSupport
import Testing
import WorkerFile

@testable import Simulation

/// What a scenario that was expected to hold is wrong with.
struct Wrong: Error, CustomStringConvertible {
    let description: String
}

extension Scenario {
    /// The scenario in `text`, with `files` beside it.
    static func reading(_ text: String, files: [String: String] = [:]) throws -> Scenario {
        let reading = ScenarioReading("test.scenario", Array(text.utf8), from: FakeFiles(files))
        guard let scenario = reading.scenario else {
            throw Wrong(description: reading.problems.map(\.description).joined(separator: "\n"))
        }
        return scenario
    }
}

extension World {
    /// Everything that happens until nothing does any more.
    mutating func run() -> [Step] {
        var steps: [Step] = []
        while let step = next() { steps.append(step) }
        return steps
    }
}

extension World {
    /// All that is printed of it.
    mutating func printed() -> String {
        var view = SimulationView(scenario)
        var text = ""
        while true {
            let step = next()
            text += view.rendered(decisions, Style())
            text += view.rendered(flushNotes, Style())
            guard let step else { return text }
            text += view.rendered(step, Style())
        }
    }

    /// Everything that the policy of memory decided, with the workers that ended and why.
    mutating func decided() -> (decisions: [MemoryDecision], steps: [Step]) {
        var all: [MemoryDecision] = []
        var steps: [Step] = []
        while true {
            let step = next()
            all += decisions
            guard let step else { return (all, steps) }
            steps.append(step)
        }
    }
}

extension [Step] {
    /// As it is printed.
    func printed(_ scenario: Scenario) -> String {
        var view = SimulationView(scenario)
        return map { view.rendered($0, Style()) }.joined()
    }

    /// Every termination record of a worker.
    func records(of worker: Int = 0) -> [TerminationRecord] {
        filter { $0.worker == worker }.flatMap(\.effects).compactMap { effect in
            if case .record(let record) = effect { record } else { nil }
        }
    }

    /// The states that a worker went through.
    func states(of worker: Int = 0) -> [State] {
        filter { $0.worker == worker }.flatMap(\.effects).compactMap { effect in
            if case .publish(let transition) = effect { transition.to } else { nil }
        }
    }
}
