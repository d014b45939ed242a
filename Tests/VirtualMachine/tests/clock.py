"""The machine's clock, zone and locale, set by those who set them (2.1)."""
import os
import signal
import time

from service import Torpord, call, queue, sleeper, torpor
from vm import check, eventually, sh, test

FILE = sleeper("significantTimeChange=signal:SIGUSR1\nlocaleChanged=signal:SIGUSR1")


def heard(topic, count):
    """The entry of a topic when it stands for so many posts at least."""
    def question():
        entry = queue("worker").get(topic)
        return entry if entry and entry["count"] >= count else None
    return eventually(question, f"{topic} has been heard of {count} times")


@test("a clock that is set and a zone that changes are one entry, the newest")
def clock():
    zone = sh("readlink --canonicalize /etc/localtime").strip().removeprefix("/usr/share/zoneinfo/")
    with Torpord({"worker": FILE}):
        torpor("launch", "worker")
        torpor("suspend", "worker")
        check(not queue("worker"), f"nothing has happened yet: {queue('worker')}")
        sh("date --set='+90 seconds'")
        check(heard("significantTimeChange", 1)["payload"] == {"reason": "clock"}, "why")
        try:
            sh("timedatectl set-timezone Pacific/Chatham")
            entry = heard("significantTimeChange", 2)
            check(entry["payload"] == {"reason": "zone"}, entry)
        finally:
            sh(f"timedatectl set-timezone {zone}")
            sh("date --set='-90 seconds'")
        return f"1 entry for {heard('significantTimeChange', 4)['count']} changes"


@test("a locale that changes is told")
def locale():
    with Torpord({"worker": FILE}):
        torpor("launch", "worker")
        torpor("suspend", "worker")
        try:
            sh("localectl set-locale LANG=C.UTF-8 LC_TIME=POSIX")
            return heard("localeChanged", 1)["payload"]["path"]
        finally:
            sh("rm --force /etc/locale.conf /etc/default/locale")


@test("a clock that jumps by an hour, days and years changes nothing but what is due by it")
def jumps():
    idle = "[Worker]\nType=exec\nExecStart=/bin/sleep infinity\nRestart=always\nRestartSec=0\n[Foreground]\nIdleSec=1h\n"
    due = sleeper("soon=signal:SIGUSR1\nlater=signal:SIGUSR1")
    begun, real = time.monotonic(), time.time()
    with Torpord({"worker": due, "idle": idle}) as daemon:
        process = daemon.pid
        torpor("launch", "worker", "idle")
        torpor("suspend", "worker")
        torpor("post --at +30min worker soon", "--rule latest")
        torpor("post --at '+3 days' worker later", "--rule latest")

        def standing():
            return {worker["name"]: (worker["state"], worker.get("pid")) for worker in call("List")["workers"]}

        before = standing()
        try:
            sh("date --set='+1 hour'")
            eventually(lambda: "soon" in queue("worker"), "what was due in half an hour has been posted")
            check("later" not in queue("worker"), queue("worker"))
            for jump in ("-2 days", "1971-01-02", "2069-07-01", "now"):
                sh("date --set='@%d'" % (real + time.monotonic() - begun) if jump == "now" else f"date --set='{jump}'")
                check(standing() == before, f"{jump}: {standing()}, and before {before}")
                for verb in ("list", "status worker idle", "why idle", "history -n 20", "timeline --since -1h", "report idle"):
                    torpor(verb)
            # It is due by the clock of 2069, and was posted once.
            eventually(lambda: "later" in queue("worker"), "what was due in three days has been posted")
            check(queue("worker")["later"]["count"] == 1, queue("worker"))
            # Restarts, and their limit, are counted by the other clock.
            sh("date --set='-1 hour'")
            os.kill(before["idle"][1], signal.SIGKILL)
            eventually(lambda: standing()["idle"][1] not in (None, before["idle"][1]), "it runs again")
            check(standing()["idle"][0] == "active", standing())
            torpor("resume", "worker")
            check(daemon.pid == process, "the daemon is the same")
        finally:
            sh("date --set='@%d'" % (real + time.monotonic() - begun))
        return "an hour and two days, to 1971, 2069 and back"
