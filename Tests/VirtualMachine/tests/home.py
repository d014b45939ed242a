"""The package under systemd: installed, enabled, and led through all that happens to a service and its workers."""
import os
import shutil
import socket
import sqlite3
import subprocess
import threading
import time

from package import (HOLDER, Package, group, install, is_frozen, main_pid, measured, packages, pids, property_of, purge, status)
from service import answers, define, reaches, states, torpor
from vm import Skipped, check, eventually, read, sh, test, write

REDIS = """[Worker]
Description=Redis
ExecStart=/usr/bin/redis-server --supervised systemd --daemonize no --port 6390 --save "" --dir /var/lib/redis
User=redis
Type=notify
Launch=boot
Restart=on-failure
"""
NGINX = """[Worker]
Description=nginx
ExecStart=/usr/sbin/nginx -c /run/nginx-torpor.conf
Type=simple
Launch=boot-background
Restart=on-failure

[Notifications]
settingsChanged=signal:HUP
"""
NGINX_CONF = """daemon off; pid /run/nginx-torpor.pid; error_log stderr; worker_processes 1;
events { worker_connections 64; }
http { access_log off; server { listen 127.0.0.1:8090; location / { return 200 "here\\n"; } } }
"""
NAPPER = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=prelaunch\n"


def redis(command):
    """What redis answers to a line."""
    with socket.create_connection(("127.0.0.1", 6390), timeout=30) as connection:
        connection.sendall(command.encode() + b"\r\n")
        return connection.recv(4096).decode()


def nginx():
    with socket.create_connection(("127.0.0.1", 8090), timeout=30) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return connection.makefile().read()


def cleaned(function):
    """Leaves nothing of the package behind when a test of it fails; those after it install it anew."""
    def run():
        try:
            if not shutil.which("torpord", path="/usr/bin"):
                packages()
                write("/run/nginx-torpor.conf", NGINX_CONF)
                for name, text in {"redis": REDIS, "nginx": NGINX, "napper": NAPPER}.items():
                    define(name, text)
                install()
            return function()
        except Skipped:
            raise
        except BaseException:
            print(sh("systemctl status --no-pager --full 'torpor*'; torpor list", may_fail=True), flush=True)
            purge()
            raise
    return run


@test("the package installs; its units are enabled, active, and the boot workers are there")
@cleaned
def installs():
    for unit in ("torpord.service", "torpord.socket", "torpor-workers.service"):
        check(sh(f"systemctl is-enabled {unit}").strip() == "enabled", f"{unit} is enabled")
        check(sh(f"systemctl is-active {unit}").strip() == "active", f"{unit} is active")
    check(sh("getent group torpor"), "the group of operators")
    check(states() == {"redis": "active", "nginx": "background", "napper": "suspended"}, f"as they boot: {states()}")
    eventually(lambda: status() == "1 active, 1 background, 1 suspended", f"the status line, {status()}")
    check(set(pids()) == {"redis", "nginx", "napper"}, "all have processes")
    for name, pid in pids().items():
        check(f"/system.slice/torpor-workers.service/worker-{name}" in read(f"/proc/{pid}/cgroup"), f"{name} is held")
    return status()


@test("systemd-analyze verify is clean, and systemd-analyze security of torpord.service is at most 8.0")
@cleaned
def analysed():
    check(sh("systemd-analyze verify --man=no torpord.service torpord.socket torpor-workers.service 2>&1") == "", "no complaint")

    def exposure(unit):
        return float(sh(f"systemd-analyze security --no-pager {unit} | sed -n 's/.*level for.*: \\([0-9.]*\\) .*/\\1/p'"))
    bare = exposure("torpord.service")
    check(bare <= 8.0, f"{bare}")
    drop_in = "/run/systemd/system/torpord.service.d/hardened.conf"
    write(drop_in, read("/srv/systemd/examples/hardened.conf"))
    try:
        sh("systemctl daemon-reload")
        hardened = exposure("torpord.service")
    finally:
        shutil.rmtree(os.path.dirname(drop_in))
        sh("systemctl daemon-reload")
    check(hardened <= 5.0, f"{hardened}")
    return f"{bare}, with hardened.conf {hardened}, the holder {exposure('torpor-workers.service')}"


@test("redis and nginx live a whole life")
@cleaned
def life():
    check(redis("PING") == "+PONG\r\n", "redis answers")
    check("here" in nginx(), "nginx answers")
    for verb, state in (("activate", "active"), ("resign", "inactive"), ("activate", "active"),
                        ("background", "background"), ("suspend", "suspended")):
        torpor(f"{verb} redis")
        check(states()["redis"] == state, f"{verb}: {states()['redis']}")
    torpor("suspend nginx")
    check(is_frozen("redis") and is_frozen("nginx"), "both are frozen")
    # A connection is taken by the kernel, and answered when the worker runs again.
    with socket.create_connection(("127.0.0.1", 6390), timeout=30) as connection:
        connection.sendall(b"PING\r\n")
        torpor("resume redis")
        check(connection.recv(64) == b"+PONG\r\n", "redis answers what was asked in its sleep")
    torpor("activate nginx")
    check("here" in nginx(), "nginx answers again")
    before = pids()["nginx"]
    torpor("post nginx settingsChanged")
    check(pids()["nginx"] == before, "a reload is no restart")
    for name in ("redis", "nginx"):
        torpor(f"terminate {name}")
    check("stopped" in torpor("report redis") or "exited" in torpor("report redis"), "its end is on record")
    check(not os.path.exists(group("redis")), "its group is gone")
    torpor("activate redis nginx")
    eventually(lambda: redis("PING") == "+PONG\r\n", "redis is back")
    return "launched, active, inactive, background, suspended, resumed, ended, launched again"


def survives(action, patience=60):
    """Runs `action` and returns how long no daemon answered; all workers live through it, as they were."""
    before, pid = pids(), states()
    redis("SET kept yes")
    took = measured(lambda: (action(), eventually(answers, "the daemon answers", patience)))
    eventually(lambda: pids() == before, f"the same processes: {before}, now {pids()}", patience)
    eventually(lambda: states() == pid, f"the same states: {pid}, now {states()}", patience)
    check("yes" in redis("GET kept"), "redis knows what it knew")
    return took


@test("systemctl restart of the daemon leaves its workers, asleep or not")
@cleaned
def restart():
    torpor("suspend nginx")
    daemon = main_pid()
    took = survives(lambda: sh("systemctl restart torpord.service"))
    check(main_pid() != daemon, "it is another daemon")
    check(is_frozen("nginx"), "who slept sleeps")
    torpor("resume nginx")
    torpor("activate nginx")
    check("here" in nginx(), "and can be woken")
    log = sh("journalctl -b -u torpord --no-pager -o cat")
    check("workers stay in torpor-workers.service" in log and "systemctl stop torpor-workers.service" in log, "a line says so")
    return f"{took:.1f} s, {len(pids())} workers"


@test("systemctl reload reads the definitions anew, and touches no worker")
@cleaned
def reload():
    daemon = main_pid()
    define("late", "[Worker]\nExecStart=/bin/sleep infinity\n")
    took = survives(lambda: (sh("systemctl reload torpord.service"), eventually(lambda: "late" in torpor("list"), "a new worker")))
    check(main_pid() == daemon, "it is the same daemon")
    os.remove("/etc/torpor/workers/late.worker")
    sh("systemctl reload torpord.service")
    return f"{took:.1f} s"


@test("kill -9 of the daemon under load costs no worker and no connection")
@cleaned
def killed():
    stop, errors, count = threading.Event(), [], [0]

    def load():
        with socket.create_connection(("127.0.0.1", 6390), timeout=60) as connection:
            while not stop.is_set():
                connection.sendall(b"PING\r\n")
                if connection.recv(64) != b"+PONG\r\n":
                    errors.append("no answer")
                    return
                count[0] += 1
    thread = threading.Thread(target=load)
    thread.start()
    try:
        longest = 0
        for _ in range(2):
            daemon = main_pid()
            longest = max(longest, survives(lambda: (
                os.kill(daemon, 9),
                eventually(lambda: main_pid() not in (0, daemon), "systemd has started another one"))))
    finally:
        stop.set()
        thread.join()
    check(not errors, str(errors))
    return f"2 rounds, {count[0]} PINGs answered, at most {longest:.1f} s without a daemon"


@test("freeze and thaw of the daemon's own unit, within its watchdog, change nothing")
@cleaned
def frozen():
    daemon = main_pid()
    restarts = property_of("torpord.service", "NRestarts")

    def freeze():
        sh("systemctl freeze torpord.service")
        time.sleep(4)
        check(redis("PING") == "+PONG\r\n", "workers are not frozen with it")
        sh("systemctl thaw torpord.service")
    took = survives(freeze)
    check(main_pid() == daemon and property_of("torpord.service", "NRestarts") == restarts, "it is the same daemon")
    return f"{took:.1f} s of {int(property_of('torpord.service', 'WatchdogUSec').rstrip('s') or 0)} s"


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
        check(word in mark, f"{what}: the log says so: {mark}")
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
    log = sh("journalctl -b -u torpord --no-pager -o cat -n 40")
    check("redis" in log, "it was seen to")
    sh("systemctl start torpord.service")
    eventually(answers, "the daemon answers")
    check("stopped" in torpor("report redis"), "redis ended as it was asked to")
    reaches("redis", "active")
    return f"{took:.1f} s"


@test("a removal leaves the workers' state, a purge takes it")
@cleaned
def removed():
    sh("DEBIAN_FRONTEND=noninteractive dpkg --remove torpor")
    check(not os.path.exists("/usr/bin/torpord"), "the program is gone")
    check(not os.path.exists(HOLDER), "no worker runs")
    check(os.listdir("/var/lib/torpor"), "what was kept is there")
    check(os.path.exists("/etc/torpor/workers/redis.worker"), "and what defines workers")
    sh("DEBIAN_FRONTEND=noninteractive dpkg --purge torpor")
    check(not os.path.exists("/var/lib/torpor"), "what was kept is gone")
    check(sh("systemctl list-unit-files 'torpor*' --no-legend", may_fail=True) == "", "no unit is left")
    purge()
    return "kept, then gone"
