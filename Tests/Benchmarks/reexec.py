"""`torpord` replaced by its program in the same process, as its clients and workers see it."""
import statistics
import threading
import time

from daemon import Connection, Daemon

WORKERS = 500


class Pinger(threading.Thread):
    """A client that asks one thing after the other, and notes the longest time without an answer."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.connection = Connection(path)
        self.ends = False
        self.longest = 0

    def run(self):
        while not self.ends:
            begun = time.monotonic()
            self.connection.call("Ping")
            self.longest = max(self.longest, time.monotonic() - begun)


def pids(client):
    return {worker["name"]: (worker.get("pid"), worker["state"]) for worker in client.call("List")["workers"]}


def measure(table, torpord, bare, rounds=5):
    with Daemon(torpord, bare, WORKERS) as daemon:
        daemon.launch(0, WORKERS)
        client = Connection(daemon.path)
        client.call("Suspend", names=[f"w{number}" for number in range(0, WORKERS, 2)])
        before = pids(client)
        seen, said = [], []
        for _ in range(rounds):
            pinger = Pinger(daemon.path)
            pinger.start()
            said.append(client.call("Reexec")["interruptedUsec"] / 1000)
            pinger.ends = True
            pinger.join()
            seen.append(pinger.longest * 1000)
        after = pids(client)
        changed = sum(before[name] != after.get(name) for name in before)
        table.add(f"reexec with {WORKERS} workers, longest wait of a client", statistics.median(seen), "ms", limit=200)
        table.add("  as the daemon tells it", statistics.median(said), "ms", limit=200)
        table.add("  workers that are not as they were", changed, "", limit=0)
