"""The package under systemd: installed, enabled, and a life with restarts, reloads and kills in it."""
import os
import shutil
import socket
import threading
import time

from home import cleaned, nginx, redis, survives
from package import group, is_frozen, main_pid, pids, property_of, status
from service import answers, define, states, torpor
from vm import check, eventually, read, sh, test, write


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


@test("systemd-analyze verify is clean, and systemd-analyze security of torpord.service is at most 7.0")
@cleaned
def analysed():
    check(sh("systemd-analyze verify --man=no torpord.service torpord.socket torpor-workers.service 2>&1") == "", "no complaint")

    def exposure(unit):
        return float(sh(f"systemd-analyze security --no-pager {unit} | sed -n 's/.*level for.*: \\([0-9.]*\\) .*/\\1/p'"))
    bare = exposure("torpord.service")
    check(bare <= 7.0, f"{bare}")
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
    check("workers remain in torpor-workers.service" in log and "systemctl stop torpor-workers.service" in log, "a line says so")
    return f"{took:.1f} s, {len(pids())} workers"


@test("with hardened.conf an adopted sleeper wakes at once by its own sockets, and doctor says what the unit allows")
@cleaned
def hardened():
    drop_in = "/run/systemd/system/torpord.service.d/hardened.conf"
    torpor("suspend redis nginx")
    write(drop_in, read("/srv/systemd/examples/hardened.conf"))
    try:
        sh("systemctl daemon-reload && systemctl restart torpord.service")
        check(is_frozen("redis") and is_frozen("nginx"), "what slept sleeps")
        way = eventually(lambda: next((line for line in torpor("status redis").splitlines() if "Wakes by:" in line), None),
                         "it is said how the sleeper is watched")
        check("sampled" not in way and ("its epoll" in way or "its sockets" in way), way)
        check(redis("PING") == "+PONG\r\n" and "here" in nginx(), "each wakes for its client and answers")
        torpor("suspend redis")
        check(redis("PING") == "+PONG\r\n", "and once more")
        doctor = [line.strip() for line in torpor("doctor").splitlines() if "sockets" in line]
        check(any("wake by sockets" in line for line in doctor), f"{doctor}")
    finally:
        shutil.rmtree(os.path.dirname(drop_in))
        sh("systemctl daemon-reload && systemctl restart torpord.service")
    torpor("activate redis nginx")
    return f"{way.strip()}; doctor: {'; '.join(doctor)}"


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


TALKER = """import os, socket, time
place, said = os.environ["NOTIFY_SOCKET"], 0
speaker = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
speaker.sendto(b"READY=1", place)
with open("/run/talker.log", "w") as log:
    while True:
        said += 1
        try: speaker.sendto(b"STATUS=word %d" % said, place)
        except OSError as error: print(said, error, file=log, flush=True)
        time.sleep(0.02)
"""


@test("what a worker says while no daemon is there is kept in systemd's store of descriptors, and refused to nobody")
@cleaned
def heard():
    write("/run/talker.py", TALKER)
    define("talker", "[Worker]\nExecStart=/usr/bin/python3 /run/talker.py\nType=notify\n")
    torpor("reload")
    torpor("launch talker")
    # Those of redis and of this one.
    eventually(lambda: int(property_of("torpord.service", "NFileDescriptorStore")) >= 2, "systemd keeps its socket")
    try:
        daemon = main_pid()
        took = survives(lambda: (
            os.kill(daemon, 9), eventually(lambda: main_pid() not in (0, daemon), "systemd has started another one")))
        check(read("/run/talker.log") == "", read("/run/talker.log"))
        eventually(lambda: "word" in torpor("status talker"), "it is heard")
        kept = property_of("torpord.service", "NFileDescriptorStore")
    finally:
        torpor("kill talker")
        for path in ("/etc/torpor/workers/talker.worker", "/run/talker.py", "/run/talker.log"):
            os.remove(path)
        torpor("reload")
    return f"{kept} descriptors kept, none of its words refused in {took:.1f} s"


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
