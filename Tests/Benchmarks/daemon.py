"""`torpord` with many workers, asked over its control socket."""
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from figures import descriptors, eventually, status, wakes
from wrapper import whole

WORKER = """[Worker]
ExecStart={bare} worker
Type=notify
Launch=on-demand
Restart=always
RestartSec=0
StartLimitIntervalSec=0
"""


class Connection:
    """One client: a call and its answers, each ended by a zero byte."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.rest = b""

    @staticmethod
    def encode(method, parameters, **flags):
        call = {"method": "io.torpor.Supervisor." + method, "parameters": parameters, **flags}
        return json.dumps(call).encode() + b"\0"

    def next(self, seconds=120):
        self.socket.settimeout(seconds)
        while b"\0" not in self.rest:
            received = self.socket.recv(1 << 20)
            if not received:
                raise EOFError("the daemon closed the connection")
            self.rest += received
        message, self.rest = self.rest.split(b"\0", 1)
        return message

    def call(self, method, **parameters):
        self.socket.sendall(self.encode(method, parameters))
        return self.answer(self.next())

    @staticmethod
    def answer(message):
        reply = json.loads(message)
        if "error" in reply:
            raise RuntimeError(f"{reply['error']}: {reply.get('parameters')}")
        return reply["parameters"]

    def time(self, message):
        """How long it takes until `message` is answered, in µs."""
        begin = time.perf_counter()
        self.socket.sendall(message)
        reply = self.next()
        took = (time.perf_counter() - begin) * 1e6
        self.answer(reply)
        return took


class Watch:
    """A subscription to every change."""

    def __init__(self, path):
        self.connection = Connection(path)
        self.connection.socket.sendall(Connection.encode("Watch", {}, more=True))
        self.connection.next()

    def change(self, **wanted):
        """The next change of this kind, and how long after it we knew, in µs."""
        while True:
            message = self.connection.next()
            seen = time.monotonic_ns() / 1e3
            change = Connection.answer(message).get("change")
            if change and all(change.get(key) == value for key, value in wanted.items()):
                return change, seen - change["monotonic"]


class Daemon:
    """A torpord of its own with so many workers, none of which runs yet; ended and cleared away at last."""

    def __init__(self, torpord, bare, workers):
        self.directory = tempfile.mkdtemp(prefix="torpor-bench-")
        files = self.directory + "/config/workers"
        for place in (files, self.directory + "/state", self.directory + "/run"):
            os.makedirs(place)
        for number in range(workers):
            with open(f"{files}/w{number}.worker", "w", encoding="utf-8") as file:
                file.write(WORKER.format(bare=bare))
        self.path = self.directory + "/run/io.torpor.Supervisor"
        self.log = open(self.directory + "/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [torpord, "--config-dir", self.directory + "/config", "--state-dir", self.directory + "/state",
             "--runtime-dir", self.directory + "/run", "--log-level", "warning"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.pid = self.process.pid

    def __enter__(self):
        try:
            eventually(self.answers)
        except Exception:
            self.__exit__()
            raise
        return self

    def answers(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise RuntimeError("torpord ended: " + self.log.read()[-500:])
        try:
            return Connection(self.path).call("Ping")
        except (FileNotFoundError, ConnectionRefusedError):
            return None

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory)

    def launch(self, count):
        """Starts them all; ms from the call until the last has reported, by the daemon's own clock."""
        watch, client = Watch(self.path), Connection(self.path)
        names = [f"w{number}" for number in range(count)]
        begin = time.monotonic_ns() / 1e3
        client.call("Launch", names=names, wait=False)
        for _ in range(count):
            change, _ = watch.change(to="active")
        return (change["monotonic"] - begin) / 1e3


def measure(table, torpor, torpord, bare, figures):
    with Daemon(torpord, bare, 1000) as daemon:
        table.add("torpord, 1000 workers that do not run: RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB")
        idle = descriptors(daemon.pid)
        table.add("1000 workers start, until all have reported", daemon.launch(1000), "ms",
                  bare=figures["start.1000"], ratio=1.5)
        time.sleep(2)
        table.add("1000 idle workers: RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB", limit=2 + 6)
        table.add("  descriptors per worker", (descriptors(daemon.pid) - idle) / 1000, "", limit=1)
        table.add("  threads", status(daemon.pid, "Threads"), "", limit=2)
        table.add("  wake-ups in 20 s", wakes(daemon.pid, 20), "", limit=0)
        times = [whole_list(torpor, daemon.path) for _ in range(21)]
        table.add("  torpor list, the whole process", statistics.median(times), "ms", limit=20)
        measure_sleep(table, daemon, figures)
        measure_replacement(table, daemon, figures)
    with Daemon(torpord, bare, 10_000) as daemon:
        table.add("10 000 workers start, until all have reported", daemon.launch(10_000), "ms")
        table.add("  RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB", limit=2 + 60)
        running = [worker for worker in Connection(daemon.path).call("List")["workers"] if worker["state"] == "active"]
        table.add("  of them not active", 10_000 - len(running), "", limit=0)


def whole_list(torpor, path):
    null = os.open(os.devnull, os.O_WRONLY)
    kept = os.dup(1)
    os.dup2(null, 1)
    try:
        return whole([torpor, "list", "--socket", path])
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def measure_sleep(table, daemon, figures):
    client, watch = Connection(daemon.path), Watch(daemon.path)
    suspend = Connection.encode("Suspend", {"names": ["w0"], "wait": True})
    resume = Connection.encode("Resume", {"names": ["w0"], "wait": True})
    asleep, awake, seen = [], [], []
    for _ in range(200):
        asleep.append(client.time(suspend))
        seen.append(watch.change(worker="w0", to="suspended")[1])
        awake.append(client.time(resume))
        watch.change(worker="w0", to="active")
    trip = figures["socket.roundtrip.median"]
    table.add("suspend by a connected client", statistics.median(asleep), "us",
              bare=figures["freezer.freeze.median"] + trip, ratio=3)
    table.add("resume by a connected client", statistics.median(awake), "us",
              bare=figures["freezer.thaw.median"] + trip, ratio=3)
    # The reply is read before the change is: what is seen late by that does not count against the daemon.
    daemon_only = []
    for _ in range(100):
        client.socket.sendall(suspend)
        daemon_only.append(watch.change(worker="w0", to="suspended")[1])
        client.next()
        client.socket.sendall(resume)
        watch.change(worker="w0", to="active")
        client.next()
    table.add("a Watch subscriber sees a change after", statistics.median(daemon_only), "us", limit=1000)


def measure_replacement(table, daemon, figures):
    client, watch = Connection(daemon.path), Watch(daemon.path)
    took = []
    for _ in range(200):
        pid = client.call("Describe", name="w1")["worker"]["pid"]
        begin = time.monotonic_ns() / 1e3
        os.kill(pid, signal.SIGKILL)
        took.append(watch.change(worker="w1", to="active")[0]["monotonic"] - begin)
    table.add("a killed worker's replacement reports after", statistics.median(took), "us",
              bare=figures["replace.median"], ratio=1.5)
