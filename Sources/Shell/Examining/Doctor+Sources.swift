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
            "clock changes, midnight and time zone changes are detected by timerfd",
            without: "clock changes and midnight are not detected",
            remedy: "allow timerfd_create(2) (SystemCallFilter=, seccomp)")
    }

    var files: SupervisorInterface.Finding {
        func limit(_ limit: Inotify.Limit) -> String { Inotify.value(of: limit).map(String.init) ?? "?" }
        let limits = "\(limit(.watches)) watches, \(limit(.instances)) instances per user"
        return finding(
            "inotify", Self.problem { () throws(LinuxError) in _ = try Inotify() },
            "changes of files, paths, time zone and locale are detected (\(limits))",
            without: "changes of files are not detected (\(limits))",
            remedy: "sysctl fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288")
    }

    var network: SupervisorInterface.Finding {
        finding(
            "rtnetlink", Self.problem { () throws(LinuxError) in _ = try RouteSocket() },
            "changes of links, addresses and routes are detected by rtnetlink",
            without: "changes of the network are not detected",
            remedy: "add AF_NETLINK to RestrictAddressFamilies= of the unit")
    }

    var devices: SupervisorInterface.Finding {
        finding(
            "udev", DeviceMonitor.isServed, "devices and power changes are detected by udev",
            without:
                "devices and power changes are not detected: udev is not running; they are detected once it starts",
            remedy: "run systemd-udevd; in a container give it the host's /run/udev")
    }

    var login: SupervisorInterface.Finding {
        finding(
            "login1", LoginMonitor.isServed, "system sleep and shutdown are detected on the system bus",
            without: "system sleep and shutdown are not detected: no system bus",
            remedy: "run dbus-daemon and systemd-logind, if needed")
    }

    var mounts: SupervisorInterface.Finding {
        let path = SystemPlaces().mounts
        return finding(
            "mount table", access(path, R_OK) == 0, "protected data is detected by \(path)",
            without: "protected data is not detected: no \(path)", remedy: "mount -t proc proc /proc")
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
