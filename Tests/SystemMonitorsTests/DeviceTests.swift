import ConfigurationSyntax
import Foundation
import Lifecycle
import Notifications
import Supervisor
import SupervisorPorts
import SystemEvents
import Systemd
import TestSupport
import Testing
import WorkerFile

extension Capability {
    /// A udev that runs, and the right to have it look at a device again.
    static let udev = Capability("udev") {
        guard DeviceMonitor.isServed else { return "no udev runs here" }
        return run("udevadm", "trigger", "--dry-run") == 0 ? nil : "udevadm trigger is not allowed"
    }
}

@Suite(.timeLimit(.minutes(60))) struct `Devices and power` {
    private func told(_ subscriptions: [SystemSubscriptions], of news: [DeviceNews]) async throws -> [String]
    {
        try await Bench.run { bench in
            let sources = SystemMonitors(on: bench.loop)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.post = { worker, post in
                let payload = String(decoding: post.payload ?? [], as: UTF8.self)
                told.append("\(worker.rawValue) \(post.topic)\(payload) +\(post.added) -\(post.removed)")
            }
            for (index, subscriptions) in subscriptions.enumerated() {
                sources.set(WorkerID(UInt32(index)), subscriptions)
            }
            for news in news { sources.take(news) }
            sources.close()
            return told
        }
    }

    private func device(_ action: String, _ node: String?, subsystem: String = "block") -> DeviceNews {
        DeviceNews(action: action, subsystem: subsystem, node: node, path: "/sys/devices/x")
    }

    @Test func `devices that come and go are told to those whose globs they match`() async throws {
        var all = SystemSubscriptions()
        all.topics = [.devicesChanged]
        var some = all
        some.devices = [try PathGlob(parsing: "/dev/sd*"), try PathGlob(parsing: "/dev/dri/*")]
        var globsAlone = SystemSubscriptions()
        globsAlone.devices = some.devices
        let told = try await told(
            [all, some, globsAlone],
            of: [
                device("add", "/dev/sda1"), device("change", "/dev/sda1"), device("remove", "/dev/dri/card0"),
                device("add", "/dev/tty9"), device("add", nil), device("add", "/dev/sd/a"),
            ])
        #expect(
            told == [
                #"0 devicesChanged +["/dev/sda1"] -[]"#, #"1 devicesChanged +["/dev/sda1"] -[]"#,
                #"0 devicesChanged +[] -["/dev/dri/card0"]"#, #"1 devicesChanged +[] -["/dev/dri/card0"]"#,
                #"0 devicesChanged +["/dev/tty9"] -[]"#, #"0 devicesChanged +["/dev/sd/a"] -[]"#,
            ])
    }

    @Test func `one that comes wakes those with the mode, after it is told`() async throws {
        let told = try await Bench.run { [self] bench in
            let sources = SystemMonitors(on: bench.loop)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.post = { worker, post in told.append("\(worker.rawValue) \(post.topic)") }
            workers.wake = { worker, reason, node in
                told.append("\(worker.rawValue) \(reason.rawValue) \(node)")
            }
            var waking = SystemSubscriptions()
            waking.devices = [try PathGlob(parsing: "/dev/sd*")]
            waking.wakesForDevices = true
            var both = waking
            both.topics = [.devicesChanged]
            sources.set(WorkerID(0), waking)
            sources.set(WorkerID(1), both)
            for (action, node) in [("add", "/dev/sda"), ("add", "/dev/tty9"), ("remove", "/dev/sda")] {
                sources.take(device(action, node))
            }
            sources.close()
            return told
        }
        #expect(
            told == [
                "0 device /dev/sda", "1 devicesChanged", "1 device /dev/sda", "1 devicesChanged",
            ])
    }

    @Test func `a udev that comes late is heard from then on`() async throws {
        let (heard, reports) = try await Bench.run { bench in
            var places = SystemPlaces()
            places.quiet = 1000
            places.udev = bench.path("control")
            let sources = SystemMonitors(on: bench.loop, places: places)
            var reports: [String] = []
            sources.report = { reports.append($0) }
            var subscriptions = SystemSubscriptions()
            subscriptions.topics = [.powerChanged]
            sources.set(WorkerID(0), subscriptions)
            var heard = [sources.hearsDevices]
            var step = 0
            try bench.run {
                switch step {
                case 0 where sources.files?.present(of: places.udev) != nil: write("", to: places.udev)
                case 1 where sources.hearsDevices: return true
                default: return false
                }
                step += 1
                return false
            }
            heard.append(sources.hearsDevices)
            // It is there: nothing waits for it any more.
            #expect(sources.files == nil)
            sources.set(WorkerID(0), nil)
            heard.append(sources.hearsDevices)
            return (heard, reports)
        }
        #expect(heard == [false, true, false])
        #expect(reports == ["cannot watch devices: udev is not running; waiting for it to start"])
    }

    @Test func `power is told by its name, in one form`() async throws {
        var subscriptions = SystemSubscriptions()
        subscriptions.topics = [.powerChanged]
        let battery = DeviceNews(
            action: "change", subsystem: "power_supply", node: nil, path: "/sys/class/power_supply/BAT0",
            properties: [
                "POWER_SUPPLY_NAME": "BAT0", "POWER_SUPPLY_STATUS": "Discharging",
                "POWER_SUPPLY_CAPACITY": "80",
            ])
        let mains = DeviceNews(
            action: "change", subsystem: "power_supply", node: nil, path: "/sys/class/power_supply/AC",
            properties: ["POWER_SUPPLY_NAME": "AC", "POWER_SUPPLY_ONLINE": "0"])
        let told = try await told(
            [subscriptions, SystemSubscriptions()], of: [battery, mains, device("add", "/dev/sda")])
        #expect(
            told == [
                #"0 powerChanged{"capacity":80,"name":"BAT0","status":"Discharging"} +[] -[]"#,
                #"0 powerChanged{"name":"AC","online":false} +[] -[]"#,
            ])
    }

    @Test(.requires(.udev)) func `udev is heard`() async throws {
        let heard = try await Bench.run { bench in
            var heard: DeviceNews?
            let monitor = try DeviceMonitor(on: bench.loop, subsystems: ["mem"]) { heard = $0 }
            run("udevadm", "trigger", "--action=change", "/dev/null")
            try bench.run { heard != nil }
            withExtendedLifetime(monitor) {}
            return heard
        }
        #expect(heard?.node == "/dev/null")
        #expect(heard?.action == "change")
    }
}
