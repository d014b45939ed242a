"""A torpord of its own with these servers, and what it tells of their sleep."""
import collections
import os
import re
import signal
import subprocess
import threading
import time

from daemon import Connection, Watch

# Each nap counts here: a server that is woken again and again would otherwise be left awake longer each time.
IDLE = """
[Foreground]
IdleSec=1s
IdleMaxSec=1s
"""


class Supervised:
    # Of the log of torpord.
    level = "debug"

    def __init__(self, torpord, directory, servers, log=None):
        self.torpord, self.directory, self.servers = torpord, directory, servers
        self.config, self.state, self.run = (f"{directory}/torpor-{name}" for name in ("config", "state", "run"))
        self.log_path = log or directory + "/log"
        self.wakes, self.slept = collections.Counter(), collections.Counter()
        self.since, self.began, self.ended, self.started = {}, None, None, {}
        self.lock = threading.Lock()

    def __enter__(self):
        for place in (self.config + "/workers", self.state, self.run):
            os.makedirs(place, exist_ok=True)
        for server in self.servers:
            self.define(server)
        self.path = self.run + "/io.torpor.Supervisor"
        self.log = open(self.log_path, "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.torpord, "--config-dir", self.config, "--state-dir", self.state, "--runtime-dir", self.run,
             "--log-level", self.level],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        try:
            end = time.monotonic() + 30
            while True:
                try:
                    Connection(self.path).call("Ping")
                    break
                except (FileNotFoundError, ConnectionRefusedError):
                    if self.has_ended() or time.monotonic() > end:
                        raise RuntimeError("torpord does not start:\n" + self.last_words()) from None
                    time.sleep(0.02)
            self.watch = Watch(self.path)
            threading.Thread(target=self.follow, daemon=True).start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def define(self, server):
        """Writes its worker file."""
        with open(self.file(server.name), "w", encoding="utf-8") as file:
            file.write("[Worker]\n" + "\n".join(server.lines) + "\nLaunch=boot\nTimeoutStopSec=10s\n" + IDLE)

    def file(self, name):
        return f"{self.config}/workers/{name}.worker"

    def __exit__(self, *_):
        try:
            self.remember()
        except (OSError, EOFError, RuntimeError):
            pass
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.clear_away()

    def clear_away(self):
        """What a torpord that failed has left: its workers, what these started, and their cgroups."""
        left = {pid for pid, start in self.started.items() if started(pid) == start}
        for pid in list(left):
            left |= descendants(pid)
        groups = {group for pid in left if (group := group_of(pid))}
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for place in {os.path.dirname(group) for group in groups}:
            if f"-{os.path.basename(self.directory)}-" in os.path.basename(place):
                remove_groups(place)

    def remember(self):
        workers = Connection(self.path).call("List")["workers"]
        self.started.update((worker["pid"], started(worker["pid"])) for worker in workers if "pid" in worker)
        return workers

    def begin(self):
        """From here on it counts."""
        with self.lock:
            self.wakes.clear()
            self.slept.clear()
            self.began = time.monotonic() * 1e6
        for worker in self.remember():
            if worker["state"] not in ("active", "inactive", "background", "suspended"):
                raise RuntimeError(f"{worker['name']} is {worker['state']}")

    def end(self):
        self.ended = time.monotonic() * 1e6
        if wrong := [worker["name"] for worker in self.remember() if worker["state"] not in ("active", "suspended")]:
            raise RuntimeError(f"neither awake nor asleep: {', '.join(wrong)}")
        with self.lock:
            for name in list(self.since):
                self.slept[name] += self.ended - max(self.since.pop(name), self.began)

    def follow(self):
        try:
            while True:
                change, _ = self.watch.change()
                name, at = change["worker"], change["monotonic"]
                with self.lock:
                    if self.ended:
                        return
                    if change.get("to") == "suspended":
                        self.since[name] = at
                    elif name in self.since:
                        self.wakes[name] += 1
                        self.slept[name] += at - max(self.since.pop(name), self.began or at)
        except (OSError, EOFError):
            return

    def share_asleep(self, name):
        return self.slept[name] / (self.ended - self.began)

    def eyes(self, name):
        """By what it woke, most of the time, as the log says."""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            said = collections.Counter(re.findall(rf"(?m)^{name}: wakes by (.*)$", file.read()))
        return said.most_common(1)[0][0] if said else "nothing"

    def has_ended(self):
        return self.process.poll() is not None

    def last_words(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-20:])


def started(pid):
    """When it was started, by which it is told from a later process of that number; None when it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[19])
    except OSError:
        return None


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            children = {int(child) for child in file.read().split()}
    except OSError:
        return set()
    return children.union(*map(descendants, children))


def group_of(pid):
    """The directory of its cgroup in the v2 tree, which is at one of two places."""
    top = "/sys/fs/cgroup/unified"
    top = top if os.path.exists(top + "/cgroup.procs") else "/sys/fs/cgroup"
    try:
        with open(f"/proc/{pid}/cgroup", encoding="utf-8") as file:
            return next((top + line[3:].strip() for line in file if line.startswith("0::")), None)
    except OSError:
        return None


def remove_groups(place):
    """The kernel lets go of a cgroup a moment after its last process was reaped."""
    end = time.monotonic() + 5
    while os.path.isdir(place) and time.monotonic() < end:
        for directory, _, _ in os.walk(place, topdown=False):
            try:
                os.rmdir(directory)
            except OSError:
                time.sleep(0.01)
