public import Lifecycle
public import WorkerFile

/// What is simulated: workers, how their programs behave, and what happens when.
public struct Scenario: Hashable, Sendable {
    /// A worker of a scenario.
    public struct Worker: Hashable, Sendable {
        /// Its name, with the instance.
        public let name: String
        /// What its files and the scenario say of it.
        public let definition: WorkerDefinition
        /// What its model decides by.
        public let policy: Policy
        /// How its program behaves.
        public let program: Program
    }

    /// The settings of the whole.
    public var settings: Settings
    /// The workers, in the order in which they are named first.
    public var workers: [Worker]
    /// What happens, in the order of the lines.
    public var occasions: [Occasion]

    /// The machine's memory.
    public var machine: MachineSettings
    /// What torpord.conf says, of which a scenario has `[Memory]`.
    public var daemon: DaemonDefinition

    /// A scenario, by its parts.
    public init(
        settings: Settings, workers: [Worker], occasions: [Occasion], machine: MachineSettings = .init(),
        daemon: DaemonDefinition = .init()
    ) {
        self.machine = machine
        self.daemon = daemon
        self.settings = settings
        self.workers = workers
        self.occasions = occasions
    }

    /// `[Scenario]`: what is said of the whole.
    public struct Settings: Hashable, Sendable {
        /// A sentence for people.
        public var description: Text?
        /// What chance begins with: the same seed, the same world.
        public var seed = 0
        /// How long it lasts; nil is until nothing is left that could happen, a day at the most.
        public var duration: TimeSpan?

        /// Nothing but defaults.
        public init() {}
    }
}

extension Scenario.Settings: DirectiveTable {
    /// All keys of `[Scenario]`.
    public static let directives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Scenario")
        return [
            section.one("Description", \.description, "A sentence for people."),
            section.number("Seed", \.seed, 0...Int.max, "What chance begins with."),
            section.one("DurationSec", \.duration, "How long it lasts."),
        ]
    }()

    /// The same by section and key.
    public static let index = indexed(directives)

    /// A world without an end in sight: sums of its times would not fit.
    public var contradictions: [Contradiction] {
        guard let duration, duration > .seconds(10 * 31_557_600) else { return [] }
        return [Contradiction(key: "DurationSec", problem: "it is too long", expected: "10 years at most")]
    }
}
