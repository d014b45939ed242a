"""A disk that fails under the state directory and is well again: the device mapper's targets `error` and `linear` (dmsetup(8))."""
import contextlib
import os

from service import Torpord, answers, call, queue, reaches, sleeper, states, torpor
from vm import Skipped, check, eventually, sh, test

PLACE = "/var/lib/torpor"
IMAGE = "/var/tmp/disk.img"
SECTORS = 128 << 11
NAME = "failing"
REDIS = ("[Worker]\nExecStart=/usr/bin/redis-server --port 7411 --save '' --appendonly no --daemonize no\nRestart=always\nRestartSec=0\n"
         "Launch=on-demand\n[Foreground]\nIdleSec=1h\n")


def table(target):
    """Makes the device answer by `target`, at once and without a word to the file system."""
    sh(f"dmsetup load {NAME} --table '0 {SECTORS} {target}' && dmsetup suspend --noflush --nolockfs {NAME} && dmsetup resume {NAME}")
    check(target.split()[0] in sh(f"dmsetup table {NAME}"), f"the device answers by {target}")


@contextlib.contextmanager
def disk():
    """A file system of its own for the state, on a device that can be made to fail; what makes it fail, and well again."""
    sh("modprobe loop; modprobe dm_mod", may_fail=True)
    if not os.path.exists("/dev/loop-control") or "error" not in sh("dmsetup targets", may_fail=True):
        raise Skipped("this kernel has no loop devices, or no device mapper")
    sh(f"truncate --size=128M {IMAGE}")
    loop = sh(f"losetup --find --show {IMAGE}").strip()
    try:
        sh(f"dmsetup create {NAME} --table '0 {SECTORS} linear {loop} 0'")
        try:
            sh(f"mkfs.ext4 -q /dev/mapper/{NAME}; mkdir --parents {PLACE}; mount /dev/mapper/{NAME} {PLACE}")
            yield lambda: table("error"), lambda: table(f"linear {loop} 0")
        finally:
            table(f"linear {loop} 0")
            sh(f"umount --lazy {PLACE}", may_fail=True)
            eventually(lambda: not sh(f"dmsetup remove {NAME} 2>&1", may_fail=True).strip(), "the device is free")
    finally:
        sh(f"losetup --detach {loop}; rm --force {IMAGE}", may_fail=True)


@test("a disk that fails costs no worker and no acknowledged post: posts are refused until it is well")
def failing():
    files = {"worker": sleeper("mail=signal:SIGUSR1\nnews=signal:SIGUSR1"), "redis": REDIS,
             "idle": "[Worker]\nType=exec\nExecStart=/bin/sleep infinity\nRestart=always\nRestartSec=0\n"}
    with disk() as (fail, mend):
        first = Torpord(files).__enter__()
        try:
            for name in files:
                torpor("launch", name)
                reaches(name, "active")
            torpor("suspend worker")
            for number in range(10):
                torpor(f"post worker mail --payload '{{\"n\":{number}}}'")
            before = {worker["name"]: worker["pid"] for worker in call("List")["workers"]}
            daemon = first.pid
            fail()

            refused = sh("torpor post worker news 2>&1; echo \"code $?\"")
            check("code 75" in refused and "cannot be stored" in refused, f"a post is refused: {refused}")
            # What needs no disk goes on: sleep, wake, restart, each verb that asks.
            for _ in range(3):
                torpor("suspend redis")
                torpor("activate redis")
                check(sh("redis-cli -p 7411 PING").strip() == "PONG", "redis is awake")
            os.kill(before["idle"], 9)
            eventually(lambda: states()["idle"] == "active" and pid("idle") != before["idle"], "it is launched again")
            for verb in ("list", "status worker redis idle", "why worker", "history -n 20", "report idle"):
                # What is on the disk alone may be told or not; the verb says so, and ends.
                sh(f"timeout 20 torpor {verb} > /run/disk.out 2>&1; code=$?; [ $code != 124 ] && [ $code -lt 128 ] || (cat /run/disk.out; exit 1)")
            check(pid("redis") == before["redis"] and pid("worker") == before["worker"], "the others are the same processes")
            check(first.pid == daemon, "the daemon is the same")
            doctor = sh("torpor doctor 2>&1", may_fail=True)
            check("dmesg" in doctor, f"doctor says what to do: {doctor}")
            check(queue("worker")["mail"]["count"] == 10, queue("worker"))

            # The machine goes down with it: only what is on the disk is left.
            sh("systemctl kill --signal=KILL torpord.service")
            eventually(lambda: not answers(), "the daemon is gone")
            sh("systemctl stop torpord.service; systemctl reset-failed torpord.service", may_fail=True)
            mend()
            sh(f"umount {PLACE}; e2fsck -p /dev/mapper/{NAME} || [ $? -lt 4 ]; mount /dev/mapper/{NAME} {PLACE}")
            second = Torpord(files).__enter__()
            try:
                waiting = eventually(lambda: queue("worker").get("mail"), "the posts are there again")
                check(waiting["count"] == 10, waiting)
                check("news" not in queue("worker"), f"what was refused is not delivered: {queue('worker')}")
                torpor("post worker news")
                check(queue("worker")["news"]["count"] == 1, queue("worker"))
            finally:
                second.__exit__()
        finally:
            first.__exit__()
    return "10 acknowledged posts kept, 1 refused"


@test("a disk that is well again is written again, without a restart")
def mended():
    with disk() as (fail, mend), Torpord({"worker": sleeper("mail=signal:SIGUSR1\nnews=signal:SIGUSR1")}) as daemon:
        process = daemon.pid
        torpor("launch worker")
        torpor("suspend worker")
        torpor("post worker mail")
        fail()
        sh("torpor post worker news", may_fail=True)
        mend()
        # The file system may have given itself up meanwhile: then it is to be mounted anew.
        sh(f"mount -o remount,rw {PLACE}", may_fail=True)
        if " ro," in next(line for line in open("/proc/self/mountinfo") if f" {PLACE} " in line):
            refused = sh("torpor post worker news 2>&1", may_fail=True)
            check("cannot be stored" in refused, refused)
            outcome = "ext4 stays read-only until it is mounted anew; posts are refused with the reason"
        else:
            eventually(lambda: sh("torpor post worker news && echo stored", may_fail=True).strip().endswith("stored"),
                       "it is stored again")
            outcome = "posts are stored again"
        check(queue("worker")["mail"]["count"] == 1, queue("worker"))
        check(daemon.pid == process, "the daemon is the same")
        return outcome


def pid(name):
    """The number of a worker's main process."""
    return next(worker.get("pid") for worker in call("List")["workers"] if worker["name"] == name)
