"""The package under systemd: an upgrade, a state directory in trouble, and the end of the holder."""
import os
import shutil
import sqlite3

from home import cleaned, redis, survives
from package import HOLDER, install, main_pid, measured, packages, property_of
from service import answers, reaches, torpor
from vm import check, eventually, sh, test


@test("an upgrade of the package leaves the workers")
@cleaned
def upgraded():
    daemon, newer = main_pid(), packages()[1]
    took = survives(lambda: install(newer))
    same = main_pid() == daemon
    check("+" in sh("dpkg-query -W -f '${Version}' torpor"), "it is the newer package")
    return f"{took:.1f} s, " + ("the same process" if same else "by a restart")


@test("a state directory that is full, read-only or of a newer version costs the record, not the workers")
@cleaned
def trouble():
    place, seen = "/var/lib/torpor", []

    def attempt(what, word):
        sh("systemctl restart torpord.service")
        eventually(answers, f"{what}: the daemon answers")
        torpor("suspend redis")
        torpor("activate redis")
        check(redis("PING") == "+PONG\r\n", f"{what}: redis lives")
        mark = sh("journalctl -b -u torpord --no-pager -o cat -n 60")
        check(word in mark.lower(), f"{what}: the log says so: {mark}")
        seen.append(what)
    sh("systemctl stop torpord.service")
    try:
        sh(f"mount -t tmpfs -o size=64k none {place} && head -c 1M /dev/zero > {place}/filler 2>/dev/null; true")
        attempt("full", "full")
    finally:
        sh(f"systemctl stop torpord.service; umount -l {place}", may_fail=True)
    try:
        sh(f"mount -t tmpfs -o ro none {place}")
        attempt("read-only", "read-only")
    finally:
        sh(f"systemctl stop torpord.service; umount -l {place}", may_fail=True)
    databases = [name for name in os.listdir(place) if name.endswith((".db", ".sqlite", ".sqlite3"))]
    check(databases, f"a database in {os.listdir(place)}")
    path = f"{place}/{databases[0]}"
    shutil.copy(path, "/run/kept.db")
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9999")
    try:
        attempt("newer", "newer")
    finally:
        sh("systemctl stop torpord.service", may_fail=True)
        shutil.copy("/run/kept.db", path)
        sh("systemctl start torpord.service")
        eventually(answers, "the daemon answers")
    return ", ".join(seen)


@test("stopping the holder ends all workers the graceful way, and the daemon")
@cleaned
def held():
    torpor("activate redis")
    torpor("suspend nginx")
    took = measured(lambda: sh("systemctl stop torpor-workers.service"))
    check(property_of("torpord.service", "ActiveState") == "inactive", "the daemon has left")
    check(not os.path.exists(HOLDER), "nothing is left of the holder's group")
    # systemd holds the control socket still: a connection would start the daemon, and that its boot workers.
    sh("timeout 20 torpor list", may_fail=True)
    sh("timeout 20 torpor status redis", may_fail=True)
    check(property_of("torpord.service", "ActiveState") == "inactive", "looking does not start the daemon")
    log = sh("journalctl -b -u torpord --no-pager -o cat -n 40")
    check("redis" in log, "it was seen to")
    sh("systemctl start torpord.service")
    eventually(answers, "the daemon answers")
    check("stopped" in torpor("report redis"), "redis ended as it was asked to")
    reaches("redis", "active")
    return f"{took:.1f} s"
