"""Our Debian package inside the machine, installed and purged, and what its units say."""
import glob
import json
import os
import shutil
import time

from service import CONFIGURATION, answers, torpor
from vm import Skipped, eventually, read, sh

# The programs of the package, not those of the second disk.
os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
HOLDER = "/sys/fs/cgroup/system.slice/torpor-workers.service"


def packages():
    """The paths of the package and of the one that comes after it."""
    found = sorted(glob.glob("/srv/package/torpor_*.deb"), key=len)
    if len(found) < 2:
        raise Skipped("the package was not built for it")
    return found[0], found[1]


def property_of(unit, name, manager=""):
    """One property of a unit, as systemctl shows it."""
    return sh(f"systemctl {manager} show --property={name} --value {unit}").strip()


def main_pid():
    return int(property_of("torpord.service", "MainPID"))


def status():
    """The daemon's status line."""
    return property_of("torpord.service", "StatusText")


def install(package=None):
    sh(f"DEBIAN_FRONTEND=noninteractive dpkg -i {package or packages()[0]}")
    eventually(answers, "the daemon answers")


def purge():
    sh("systemctl thaw torpord.service", may_fail=True)
    sh("DEBIAN_FRONTEND=noninteractive dpkg --purge torpor", may_fail=True)
    sh("systemctl stop torpord.service torpord.socket torpor-workers.service; systemctl reset-failed 'torpor*'", may_fail=True)
    for path in (CONFIGURATION, "/var/lib/torpor", "/run/torpor"):
        shutil.rmtree(path, ignore_errors=True)
    sh("systemctl daemon-reload")


def pids():
    """The main process of each worker that runs, by name."""
    return {worker["name"]: worker["pid"] for worker in json.loads(torpor("list --json=short"))["workers"] if worker.get("pid")}


def group(name):
    """The control group of a worker that the holder holds."""
    return f"{HOLDER}/worker-{name}"


def is_frozen(name):
    return "frozen 1" in read(f"{group(name)}/cgroup.events")


def measured(action):
    """How long `action` takes, in seconds."""
    begun = time.monotonic()
    action()
    return time.monotonic() - begun
