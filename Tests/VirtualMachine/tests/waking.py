"""A sleeper wakes by its own sockets under every setting of Yama, for root and for a user (spec 5.2)."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess

from service import Torpord, call, reaches, torpor
from vm import check, eventually, read, sh, test, write

PLACE = "/run/waking"
SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
# Waits with a thread for each connection, and answers in capitals.
SERVER = """
import socket, sys, threading
def serve(c):
    while data := c.recv(100):
        c.sendall(data.upper())
l = socket.socket()
l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
l.bind(('127.0.0.1', int(sys.argv[1])))
l.listen(10)
while True:
    threading.Thread(target=serve, args=(l.accept()[0],), daemon=True).start()
"""


@contextlib.contextmanager
def scope(number):
    """Has Yama's ptrace_scope be this for the length of a `with`."""
    before = read(SCOPE).strip()

    def put(value):
        with open(SCOPE, "w", encoding="ascii") as file:
            file.write(str(value))

    put(number)
    try:
        yield
    finally:
        put(before)


@contextlib.contextmanager
def server():
    os.makedirs(PLACE, exist_ok=True)
    os.chmod(PLACE, 0o777)
    write(f"{PLACE}/server.py", SERVER)
    try:
        yield f"{PLACE}/server.py"
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)


def connected(port):
    def attempt():
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=30)
        except ConnectionRefusedError:
            return None
    return eventually(attempt, f"port {port} is listened at")


def answers(connection, text):
    connection.sendall(text)
    got = connection.recv(100)
    check(got == text.upper(), f"{got} for {text}")


@test("a sleeper of root's daemon wakes by duplicates of its sockets under ptrace_scope 0, 1 and 2, its user whoever it is")
def root():
    ways = []
    with server() as program:
        worker = f"[Worker]\nExecStart=/usr/bin/python3 {program} 7391\nUser=nobody\nLaunch=boot\n"
        with Torpord({"server": worker}):
            reaches("server", "active")
            kept = connected(7391)
            for number in (0, 1, 2):
                with scope(number):
                    for client in (kept, None):
                        torpor("suspend server")
                        way = eventually(lambda: call("Describe", name="server")["worker"].get("wakesBy"),
                                         "it is said how the sleeper is watched")
                        check("every" not in way, way)
                        answers(client or connected(7391), b"hello")
                        reaches("server", "active")
                    ways.append(f"{number}: {way}")
    return "; ".join(ways)


@test("a sleeper of an ordinary user wakes too: at once under ptrace_scope 1, sampled under 2, and is told why")
def user():
    ways = []
    with server() as program:
        for number, expected in ((1, "its sockets"), (2, "pidfd_getfd")):
            with scope(number):
                log = f"{PLACE}/log{number}"
                program_of_user = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "/srv/bin/torpor"]
                run = subprocess.Popen([*program_of_user, "run", "-v", "--idle", "1s", "--", "/usr/bin/python3", program, str(7392 + number)],
                                       stdin=subprocess.DEVNULL, stderr=open(log, "w"), cwd="/")
                try:
                    client = connected(7392 + number)
                    answers(client, b"hello")
                    line = eventually(lambda: re.search(r"wakes by (.*)", read(log)), "it falls asleep by itself")[1]
                    check(expected in line, line)
                    if number == 2:
                        place = re.search(r"control socket (\S+)", read(log))[1]
                        doctor = subprocess.run([*program_of_user, "doctor", "--socket", place], cwd="/", text=True, check=True,
                                                stdout=subprocess.PIPE).stdout
                        check("kernel.yama.ptrace_scope=2" in doctor, doctor)
                    answers(client, b"again")
                    answers(connected(7392 + number), b"new")
                    ways.append(f"{number}: {line}")
                finally:
                    run.send_signal(signal.SIGTERM)
                    run.wait(30)
    return "; ".join(ways)


@test("where ptrace_scope 3 refuses duplicates to root too, a sleeper is sampled and wakes, and doctor says why")
def refused():
    # It cannot be taken back before the machine ends: no test behind this one needs less.
    with server() as program:
        worker = f"[Worker]\nExecStart=/usr/bin/python3 {program} 7396\nLaunch=boot\n"
        with Torpord({"server": worker}):
            reaches("server", "active")
            kept = connected(7396)
            with open(SCOPE, "w", encoding="ascii") as file:
                file.write("3")
            for client in (kept, None):
                torpor("suspend server")
                way = eventually(lambda: call("Describe", name="server")["worker"].get("wakesBy"),
                                 "it is said how the sleeper is watched")
                check("sampled every 100 ms" in way and "pidfd_getfd" in way, way)
                answers(client or connected(7396), b"hello")
                reaches("server", "active")
            line = next(line for line in torpor("doctor").splitlines() if "wake by sockets" in line)
            check("ptrace_scope" in torpor("doctor"), line)
    return f"{way}; doctor: {line.strip()}"
