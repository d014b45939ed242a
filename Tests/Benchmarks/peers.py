"""torpord beside the least of a supervisor (limit.c), runit, s6 and supervisord, with 1000 workers of one program."""
import contextlib
import ctypes
import http.client
import json
import math
import os
import random
import select
import shutil
import signal
import socket
import statistics
import struct
import tempfile
import time

from daemon import Connection, memory
from figures import Comparison, eventually, medians
from seen import quietly, spent
from wrapper import whole

WORKERS, KILLS, LOADED_KILLS, LISTS, SUSPENDS = 1000, 200, 100, 15, 15
# Younger processes than this are not replaced at once by runit and s6.
SETTLED = 1.5
FROZEN_POLL = 20e-6
REPORT = struct.Struct("i4xd")
PR_SET_CHILD_SUBREAPER = 36

WORKER = """[Worker]
ExecStart={tiny}
Environment=BENCH_REPORTS={reports}
Type=notify
Launch=boot
Restart=always
RestartSec=0
StartLimitIntervalSec=0
StandardOutput=null
"""

SUPERVISORD = """[supervisord]
nodaemon=true
logfile={0}/log
logfile_maxbytes=0
pidfile={0}/pid
childlogdir={0}
minfds=8192
minprocs=2000
[unix_http_server]
file={0}/socket
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{0}/socket
"""

PROGRAM = """[program:w{0}]
command={1}
autorestart=true
startsecs=0
stdout_logfile=NONE
stderr_logfile=NONE
"""


def milliseconds():
    """The clock of the reports, CLOCK_MONOTONIC."""
    return time.monotonic_ns() / 1e6


def content(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def cgroup_top():
    unified = "/sys/fs/cgroup/unified"
    return unified if os.path.exists(unified + "/cgroup.procs") else "/sys/fs/cgroup"


def frozen_group(pid):
    """Whether the kernel confirms that the process's cgroup is frozen."""
    group = next(line[3:] for line in content(f"/proc/{pid}/cgroup").splitlines() if line.startswith("0::"))
    return "frozen 1" in content(f"{cgroup_top()}{group}/cgroup.events")


def stopped(pid):
    """Whether the process is stopped by SIGSTOP."""
    return content(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] == "T"


def descendants(pid):
    """The process and all that descend from it, children of children too."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                found += map(int, content(f"/proc/{parent}/task/{thread}/children").split())
    return found


class Supervisor:
    """One supervisor with so many workers of tiny.c; what differs between supervisors is in the subclasses."""

    name, program, version, kills, frozen = "", "", None, KILLS, staticmethod(stopped)
    # The signal that ends the supervisor and all its workers.
    ending = signal.SIGTERM

    def __init__(self, programs, workers):
        self.programs, self.count, self.workers, self.pid, self.runs = programs, workers, set(), None, False
        self.directory = tempfile.mkdtemp(prefix="torpor-bench-", dir=memory())
        try:
            self.reports = self.directory + "/reports"
            os.mkfifo(self.reports)
            # Open for writing too: it has no end while no worker writes.
            self.fifo = os.open(self.reports, os.O_RDWR | os.O_NONBLOCK)
            self.prepare()
        except BaseException:
            shutil.rmtree(self.directory)
            raise

    def prepare(self):
        """Writes the files that the supervisor reads."""

    def services(self):
        """Writes a directory of services for runit and s6, whose `run` is the program itself."""
        for number in range(self.count):
            os.makedirs(f"{self.directory}/services/w{number}")
            os.symlink(self.programs["tiny"], f"{self.directory}/services/w{number}/run")

    def command(self):
        """The command line of the supervisor."""
        raise NotImplementedError

    def pid_of(self, name):
        """The process of the worker, as the supervisor tells it."""
        raise NotImplementedError

    def listing(self):
        """The command line that shows all workers; None where there is none."""

    def pause(self):
        """The longest pause of its loop, where it tells that."""

    def listing_call(self):
        """A function that lists all workers over a connection that is open; None where there is no such thing."""

    def steering(self, name, suspends):
        """The command line that suspends or resumes one worker."""
        raise NotImplementedError

    def __enter__(self):
        return self

    def start(self):
        """Starts it; ms until the last worker has reported."""
        environment = {"PATH": os.environ["PATH"], "BENCH_REPORTS": self.reports}
        log = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)] + [
            (os.POSIX_SPAWN_OPEN, number, self.directory + "/output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for number in (1, 2)]
        command, self.runs = self.command(), True
        begun = milliseconds()
        self.pid = os.posix_spawn(command[0], command, environment, setsid=True, file_actions=log)
        last, end = begun, time.monotonic() + 120
        while len(self.workers) < self.count:
            for pid, at in self.received(end - time.monotonic()):
                self.workers.add(pid)
                last = max(last, at)
            # Several at once: a process that measures and wakes for each report takes time from those that are measured.
            time.sleep(0.002)
        return last - begun

    def received(self, seconds):
        """The reports that are there, and waits for one: pid, and ms of the clock."""
        if not select.select([self.fifo], [], [], max(0, seconds))[0]:
            raise TimeoutError(f"{self.name}: workers have not reported: " + content(self.directory + "/output")[-300:])
        return [(pid, at / 1e3) for pid, at in REPORT.iter_unpack(os.read(self.fifo, REPORT.size * 4096))]

    def replacement(self, victim):
        """Kills a worker; ms until its replacement has reported."""
        time.sleep(0.002)
        begun = milliseconds()
        os.kill(victim, signal.SIGKILL)
        (pid, at), = self.received(60)
        self.workers.remove(victim)
        self.workers.add(pid)
        return at - begun

    def suspend(self, name):
        """ms from the start of the command until the worker is frozen; resumes it again."""
        pid = self.pid_of(name)
        took = self.steered(name, True, lambda: self.frozen(pid))
        self.steered(name, False, lambda: not self.frozen(pid))
        return took

    def steered(self, name, suspends, done):
        command = self.steering(name, suspends)
        begun, end = milliseconds(), time.monotonic() + 30
        null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        client = os.posix_spawn(command[0], command, os.environ, file_actions=null)
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(f"{' '.join(command)} has not come into effect")
            time.sleep(FROZEN_POLL)
        took = milliseconds() - begun
        _, code = os.waitpid(client, 0)
        if code:
            raise RuntimeError(f"{' '.join(command)} ended with {code}")
        return took

    def anonymous(self):
        """MB of anonymous memory of all its processes but the workers; what processes share counts once."""
        return sum(next(int(line.split()[1]) for line in content(f"/proc/{pid}/smaps_rollup").splitlines()
                        if line.startswith("Pss_Anon:")) for pid in self.processes()) / 1e3

    def processes(self):
        """The supervisor's own processes."""
        return set(descendants(self.pid)) - self.workers

    def stop(self):
        """Ends it and all workers; ms until no process is left. Children of what ends early are this process's."""
        begun = milliseconds()
        os.kill(self.pid, self.ending)
        reap(120)
        took = milliseconds() - begun
        self.runs = False
        if groups := self.groups():
            raise RuntimeError(f"{self.name} leaves {len(groups)} cgroups")
        return took

    def groups(self):
        """The cgroups that are left of it, the inner ones first."""
        marks = (os.path.basename(self.directory), f"torpor-bare-{self.pid}")
        return [path for path, _, _ in os.walk(cgroup_top(), topdown=False)
                if any(mark in path for mark in marks)]

    def __exit__(self, *_):
        if self.runs:
            eventually(killed)
            eventually(lambda: all([removed(path) for path in self.groups()]))
        os.close(self.fifo)
        shutil.rmtree(self.directory)


def killed():
    """Kills all that descends from this process; whether nothing was left. A supervisor may replace what is killed before it."""
    for pid in descendants(os.getpid())[1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def removed(path):
    try:
        os.rmdir(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def reap(seconds):
    """Waits until this process has no children and no orphans of theirs."""
    def late(*_):
        raise TimeoutError("processes are left")

    former = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


class Torpor(Supervisor):
    name, frozen = "ours", staticmethod(frozen_group)

    def prepare(self):
        for place in ("config/workers", "state", "run"):
            os.makedirs(f"{self.directory}/{place}")
        for number in range(self.count):
            with open(f"{self.directory}/config/workers/w{number}.worker", "w", encoding="utf-8") as file:
                file.write(WORKER.format(tiny=self.programs["tiny"], reports=self.reports))
        self.socket = self.directory + "/run/io.torpor.Supervisor"
        self.version = [self.programs["torpor"], "--version"]

    def command(self):
        return [self.programs["torpord"], "--config-dir", self.directory + "/config",
                "--state-dir", self.directory + "/state", "--runtime-dir", self.directory + "/run"]

    def pid_of(self, name):
        return Connection(self.socket).call("List", names=[name])["workers"][0]["pid"]

    def pause(self):
        return Connection(self.socket).call("Cost")["longestPause"]

    def listing(self):
        return [self.programs["torpor"], "list", "--socket", self.socket]

    def listing_call(self):
        connection = Connection(self.socket)

        def call():
            connection.socket.sendall(Connection.encode("List", {}))
            return connection.next()

        if len(json.loads(call())["parameters"]["workers"]) != self.count:
            raise RuntimeError("List does not show all workers")
        return call

    def steering(self, name, suspends):
        return [self.programs["torpor"], "suspend" if suspends else "resume", "--socket", self.socket, name]


class Limit(Supervisor):
    name, frozen = "limit", staticmethod(frozen_group)

    def prepare(self):
        self.socket = self.directory + "/socket"
        self.version = [self.programs["limit"], "version"]

    def command(self):
        return [self.programs["limit"], "serve", self.socket, str(self.count), self.programs["tiny"]]

    def pid_of(self, name):
        return next(int(line.split()[2]) for line in self.listing_call()().decode().splitlines()
                    if line.split()[0] == name)

    def listing(self):
        return [self.programs["limit"], "list", self.socket]

    def listing_call(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.connect(self.socket)

        def call():
            client.sendall(b"list")
            text = b""
            while not text.endswith(b"\n\n"):
                text += client.recv(1 << 20)
            return text[:-1]

        return call

    def steering(self, name, suspends):
        return [self.programs["limit"], "suspend" if suspends else "resume", self.socket, name[1:]]


class Runit(Supervisor):
    name, program, ending = "runit", "/usr/bin/runsvdir", signal.SIGHUP

    def prepare(self):
        self.services()

    def command(self):
        return [self.program, self.directory + "/services"]

    def pid_of(self, name):
        return int(content(f"{self.directory}/services/{name}/supervise/pid"))

    def listing(self):
        return ["/usr/bin/sv", "status", *(f"{self.directory}/services/w{number}" for number in range(self.count))]

    def steering(self, name, suspends):
        return ["/usr/bin/sv", "pause" if suspends else "cont", f"{self.directory}/services/{name}"]


class S6(Supervisor):
    # It waits for a second before each replacement.
    name, program, kills = "s6", "/usr/bin/s6-svscan", 10

    def prepare(self):
        self.services()

    def command(self):
        return [self.program, "-c", str(self.count + 1), self.directory + "/services"]

    def pid_of(self, name):
        reader, writer = os.pipe()
        command = ["/usr/bin/s6-svstat", "-o", "pid", f"{self.directory}/services/{name}"]
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
        os.close(writer)
        with open(reader, encoding="utf-8") as text:
            pid = int(text.read())
        os.waitpid(child, 0)
        return pid

    def steering(self, name, suspends):
        return ["/usr/bin/s6-svc", "-p" if suspends else "-c", f"{self.directory}/services/{name}"]


class UnixHTTP(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


class Supervisord(Supervisor):
    name, program, kills = "supervisord", "/usr/bin/supervisord", 10
    version = [program, "--version"]

    def prepare(self):
        self.configuration = self.directory + "/supervisord.conf"
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(SUPERVISORD.format(self.directory))
            for number in range(self.count):
                file.write(PROGRAM.format(number, self.programs["tiny"]))

    def command(self):
        return [self.program, "-c", self.configuration]

    def pid_of(self, name):
        text = self.request("supervisor.getProcessInfo", f"<param><value><string>{name}</string></value></param>")()
        return int(text.partition(b"<name>pid</name>")[2].partition(b"<int>")[2].partition(b"<")[0])

    def listing(self):
        return ["/usr/bin/supervisorctl", "-c", self.configuration, "status"]

    def request(self, method, parameters=""):
        connection = UnixHTTP(self.directory + "/socket")
        body = ("<?xml version='1.0'?>"
                f"<methodCall><methodName>{method}</methodName><params>{parameters}</params></methodCall>")

        def call():
            connection.request("POST", "/RPC2", body, {"Content-Type": "text/xml"})
            return connection.getresponse().read()

        return call

    def listing_call(self):
        return self.request("supervisor.getAllProcessInfo")

    def steering(self, name, suspends):
        return ["/usr/bin/supervisorctl", "-c", self.configuration, "signal", "STOP" if suspends else "CONT", name]


def percentile(values, share):
    return sorted(values)[math.ceil(len(values) * share) - 1]


def spread(figures, name, values):
    figures[f"{name} p50"], figures[f"{name} p99"] = statistics.median(values), percentile(values, 0.99)


def measured(kind, programs):
    """One round of one supervisor: its figures by name."""
    figures = {}
    with kind(programs, 1) as supervisor:
        supervisor.start()
        time.sleep(SETTLED)
        figures["memory of 1"] = supervisor.anonymous()
        supervisor.stop()
    with kind(programs, WORKERS) as supervisor:
        figures["start"] = supervisor.start()
        time.sleep(SETTLED)
        figures["spent"] = sum(map(spent, supervisor.processes())) / 1e3
        figures["memory of 1000"] = supervisor.anonymous()
        begin = supervisor.pause()
        if command := supervisor.listing():
            figures["list"] = statistics.median(quietly(command) for _ in range(min(LISTS, supervisor.kills)))
        if call := supervisor.listing_call():
            figures["call"] = statistics.median(timed(call) for _ in range(min(LISTS, supervisor.kills)))
        figures["suspend"] = statistics.median(
            supervisor.suspend(f"w{number}") for number in range(min(SUSPENDS, supervisor.kills)))
        if supervisor.version:
            figures["version"] = statistics.median(quietly(supervisor.version) for _ in range(LISTS))
        # Each of them is old enough to be replaced at once.
        victims = random.sample(sorted(supervisor.workers), KILLS + LOADED_KILLS + os.cpu_count())
        spread(figures, "restart", [supervisor.replacement(pid) for pid in victims[:supervisor.kills]])
        spinning = victims[KILLS + LOADED_KILLS:]
        for pid in spinning:
            os.kill(pid, signal.SIGUSR1)
        loaded = victims[KILLS:KILLS + min(LOADED_KILLS, supervisor.kills)]
        spread(figures, "loaded", [supervisor.replacement(pid) for pid in loaded])
        for pid in spinning:
            os.kill(pid, signal.SIGUSR1)
        # runit lives a second longer when a worker of its own was younger than that.
        time.sleep(SETTLED)
        if begin:
            figures["start pause"], figures["pause"] = (pause["lengthUsec"] / 1e3 for pause in (begin, supervisor.pause()))
            print(f"  longest pauses of the loop: {begin}, {supervisor.pause()}", flush=True)
        figures["stop"] = supervisor.stop()
    return figures


def timed(call):
    begun = milliseconds()
    call()
    return milliseconds() - begun


def above_tini(torpor):
    """ms that `torpor run` takes beyond what tini takes, in turns."""
    ours, tini = [], []
    for _ in range(50):
        ours.append(whole([torpor, "run", "--", "/bin/true"]))
        tini.append(whole(["/usr/bin/tini", "-s", "--", "/bin/true"]))
    return statistics.median(ours) - statistics.median(tini)


ROWS = (
    ("start", "the daemon started, until all 1000 have reported", "ms", "×", 1.4),
    ("spent", "  the supervisor's processor time for that", "ms", None, None),
    ("stop", "stop of all 1000, until no process is left", "ms", "×", 1.5),
    ("restart p50", "SIGKILL until the replacement reports, p50", "ms", "×", 1.3),
    ("restart p99", "  p99", "ms", "×", 3),
    ("loaded p50", "  while other workers take all processors, p50", "ms", None, None),
    ("loaded p99", "  p99", "ms", None, None),
    ("list", "list of 1000, the whole process", "ms", "ms", 8),
    ("call", "list on an open connection", "ms", "ms", 1),
    ("suspend", "a command suspends one worker, until it is frozen", "ms", "ms", 3),
    ("version", "a program that prints its version", "ms", "ms", 2.5),
    ("start pause", "the loop's longest pause, when 1000 have started", "ms", None, None),
    ("pause", "  after all of the above", "ms", None, None),
    ("run", "torpor run -- true, above tini", "ms", "ms", 1.5),
    ("memory of 1", "anonymous memory with 1 worker", "MB", "MB", 1.5),
    ("memory of 1000", "  with 1000", "MB", "MB", 5),
)


def measure(programs, rounds):
    """In turns, so that whatever else the machine does disturbs all alike. The comparison, with its rows."""
    def ended(*_):
        raise SystemExit(1)

    kinds = [kind for kind in (Torpor, Limit, Runit, S6, Supervisord)
             if not kind.program or os.access(kind.program, os.X_OK)]
    turns, begun = {kind.name: [] for kind in kinds}, os.getloadavg()[0]
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    former = signal.signal(signal.SIGTERM, ended)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        for turn in range(rounds):
            for kind in kinds:
                # It takes longer than all others together.
                if kind is Supervisord and turn > 0:
                    continue
                figures = measured(kind, programs)
                if kind is Torpor and os.access("/usr/bin/tini", os.X_OK):
                    figures["run"] = above_tini(programs["torpor"])
                turns[kind.name].append(figures)
                shown = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
                print(f"  {kind.name}: {shown}", flush=True)
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        signal.signal(signal.SIGTERM, former)
    comparison = Comparison([kind.name for kind in kinds if kind is not Torpor])
    all_figures = {name: medians(figures) for name, figures in turns.items()}
    for key, what, unit, measure_, most in ROWS:
        comparison.add(what, unit, {name: figures.get(key) for name, figures in all_figures.items()}, measure_, most)
    comparison.note(f"Medians of {rounds} rounds in turn, {KILLS} kills each. supervisord, which is slow, has one round; it "
                    f"and s6, which wait for up to a second before a replacement, have {S6.kills} kills.")
    comparison.note(f"{os.cpu_count()} processors, load {begun:.1f} before and {os.getloadavg()[0]:.1f} after it")
    return comparison
