"""A worker's own limits of memory, what its sleep gives back, its own pressure, and the kernel's OOM killer (2.2, 2.3)."""
import contextlib
import glob
import os
import re
import shutil
import signal
import struct
import time

from pressure import LOAD
from service import Torpord, call, group, reaches, torpor
from vm import check, eventually, read, table, test, write

PLACE = "/run/limits"
# On the root's disk: pages of a file there can be taken back.
FILE = "/var/tmp/limits"
MB = 1 << 20


def placed(function):
    """A test with a directory and files of its own, which are gone after it."""
    def run():
        os.makedirs(PLACE, exist_ok=True)
        try:
            return function()
        finally:
            shutil.rmtree(PLACE, ignore_errors=True)
            for path in glob.glob(FILE + "*"):
                os.remove(path)
    return run


def described(name):
    """All that the daemon tells of a worker."""
    return call("Describe", name=name)["worker"]


def number(name, file):
    """A figure of a worker's group; None where that is `max`."""
    text = read(f"{group(name)}/{file}").strip()
    return None if text == "max" else int(text)


def events(name):
    """How often its group has met its limits."""
    return table(f"{group(name)}/memory.events")


def kept(*names):
    """What the history has of memory: of these workers, or of all and the machine; in words for programs, oldest first."""
    asked = {"names": list(names)} if names else {}
    return [entry["reason"] for entry in call("History", **asked)["entries"] if entry["kind"] == "memory"]


def there(name):
    """Whether a worker has made this file."""
    return os.path.exists(f"{PLACE}/{name}")


# The limits of a state.

def limits(name):
    """What the kernel has: memory.max, memory.high."""
    return number(name, "memory.max"), number(name, "memory.high")


def settle(name, expected, state):
    eventually(lambda: limits(name) == expected, f"limits {expected} of {name} while {state}, not {limits(name)}")


@test("the limits of memory follow the state of a worker")
def follow():
    worker = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch={}\n[Memory]\n{}\n"
    own = "MemoryMax=64M\nMemoryHigh=48M\nBackgroundMemoryHigh=24M"
    with Torpord({"napper": worker.format("boot", own), "shy": worker.format("boot-background", own),
                  "share": worker.format("boot", "MemoryMax=25%\nBackgroundMemoryHigh=8M"), "free": worker.format("boot", "")}):
        reaches("napper", "active")
        reaches("shy", "background")
        active, background = (64 * MB, 48 * MB), (64 * MB, 24 * MB)
        check(limits("napper") == active, f"limits {active} at its launch, not {limits('napper')}")
        check(limits("shy") == background, f"limits {background} at a launch in the background, not {limits('shy')}")
        for verb, expected in (("background", background), ("suspend", background), ("activate", active)):
            torpor(verb, "napper")
            settle("napper", expected, f"told to {verb}")
        check(described("napper")["memory"]["limitBytes"] == 64 * MB, f"{described('napper')['memory']}")
        # The kernel has whole pages.
        total = next(int(line.split()[1]) << 10 for line in read("/proc/meminfo").splitlines() if line.startswith("MemTotal:"))
        quarter = total // 4 // 4096 * 4096
        reaches("share", "active")
        settle("share", (quarter, None), "active")
        torpor("background", "share", "free")
        settle("share", (quarter, 8 * MB), "in the background")
        check(limits("free") == (None, None), f"{limits('free')} of a worker without any")
    return f"max 64 M, high 48 → 24 → 24 → 48 M, a quarter is {quarter >> 20} of {total >> 20} M"


FORKER = """import os, sys, time
count = 0
try:
    while count < 1000:
        if os.fork() == 0:
            time.sleep(1e9)
        count += 1
except BlockingIOError:
    pass
open(sys.argv[1], "w").write(str(count))
time.sleep(1e9)
"""


@test("a worker cannot have more processes than TasksMax= says, and 15% of the machine's where it does not")
@placed
def tasks():
    write(f"{PLACE}/forker.py", FORKER)
    sleeper = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n{}\n"
    with Torpord({"free": sleeper.format("TasksMax=infinity"), "usual": sleeper.format(""),
                  "forker": f"[Worker]\nExecStart=/usr/bin/python3 {PLACE}/forker.py {PLACE}/count\nTasksMax=20\nLaunch=on-demand\n"}):
        for name in ("free", "usual"):
            reaches(name, "active")
        most = min(int(read(f"/proc/sys/kernel/{name}")) for name in ("pid_max", "threads-max"))
        usual = number("usual", "pids.max")
        check(number("free", "pids.max") is None, "no limit where none is wanted")
        check(0 < usual <= most * 15 // 100, f"{usual} of {most}")
        torpor("launch", "forker")
        eventually(lambda: there("count") and read(f"{PLACE}/count"), "it cannot start another process")
        count = int(read(f"{PLACE}/count"))
        check(count == 19 and number("forker", "pids.current") == 20, f"{count} children")
        doctor = torpor("doctor", may_fail=True)
        check("process limits are available" in doctor, doctor)
        torpor("kill", "forker")
    return f"19 children of 20 tasks; {usual} of {most} by default"


# What sleep gives back.

READER = """import sys, time
with open(sys.argv[1], "rb") as file:
    while file.read(1 << 20):
        pass
open(sys.argv[2], "w").close()
time.sleep(1e9)
"""


def reader(name, memory=""):
    """A worker that reads a file once and has its pages from then on."""
    return (f"[Worker]\nExecStart=/usr/bin/python3 {PLACE}/reader.py {FILE}.{name} {PLACE}/{name}\nLaunch=on-demand\n"
            f"[Memory]\n{memory}\n[Callbacks]\nDidReceiveMemoryWarning=exec:/usr/bin/touch {PLACE}/{name}.hook\n")


def make_file(name, size):
    """A file for it, with nothing in it and none of it in memory."""
    with open(f"{FILE}.{name}", "wb") as file:
        file.truncate(size)


def given_back(name):
    return described(name)["memory"].get("givenBackBytes")


def settled(name):
    """What a sleeper's group holds, once what a processor has counted in advance, or not yet, has been counted."""
    def twice():
        first = number(name, "memory.current")
        time.sleep(0.3)
        return first if abs(number(name, "memory.current") - first) < MB // 16 else None
    return eventually(twice, f"the figure of {name} stands still")


@test("what a sleeper holds is given back, and the daemon says how much; with ReclaimOnSuspend=no nothing is")
@placed
def sleepers():
    names, size = ("gives", "keeps"), 64 * MB
    write(f"{PLACE}/reader.py", READER)
    for name in names:
        make_file(name, size)
    with Torpord({"gives": reader("gives"), "keeps": reader("keeps", "ReclaimOnSuspend=no")}):
        torpor("launch", *names)
        eventually(lambda: all(there(name) for name in names), "all has been read")
        # The worker that sleeps longer would be first.
        torpor("suspend", "keeps")
        before = {name: settled(name) for name in names}
        check(min(before.values()) > size, f"both hold {size} and more: {before}")
        torpor("suspend", "gives")
        told = eventually(lambda: given_back("gives"), "it reports what was reclaimed")
        after = {name: settled(name) for name in names}
        gone = {name: before[name] - after[name] for name in names}
        check(abs(gone["gives"] - told) < 2 * MB and told > 0.9 * size, f"{told} given back, the kernel says {gone}")
        # The kernel may count something for a sleeper that it had not counted before; it gives nothing back.
        check(gone["keeps"] < MB and given_back("keeps") is None, f"nothing of the other: {gone}")
        check(call("List")["givenBackBytes"] == told, "the list says it")
        check(call("Pressure")["freedByReclaimBytes"] == told, "what was done about memory says it")
        for command, words in (("status gives", r"reclaimed: ([\d.]+)M"), ("status", r"([\d.]+)M reclaimed during sleep")):
            said = torpor(command)
            found = re.search(words, said)
            # It may be cut or rounded to a tenth.
            check(found and abs(float(found.group(1)) - told / MB) <= 0.1, f"{told} as {words} in {said}")
        torpor("activate", "gives")
        check(given_back("gives") is None, "awake it has given back nothing")
    return f"{told / MB:.1f}M said, {gone['gives'] / MB:.1f}M less held, {gone['keeps'] / MB:.1f}M of the other"


# Pressure of its own.

@test("a worker over its MemoryHigh= is told, and others are not")
@placed
def over_high():
    names = ("over", "under")
    write(f"{PLACE}/reader.py", READER)
    for name in names:
        make_file(name, 64 * MB)
    with Torpord({"over": reader("over", "MemoryHigh=24M"), "under": reader("under", "MemoryHigh=256M")}):
        torpor("launch", "under")
        eventually(lambda: there("under"), "the other has read all")
        torpor("launch", "over")
        eventually(lambda: there("over.hook"), "it is told")
        met = events("over")["high"]
        check(met > 0 and events("under")["high"] == 0, f"{events('over')}, {events('under')}")
        check(kept("over") == ["memoryWarning"] and kept() == ["memoryWarning"], f"{kept()}")
        check(not there("under.hook"), "the other has not been told")
    return f"told, of {met} events"


STALLER = """import base64, mmap, os, re, select, sys, time
os.sched_setaffinity(0, {0})
poll, watches = select.poll(), []
def watch():
    watches.append(os.open(os.environ["MEMORY_PRESSURE_WATCH"], os.O_RDWR | os.O_NONBLOCK))
    os.write(watches[-1], base64.b64decode(os.environ["MEMORY_PRESSURE_WRITE"]))
    poll.register(watches[-1], select.POLLPRI)
    return time.monotonic()
own = os.open("/sys/fs/cgroup" + open("/proc/self/cgroup").read().split(":")[-1].strip() + "/memory.pressure", os.O_RDONLY)
stalled = lambda: int(re.search(rb"some .*total=([0-9]+)", os.pread(own, 512, 0)).group(1)) / 1e6
file = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(file).st_size
pages, at, heard = mmap.mmap(file, size, prot=mmap.PROT_READ), 0, watch()
while True:
    # A fifth of the time, whatever a page costs here.
    begun, before = time.monotonic(), stalled()
    while stalled() - before < 0.04:
        for at in range(at, at + (1 << 20), 1 << 16):
            pages[at % size]
    time.sleep(max(0, begun + 0.2 - time.monotonic()))
    if poll.poll(0):
        heard = time.monotonic()
        open(sys.argv[2], "w").close()
    # Once on a busy host no event came at all: a fresh trigger is tried then.
    elif time.monotonic() - heard > 6:
        heard = watch()
"""
SPINNER = """import os, sys
os.sched_setaffinity(0, {1})
open(sys.argv[2], "w").close()
while True:
    pass
"""


def stalled(name=None):
    """For how long somebody of a worker has waited for memory; of the whole machine where none is named. In microseconds."""
    path = f"{group(name)}/memory.pressure" if name else "/proc/pressure/memory"
    return int(re.search(r"some .*total=(\d+)", read(path)).group(1))


@contextlib.contextmanager
def on_processor(number):
    """Leaves the other processors alone for the length of a `with`."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {number})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def own(name, script, memory=""):
    """A worker that leaves a file as its sign, and another one by its hook."""
    return (f"[Worker]\nExecStart=/usr/bin/python3 {PLACE}/{script}.py {FILE}.all {PLACE}/{name}.sign\nLaunch=on-demand\n"
            f"[Memory]\n{memory}\n[Callbacks]\nDidReceiveMemoryWarning=exec:/usr/bin/touch {PLACE}/{name}.hook\n")


@test("a worker with a limit that stalls is told by its own pressure, and nobody else is")
@placed
def own_pressure():
    write(f"{PLACE}/staller.py", STALLER)
    write(f"{PLACE}/spinner.py", SPINNER)
    make_file("all", 256 * MB)
    for _ in range(5):
        if figure := stall():
            return figure
    raise AssertionError("the whole machine was short of memory, five times")


def stall():
    """One round; nothing where the whole machine was short, as it can be on a busy host: all are told then, and rightly.

    Nobody meets a limit of its own here, only all together that of their service: events tell nothing. The worker
    that stalls does so for a fixed share of the time on a processor of its own, and the other one is busy all the while: of the
    machine's time less is lost than is a warning.
    """
    for sign in glob.glob(f"{PLACE}/*.sign") + glob.glob(f"{PLACE}/*.hook"):
        os.remove(sign)
    workers = {"busy": own("busy", "spinner", "MemoryHigh=512M"), "free": own("free", "staller"),
               "limited": own("limited", "staller", "MemoryHigh=512M")}
    with on_processor(1), Torpord(workers, properties=("MemoryHigh=64M",)):
        torpor("launch", "busy")
        eventually(lambda: there("busy.sign"), "it is busy")
        torpor("launch", "free")
        for turn in range(3):
            eventually(lambda: there("free.sign"), f"who has no limit is told by the kernel, {turn} times so far")
            os.remove(f"{PLACE}/free.sign")
        if there("busy.hook"):
            return None
        check(not kept(), f"and by nobody else: {kept()}")
        torpor("terminate", "free")
        machine = stalled()
        torpor("launch", "limited")
        eventually(lambda: there("limited.sign") and there("limited.hook"), "who has one is told by the kernel and by us")
        if there("busy.hook"):
            return None
        shares = stalled("limited") / 1e6, (stalled() - machine) / 1e6
        met = events("limited")
        check(met["high"] == met["max"] == 0, f"without having met it: {met}")
        check(kept("limited") == kept() == ["memoryWarning"], f"once, and nobody else: {kept()}")
        check(not there("free.hook") and not there("busy.hook"), "no hook of another")
        check(call("Pressure")["warningCount"] == 1, f"{call('Pressure')}")
    return f"told when it had stalled for {shares[0]:.2f} s, the machine for {shares[1]:.2f} s"


# The kernel's OOM killer.

def hog(more="Restart=no", rate=1000):
    """A worker that may have 32 MB, and wants as many as the file says."""
    return f"[Worker]\nExecStart={LOAD} hog {rate} {PLACE}/hog\nLaunch=on-demand\n{more}\n[Memory]\nMemoryMax=32M\n"


def want(size):
    """Has all hogs want so much."""
    with open(f"{PLACE}/hog", "r+b" if there("hog") else "wb") as file:
        file.write(struct.pack("QQ", size, 0))


def ended(name):
    """How its process ended, when it has."""
    return eventually(lambda: described(name).get("lastTermination"), f"{name} has ended")


@test("the kernel's OOM kill is known by its counts, and followed by what Restart= says")
@placed
def out_of_memory():
    want(64 * MB)
    with Torpord({"once": hog(), "again": hog("Restart=on-failure\nRestartSec=2s"),
                  "killed": "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=on-demand\nRestart=no\n[Memory]\nMemoryMax=32M\n"}):
        torpor("launch", "once", may_fail=True)
        end, now = ended("once"), described("once")
        check((end["cause"], end["signal"]) == ("kernel-oom", "SIGKILL"), f"{end}")
        check((now["state"], now["reason"]) == ("notRunning", "failed"), f"{now}")
        check(end["peakMemoryBytes"] == 32 * MB and "pressureSome" in end, f"its figures: {end}")
        check("kernel-oom (the kernel's OOM killer ended it)" in torpor("report", "once"), torpor("report", "once"))
        for verb in ("status", "why", "history"):
            said = torpor(verb, "once", may_fail=True)
            check(re.search("kernel.?oom", said, re.IGNORECASE), f"{verb}: {said}")
        check(kept("once") == ["killedByKernel"], f"{kept('once')}")
        torpor("launch", "again", may_fail=True)
        check(ended("again")["cause"] == "kernel-oom", f"{ended('again')}")
        want(0)
        eventually(lambda: described("again")["state"] == "active" and described("again")["launchReason"] == "restart",
                   "it is started again")
        torpor("launch", "killed")
        os.kill(described("killed")["pid"], signal.SIGKILL)
        check(ended("killed")["cause"] == "crashed" and not kept("killed"), f"another's SIGKILL is none: {ended('killed')}")
    return "kernel-oom at 32 M, failed; restarted on failure; another's SIGKILL is a crash"


@test("an OOM kill that comes while the daemon stands still is counted too")
@placed
def unseen():
    want(0)
    with Torpord({"hog": hog()}) as daemon:
        torpor("launch", "hog")
        process = f"/proc/{described('hog')['pid']}/status"
        os.kill(daemon.pid, signal.SIGSTOP)
        try:
            want(64 * MB)
            eventually(lambda: "State:\tZ" in read(process), "the kernel has killed it")
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
        check(ended("hog")["cause"] == "kernel-oom", f"{ended('hog')}")
        counted = call("Pressure")["kernelKillCount"]
        check(kept("hog") == ["killedByKernel"] and counted == 1, f"the history has {kept('hog')}, counted {counted}")
    return "1 counted"


@test("an OOM kill that leaves the main process is told, and the worker goes on")
@placed
def child():
    want(64 * MB)
    write(f"{PLACE}/parent", f"{LOAD} hog 1000 {PLACE}/hog\necho $? > {PLACE}/status\nexec sleep infinity\n")
    with Torpord({"parent": f"[Worker]\nExecStart=/bin/sh {PLACE}/parent\nLaunch=on-demand\n[Memory]\nMemoryMax=32M\n"}):
        torpor("launch", "parent")
        eventually(lambda: there("status") and read(f"{PLACE}/status"), "its child has died")
        eventually(lambda: kept("parent") == ["killedByKernel"], "the history has it")
        check(read(f"{PLACE}/status") == "137\n" and events("parent")["oom_kill"] == 1, f"{events('parent')}")
        now = described("parent")
        check(now["state"] == "active" and not now.get("lastTermination"), f"{now}")
        check(call("Pressure")["kernelKillCount"] == 1, f"{call('Pressure')}")
    return "1 process, the worker active"


@test("over its MemoryMax= a worker goes whatever its state: by the kernel, or by us where the kernel may not")
@placed
def over_max():
    want(64 * MB)
    with Torpord({"slow": hog(rate=20), "spared": hog("Restart=on-failure\nOOMScoreAdjust=-1000", rate=20)}):
        torpor("launch", "slow", "spared")
        slow, spared = ended("slow"), ended("spared")
        check(slow["cause"] == "kernel-oom" and slow["peakMemoryBytes"] == 32 * MB, f"{slow}")
        check((spared["cause"], spared["signal"], spared["state"]) == ("memory-limit", "SIGTERM", "active"), f"{spared}")
        check(spared["freedBytes"] > 30 * MB, f"{spared}")
        # It comes back by the next event: nothing has failed.
        now = described("spared")
        check((now["reason"], now["deadlines"]) == ("evicted", []), f"{now}")
        check(kept("spared") == ["broughtBack"], f"{kept('spared')}")
    return f"kernel-oom, and memory-limit by SIGTERM: {spared['freedBytes'] / MB:.1f}M freed"
