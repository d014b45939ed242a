"""Posts: acknowledged when they are on the disk, and handed out when their worker wakes."""
import os
import shutil
import socket
import statistics
import sys
import tempfile
import time

from daemon import Connection, Daemon, memory
from figures import printed, status

SLEEPER = """[Worker]
ExecStart=/bin/sleep 1000
Launch=on-demand
[Callbacks]
DidReceiveNotifications=exec:/bin/true
"""

TAKER = """[Worker]
ExecStart={python} {here}/taker.py
Type=app
Launch=on-demand
"""


def measure(table, torpord, posts, rounds):
    for rule, what in (("each", "a durable post that is acknowledged, each a row"),
                       ("latest", "a durable post that is acknowledged, merged")):
        below, ours, resident = [], [], []
        for _ in range(rounds):
            directory = tempfile.mkdtemp(prefix="torpor-bench-", dir=memory())
            try:
                below.append(printed(posts, "bare", rule, "150000", directory)["posts." + rule])
            finally:
                shutil.rmtree(directory)
            with Daemon(torpord, "", 10, SLEEPER) as daemon:
                ours.append(printed(posts, "ours", rule, "150000", daemon.path)["posts." + rule])
                resident.append(status(daemon.pid, "RssAnon") / 1000)
        table.add(what, statistics.median(ours), "us", bare=statistics.median(below), ratio=3)
        table.add("  50 000 a second are", statistics.median(ours), "us", limit=20)
        table.add("  RssAnon with what waits of 150 000 in ten queues", statistics.median(resident), "MB", limit=64)
    measure_flush(table, torpord)


def measure_flush(table, torpord):
    """A thousand entries for a worker that sleeps: from the call that wakes it until it has all of them."""
    worker = TAKER.format(python=sys.executable, here=os.path.dirname(os.path.abspath(__file__)))
    with Daemon(torpord, "", 1, worker) as daemon:
        reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        reports.bind("\0torpor-bench-w0")
        reports.settimeout(60)
        client = Connection(daemon.path)
        client.call("Launch", names=["w0"], background=True)
        times = []
        for _ in range(15):
            client.call("Suspend", names=["w0"])
            for number in range(1000):
                client.socket.sendall(Connection.encode("Post", {
                    "names": ["w0"], "topic": "chat", "rule": "each", "payload": {"n": number}}))
            for _ in range(1000):
                client.answer(client.next())
            begin = time.monotonic_ns()
            client.socket.sendall(Connection.encode("Resume", {"names": ["w0"]}))
            count, seen = map(int, reports.recv(100).split())
            client.answer(client.next())
            if count != 1000:
                raise RuntimeError(f"{count} of 1000 notifications came")
            times.append((seen - begin) / 1e6)
        table.add("1000 notifications reach a worker that is woken, after", statistics.median(times), "ms", limit=5)
