"""Units that were imported, beside the same units under systemd: the same processes, surroundings, limits and ends (3.1)."""
import os
import shutil
import socket

from service import Torpord, states, torpor
from vm import check, eventually, read, sh, test, write

PLACE = "/run/probes"
UNITS = "/etc/systemd/system"
# What the one or the other adds by itself; systemd.exec(5) and 3.3 say so.
ADDED = ("TORPOR_", "MEMORY_PRESSURE_", "NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "LISTEN_PID", "PATH", "LANG",
         "HOME", "USER", "LOGNAME", "SHELL")
PROBE = f"/usr/bin/perl /srv/guest/probe.pl {PLACE}"

# A unit of each kind, and the starts after which it waits; with 0 it ends and is not started again.
FILES = {
    "probe-plain.service": f"""
[Unit]
Description=A probe with much around it
[Service]
Type=exec
ExecStart={PROBE} plain wait "one word" two\\x20words $WORDS ${{WORDS}} %n %%
Environment=WORDS="a b" PLAIN=1 'QUOTED=x y'
EnvironmentFile=-/etc/default/probe-missing
EnvironmentFile=/etc/default/probe-plain
WorkingDirectory=/var/tmp
UMask=0027
User=nobody
SupplementaryGroups=users
LimitCORE=0
LimitNOFILE=512:2048
LimitNPROC=100
Nice=5
KillSignal=SIGINT
[Install]
WantedBy=multi-user.target
""",
    "probe-plain.service.d/override.conf": """
[Service]
Environment=PLAIN=2 MORE=yes
LimitSTACK=4M
""",
    "probe-again.service": f"""
[Service]
Type=exec
ExecStart={PROBE} again exit:3:2
Restart=on-failure
RestartSec=100ms
""",
    "probe-killed.service": f"""
[Service]
Type=exec
ExecStart={PROBE} killed kill:10:1
Restart=on-abnormal
RestartSec=100ms
""",
    "probe-once.service": f"""
[Service]
Type=exec
ExecStart={PROBE} once exit:0
Restart=on-failure
""",
    "probe-prevented.service": f"""
[Service]
Type=exec
ExecStart={PROBE} prevented exit:7
Restart=always
RestartPreventExitStatus=7
""",
    "probe-notify.service": """
[Service]
Type=notify
NotifyAccess=all
ExecStartPre=/bin/sh -c 'echo prepared > /run/probes-prepared'
ExecStart=/bin/sh -c 'sleep 0.2; systemd-notify --ready --status=up; exec /usr/bin/perl /srv/guest/probe.pl /run/probes notify wait'
KillSignal=SIGQUIT
""",
    "probe-door.socket": """
[Socket]
ListenStream=127.0.0.1:7401
ListenStream=/run/probes.sock
SocketMode=0666
FileDescriptorName=door
""",
    "probe-door.service": f"""
[Service]
Type=exec
ExecStart={PROBE} door wait
""",
}
STARTS = {"plain": 1, "again": 3, "killed": 2, "once": 1, "prevented": 1, "notify": 1, "door": 1}
ENDS = {"once", "prevented"}


def told(name):
    """What a program has written down: (fact, value) in its order."""
    try:
        return [tuple(line.split(" ", 1)) for line in read(f"{PLACE}/{name}").splitlines()]
    except FileNotFoundError:
        return []


def waits(name):
    """Whether it has been started as often as it is to be, and waits then or has ended."""
    facts = [fact for fact, _ in told(name)]
    return facts.count("start") >= STARTS[name] and (name in ENDS or facts[-1] == "waiting")


def own(environment):
    return [each for each in environment.split("\\x00") if not each.startswith(ADDED)]


def summary(name):
    """What is compared of one program."""
    return [(fact, own(value) if fact == "environment" else value) for fact, value in told(name) if fact != "waiting"]


def different(one, other):
    """Where two facts differ."""
    if one[0] == other[0] == "limits":
        pairs = zip(one[1].split("\\x0a"), other[1].split("\\x0a"))
        return "; ".join(f"under systemd {first}, imported {second}" for first, second in pairs if first != second)
    return f"under systemd {one}, imported {other}"


def begin():
    shutil.rmtree(PLACE, ignore_errors=True)
    os.mkdir(PLACE)
    os.chmod(PLACE, 0o1777)
    for path in ("/run/probes.sock", "/run/probes-prepared"):
        if os.path.exists(path):
            os.unlink(path)


def knock():
    """A client of the door."""
    with socket.create_connection(("127.0.0.1", 7401), timeout=60):
        eventually(lambda: waits("door"), "the door's service has been started by a client")


def all_told(end):
    """Waits until each has been started, ends them, and has what they wrote down."""
    for name in STARTS:
        eventually(lambda: waits(name), f"{name} has been started {STARTS[name]} times: {told(name)}")
    end()
    for name in STARTS.keys() - ENDS:
        eventually(lambda: "signal" in dict(told(name)), f"{name} has been told to end")
    return {name: summary(name) for name in STARTS}


def under_systemd():
    begin()
    names = [name for name in FILES if name.endswith((".service", ".socket")) and name != "probe-door.service"]
    sh("systemctl daemon-reload")
    # A first process that has ended before its start was counted as done fails the start, and is launched again as after it.
    sh("systemctl start " + " ".join(names), may_fail=True)
    knock()
    try:
        return all_told(lambda: sh("systemctl stop probe-door.socket " + " ".join(f"probe-{name}.service" for name in STARTS)))
    finally:
        sh("systemctl stop 'probe-*'; systemctl reset-failed 'probe-*'", may_fail=True)


def under_torpord():
    begin()
    paths = [f"{UNITS}/{name}" for name in FILES if "/" not in name]
    torpor("import", "--output", "/etc/torpor/workers", *paths)
    try:
        torpor("verify")
        names = [f"probe-{name}" for name in STARTS if name != "door"]
        with Torpord():
            for name in names:
                # Those that end say so by a failure of the verb.
                torpor("launch", name, may_fail=True)
            knock()
            return all_told(lambda: torpor("terminate", *(f"probe-{name}" for name in STARTS), may_fail=True))
    finally:
        shutil.rmtree("/etc/torpor", ignore_errors=True)


@test("imported units run as under systemd: processes, environment, limits, signals, restarts, sockets")
def units():
    write("/etc/default/probe-plain", "FROM_FILE=yes\nQUOTED_FILE=\"a b\"\n# comment\n")
    try:
        for name, text in FILES.items():
            write(f"{UNITS}/{name}", text)
        original = under_systemd()
        imported = under_torpord()
        for name in STARTS:
            for one, other in zip(original[name], imported[name]):
                check(one == other, f"{name}: {different(one, other)}")
            check(len(original[name]) == len(imported[name]), f"{name}: under systemd {original[name]}, imported {imported[name]}")
        starts = sum(fact == "start" for each in original.values() for fact, _ in each)
        return f"{len(STARTS)} services, {starts} starts, a socket unit, a drop-in"
    finally:
        for name in FILES:
            path = f"{UNITS}/{name}"
            if os.path.exists(path):
                os.unlink(path)
        shutil.rmtree(f"{UNITS}/probe-plain.service.d", ignore_errors=True)
        os.unlink("/etc/default/probe-plain")
        begin()
        shutil.rmtree(PLACE)
        sh("systemctl daemon-reload")


@test("Debian's redis-server.service is imported, and answers")
def redis():
    torpor("import", "--output", "/etc/torpor/workers", "/lib/systemd/system/redis-server.service")
    try:
        comments = [line for line in read("/etc/torpor/workers/redis-server.worker").splitlines() if line.startswith("#")]
        with Torpord():
            torpor("launch", "redis-server")
            check(sh("redis-cli ping") == "PONG\n", "its answer")
            torpor("suspend", "redis-server")
            check(sh("redis-cli ping") == "PONG\n", "its answer when it was asleep")
            torpor("terminate", "redis-server")
            check(states()["redis-server"] == "notRunning", states())
        return f"{len(comments)} lines of it are comments"
    finally:
        shutil.rmtree("/etc/torpor", ignore_errors=True)
