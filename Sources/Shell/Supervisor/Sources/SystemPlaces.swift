internal import Systemd

/// Where the machine is looked at.
public struct SystemPlaces: Hashable, Sendable {
    /// The file that says which zone this is (localtime(5)).
    public var zone = "/etc/localtime"
    /// The files that say which locale this is (locale.conf(5), and Debian's).
    public var locales = ["/etc/locale.conf", "/etc/default/locale"]
    /// The table of mounts (proc(5)).
    public var mounts = "/proc/self/mountinfo"
    /// Where the nodes of devices are.
    public var devices = "/dev"
    /// What is there while udev runs.
    public var udev = DeviceMonitor.control
    /// The bus on which login1 is; nil is the system's.
    public var bus: String?
    /// The session whose lock counts; nil is ours.
    public var session: String?
    /// How long a file or the network has to be quiet before it is looked at: microseconds.
    public var quiet: Int64 = 100_000
    /// How long the machine's sleep waits for workers, in microseconds: within what login1 allows (5 s, InhibitDelayMaxSec=).
    public var grace: Int64 = 4_500_000

    /// A machine's usual places.
    public init() {}
}
