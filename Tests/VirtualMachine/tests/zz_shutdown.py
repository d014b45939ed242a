"""The last thing that the machine does: it shuts down, hears login1 of it first, and workers get the 5 s that they need."""
import os
import shutil
import time

from package import install, packages
from service import define, states
from vm import AT_SHUTDOWN, check, eventually, sh, test, write

SENTENCE = "workers that need 5 s to end get them at the machine's shutdown, those that sleep too"
# (Nothing in /run may be executed by itself.) It takes 5 s from SIGTERM on, as a database does that writes what it has, and says how long it had.
SLOW = """
import os, signal, subprocess, sys, time
name = sys.argv[1]
def end(*_):
    begun = time.monotonic()
    while time.monotonic() - begun < 5:
        time.sleep(0.05)
    with open(f"/run/report/{name}", "w") as file:
        file.write("whole")
    if all(os.path.exists(f"/run/report/{other}") for other in ("runner", "napper")):
        subprocess.run(["python3", "/run/report/report.py", "passed", SENTENCE, "both wrote all they had"], cwd="/run/report")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
open(f"/run/report/{name}.up", "w").close()
while True:
    signal.pause()
"""


# What a third worker does on its way: whether systemd stops anything by then is the outcome.
EARLY = "workers end before the machine's shutdown begins, which login1 delays for them"
FAREWELL = f"""
jobs=$(systemctl list-jobs --no-legend | grep --count stop)
[ "$jobs" = 0 ] && verdict=passed || verdict=failed
cd /run/report && exec python3 report.py $verdict "{EARLY}" "$jobs units were to stop by then"
"""


@test(EARLY)
def early():
    packages()
    write("/run/report/farewell", FAREWELL)
    define("leaver", "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n"
                     "[Callbacks]\nWillTerminate=exec:/bin/sh /run/report/farewell\n")
    return AT_SHUTDOWN


@test(SENTENCE)
def shutdown():
    packages()
    for name in ("report.py", "vm.py"):
        os.makedirs("/run/report", exist_ok=True)
        shutil.copy(f"/srv/guest/{name}", "/run/report")
    write("/run/report/slow", SLOW.replace("SENTENCE", repr(SENTENCE)))
    for name in ("runner", "napper"):
        define(name, f"[Worker]\nExecStart=/usr/bin/python3 /run/report/slow {name}\nLaunch=boot\nTimeoutStopSec=60\n")
    install()
    for name in ("runner", "napper"):
        eventually(lambda name=name: os.path.exists(f"/run/report/{name}.up"), f"{name} is up")
    sh("torpor suspend napper")
    check(states() == {"leaver": "active", "runner": "active", "napper": "suspended"}, str(states()))
    eventually(lambda: "torpor" in sh("systemd-inhibit --list --no-legend --no-pager"), "the delay lock is ours")
    sh("systemctl --no-block poweroff")
    return AT_SHUTDOWN
