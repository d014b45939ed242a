import Simulation
import Testing

/// A life of one worker of `Type=app`, from its events to all that is printed of it.
struct WholeLife: CustomTestStringConvertible, Sendable {
    let name: String
    var program = ""
    let events: String
    let printed: String

    /// A life whose lines are those of `begins` and `printed`.
    init(_ name: String, program: String = "", events: String, begins: String = "", printed: String) {
        self.name = name
        self.program = program
        self.events = events
        self.printed = begins.isEmpty ? printed : begins + "\n" + printed
    }

    var testDescription: String { name }
}

@Suite struct `Whole lives` {
    @Test(arguments: lives) func `are printed word for word`(_ life: WholeLife) throws {
        let scenario = try Scenario.reading(
            """
            [Worker app]
            Type=app
            [Program app]
            ReadySec=100ms
            CallbackSec=10ms
            ShouldSaveStateAnswer=refused
            \(life.program)
            [Events]
            \(life.events)
            """)
        var world = World(scenario)
        #expect(world.printed() == life.printed + "\n")
    }
}
