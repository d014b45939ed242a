import Foundation
import Glibc
import TestSupport
import Testing

/// Low-power mode of a real daemon, with supplies of power that a test makes.
@Suite(.timeLimit(.minutes(60))) struct `Low-power mode of a daemon` {
    private static let feed = """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Background]
        Modes=fetch remote-notification
        FetchIntervalSec=1s
        WakeBudget=infinity
        [Callbacks]
        PerformFetch=exec:/bin/sh -c 'echo fetched >> DIRECTORY/fetched'
        DidEnterBackground=exec:/bin/sh -c 'echo low=$$TORPOR_LOW_POWER >> DIRECTORY/background'
        [Notifications]
        powerChanged=exec:/bin/sh -c 'echo "$$TORPOR_NOTIFICATION_PAYLOAD" >> DIRECTORY/power'
        """

    /// A machine whose supplies of power are files.
    private final class Supplies {
        let directory = "/tmp/torpor-power-\(UUID().uuidString.prefix(8))"

        init() throws {
            try write("AC", ["type": "Mains", "online": "1"])
            try write("BAT0", ["type": "Battery", "present": "1", "status": "Full", "capacity": "100"])
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        private func write(_ supply: String, _ files: [String: String]) throws {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(supply)", withIntermediateDirectories: true)
            for (name, text) in files {
                try (text + "\n").write(
                    toFile: "\(directory)/\(supply)/\(name)", atomically: true, encoding: .utf8)
            }
        }

        func battery(_ charge: Int) throws {
            try write("BAT0", ["status": "Discharging", "capacity": "\(charge)"])
            try write("AC", ["online": "0"])
        }

        func mains() throws {
            try write("AC", ["online": "1"])
            try write("BAT0", ["status": "Charging"])
        }

        func daemon(_ files: [String: String]) throws -> DaemonUnderTest {
            try DaemonUnderTest(files, through: ["env", "TORPOR_POWER_SUPPLIES=\(directory)"])
        }
    }

    private func awaitMode(_ daemon: DaemonUnderTest, on isOn: Bool) throws {
        _ = try eventually("low-power mode to be \(isOn ? "on" : "off")") {
            try daemon.torpor("low-power").output.hasPrefix(isOn ? "on: " : "off: ") ? true : nil
        }
    }

    @Test func `begins with the batteries, stops fetches, tells workers, and ends on mains`() throws {
        let supplies = try Supplies()
        let daemon = try supplies.daemon(["feed": Self.feed, "witness": DaemonUnderTest.witness])
        #expect(try daemon.torpor("launch", "feed").status == 0)
        _ = try eventually("the supplies to be known") {
            try daemon.torpor("low-power").output == "off: the machine is on mains\n" ? true : nil
        }
        #expect(try !daemon.torpor("list").output.contains("Low-power"))
        try supplies.battery(60)
        _ = try eventually("the battery to be known") {
            try daemon.torpor("low-power").output
                == "off: the battery is at 60 %; it begins at 20 % (LowPowerBelow=)\n" ? true : nil
        }
        try supplies.battery(17)
        try awaitMode(daemon, on: true)
        let because = "the battery is at 17 %; it ends on mains, or above 25 %"
        #expect(try daemon.torpor("list").output.hasPrefix("Low-power mode is on: \(because)"))
        #expect(
            try daemon.torpor("status", "feed").output.contains("Low power: on, so fetches wait: \(because)"))
        #expect(try daemon.torpor("status").output.contains("on: \(because)"))
        _ = try eventually("the worker to be told") {
            daemon.lines(of: "power").contains(#"{"lowPower":true}"#) ? true : nil
        }
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        #expect(daemon.lines(of: "background").last == "low=1")
        #expect(try daemon.torpor("history").output.contains("low-power mode is on: \(because)"))
        // What has come due by now is not performed, however long it waits.
        let fetches = daemon.lines(of: "fetched").count
        try daemon.awaitWitness()
        #expect(daemon.lines(of: "fetched").count == fetches)
        // Nothing of it is lost with the daemon.
        try daemon.killAndRestart()
        #expect(try daemon.torpor("low-power").output.hasPrefix("on: "))
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("low-power").output.hasPrefix("on: "))
        #expect(daemon.lines(of: "fetched").count == fetches)
        try supplies.mains()
        try awaitMode(daemon, on: false)
        _ = try eventually("the fetch that waited") {
            daemon.lines(of: "fetched").count > fetches ? true : nil
        }
        _ = try eventually("the worker to be told of the end, when it woke") {
            daemon.lines(of: "power").last == #"{"lowPower":false}"# ? true : nil
        }
    }

    @Test func `is what an operator chooses, also for the next daemon`() throws {
        let supplies = try Supplies()
        let daemon = try supplies.daemon(["feed": Self.feed])
        let chosen = try daemon.torpor("low-power", "on")
        #expect(chosen.output == "Low-power mode is on: an operator switched it on.\n")
        try daemon.killAndRestart()
        #expect(try daemon.torpor("low-power").output == "on: an operator switched it on\n")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("low-power").output == "on: an operator switched it on\n")
        #expect(try daemon.torpor("low-power", "off").output.contains("off: an operator switched it off"))
        try supplies.battery(3)
        #expect(try daemon.torpor("low-power").output == "off: an operator switched it off\n")
        #expect(try daemon.torpor("low-power", "auto").status == 0)
        try awaitMode(daemon, on: true)
        #expect(try daemon.torpor("low-power", "maybe").status == 64)
        try daemon.write("../torpord.conf", DaemonUnderTest.unmoved + "[Power]\nLowPowerBelow=0%\n")
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("low-power").output == "off: LowPowerBelow= is 0%\n")
    }

    @Test func `shrinks the budgets, and lets through afterwards what they allow then`() throws {
        let supplies = try Supplies()
        let daemon = try supplies.daemon([
            "feed": """
            [Worker]
            ExecStart=/bin/sleep 1000
            [Background]
            Modes=remote-notification
            WakeBudget=4
            [Notifications]
            news=exec:/bin/sh -c 'echo $$TORPOR_NOTIFICATION_COUNT >> DIRECTORY/news'
            """
        ])
        #expect(try daemon.torpor("low-power", "on").status == 0)
        #expect(try daemon.torpor("launch", "feed").status == 0)
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        #expect(try daemon.torpor("post", "feed", "news", "--wake").status == 0)
        _ = try eventually("the post to be taken, and the worker to sleep") {
            try daemon.lines(of: "news").count == 1 && daemon.list().first?.state == "suspended" ? true : nil
        }
        #expect(try daemon.torpor("post", "feed", "news", "--wake").status == 0)
        let shown = try daemon.torpor("status", "feed").output
        #expect(shown.contains("1 of 1 wake,") && shown.contains("of 2min 30s awake"), "\(shown)")
        #expect(daemon.lines(of: "news").count == 1)
        #expect(try daemon.torpor("low-power", "off").status == 0)
        _ = try eventually("what was kept to be taken") { daemon.lines(of: "news").count == 2 ? true : nil }
    }
}
