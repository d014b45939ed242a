"""Devices that come and go, heard of udev (2.1)."""
import fcntl
import os

from service import Torpord, queue, sleeper, torpor
from vm import Skipped, check, eventually, sh, test

# ioctl(2) of /dev/loop-control, loop(4).
ADD, REMOVE = 0x4C80, 0x4C81
NUMBER = 77
NODE = f"/dev/loop{NUMBER}"


def loop(request):
    control = os.open("/dev/loop-control", os.O_RDWR)
    try:
        fcntl.ioctl(control, request, NUMBER)
    finally:
        os.close(control)


@test("a device that comes is told to those whose globs match, and one that goes again to nobody")
def devices():
    sh("modprobe loop")
    if not os.path.exists("/dev/loop-control"):
        raise Skipped("this kernel has no loop devices")
    files = {"near": sleeper("devicesChanged=signal:SIGUSR1\nWatchDevices=/dev/loop*"),
             "far": sleeper("devicesChanged=signal:SIGUSR1\nWatchDevices=/dev/dri/*")}
    with Torpord(files):
        for name in files:
            torpor("launch", name)
            torpor("suspend", name)
        loop(ADD)
        try:
            entry = eventually(lambda: queue("near").get("devicesChanged"), "the device has been heard of")
            check(entry["added"] == [NODE] and not entry.get("removed"), entry)
        finally:
            loop(REMOVE)
        eventually(lambda: "devicesChanged" not in queue("near"), "nothing is left of one that went again")
        check(not queue("far"), queue("far"))
    return f"{NODE} in the queue, and out of it"


@test("power that changes is told")
def power():
    sh("modprobe test_power", may_fail=True)
    if not os.path.exists("/sys/module/test_power"):
        raise Skipped("this kernel has no test_power")
    try:
        with Torpord({"worker": sleeper("powerChanged=signal:SIGUSR1")}):
            torpor("launch", "worker")
            torpor("suspend", "worker")
            sh("echo off > /sys/module/test_power/parameters/ac_online")
            entry = eventually(lambda: queue("worker").get("powerChanged"), "the power has been heard of")
            return str(entry["payload"])
    finally:
        sh("modprobe --remove test_power", may_fail=True)
