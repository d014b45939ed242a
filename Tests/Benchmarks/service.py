"""`torpord` as a service manager sees it: from its start until it says READY=1."""
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from daemon import memory

WORKER = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n"


def ready(torpord, workers):
    """How long one start takes, with so many workers that boot, in ms."""
    directory = tempfile.mkdtemp(prefix="torpor-bench-", dir=memory())
    try:
        os.makedirs(directory + "/config/workers")
        for number in range(workers):
            with open(f"{directory}/config/workers/w{number}.worker", "w", encoding="utf-8") as file:
                file.write(WORKER)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(directory + "/notify")
            manager.settimeout(30)
            begun = time.monotonic()
            process = subprocess.Popen(
                [torpord, "--config-dir", directory + "/config", "--state-dir", directory + "/state",
                 "--runtime-dir", directory + "/run", "--log-level", "err"],
                stdin=subprocess.DEVNULL, env=dict(os.environ, NOTIFY_SOCKET=directory + "/notify"))
            try:
                while not manager.recv(4096).startswith(b"READY=1"):
                    pass
                return (time.monotonic() - begun) * 1000
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(60)
    finally:
        shutil.rmtree(directory)


def measure(table, torpord):
    for workers, what in ((0, "torpord, from its start until READY"), (10, "  with ten workers that boot")):
        table.add(what, statistics.median(ready(torpord, workers) for _ in range(11)), "ms", limit=50)
