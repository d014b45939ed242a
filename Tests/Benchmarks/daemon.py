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

from figures import descriptors, eventually, medians, printed, status, wakes
from wrapper import whole

# Output to nowhere: where there is a journal, output costs the daemon as little. Without one it costs a pipe, which is measured apart.
WORKER = """[Worker]
ExecStart={bare} worker
StandardOutput=null
Type=notify
Launch=on-demand
Restart=always
RestartSec=0
StartLimitIntervalSec=0
"""

APP = """[Worker]
ExecStart={bare} app
StandardOutput=null
Type=app
Environment=BENCH_SOCKET=@torpor-bench-app
"""


def memory():
    """A directory in memory, as /run is: what a disk takes to make a socket's file is not ours."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


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

    def __init__(self, torpord, bare, workers, worker=None, starter=()):
        self.directory = tempfile.mkdtemp(prefix="torpor-bench-", dir=memory())
        files = self.directory + "/config/workers"
        for place in (files, self.directory + "/state", self.directory + "/run"):
            os.makedirs(place)
        for number in range(workers):
            with open(f"{files}/w{number}.worker", "w", encoding="utf-8") as file:
                file.write(worker or WORKER.format(bare=bare))
                if number == 0:
                    file.write("Environment=BENCH_SOCKET=@torpor-bench-w0\n")
        with open(f"{files}/app.worker", "w", encoding="utf-8") as file:
            file.write(APP.format(bare=bare))
        self.path = self.directory + "/run/io.torpor.Supervisor"
        self.log = open(self.directory + "/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*starter, torpord, "--config-dir", self.directory + "/config", "--state-dir", self.directory + "/state",
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

    def launch(self, first, last):
        """Starts these; ms from the call until the last has reported, by the daemon's own clock."""
        watch, client = Watch(self.path), Connection(self.path)
        names = [f"w{number}" for number in range(first, last)]
        begin = time.monotonic_ns() / 1e3
        client.call("Launch", names=names, wait=False)
        for _ in names:
            change, _ = watch.change(to="active")
        return (change["monotonic"] - begin) / 1e3


def measure(table, torpor, torpord, bare, rounds):
    # In turns, so that whatever else the machine does disturbs both alike.
    below, ours = [], []
    for _ in range(rounds):
        below.append(printed(bare, "start")["start.1000"])
        with Daemon(torpord, bare, 1000) as daemon:
            ours.append(daemon.launch(0, 1000))
    table.add("1000 workers start, until all have reported", statistics.median(ours), "ms",
              bare=statistics.median(below), ratio=1.5)
    with Daemon(torpord, bare, 1000) as daemon:
        table.add("torpord, 1000 workers that do not run: RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB")
        # The daemon's own are those that are there with one worker, but for that one's.
        daemon.launch(0, 1)
        own = descriptors(daemon.pid) - 1
        daemon.launch(1, 1000)
        time.sleep(2)
        table.add("1000 idle workers: RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB", limit=2 + 6)
        table.add("  descriptors per worker", (descriptors(daemon.pid) - own) / 1000, "", limit=1)
        table.add("  descriptors of the daemon's own", own, "")
        table.add("  threads", status(daemon.pid, "Threads"), "", limit=2)
        table.add("  wake-ups in 20 s", wakes(daemon.pid, 20), "", limit=0)
        times = [whole_list(torpor, daemon.path) for _ in range(21)]
        table.add("  torpor list, the whole process", statistics.median(times), "ms", limit=20)
        measure_beside(table, daemon, bare, rounds)
        measure_callbacks(table, daemon, bare, rounds)
        measure_watch(table, daemon)
    printing = WORKER.format(bare=bare).replace("StandardOutput=null", "StandardOutput=inherit")
    with Daemon(torpord, bare, 1000, printing) as daemon:
        daemon.launch(0, 1)
        own = descriptors(daemon.pid) - 2
        daemon.launch(1, 1000)
        time.sleep(2)
        table.add("1000 idle workers that print to our log: RssAnon", status(daemon.pid, "RssAnon") / 1000, "MB", limit=2 + 8)
        table.add("  descriptors per worker", (descriptors(daemon.pid) - own) / 1000, "", limit=2)
    with Daemon(torpord, bare, 10_000) as daemon:
        table.add("10 000 workers start, until all have reported", daemon.launch(0, 10_000), "ms")
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


def measure_beside(table, daemon, bare, rounds):
    """One client of ours and of a server of bare calls, in turns call by call."""
    figures = medians([printed(bare, "beside", daemon.path, "w0") for _ in range(rounds)])
    for verb in ("suspend", "resume"):
        table.add(f"{verb} by a connected client", figures[f"ours.{verb}.median"], "us",
                  bare=figures[f"bare.{verb}.median"], ratio=3)
    table.add("a killed worker's replacement reports after", figures["ours.replace.median"], "us",
              bare=figures["bare.replace.median"], ratio=1.5)


def measure_callbacks(table, daemon, bare, rounds):
    """An app that completes its callbacks at once, beside the bare calls that this takes at least."""
    figures = medians([printed(bare, "callbacks", daemon.path, "app") for _ in range(rounds)])
    table.add("a callback's round trip to an app", figures["ours.trip.median"], "us",
              bare=figures["bare.trip.median"], ratio=3)
    table.add("from the resume command to the first callback", figures["ours.first.median"], "us",
              bare=figures["bare.thaw.median"], ratio=3)


def measure_watch(table, daemon):
    client, watch = Connection(daemon.path), Watch(daemon.path)
    seen = []
    for _ in range(200):
        client.socket.sendall(Connection.encode("Suspend", {"names": ["w1"], "wait": True}))
        seen.append(watch.change(worker="w1", to="suspended")[1])
        client.next()
        client.call("Resume", names=["w1"], wait=True)
        watch.change(worker="w1", to="active")
    table.add("a Watch subscriber sees a change after", statistics.median(seen), "us", limit=1000)
