internal import Linux
internal import Systemd

/// Where the machine is looked at.
package struct SystemPlaces: Hashable, Sendable {
    /// The file that says which zone this is (localtime(5)).
    package var zone = "/etc/localtime"
    /// The files that say which locale this is (locale.conf(5), and Debian's).
    package var locales = ["/etc/locale.conf", "/etc/default/locale"]
    /// The table of mounts (proc(5)).
    package var mounts = "/proc/self/mountinfo"
    /// Where the nodes of devices are.
    package var devices = "/dev"
    /// The supplies of power.
    package var powerSupplies = PowerSupplyFiles.directory
    /// How often the charge of a battery is looked at while one is there: microseconds.
    package var powerInterval: Int64 = 60_000_000
    /// What the kernel says of the pressure on resources (proc(5)).
    package var pressure = "/proc/pressure"
    /// What is there while udev runs.
    package var udev = DeviceMonitor.control
    /// The bus on which login1 is; nil is the system's.
    package var bus: String?
    /// The session whose lock counts for workers of the supervisor's user; nil is that of the supervisor.
    package var session: String?
    /// How long a file or the network has to be quiet before it is looked at: microseconds.
    package var quiet: Int64 = 100_000
    /// How long the machine's sleep waits for workers, in microseconds: within what login1 allows (5 s, InhibitDelayMaxSec=).
    package var grace: Int64 = 4_500_000

    /// A machine's usual places.
    package init() {}
}

extension SystemPlaces {
    /// Those of this machine; where its supplies of power and its pressure are looked for can be changed for a test.
    package static var current: SystemPlaces {
        var places = SystemPlaces()
        let environment = Environment.current
        if let directory = environment["TORPOR_POWER_SUPPLIES"], case let path = directory.description,
            !path.isEmpty
        {
            places.powerSupplies = path
            places.powerInterval = 200_000
        }
        if let directory = environment["TORPOR_PRESSURE"], case let path = directory.description,
            !path.isEmpty
        {
            places.pressure = path
        }
        return places
    }
}
