internal import Lifecycle
internal import Operator
package import Picture
internal import Pressure
package import Simulation

/// Runs scenarios into one timeline: of two of them, what one policy does stands beside what the other does.
package struct SimulatedTimeline {
    private let scenarios: [(label: String, scenario: Scenario)]

    /// A timeline of `scenarios`, each with a label that its workers bear where there are several.
    package init(_ scenarios: [(label: String, scenario: Scenario)]) {
        self.scenarios = scenarios
    }

    private enum Happening {
        case change(Transition)
        case mark(Timeline.MarkKind, String)
        case memory(Timeline.Shortage?)
    }

    /// Runs them, one after the other.
    package func run() -> Timeline {
        var happenings: [(at: Int64, name: String?, what: Happening)] = []
        var names: [String] = []
        var end: Int64 = 1
        for (label, scenario) in scenarios {
            let workers = scenario.workers.map {
                $0.name.printable + (scenarios.count > 1 ? " (\(label.printable))" : "")
            }
            names += workers
            var world = World(scenario)
            while true {
                let step = world.next()
                for decision in world.decisions {
                    guard case .levelChanged(_, let level, _) = decision.effect else { continue }
                    happenings.append(
                        ((decision.at - .zero).microseconds, nil, .memory(Self.shortage(level))))
                }
                guard let step else { break }
                let at = (step.at - .zero).microseconds
                for effect in step.effects {
                    guard let what = Self.happening(effect) else { continue }
                    happenings.append((at, workers[step.worker], what))
                    if case .publish(let transition) = effect, case .woken = transition.cause {
                        happenings.append((at, workers[step.worker], .mark(.wake, transition.cause.words)))
                    }
                }
            }
            end = max(end, (world.now - .zero).microseconds)
        }
        // Worlds follow each other, but their days are the same.
        if scenarios.count > 1 { happenings = Self.sorted(happenings) }
        var builder = TimelineBuilder(from: 0, to: end)
        for name in names { builder.present(name, .notRunning, since: 0) }
        for (at, name, what) in happenings.reversed() {
            switch what {
            case .change(let transition):
                if let name {
                    builder.change(
                        name, from: transition.from, to: transition.to, at: at, why: transition.cause.words)
                }
            case .mark(let kind, let text): builder.mark(name, kind, at: at, text)
            case .memory(let level): builder.memory(level, at: at)
            }
        }
        let subject = enumeration(scenarios.map { $0.label.printable })
        return builder.timeline("Simulation of \(subject)", .simulated)
    }

    private static func sorted(
        _ happenings: [(at: Int64, name: String?, what: Happening)]
    ) -> [(at: Int64, name: String?, what: Happening)] {
        // By time, and at one time as they came.
        happenings.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }

    private static func shortage(_ level: PressureLevel) -> Timeline.Shortage? {
        switch level {
        case .normal: nil
        case .warning: .warning
        case .critical: .critical
        }
    }

    private static func happening(_ effect: Effect) -> Happening? {
        switch effect {
        case .publish(let transition): .change(transition)
        case .launchCompleted: .mark(.launch, "launch complete")
        case .warn(let warning): .mark(.warning, "\(warning)")
        case .record(let record):
            switch record.cause {
            case .evicted: .mark(.eviction, "evicted, ran \(span(record.ran.microseconds))")
            case .exited, .stopped, .forceQuit: nil
            default: .mark(.crash, "\(record.cause.words), \(record.status.description)")
            }
        default: nil
        }
    }
}
