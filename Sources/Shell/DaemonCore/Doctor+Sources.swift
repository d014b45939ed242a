internal import ControlAPI
internal import Glibc
internal import Linux
internal import SystemEvents
internal import Systemd

/// Through what the machine is heard of.
extension Doctor {
    var clock: SupervisorInterface.Finding {
        finding(
            "clock", Self.problem { () throws(LinuxError) in _ = try WallClockTimer() },
            "a clock that is set, midnight and the zone are heard of by timerfd",
            without: "a clock that is set, and midnight, go unnoticed",
            remedy: "allow timerfd_create(2) (SystemCallFilter=, seccomp)")
    }

    var files: SupervisorInterface.Finding {
        func limit(_ limit: Inotify.Limit) -> String { Inotify.value(of: limit).map(String.init) ?? "?" }
        let limits = "\(limit(.watches)) watches, \(limit(.instances)) instances for each user"
        return finding(
            "inotify", Self.problem { () throws(LinuxError) in _ = try Inotify() },
            "files, paths, the zone and the locale are heard of (\(limits))",
            without: "files that change go unnoticed (\(limits))",
            remedy: "sysctl fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288")
    }

    var network: SupervisorInterface.Finding {
        finding(
            "rtnetlink", Self.problem { () throws(LinuxError) in _ = try RouteSocket() },
            "links, addresses and routes are heard of by rtnetlink",
            without: "changes of the network go unnoticed",
            remedy: "add AF_NETLINK to RestrictAddressFamilies= of the unit")
    }

    var devices: SupervisorInterface.Finding {
        finding(
            "udev", DeviceMonitor.isServed, "devices and power are heard of by udev",
            without:
                "devices and power go unnoticed: no udev runs here; one that starts is heard from then on",
            remedy: "run systemd-udevd; in a container give it the host's /run/udev")
    }

    var login: SupervisorInterface.Finding {
        finding(
            "login1", LoginMonitor.isServed, "the machine's sleep and end are heard of on the system bus",
            without: "the machine's sleep and shutdown go unnoticed: there is no system bus",
            remedy: "run dbus-daemon and systemd-logind, or do without")
    }

    var mounts: SupervisorInterface.Finding {
        let path = SystemPlaces().mounts
        return finding(
            "mount table", access(path, R_OK) == 0, "protected data is heard of by \(path)",
            without: "protected data goes unnoticed: no \(path)", remedy: "mount -t proc proc /proc")
    }

    /// What can be opened or cannot, for this problem.
    private func finding(
        _ capability: String, _ problem: String?, _ detail: String, without: String, remedy: String
    ) -> SupervisorInterface.Finding {
        finding(
            capability, problem == nil, detail, without: problem.map { "\(without): \($0)" } ?? without,
            remedy: remedy)
    }

    /// Why something cannot be opened; nil when it can.
    private static func problem(_ open: () throws(LinuxError) -> Void) -> String? {
        do throws(LinuxError) {
            try open()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
