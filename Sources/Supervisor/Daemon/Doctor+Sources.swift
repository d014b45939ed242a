internal import ControlAPI
internal import Glibc
internal import Linux
internal import Systemd

/// Through what the machine is heard of.
extension Doctor {
    var clock: SupervisorInterface.Finding {
        let problem = Self.problem { () throws(LinuxError) in _ = try WallClockTimer() }
        return SupervisorInterface.Finding(
            capability: "clock", available: problem == nil,
            detail: problem.map { "nobody hears of a clock that is set, or of midnight: \($0)" }
                ?? "a clock that is set, midnight and the zone are heard of by timerfd",
            remedy: problem.map { _ in "allow timerfd_create(2) (SystemCallFilter=, seccomp)" })
    }

    var files: SupervisorInterface.Finding {
        func limit(_ limit: Inotify.Limit) -> String { Inotify.value(of: limit).map(String.init) ?? "?" }
        let problem = Self.problem { () throws(LinuxError) in _ = try Inotify() }
        let limits = "\(limit(.watches)) watches, \(limit(.instances)) instances for each user"
        return SupervisorInterface.Finding(
            capability: "inotify", available: problem == nil,
            detail: problem.map { "nobody hears of files that change: \($0) (\(limits))" }
                ?? "files, paths, the zone and the locale are heard of (\(limits))",
            remedy: problem.map { _ in
                "sysctl fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=524288"
            })
    }

    var network: SupervisorInterface.Finding {
        let problem = Self.problem { () throws(LinuxError) in _ = try RouteSocket() }
        return SupervisorInterface.Finding(
            capability: "rtnetlink", available: problem == nil,
            detail: problem.map { "nobody hears of the network: \($0)" }
                ?? "links, addresses and routes are heard of by rtnetlink",
            remedy: problem.map { _ in "add AF_NETLINK to RestrictAddressFamilies= of the unit" })
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

    var devices: SupervisorInterface.Finding {
        let isThere = DeviceMonitor.isServed
        return SupervisorInterface.Finding(
            capability: "udev", available: isThere,
            detail: isThere
                ? "devices and power are heard of by udev"
                : "nobody hears of devices and power: no udev runs here; one that comes is heard from then on",
            remedy: isThere ? nil : "run systemd-udevd; in a container give it the host's /run/udev")
    }

    var login: SupervisorInterface.Finding {
        let isThere = LoginMonitor.isServed
        return SupervisorInterface.Finding(
            capability: "login1", available: isThere,
            detail: isThere
                ? "the machine's sleep and end are heard of on the system bus"
                : "nobody hears of the machine's sleep and end: there is no system bus",
            remedy: isThere ? nil : "run dbus-daemon and systemd-logind, or do without")
    }

    var mounts: SupervisorInterface.Finding {
        let path = SystemPlaces().mounts
        let isThere = access(path, R_OK) == 0
        return SupervisorInterface.Finding(
            capability: "mount table", available: isThere,
            detail: isThere
                ? "protected data is heard of by \(path)" : "nobody hears of protected data: no \(path)",
            remedy: isThere ? nil : "mount -t proc proc /proc")
    }
}
