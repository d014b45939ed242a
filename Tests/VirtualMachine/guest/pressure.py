"""The scenario of memory pressure: sleepers, workers in use, and a hog that wants what is free and most of what they hold.

The same with nobody who sees to it, with earlyoom, with systemd-oomd and with torpord. The first three have the workers as
plain services of systemd, asleep by `systemctl freeze`.
"""
import mmap
import os
import struct
import subprocess
import time

import service
from service import Torpord
from vm import Skipped, check, eventually, read, say, sh, table, write

LOAD = "/srv/load"
PLACE = "/run/pressure"
SLEEPERS = {f"sleeper-{number}": f"hold {40}" for number in range(10)}
ACTIVE = {f"active-{number}": f"beat {24} {PLACE}/active-{number}" for number in range(3)}
HOG = {"hog": f"hog {64} {PLACE}/hog"}
# How much of what the sleepers hold the hog wants beside all that is free.
SHARE = 0.7
# How long the hog stays when it has all, in seconds: whatever would still break breaks then.
STAY = 5


class Pair:
    """The two numbers that a load and we share."""

    def __init__(self, name):
        self.path = f"{PLACE}/{name}"
        with open(self.path, "w+b") as file:
            file.truncate(16)
            self.memory = mmap.mmap(file.fileno(), 16)

    def __getitem__(self, index):
        return struct.unpack_from("Q", self.memory, 8 * index)[0]

    def __setitem__(self, index, number):
        struct.pack_into("Q", self.memory, 8 * index, number)


class Stage:
    """Who sees to the memory, and how workers are started, put to sleep and ended there."""

    title = ""

    def __enter__(self):
        os.makedirs(PLACE, exist_ok=True)
        self.pairs = {name: Pair(name) for name in (*ACTIVE, *HOG)}
        return self

    def __exit__(self, *_):
        self.end_hog()

    def group(self, name):
        """The control group of a worker's, or of the hog's outside."""
        return f"/sys/fs/cgroup/workers.slice/{name}.service"

    def start(self):
        """Starts those workers that do not run, and puts to sleep those that should."""

    def start_hog(self, is_worker):
        """Starts the hog, as one of the workers or outside of them."""
        self.hog = f"/sys/fs/cgroup/{'workers' if is_worker else 'hog'}.slice/hog.service"
        unit("hog", HOG["hog"], "workers" if is_worker else "hog")

    def end_hog(self):
        sh("systemctl stop hog.service; systemctl reset-failed hog.service", may_fail=True)

    def explain(self, outcome):
        """Says why somebody in use died, where that can be told."""

    def process(self, group):
        """The process in a group; nothing when there is none any more."""
        try:
            return read(f"{group}/cgroup.procs").split()[:1]
        except OSError:
            return []


def unit(name, words, slice):
    sh(f"systemd-run --quiet --collect --unit={name} --slice={slice} {LOAD} {words}")


class Nobody(Stage):
    """Only the kernel's OOM killer."""

    title = "nothing"

    def start(self):
        fresh = [name for name in (*SLEEPERS, *ACTIVE) if not self.process(self.group(name))]
        for name in fresh:
            unit(name, (SLEEPERS | ACTIVE)[name], "workers")
        eventually(lambda: all(self.holds(name) for name in fresh), "all hold what they should")
        if asleep := [f"{name}.service" for name in fresh if name in SLEEPERS]:
            sh("systemctl freeze " + " ".join(asleep))

    def holds(self, name):
        size = int((SLEEPERS | ACTIVE)[name].split()[1]) << 20
        return int(read(f"{self.group(name)}/memory.current")) >= size

    def __exit__(self, *error):
        super().__exit__(*error)
        names = " ".join(f"{name}.service" for name in (*SLEEPERS, *ACTIVE))
        sh(f"systemctl thaw {names}; systemctl kill --signal=KILL {names}; systemctl reset-failed", may_fail=True)
        eventually(lambda: not any(self.process(self.group(name)) for name in (*SLEEPERS, *ACTIVE)), "all have ended")


class Earlyoom(Nobody):
    """Debian's earlyoom as it comes."""

    title = "earlyoom"

    def __enter__(self):
        sh("systemctl start earlyoom")
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        sh("systemctl stop earlyoom", may_fail=True)


class Oomd(Nobody):
    """systemd-oomd, for both slices, as quick as it can be set."""

    title = "systemd-oomd"
    CONFIGURATION = "/run/systemd/oomd.conf.d/pressure.conf"

    def __enter__(self):
        write(self.CONFIGURATION, "[OOM]\nDefaultMemoryPressureDurationSec=1s\n")
        for slice in ("workers", "hog"):
            sh(f"systemctl set-property --runtime {slice}.slice ManagedOOMMemoryPressure=kill ManagedOOMMemoryPressureLimit=10%")
        sh("systemctl start workers.slice hog.slice systemd-oomd")
        for slice in ("workers", "hog"):
            eventually(lambda slice=slice: f"/{slice}.slice" in sh("oomctl"), f"oomd watches {slice}.slice")
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        sh("systemctl stop systemd-oomd.socket systemd-oomd.service", may_fail=True)
        sh("systemctl stop workers.slice hog.slice; systemctl revert workers.slice hog.slice", may_fail=True)
        os.remove(self.CONFIGURATION)


class Torpor(Stage):
    """torpord, with its own defaults."""

    title = "torpord"

    def __enter__(self):
        text = "[Worker]\nExecStart=" + LOAD + " {}\nLaunch=on-demand\nRestart=no\n[Memory]\nEvictable=silent\n"
        self.daemon = Torpord({name: text.format(words) for name, words in (SLEEPERS | ACTIVE | HOG).items()})
        self.daemon.__enter__()
        if not acts():
            self.daemon.__exit__()
            raise Skipped("this daemon does not act on memory pressure")
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.daemon.__exit__()

    def group(self, name):
        return service.group(name)

    def start(self):
        fresh = [name for name in (*SLEEPERS, *ACTIVE) if not self.process(self.group(name))]
        if fresh:
            service.torpor("launch", *fresh)
        if asleep := [name for name in fresh if name in SLEEPERS]:
            # They hold what they should from their first moment on; a sleeper has nothing else to do.
            eventually(lambda: all(resident(self.process(self.group(name))) > 35 for name in asleep), "all hold what they should")
            service.torpor("suspend", *asleep)

    def start_hog(self, is_worker):
        if not is_worker:
            return super().start_hog(False)
        self.hog = self.group("hog")
        service.torpor("launch", "hog")

    def end_hog(self):
        super().end_hog()
        service.torpor("kill", "hog", may_fail=True)

    def explain(self, outcome):
        if outcome["active"] < len(ACTIVE):
            say(sh(f"journalctl --boot --no-pager --output=short-monotonic --lines=60 _PID={self.daemon.pid}"))


def acts():
    """Whether the daemon knows of memory pressure."""
    try:
        return bool(service.call("Pressure"))
    except AssertionError as error:
        if "MethodNotFound" in str(error):
            return False
        raise


def resident(process):
    """How many MB a process has in memory."""
    try:
        return int(read(f"/proc/{process[0]}/statm").split()[1]) * 4096 >> 20
    except (OSError, IndexError):
        return 0


def available():
    return next(int(line.split()[1]) << 10 for line in read("/proc/meminfo").splitlines() if line.startswith("MemAvailable:"))


def play(stage, is_worker):
    """One round; returns what became of everybody."""
    stage.start()
    before = {name: stage.process(stage.group(name)) for name in (*SLEEPERS, *ACTIVE)}
    check(all(before.values()), f"not all run: {before}")
    hog = stage.pairs["hog"]
    hog[0] = hog[1] = 0
    stage.start_hog(is_worker)
    process = eventually(lambda: stage.process(stage.hog), "the hog is there")
    held = sum(resident(before[name]) << 20 for name in SLEEPERS)
    killed = table("/proc/vmstat")["oom_kill"]
    for name in ACTIVE:
        stage.pairs[name][0] = 0
    # Whole pages: the hog takes no others, and would never have all.
    wanted = (available() + int(SHARE * held)) // mmap.PAGESIZE * mmap.PAGESIZE
    hog[0] = wanted
    start = time.monotonic()
    eventually(lambda: hog[1] >= wanted or stage.process(stage.hog) != process, "the hog has all or is dead", 180)
    took = time.monotonic() - start
    end = time.monotonic() + STAY
    while time.monotonic() < end and stage.process(stage.hog) == process:
        time.sleep(0.05)
    outcome = {
        "active": sum(stage.process(stage.group(name)) == before[name] for name in ACTIVE),
        "evicted": sum(stage.process(stage.group(name)) != before[name] for name in SLEEPERS),
        "served": stage.process(stage.hog) == process and hog[1] >= wanted,
        "killed": table("/proc/vmstat")["oom_kill"] - killed,
        "stall": max(stage.pairs[name][0] for name in ACTIVE) / 1e9,
        "wanted": wanted >> 20, "got": hog[1] >> 20, "seconds": took,
    }
    stage.end_hog()
    return outcome


def sentence(outcome):
    """What became of everybody, in a line."""
    return (f"{outcome['active']} of {len(ACTIVE)} in use alive, {outcome['evicted']} of {len(SLEEPERS)} sleepers evicted, "
            f"hog had {outcome['got']} of {outcome['wanted']} MB after {outcome['seconds']:.1f} s and "
            f"{'stayed' if outcome['served'] else 'was killed'}, OOM killer {outcome['killed']} ×, "
            f"longest stall {outcome['stall']:.2f} s")
