package import ConfigurationSyntax
package import Lifecycle
package import WorkerFile

/// What is simulated: workers, how their programs behave, and what happens when.
package struct Scenario: Hashable, Sendable {
    /// A worker of a scenario.
    package struct Worker: Hashable, Sendable {
        /// Its name, with the instance.
        package let name: String
        /// What its files and the scenario say of it.
        package let definition: WorkerDefinition
        /// What its model decides by.
        package let policy: Policy
        /// How its program behaves.
        package let program: Program
    }

    /// The settings of the whole.
    package var settings: Settings
    /// The workers, in the order in which they are named first.
    package var workers: [Worker]
    /// What happens, in the order of the lines.
    package var events: [ScheduledEvent]

    /// The machine's memory.
    package var machine: MachineSettings
    /// What torpord.conf says, of which a scenario has `[Memory]` and `[Power]`.
    package var daemon: DaemonDefinition

    /// A scenario, by its parts.
    package init(
        settings: Settings, workers: [Worker], events: [ScheduledEvent], machine: MachineSettings = .init(),
        daemon: DaemonDefinition = .init()
    ) {
        self.machine = machine
        self.daemon = daemon
        self.settings = settings
        self.workers = workers
        self.events = events
    }

    /// `[Scenario]`: what is said of the whole.
    package struct Settings: Hashable, Sendable {
        /// A sentence for people.
        package var description: Text?
        /// What chance begins with: the same seed, the same world.
        package var seed = 0
        /// How long it lasts; nil is until nothing is left that could happen, a day at the most.
        package var duration: TimeSpan?

        /// Nothing but defaults.
        package init() {}
    }
}

extension Scenario.Settings: DirectiveTable {
    /// All keys of `[Scenario]`.
    package static let directives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Scenario")
        return [
            section.one("Description", \.description, "A short description of the scenario."),
            section.number("Seed", \.seed, 0...Int.max, "The seed of the random numbers."),
            section.one("DurationSec", \.duration, "The simulated time."),
        ]
    }()

    /// The same by section and key.
    package static let index = indexed(directives)

    /// A world without an end in sight: sums of its times would not fit.
    package var contradictions: [Contradiction] {
        guard let duration, duration > .seconds(10 * 31_557_600) else { return [] }
        return [Contradiction(key: "DurationSec", problem: "too long", expected: "at most 10 years")]
    }
}
