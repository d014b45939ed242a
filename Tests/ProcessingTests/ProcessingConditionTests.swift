import Budgeting
import Lifecycle
import Testing

@testable import Processing

/// What makes a time good for long work.
@Suite struct `A good time for long work` {
    private static let now = Instant.zero + .seconds(10_000)
    private static let battery = PowerReading(hasBattery: true, isOnBattery: true, charge: 80)

    struct Row: CustomTestStringConvertible, Sendable {
        let what: String
        var settings = ProcessingSettings()
        var machine = MachineReading(use: .unusedSince(.zero))
        let begins: ProcessingObstacle?
        let goesOn: ProcessingObstacle?
        var testDescription: String { what }
    }

    private static func settings(_ change: (inout ProcessingSettings) -> Void) -> ProcessingSettings {
        var settings = ProcessingSettings()
        change(&settings)
        return settings
    }

    private static func pressed(_ resource: PressedResource, _ hundredths: Int) -> MachineReading {
        MachineReading(
            use: .unusedSince(.zero), pressure: [resource: PressureAverages(hundredths: hundredths)])
    }

    private static let lately = now + .seconds(-60)

    static let rows: [Row] = [
        Row(what: "on mains, unused, nothing pressed", begins: nil, goesOn: nil),
        Row(what: "nothing is known", machine: MachineReading(), begins: nil, goesOn: nil),
        Row(
            what: "on battery", machine: MachineReading(power: battery, use: .unusedSince(.zero)),
            begins: .onBattery, goesOn: .onBattery),
        Row(
            what: "on battery, which does not matter", settings: settings { $0.power = .any },
            machine: MachineReading(power: battery, use: .unusedSince(.zero)), begins: nil, goesOn: nil),
        Row(
            what: "on mains, and it is for batteries", settings: settings { $0.power = .battery },
            begins: .onMains, goesOn: .onMains),
        Row(what: "used", machine: MachineReading(use: .used), begins: .used, goesOn: .used),
        Row(
            what: "used, which does not matter", settings: settings { $0.idle = .zero },
            machine: MachineReading(use: .used), begins: nil, goesOn: nil),
        Row(
            what: "unused for a minute", machine: MachineReading(use: .unusedSince(lately)),
            begins: .unusedSince(lately, until: lately + .seconds(600)), goesOn: nil),
        Row(
            what: "processors waited for", machine: pressed(.cpu, 2001),
            begins: .pressure(.cpu, hundredths: 2001, most: 2000, over: .fiveMinutes), goesOn: nil),
        Row(
            what: "processors waited for within the limit", machine: pressed(.cpu, 2000), begins: nil,
            goesOn: nil),
        Row(
            what: "disks waited for", machine: pressed(.io, 5000),
            begins: .pressure(.io, hundredths: 5000, most: 2000, over: .fiveMinutes), goesOn: nil),
        Row(
            what: "memory short", machine: pressed(.memory, 1001),
            begins: .pressure(.memory, hundredths: 1001, most: 1000, over: .fiveMinutes),
            goesOn: .pressure(.memory, hundredths: 1001, most: 1000, over: .fiveMinutes)),
        Row(
            what: "memory short, which does not matter", settings: settings { $0.memory = .any },
            machine: pressed(.memory, 9000), begins: nil, goesOn: nil),
        Row(
            what: "a strict limit over a minute",
            settings: settings { $0.cpu = .atMost(hundredths: 0, over: .minute) },
            machine: pressed(.cpu, 1), begins: .pressure(.cpu, hundredths: 1, most: 0, over: .minute),
            goesOn: nil),
    ]

    @Test(arguments: rows) func `is one without an obstacle`(_ row: Row) {
        #expect(row.settings.obstacle(row.machine, isUnderWay: false, at: Self.now) == row.begins)
        #expect(row.settings.obstacle(row.machine, isUnderWay: true, at: Self.now) == row.goesOn)
    }

    @Test func `is told in words`() {
        let words = [
            ProcessingObstacle.onBattery, .pressure(.io, hundredths: 3405, most: 2000, over: .minute),
        ].map(\.words)
        #expect(
            words == [
                "the machine is on battery (ConditionACPower=)",
                "the I/O pressure is 34.05 % over 1min, above 20 % (ConditionIOPressure=)",
            ])
    }

    @Test(
        arguments: [
            (
                "some avg10=0.12 avg60=3.00 avg300=100.00 total=5\nfull avg10=9.00 avg60=9.00 avg300=9.00 total=1\n",
                PressureAverages(tenSeconds: 12, minute: 300, fiveMinutes: 10_000)
            ),
            ("full avg10=9.00 avg60=9.00 avg300=9.00 total=1\n", nil), ("", nil), ("some", nil),
            ("some avg10=1.00 avg60=1.00", nil), ("some avg10=x avg60=1.00 avg300=1.00", nil),
            ("some avg10=-1.00 avg60=1.00 avg300=1.00", nil), ("some avg10=1.0 avg60=1.00 avg300=1.00", nil),
            ("some avg10=99999999999.00 avg60=1.00 avg300=1.00", nil),
            ("\0some avg10=1.00 avg60=1.00 avg300=1.00", nil),
            (
                "some total=1 avg300=1.50 avg60=0.00 avg10=2",
                PressureAverages(tenSeconds: 200, minute: 0, fiveMinutes: 150)
            ),
        ] as [(String, PressureAverages?)])
    func `is read of what the kernel writes`(_ text: String, _ averages: PressureAverages?) {
        #expect(PressureAverages(text) == averages)
    }
}
