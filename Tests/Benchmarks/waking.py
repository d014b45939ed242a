"""A sleeper that its own sockets wake: its first answer beside one that is awake, and what the daemon pays for it."""
import os
import shutil
import socket
import statistics
import subprocess
import time

import cold
from daemon import Connection, Daemon
from figures import descriptors, eventually, printed, status, wakes

REDIS = ["/usr/bin/redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port"]
PROXY = next(filter(os.path.exists, ("/usr/lib/systemd/systemd-socket-proxyd", "/lib/systemd/systemd-socket-proxyd")), None)

WORKER = """[Worker]
ExecStart={command}
StandardOutput=null
Type={type}
Launch=on-demand
"""
NO_WAKE = "[Foreground]\nWake=no\n"


def measure(table, torpord, waking, rounds):
    if shutil.which("redis-server") != REDIS[0] or not os.access("/sys/fs/cgroup", os.W_OK) or os.geteuid():
        table.absent("a wake", "this needs root and redis-server")
    else:
        measure_answers(table, torpord, waking, rounds)
    cold.measure(table, torpord, waking, free_port())
    measure_many(table, torpord, waking)
    measure_sampled(table, torpord, waking)


# MARK: answers

class BareRedis:
    """A redis-server in a cgroup that nobody manages, and a proxy before it."""

    def __enter__(self):
        top = "/sys/fs/cgroup/unified"
        top = top if os.path.exists(top + "/cgroup.procs") else "/sys/fs/cgroup"
        self.group = f"{top}/torpor-waking-{os.getpid()}"
        self.port, self.proxy = free_port(), free_port()
        os.mkdir(self.group)
        self.processes = []
        try:
            redis = self.start([*REDIS, str(self.port)])
            self.pid = redis.pid
            with open(self.group + "/cgroup.procs", "w", encoding="utf-8") as file:
                file.write(str(self.pid))
            answering(self.port)
            if PROXY and shutil.which("systemd-socket-activate"):
                self.start(["systemd-socket-activate", "-l", f"127.0.0.1:{self.proxy}", PROXY, f"127.0.0.1:{self.port}"])
                answering(self.proxy)
            else:
                self.proxy = 0
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, command):
        self.processes.append(subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
        return self.processes[-1]

    def __exit__(self, *_):
        with open(self.group + "/cgroup.freeze", "w", encoding="utf-8") as file:
            file.write("0")
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        # The kernel lets go of it a moment after its last process was reaped.
        eventually(lambda: removed(self.group))


def measure_answers(table, torpord, waking, rounds):
    port = free_port()
    worker = WORKER.format(command=" ".join(word or '""' for word in [*REDIS, str(port)]), type="simple")
    # So that wakes prove right: before that each is looked at first.
    worker += "[Foreground]\nIdleSec=1h\n"
    with BareRedis() as bare, Daemon(torpord, "", 1, worker) as daemon:
        client = Connection(daemon.path)
        client.call("Launch", names=["w0"])
        answering(port)

        def figures(*kind):
            return printed(waking, *kind, daemon.path, "w0", str(daemon.pid), str(port), bare.group, str(bare.pid),
                           str(bare.port), str(bare.proxy), seconds=600)

        new = figures("new", "500", "0")
        tell_answers(table, "redis, a new connection's first answer", new, 1.7, 2)
        table.add("  woken before it was asked", new["early"], "")
        if bare.proxy:
            table.add("  awake behind systemd-socket-proxyd", new["first.proxy.awake.median"], "us",
                      bare=new["first.ours.awake.median"])
            table.add("  woken by torpord, beside that", new["first.ours.frozen.median"], "us",
                      bare=new["first.proxy.awake.median"], ratio=1)
        else:
            table.absent("  awake behind systemd-socket-proxyd", "it is not installed")
        kept = figures("kept", "300", "1000")
        tell_answers(table, "redis, data on an old connection beside 1000 quiet ones", kept, 2.5, None)
        tell_answers(table, "the same 30 ms after it fell asleep", figures("rested", "150", "1000"), 2.5, None)
        table.add("CPU of a wake, the loop; beside bare freeze, getfd, poll, thaw", new["wake.loop.ours.median"], "us",
                  bare=new["nap.loop.bare.median"], ratio=1.5)
        table.add("  beside bare drop, thaw alone", new["wake.loop.ours.median"], "us", bare=new["wake.loop.bare.median"])
        table.add("  of a whole nap, with the request to suspend it", new["nap.loop.ours.median"], "us",
                  bare=new["nap.loop.bare.median"])
        table.add("  of a wake beside 1000 quiet connections", kept["wake.loop.ours.median"], "us",
                  bare=kept["wake.loop.bare.median"])
        table.add("  of a wake, all threads", new["wake.threads.ours.median"], "us", bare=new["wake.threads.bare.median"])
        if shutil.which("redis-benchmark"):
            measure_throughput(table, client, bare.port, port, rounds)
        else:
            table.absent("throughput after a wake", "redis-benchmark is not installed")


def tell_answers(table, what, figures, median, p99):
    """Each beside the same server awake, in the same turns."""
    def row(name, frozen, awake, kind, ratio):
        table.add(name, figures[f"first.{frozen}.{kind}"], "us", bare=figures[f"first.{awake}.{kind}"], ratio=ratio)

    row(what + ": woken by bare C, beside awake", "bare.frozen", "bare.awake", "median", None)
    row("  99th percentile", "bare.frozen", "bare.awake", "p99", None)
    row("  woken by torpord, beside awake", "ours.frozen", "ours.awake", "median", median)
    row("  99th percentile", "ours.frozen", "ours.awake", "p99", p99)
    row("  woken by torpord, beside bare C", "ours.frozen", "bare.frozen", "median", None)


def measure_throughput(table, client, bare, ours, rounds):
    """In turns, so that whatever else the machine does disturbs both alike; as time, so that less is better."""
    times = {bare: [], ours: []}
    for _ in range(max(rounds, 7)):
        for port in times:
            if port == ours:
                client.call("Suspend", names=["w0"])
                answering(port)
            output = subprocess.run(["redis-benchmark", "-p", str(port), "-t", "get", "-n", "100000", "-c", "50", "--csv"],
                                    stdout=subprocess.PIPE, check=True, text=True, timeout=120).stdout
            times[port].append(1e6 / float(output.splitlines()[-1].split(",")[1].strip('"')))
    table.add("redis-benchmark after a wake, 50 clients: each request", statistics.median(times[ours]), "us",
              bare=statistics.median(times[bare]), ratio=1.03)


# MARK: many sleepers

class Sleepers:
    """So many suspended workers, each with a listening socket of its own."""

    def __init__(self, torpord, waking, count, more="", refuses=False):
        self.daemon = Daemon(torpord, "", count, WORKER.format(command=waking + " sleeper", type="notify") + more,
                             [waking, "refuse"] if refuses else [])
        self.count = count

    def __enter__(self):
        self.daemon.__enter__()
        try:
            self.put_to_sleep()
        except BaseException:
            self.__exit__()
            raise
        return self.daemon

    def put_to_sleep(self):
        self.daemon.launch(0, self.count)
        client = Connection(self.daemon.path)
        self.awake = descriptors(self.daemon.pid)
        client.call("Suspend", names=["w*"])
        # Eyes are opened after the answer, and so many changes are written down later; sampling never comes to rest.
        for _ in range(20):
            if self.has_settled():
                break
        time.sleep(3)
        asleep = [worker for worker in client.call("List", names=["w*"])["workers"] if worker["state"] == "suspended"]
        if len(asleep) != self.count:
            raise RuntimeError(f"{self.count - len(asleep)} of {self.count} do not sleep")

    def has_settled(self):
        before = cpu(self.daemon.pid)
        time.sleep(0.5)
        return cpu(self.daemon.pid) - before < 0.001

    def __exit__(self, *_):
        self.daemon.__exit__()


def measure_many(table, torpord, waking):
    count = 1000
    resident = {}
    for more in (NO_WAKE, ""):
        sleepers = Sleepers(torpord, waking, count, more)
        with sleepers as daemon:
            resident[more] = status(daemon.pid, "RssAnon") / 1000
            if more:
                continue
            opened = (descriptors(daemon.pid) - sleepers.awake) / count
            woken, used = rest(daemon.pid)
            table.add(f"{count} sleepers with a listening socket each: wake-ups in 20 s", woken, "", limit=0)
            table.add("  CPU in 20 s", used * 1000, "ms", limit=0 if not woken else None)
            table.add("  descriptors for the eyes of each", opened, "")
            table.add("  RssAnon", resident[""], "MB", bare=resident[NO_WAKE])
            table.add("  RssAnon for each sleeper, beside Wake=no", (resident[""] - resident[NO_WAKE]) / count * 1000, "kB")


def rest(pid):
    """Wake-ups and CPU in 20 s. Memory pressure of others wakes the daemon too: then it is measured again."""
    for _ in range(3):
        stalled, before = memory_stalls(), cpu(pid)
        woken = wakes(pid, 20)
        used = cpu(pid) - before
        if not woken or memory_stalls() == stalled:
            break
    return woken, used


def memory_stalls():
    try:
        with open("/proc/pressure/memory", encoding="utf-8") as file:
            return file.readline().rsplit("=", 1)[1]
    except OSError:
        return None


def measure_sampled(table, torpord, waking):
    what = "100 sleepers, sampled where a seccomp filter refuses pidfd_getfd: CPU"
    with Sleepers(torpord, waking, 100, refuses=True) as daemon:
        before = cpu(daemon.pid)
        woken = wakes(daemon.pid, 20)
        table.add(what, (cpu(daemon.pid) - before) / 20 * 100, "%", limit=0.1)
        table.add("  wake-ups per second", woken / 20, "")


# MARK: steps

def cpu(pid):
    """What the process has used of the processors, in s: all its threads, by the kernel's own account."""
    # CPUCLOCK_SCHED of another process, which is how clock_getcpuclockid(3) names it.
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answering(port):
    """Waits until a redis-server answers there; one that sleeps is woken by it."""
    def asked():
        try:
            with socket.create_connection(("127.0.0.1", port), 10) as client:
                client.sendall(b"PING\r\n")
                return client.recv(100).startswith(b"+PONG")
        except ConnectionError:
            return False
    eventually(asked)


def removed(group):
    try:
        os.rmdir(group)
        return True
    except OSError:
        return False
