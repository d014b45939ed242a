import Budgeting
import Testing

@Suite struct `Low-power mode` {
    private static func battery(_ charge: Int?) -> LowPowerMode.Event {
        .read(PowerReading(hasBattery: true, isOnBattery: true, charge: charge))
    }
    private static let mains = LowPowerMode.Event.read(
        PowerReading(hasBattery: true, isOnBattery: false, charge: 3))

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [(LowPowerMode.Event, Bool)]
    }

    static let rows: [Row] = [
        Row(
            testDescription: "begins at 20 %, and ends a quarter above or on mains",
            steps: [
                (battery(80), false), (battery(21), false), (battery(20), true), (battery(24), true),
                (battery(25), false), (battery(21), false), (battery(5), true), (mains, false),
                (battery(22), false), (battery(19), true),
            ]),
        Row(
            testDescription: "is what an operator chooses, until that is the batteries' again",
            steps: [
                (.chosen(.on), true), (battery(80), true), (mains, true), (.chosen(.auto), false),
                (battery(3), true), (.chosen(.off), false), (battery(2), false), (.chosen(.auto), true),
            ]),
        Row(
            testDescription: "stays as it is where no battery tells its charge",
            steps: [(battery(nil), false), (battery(10), true), (battery(nil), true), (mains, false)]),
        Row(
            testDescription: "follows the threshold, and 0 is never",
            steps: [
                (battery(30), false), (.threshold(40), true), (.threshold(0), false), (battery(0), false),
                (.threshold(1), true),
            ]),
    ]

    @Test(arguments: rows) func `follows power and operators`(_ row: Row) {
        var mode = LowPowerMode()
        for (index, (event, isOn)) in row.steps.enumerated() {
            let before = mode.isOn
            let isChanged = mode.handle(event)
            #expect(mode.isOn == isOn, "step \(index): \(event)")
            #expect(isChanged == (before != isOn))
            #expect(!mode.because.isEmpty)
        }
    }

    @Test func `goes on where a predecessor has left it, and believes no other text`() throws {
        var mode = LowPowerMode()
        #expect(mode.isUsual && mode.text == "auto\n")
        _ = mode.handle(Self.battery(10))
        #expect(!mode.isUsual && mode.text == "auto low\n")
        var next = try #require(LowPowerMode(mode.text, threshold: 20))
        #expect(next.isOn && next.power == nil)
        // Until the supplies have been looked at it stays as it was.
        let isChanged = next.handle(.threshold(30))
        #expect(!isChanged && next.isOn)
        let isOver = next.handle(Self.mains)
        #expect(isOver && !next.isOn)
        _ = next.handle(.chosen(.on))
        #expect(LowPowerMode(next.text, threshold: 20)?.choice == .on)
        let texts = [
            "", "maybe", "on low high", "on high", "low", "on\u{0}", String(repeating: "on ", count: 9),
        ]
        for text in texts {
            #expect(LowPowerMode(text, threshold: 20) == nil, "\(text)")
        }
    }

    struct Machine: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let supplies: [[String: String]]
        let reading: PowerReading
    }

    static let machines: [Machine] = [
        Machine(testDescription: "no supply", supplies: [], reading: .mains),
        Machine(
            testDescription: "a notebook on its battery",
            supplies: [
                ["type": "Mains\n", "online": "0\n"],
                ["type": "Battery\n", "status": "Discharging\n", "capacity": "57\n", "present": "1\n"],
            ], reading: PowerReading(hasBattery: true, isOnBattery: true, charge: 57)),
        Machine(
            testDescription: "a notebook on mains, full or charging",
            supplies: [
                ["type": "Mains", "online": "1"],
                ["type": "Battery", "status": "Not charging", "capacity": "80"],
            ], reading: PowerReading(hasBattery: true, isOnBattery: false, charge: 80)),
        Machine(
            testDescription: "an adapter counts, even where a battery still claims to discharge",
            supplies: [
                ["type": "Mains", "online": "1"],
                ["type": "Battery", "status": "Discharging", "capacity": "9"],
            ], reading: PowerReading(hasBattery: true, isOnBattery: false, charge: 9)),
        Machine(
            testDescription: "two batteries, one of them idle, and a slot without one",
            supplies: [
                ["type": "Battery", "status": "Discharging", "capacity": "10", "present": "1"],
                ["type": "Battery", "status": "Full", "capacity": "100", "present": "1"],
                ["type": "Battery", "status": "Unknown", "present": "0"],
            ], reading: PowerReading(hasBattery: true, isOnBattery: true, charge: 55)),
        Machine(
            testDescription: "the battery of a mouse, and a port for USB",
            supplies: [
                ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "3"],
                ["type": "USB", "online": "0"],
            ], reading: .mains),
        Machine(
            testDescription: "an uninterruptible power supply that gives power",
            supplies: [["type": "UPS", "status": "Discharging", "capacity": "44"]],
            reading: PowerReading(hasBattery: true, isOnBattery: true, charge: 44)),
        Machine(
            testDescription: "what no kernel writes",
            supplies: [
                ["type": "Battery", "status": "Discharging", "capacity": "1000000000000000000000"],
                ["type": "Battery", "status": "\u{0}", "capacity": "-5"], ["type": ""], [:],
                ["online": "1"],
            ], reading: PowerReading(hasBattery: true, isOnBattery: true, charge: 0)),
    ]

    @Test(arguments: machines) func `sees by what the machine is powered`(_ machine: Machine) {
        #expect(PowerReading(machine.supplies.compactMap { PowerSupply($0) }) == machine.reading)
    }
}
