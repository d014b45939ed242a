"""The machine's clock, zone and locale, set by those who set them (2.1)."""
from service import Torpord, queue, sleeper, torpor
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
