"""What the machine must have, or the other tests would prove nothing."""
from vm import check, read, sh, test


@test("systemd is PID 1, of Debian 12")
def systemd():
    check(read("/proc/1/comm") == "systemd\n", "PID 1")
    check(read("/etc/debian_version").startswith("12."), "Debian's version")
    return sh("systemctl --version").split("\n")[0] + ", Linux " + sh("uname -r").strip()


@test("cgroups are unified, with the memory controller, pressure and the OOM killer's count")
def cgroups():
    controllers = read("/sys/fs/cgroup/cgroup.controllers").split()
    check({"cpu", "io", "memory", "pids"} <= set(controllers), f"controllers {controllers}")
    check("some avg10" in read("/proc/pressure/memory"), "pressure")
    check("oom_kill " in read("/proc/vmstat"), "oom_kill")
    return " ".join(controllers)


@test("nothing has failed on the way up")
def units():
    failed = sh("systemctl list-units --state=failed --plain --no-legend").strip()
    check(not failed, failed)
    return "up after " + read("/proc/uptime").split()[0] + " s"
