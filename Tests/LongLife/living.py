"""A torpord with many workers, what happens to them, and whether each got what it was promised."""
import collections
import glob
import json
import os
import queue
import random
import signal
import socket
import sqlite3
import threading
import time

from daemon import Connection
from supervised import Supervised, group_of
from workers import Worker

# A request that is not answered by then has failed; so long a worker that crashed may be away.
LONGEST, AWAY = 60, 60
# From here on a wait is told.
SLOW = 1
# Events wait for others of their worker; so many threads that most of them can.
THREADS = 48
# How long memory counts as critical in each round at most, and how many are evicted in it, or a few more.
EVICTING, EVICTED = 8, 20

CONF = """[Daemon]
MaxConnectionsPerUID=512
OutputBuffer=8K
HistoryMaxSize={history}
[Memory]
WarningAvailable={available}
CriticalAvailable={available}
"""
PLENTY, SHORT = "0.5%", "99%"


class LongLived(Supervised):
    """The daemon: its store is full from the beginning, as after weeks."""

    level = "warning"

    def __init__(self, torpord, directory, workers, history, log=None):
        super().__init__(torpord, directory, workers, log)
        self.history = history
        self.changes = collections.Counter()
        os.makedirs(self.config)
        self.configure(PLENTY)

    def configure(self, available):
        with open(self.config + "/torpord.conf", "w", encoding="utf-8") as file:
            file.write(CONF.format(history=self.history, available=available))

    def define(self, worker):
        # As editors do: a reload reads the old one or the new one.
        path = self.file(worker.name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(worker.text())
        os.rename(path + ".new", path)

    def remove(self, worker):
        os.unlink(self.file(worker.name))

    def follow(self):
        try:
            while True:
                change, _ = self.watch.change()
                name, to = change["worker"], change.get("to")
                with self.lock:
                    if to == "suspended":
                        self.changes["sleeps"] += 1
                        self.since[name] = change["monotonic"]
                    elif self.since.pop(name, None) is not None and to not in (None, "notRunning"):
                        self.changes["wakes"] += 1
                    if to == "notRunning":
                        self.changes["evictions" if change["reason"] == "evicted" else "ends"] += 1
                    if change.get("from") == "notRunning":
                        self.changes["launches"] += 1
        except (OSError, EOFError, RuntimeError) as error:
            self.changes["the watch ended: " + str(error)] += 1

    def fill(self):
        """Copies what the history has, dated three weeks back, until the store is as big as it may get."""
        path = glob.glob(self.state + "/*.sqlite*") + glob.glob(self.state + "/*.db")
        store = sqlite3.connect(path[0])
        columns = [row[1] for row in store.execute("PRAGMA table_info(history)") if row[1] != "id"]
        names = ", ".join(f'"{column}"' for column in columns)
        values = ", ".join("at - 1814400000000" if column == "at" else f'"{column}"' for column in columns)
        page, = store.execute("PRAGMA page_size").fetchone()
        store.execute(f"INSERT INTO history({names}) SELECT {values} FROM history")
        store.execute("DELETE FROM history WHERE id <= (SELECT max(id) / 2 FROM history)")
        limit = int(self.history[:-1]) << 20
        while store.execute("PRAGMA page_count").fetchone()[0] * page < limit:
            store.execute(f'INSERT INTO history({names}) SELECT {names} FROM history ORDER BY id DESC LIMIT 5000')
            store.commit()
        store.close()


class Deliveries(threading.Thread):
    """What was posted and acknowledged, and what of it has come: each worker reports the notifications that it takes."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + address)
        self.lock, self.came, self.posted = threading.Lock(), 0, 0
        # By worker and topic: the number that was posted last, and the numbers of which none may be missing.
        self.last, self.each = {}, collections.defaultdict(set)

    def posts(self, name, topic, number, rule):
        with self.lock:
            self.posted += 1
            if rule == "latest":
                self.last[name, topic] = number
            else:
                self.each[name, topic].add(number)

    def refused(self, name, topic, number, rule, before):
        """What was noted before it was posted has not been taken."""
        with self.lock:
            self.posted -= 1
            if rule == "latest" and self.last.get((name, topic)) == number:
                self.last[name, topic] = before
            self.each[name, topic].discard(number)

    def run(self):
        while True:
            message = self.socket.recv(1 << 18)
            name, _, text = message.partition(b" ")
            name = name.decode()
            for notification in json.loads(text.rstrip(b"\0"))["parameters"]["callback"]["notifications"]:
                number, topic = notification["payload"]["n"], notification["topic"]
                with self.lock:
                    self.came += 1
                    if self.last.get((name, topic), number + 1) <= number:
                        del self.last[name, topic]
                    self.each[name, topic].discard(number)

    def missing(self):
        """The names of workers to which something has not come, with the topics."""
        with self.lock:
            result = collections.defaultdict(list)
            for name, topic in self.last:
                result[name].append(topic)
            for (name, topic), numbers in self.each.items():
                if numbers:
                    result[name].append(topic)
            return result


class Life:
    """Lets the events happen."""

    def __init__(self, torpord, workers, deliveries, seed):
        self.torpord, self.workers, self.deliveries = torpord, workers, deliveries
        self.random = random.Random(seed + 1)
        self.local, self.queue = threading.local(), queue.Queue()
        self.locks = {worker.name: threading.Lock() for worker in workers}
        self.done, self.failures, self.waits, self.ends = collections.Counter(), [], [], False
        self.numbers, self.late, self.interrupted, self.slow, self.stuck = {}, 0.0, [], [], []
        # Workers whose files were edited, as far as no reload has read them; the one that comes and goes.
        self.edited, self.guest = set(), None
        self.counting, self.files = threading.Lock(), threading.Lock()
        for _ in range(THREADS):
            threading.Thread(target=self.perform, daemon=True).start()

    def call(self, method, **parameters):
        if not hasattr(self.local, "connection"):
            self.local.connection = Connection(self.torpord.path)
        try:
            return self.local.connection.call(method, **parameters)
        except (OSError, EOFError):
            del self.local.connection
            raise

    def count(self, what, number=1):
        with self.counting:
            self.done[what] += number

    def fail(self, what):
        with self.counting:
            self.failures.append(f"{time.strftime('%H:%M:%S')} {what}")

    def perform(self):
        while True:
            due, kind, worker = self.queue.get()
            try:
                with self.locks[worker.name]:
                    if not self.ends:
                        self.late = max(self.late, time.monotonic() - due)
                        getattr(self, kind)(worker)
            except Exception as error:  # Whatever an event may suffer is what is counted here.
                self.fail(f"{worker.name} ({worker.type} {worker.way}), {kind}: {type(error).__name__}: {error}")
            finally:
                self.queue.task_done()

    # What happens to one worker.

    def request(self, worker, patience=0.0):
        """With patience, also of a worker that may not listen yet."""
        number, begun = self.random.randrange(1 << 30), time.monotonic()
        while True:
            try:
                pid = worker.ask(number, LONGEST, lambda: self.slow_now(worker))
                break
            except ConnectionRefusedError:
                if time.monotonic() - begun > patience:
                    raise
                time.sleep(0.02)
        self.count("requests")
        if not patience:
            wait = time.monotonic() - begun
            self.waits.append(wait)
            if wait > SLOW:
                self.slow.append((round(wait, 2), time.strftime("%H:%M:%S"), f"{worker.name} ({worker.type} {worker.way})"))
        return pid

    def slow_now(self, worker):
        """What can be seen of a worker that does not answer."""
        standing = self.standing(worker)
        seen = [standing["state"], standing["goal"]]
        if pid := standing.get("pid"):
            group = group_of(pid)
            for path, lines in ((f"/proc/{pid}/stat", 1), (f"/proc/{pid}/wchan", 1), (f"/proc/{pid}/schedstat", 1),
                                (f"{group}/cgroup.freeze", 1), (f"{group}/cgroup.events", 2)):
                try:
                    with open(path, encoding="utf-8", errors="replace") as file:
                        seen.append(" ".join(file.read().split()[:3 if path.endswith("stat") else 4]))
                except OSError as error:
                    seen.append(str(error))
        self.stuck.append(f"{time.strftime('%H:%M:%S')} {worker.name} ({worker.type} {worker.way}): {'; '.join(seen)}")

    def post(self, worker):
        topic = self.random.choice(("news.a", "news.b", "news.c", "each"))
        rule = "each" if topic == "each" else "latest"
        number = self.numbers[worker.name] = self.numbers.get(worker.name, 0) + 1
        before = self.deliveries.last.get((worker.name, topic), 0)
        # Noted first: it may come before its post is answered.
        self.deliveries.posts(worker.name, topic, number, rule)
        result, = self.call("Post", names=[worker.name], topic=topic, rule=rule, payload={"n": number},
                            wake=self.random.random() < 0.25)["results"]
        if "sequence" not in result:
            self.deliveries.refused(worker.name, topic, number, rule, before)
            raise RuntimeError(f"not posted: {result}")
        self.count("posts")

    def suspend(self, worker):
        self.bring_back(worker)
        if not self.reach("Suspend", worker):
            return
        self.count("suspends")
        time.sleep(self.random.uniform(0.1, 1))
        # Some are woken by what comes next.
        if self.random.random() < 0.5 and self.reach("Resume", worker):
            self.count("resumes")

    def bring_back(self, worker):
        """Where it was evicted, it comes back; its process."""
        while (pid := self.standing(worker).get("pid")) is None:
            self.request(worker)
        return pid

    def restart(self, worker):
        self.reach("Terminate", worker)
        self.reach("Launch", worker)
        self.count("operator's ends and launches")
        self.request(worker, patience=5)

    def reach(self, method, worker):
        """Whether it reached the goal; of a sleeper that is evicted meanwhile it cannot be asked."""
        result, = self.call(method, names=[worker.name], wait=True, timeoutMs=LONGEST * 1000)["results"]
        if result["reached"]:
            return True
        if "Evictable=silent" in worker.memory and self.standing(worker).get("reason") == "evicted":
            self.count("calls that met an eviction")
            return False
        raise RuntimeError(f"{method}: {result}")

    def standing(self, worker):
        return self.call("List", names=[worker.name])["workers"][0]

    def crash(self, worker):
        """Half of the crashes meet a worker that works, so far as it does not fall asleep before."""
        if self.random.random() < 0.5:
            self.request(worker)
        before = self.bring_back(worker)
        try:
            os.kill(before, signal.SIGKILL)
        except ProcessLookupError:
            self.count("calls that met an eviction")
            return
        self.count("crashes")
        end = time.monotonic() + AWAY
        while True:
            now = self.standing(worker)
            if now.get("pid") not in (None, before) and not now.get("launching"):
                break
            if now.get("reason") in ("failed", "evicted"):
                # It was not needed while it slept. Only a socket that is held for it launches it when it is.
                self.count("crashes of a sleeper")
                if worker.way != "held":
                    self.reach("Launch", worker)
                break
            if time.monotonic() > end:
                raise RuntimeError(f"is not restarted after a crash: {now}")
            time.sleep(0.05)
        self.request(worker, patience=5)

    def edit(self, worker):
        """Its file is another one; the next reload reads it."""
        with self.files:
            worker.edits += 1
            self.torpord.define(worker)
            self.edited.add(worker)

    # What happens to all, each minute.

    def reload(self, program):
        """A worker is added, the one of last time is removed, and what was edited is read."""
        number = self.done["guests"]
        self.count("guests")
        old, self.guest = self.guest, Worker(number, program, self.workers[0].reports, f"guest{number}")
        if old:
            # One that runs when its file goes runs on.
            self.reach("Terminate", old)
            self.torpord.remove(old)
        self.torpord.define(self.guest)
        changes = self.read_files()
        if changes["added"] != [self.guest.name] or changes["removed"] != [worker.name for worker in [old] if worker]:
            self.fail(f"reload: {changes}")
        self.count("files added or removed", 1 + bool(old))
        self.reach("Launch", self.guest)
        self.request(self.guest, patience=5)

    def read_files(self):
        with self.files:
            edited, self.edited = self.edited, set()
            changes = self.call("Reload")
            # A launch and a reexec read files too.
            known = {worker["name"]: worker.get("description") for worker in self.call("List")["workers"]}
            old = [worker.name for worker in edited if known[worker.name] != worker.description()]
        self.count("reloads")
        self.count("files edited and read", len(edited))
        if changes["failed"] or old:
            self.fail(f"reload: {changes}; as before are {old}")
        return changes

    def evict(self):
        """Memory counts as critical for a while: sleepers that may be evicted go, one after the other."""
        before, end = self.torpord.changes["evictions"], time.monotonic() + EVICTING
        self.torpord.configure(SHORT)
        self.read_files()
        while not self.ends and time.monotonic() < end and self.torpord.changes["evictions"] < before + EVICTED:
            time.sleep(0.02)
        self.torpord.configure(PLENTY)
        self.read_files()
        self.count("shortages")

    def replace(self):
        end = time.monotonic() + LONGEST
        while True:
            try:
                self.interrupted.append(self.call("Reexec")["interruptedUsec"] / 1000)
                return self.count("reexecs")
            except RuntimeError as error:
                # Not while a process is being launched.
                if "try again" not in str(error) or time.monotonic() > end:
                    raise
                self.count("reexecs put off")
                time.sleep(0.1)

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while not self.ends and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 0.2))

    def rounds(self, minutes, program, reexecs):
        """Once a minute each."""
        begun, number = time.monotonic(), 0
        while not self.ends and number * 60 + 50 < minutes * 60:
            for at, what in ((5, lambda: self.reload(program)), (20, self.evict), (45, self.replace if reexecs else None)):
                self.pause(begun + number * 60 + at - time.monotonic())
                if self.ends or not what:
                    continue
                try:
                    what()
                except Exception as error:  # As above.
                    self.fail(f"in round {number}: {type(error).__name__}: {error}")
            number += 1

    def settle(self):
        """What was posted comes at last, when its worker wakes; and each worker answers."""
        end = time.monotonic() + 120
        for name in self.deliveries.missing():
            self.call("Launch", names=[name], wait=False)
        while (missing := self.deliveries.missing()) and time.monotonic() < end:
            time.sleep(0.1)
        for name, topics in missing.items():
            self.fail(f"{name}: a post was acknowledged and has not come: {', '.join(topics)}; "
                      f"{self.call('Notifications', name=name)}")
        for worker in self.workers:
            self.queue.put((time.monotonic() + 600, "request", worker))
        self.queue.join()
