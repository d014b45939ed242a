import Budgeting
import Foundation
import Lifecycle
import Notifications
import SupervisorPorts
import SystemEvents
import Systemd
import Testing

/// By what the machine is powered, from files that a test writes as the kernel does.
@Suite(.timeLimit(.minutes(60))) struct `Supplies of power` {
    private static func write(_ files: [String: String], to supply: String) throws {
        try FileManager.default.createDirectory(atPath: supply, withIntermediateDirectories: true)
        for (name, text) in files {
            try (text + "\n").write(toFile: "\(supply)/\(name)", atomically: true, encoding: .utf8)
        }
    }

    private static func battery(_ charge: Int) -> PowerReading {
        PowerReading(hasBattery: true, isOnBattery: true, charge: charge)
    }

    @Test func `of a machine with a battery are looked at from time to time, and told when they change`()
        async throws
    {
        let told = try await Bench.run { bench in
            var places = SystemPlaces()
            places.powerSupplies = bench.path("power")
            places.powerInterval = 10_000
            let supply = bench.path("power/BAT0")
            try Self.write(["type": "Battery", "status": "Discharging", "capacity": "50"], to: supply)
            var told: [PowerReading] = []
            let watch = PowerWatch(on: bench.loop, places) { told.append($0) }
            var isWritten = false
            try bench.run {
                if told.count == 1, !isWritten {
                    isWritten = true
                    do { try Self.write(["capacity": "49"], to: supply) } catch { Issue.record(error) }
                }
                return told.count == 2
            }
            withExtendedLifetime(watch) {}
            return told
        }
        #expect(told == [Self.battery(50), Self.battery(49)])
    }

    @Test func `of one without a battery are looked at when udev tells of them`() async throws {
        let told = try await Bench.run { bench in
            var places = SystemPlaces()
            places.powerSupplies = bench.path("power")
            places.powerInterval = 60_000_000
            var told: [PowerReading] = []
            let watch = PowerWatch(on: bench.loop, places) { told.append($0) }
            let sources = SystemMonitors(on: bench.loop, places: places)
            sources.supplyChanged = { watch.look() }
            let news = DeviceNews(
                action: "add", subsystem: "power_supply", node: nil, path: "/sys/class/power_supply/UPS")
            let supply = bench.path("power/UPS")
            var isWritten = false
            try bench.run {
                if told.count == 1, !isWritten {
                    isWritten = true
                    let files = ["type": "UPS", "status": "Discharging", "capacity": "30"]
                    do { try Self.write(files, to: supply) } catch { Issue.record(error) }
                    // The second look is asked for while the first is under way.
                    sources.take(news)
                    sources.take(news)
                }
                return told.count == 2
            }
            sources.close()
            return told
        }
        #expect(told == [.mains, Self.battery(30)])
    }

    @Test func `tell workers of low-power mode, with and without news of their own`() async throws {
        let told = try await Bench.run { bench in
            let sources = SystemMonitors(on: bench.loop)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.post = { worker, post in
                told.append("\(worker.rawValue) \(String(decoding: post.payload ?? [], as: UTF8.self))")
            }
            sources.isLowPower = false
            var subscriptions = SystemSubscriptions()
            subscriptions.topics = [.powerChanged]
            sources.set(WorkerID(0), subscriptions)
            sources.isLowPower = false
            sources.isLowPower = true
            sources.take(
                DeviceNews(
                    action: "change", subsystem: "power_supply", node: nil, path: "/sys",
                    properties: ["POWER_SUPPLY_NAME": "AC", "POWER_SUPPLY_ONLINE": "1"]))
            sources.isLowPower = false
            sources.close()
            return told
        }
        #expect(
            told == [
                #"0 {"lowPower":true}"#, #"0 {"lowPower":true,"name":"AC","online":true}"#,
                #"0 {"lowPower":false}"#,
            ])
    }
}
