"""What it costs to be looked at: `torpor top` and `torpor metrics` of 1000 workers."""
import fcntl
import os
import pty
import signal
import statistics
import struct
import termios
import threading
import time

from daemon import Connection, Daemon
from wrapper import whole

WORKERS = 1000
# So many of them run; the others are known alone, as where most sleep until they are wanted.
RUNNING = 100
SECONDS = 20


def spent(pid):
    """The processor time of all threads that the process has now, in µs: finer than the ticks of /proc/PID/stat."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
            total += int(file.read().split()[0])
    return total / 1000


def share(*pids):
    """The share of one processor that each process takes while nothing happens, in percent."""
    before = [spent(pid) for pid in pids]
    begun = time.monotonic()
    time.sleep(SECONDS)
    passed = time.monotonic() - begun
    return [(spent(pid) - start) / passed / 1e4 for pid, start in zip(pids, before)]


class Screen:
    """`torpor top` on a terminal of its own, whose output is thrown away."""

    def __init__(self, torpor, path):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(torpor, [torpor, "top", "--socket", path], dict(os.environ, TERM="xterm-256color"))
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("4H", 40, 132, 0, 0))
        self.shown = threading.Event()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while os.read(self.terminal, 1 << 16):
                self.shown.set()
        except OSError:
            # The terminal of a program that is gone.
            pass

    def __enter__(self):
        if not self.shown.wait(30):
            raise TimeoutError("torpor top shows nothing")
        # Its first figures, and those from which its shares of processors come.
        time.sleep(3)
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        self.reader.join()
        os.close(self.terminal)


def quietly(command):
    """How long the program runs, in ms, with its output thrown away."""
    null, kept = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    os.dup2(null, 1)
    try:
        return whole(command)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def measure(table, torpor, torpord, bare, rounds):
    # A figure over its limit is shown and does not fail the run: others work here too.
    table.counts = False
    with Daemon(torpord, bare, WORKERS) as daemon:
        daemon.launch(0, RUNNING)
        time.sleep(2)
        measure_metrics(table, daemon, torpor, f"metrics of {WORKERS} workers, {RUNNING} of which run", rounds)
        table.add("torpord, nothing is watched: of a processor", share(daemon.pid)[0], "%", limit=0.01)
        with Screen(torpor, daemon.path) as screen:
            own, others = share(screen.pid, daemon.pid)
        table.add(f"torpor top of {WORKERS} workers: of a processor", own, "%", limit=1)
        table.add("  torpord meanwhile", others, "%", limit=0.5)
        table.add("torpord, when it is not watched any more", share(daemon.pid)[0], "%", limit=0.01)
        daemon.launch(RUNNING, WORKERS)
        time.sleep(2)
        measure_metrics(table, daemon, torpor, "metrics, all of which run", rounds)


def measure_metrics(table, daemon, torpor, what, rounds):
    """From the call until the whole text is here; what the loop takes of it, and the whole program."""
    client, times = Connection(daemon.path), []
    for _ in range(3):
        client.call("Metrics")
    with open(f"/proc/{daemon.pid}/task/{daemon.pid}/schedstat", encoding="utf-8") as file:
        before = int(file.read().split()[0])
    for _ in range(10 * rounds):
        begun = time.monotonic()
        client.socket.sendall(Connection.encode("Metrics", {}))
        message = client.next()
        times.append((time.monotonic() - begun) * 1e3)
    with open(f"/proc/{daemon.pid}/task/{daemon.pid}/schedstat", encoding="utf-8") as file:
        loop = (int(file.read().split()[0]) - before) / 1e6 / len(times)
    table.add(what, statistics.median(times), "ms", limit=5)
    table.add("  of which the loop of torpord", loop, "ms")
    table.add("  text", len(message) / 1e3, "kB")
    programs = [quietly([torpor, "metrics", "--socket", daemon.path]) for _ in range(4 * rounds)]
    bare = [quietly([torpor, "--version"]) for _ in range(4 * rounds)]
    table.add("  torpor metrics, the whole process", statistics.median(programs), "ms")
    table.add("  the same without the start of the program", statistics.median(programs) - statistics.median(bare),
              "ms", limit=5)
