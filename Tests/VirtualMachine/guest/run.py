"""Runs the test files of the plan in their order, each in a process of its own, and switches the machine off as anybody would."""
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with open(f"{HERE}/../plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    environment = dict(os.environ, PYTHONPATH=HERE, PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1",
                       PATH="/srv/bin:" + os.environ["PATH"], LC_ALL="C.UTF-8", **plan["environment"])
    for name in plan["files"]:
        print(f"torpor-vm: {name}", flush=True)
        try:
            subprocess.run([sys.executable, f"{HERE}/one.py", f"{HERE}/../{name}"], env=environment, cwd="/",
                           stdin=subprocess.DEVNULL, timeout=plan["limit"])
        except subprocess.TimeoutExpired:
            print(f"torpor-vm: {name} took longer than {plan['limit']} s", flush=True)
    # By login1, so that a process that delays it is waited for; this one is stopped with all others.
    subprocess.run(["systemctl", "poweroff"], stdin=subprocess.DEVNULL)
    signal.pause()


main()
