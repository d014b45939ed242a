"""The job files of packaging/nomad: their syntax, and what Nomad's raw_exec driver does to their processes.

Nomad itself is not among Debian's packages. `RawExec` does to a process what the driver's documentation and source say: the command is the
leader of a process group of its own in the directory of its task; `nomad alloc signal` and the kill signal are sent to that process alone;
kill_timeout later come SIGKILL to it, and to all of its group (or of its cgroup).
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

from page import Page
from vm import Skipped, check, eventually, read, sh, test, write

PLACE, CHECKOUT, PROGRAMS = (os.environ[f"TEST_{name}"] for name in ("PLACE", "CHECKOUT", "PROGRAMS"))
FILES = f"{CHECKOUT}/packaging/nomad"
PAGE = Page("nomad.md")
SECONDS = {"s": 1, "m": 60, "h": 3600}
# What Nomad's job specification has in a task, as far as these files use it.
TASK = {"driver", "config", "kill_signal", "kill_timeout", "resources"}
COMMAND = """\
import os, signal
def hear(word):
    os.write(1, f"{word}\\n".encode())
signal.signal(signal.SIGUSR1, lambda *_: hear("saved"))
signal.signal(signal.SIGUSR2, lambda *_: hear("again"))
def end(*_):
    hear("ends")
    os._exit(0)
signal.signal(signal.SIGTERM, end if not os.environ.get("STUBBORN") else lambda *_: hear("stays"))
hear("starts")
while True:
    signal.pause()
"""


def hcl(path):
    """What a job file says, by the parser of PyPI."""
    for directory in [os.environ.get("TORPOR_PYTHON_PACKAGES", ""), *glob.glob(f"{CHECKOUT}/.build/venv/lib/python*/site-packages")]:
        if directory and directory not in sys.path:
            sys.path.append(directory)
    try:
        import hcl2  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Skipped("python-hcl2 is not installed: make setup") from None
    with open(path, encoding="utf-8") as file:
        return hcl2.load(file)


def only(blocks, name):
    """The one block `name "LABEL" { … }`, as its label and its body."""
    check(len(blocks[name]) == 1 and len(blocks[name][0]) == 1, f"not one block {name}")
    return next(iter(blocks[name][0].items()))


def task(name):
    """The task of a job file."""
    _, job = only(hcl(f"{FILES}/{name}.nomad.hcl"), "job")
    _, group = only(job, "group")
    return only(group, "task")


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)([smh])", text).groups()
    return int(number) * SECONDS[unit]


class RawExec:
    """A task that runs."""

    def __init__(self, name, allocation, replace, **environment):
        label, self.task = task(name)
        config = self.task["config"][0]
        self.directory = f"{allocation}/{label}"
        os.makedirs(f"{allocation}/alloc/data", exist_ok=True)
        os.makedirs(self.directory, exist_ok=True)
        words = [config["command"], *config["args"]]
        for old, new in {**replace, "${NOMAD_ALLOC_DIR}": f"{allocation}/alloc", "/usr/bin/torpor": f"{PROGRAMS}/torpor"}.items():
            words = [word.replace(old, new) for word in words]
        self.log = f"{allocation}/{label}.log"
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                words, cwd=self.directory, process_group=0, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=dict(os.environ, NOMAD_ALLOC_DIR=f"{allocation}/alloc", NOMAD_TASK_DIR=f"{self.directory}/local", **environment))

    def signal(self, name):
        """nomad alloc signal -s NAME."""
        self.process.send_signal(getattr(signal, name))

    def stop(self):
        """nomad job stop; returns whether the task ended before SIGKILL."""
        self.signal(self.task["kill_signal"])
        try:
            self.process.wait(seconds(self.task["kill_timeout"]))
            return True
        except subprocess.TimeoutExpired:
            self.kill()
            return False

    def kill(self):
        """The end of an allocation's cgroup."""
        for pid in descendants(self.process.pid) + [self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def is_stopped(self):
        return re.search(r"(?m)^State:\s+T", read(f"/proc/{self.process.pid}/status"))

    def heard(self, words):
        return re.findall(rf"(?m)^(?:counter\[\d+\]: )?({words})$", read(self.log))


def descendants(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        for child in map(int, read(path).split()):
            found += [child, *descendants(child)]
    return found


@test("The job files of Nomad are HCL, and have what raw_exec knows")
def syntax():
    names = [os.path.basename(path).split(".")[0] for path in sorted(glob.glob(f"{FILES}/*.nomad.hcl"))]
    check(names == ["command", "workers"], f"the files are {names}")
    for name in names:
        label, described = task(name)
        check(described.keys() <= TASK, f"{name}: {label} has {described.keys() - TASK}")
        config = described["config"][0]
        check(described["driver"] == "raw_exec" and config.keys() == {"command", "args"}, f"{name} is no task of raw_exec")
        check(described["kill_signal"] == "SIGTERM", f"{name}: the kill signal is {described['kill_signal']}")
        own = config["args"][config["args"].index("--stop-timeout") + 1]
        check(seconds(own) < seconds(described["kill_timeout"]) <= 30, f"{name}: --stop-timeout {own} is too long")
    return f"python-hcl2, {len(names)} files; nomad itself was not run"


@test("A command under raw_exec hears SIGTSTP, SIGCONT and the kill signal of Nomad as callbacks")
def command():
    write(f"{PLACE}/simulate", f"#!{sys.executable}\n{COMMAND}", 0o755)
    PAGE.command("nomad job run command.nomad.hcl")
    running = RawExec("command", f"{PLACE}/command", {"/usr/local/bin/simulate": f"{PLACE}/simulate"})
    try:
        eventually(lambda: running.heard("starts"), "the command runs")
        PAGE.command("nomad alloc signal -s SIGTSTP -task command ALLOCATION")
        running.signal("SIGTSTP")
        eventually(running.is_stopped, "torpor run is stopped")
        PAGE.command("nomad alloc signal -s SIGCONT -task command ALLOCATION")
        running.signal("SIGCONT")
        eventually(lambda: running.heard("again"), "the command goes on")
        check(running.heard("starts|saved|again") == ["starts", "saved", "again"], f"it heard {running.heard('.*')}")
        PAGE.command("nomad job stop command")
        check(running.stop(), "it was killed")
        check(running.heard("ends") and running.process.returncode == 0, f"it ended with {running.process.returncode}")
    finally:
        running.kill()


@test("A task that SIGTSTP has stopped does not act on the kill signal, as docs/nomad.md says; one that does not end leaves no process")
def stubborn():
    running = RawExec("command", f"{PLACE}/asleep", {"/usr/local/bin/simulate": f"{PLACE}/simulate"})
    try:
        eventually(lambda: running.heard("starts"), "the command runs")
        running.signal("SIGTSTP")
        eventually(running.is_stopped, "torpor run is stopped")
        # A stopped process keeps SIGTERM until it is continued: Nomad sends no SIGCONT.
        running.signal(running.task["kill_signal"])
        pending = int(re.search(r"(?m)^ShdPnd:\s+(\w+)", read(f"/proc/{running.process.pid}/status")).group(1), 16)
        check(pending & 1 << signal.SIGTERM - 1 and running.is_stopped(), "the stopped task has taken SIGTERM")
    finally:
        running.kill()
    running = RawExec("command", f"{PLACE}/stubborn", {"/usr/local/bin/simulate": f"{PLACE}/simulate", "25s": "200ms"}, STUBBORN="1")
    try:
        eventually(lambda: running.heard("starts"), "the command runs")
        child = descendants(running.process.pid)
        check(running.stop(), "torpor run did not end the command before kill_timeout")
        check(running.heard("stays") and not any(os.path.exists(f"/proc/{pid}") for pid in child), "the command is left")
        return f"--stop-timeout ends it, status {running.process.returncode}"
    finally:
        running.kill()


@test("Workers under raw_exec save when Nomad stops or signals the task, and the next allocation starts with that")
def workers():
    allocation, runtime, configuration = f"{PLACE}/workers", f"{PLACE}/run", f"{PLACE}/etc"
    example = f"{CHECKOUT}/packaging/slurm"
    definition = read(f"{example}/workers/counter.worker").replace("/usr/local/bin/counter.py", f"{example}/counter.py").replace(
        "[Worker]\n", f"[Worker]\nRestart=on-failure\nEnvironment=PYTHONPATH={CHECKOUT}/packaging/python/src PYTHONDONTWRITEBYTECODE=1\n")
    write(f"{configuration}/workers/counter.worker", definition)
    shutil.copy(f"{example}/workers.hook", configuration)
    replace = {"/etc/torpor-workers": configuration, "/run/torpor-workers": runtime}

    def start():
        PAGE.command("nomad job run workers.nomad.hcl")
        running = RawExec("workers", allocation, replace)
        is_state("active")
        return running

    def ask(arguments, may_fail=False):
        return sh(f"torpor --socket {runtime}/io.torpor.Supervisor {arguments}", may_fail)

    def is_state(state):
        eventually(lambda: state in ask("list --no-legend -o name,state", may_fail=True).split(), f"the worker is {state}")

    running = start()
    try:
        running.signal("SIGTSTP")
        eventually(running.is_stopped, "torpor run is stopped")
        check(len(running.heard(r"saved \d+")) == 1, "the worker was stopped without having saved")
        running.signal("SIGCONT")
        eventually(lambda: running.heard(r"foreground \d+"), "the worker goes on")
        is_state("active")
        listed = sh(PAGE.command(
            "nomad alloc exec -task torpord ALLOCATION /usr/bin/torpor --socket /run/torpor-workers/io.torpor.Supervisor list").replace(
                "nomad alloc exec -task torpord ALLOCATION /usr/bin/", "").replace("/run/torpor-workers", runtime))
        check("counter" in listed, f"it lists {listed}")
        ask("suspend counter")
        ask("post counter news.new --payload '{\"number\": 1}'")
        PAGE.command("nomad job stop workers")
        check(running.stop(), "it was killed")
        saved = running.heard(r"saved \d+")[-1].split()[1]
        running = start()
        eventually(lambda: running.heard(f"restored {saved}"), "the state is restored")
        eventually(lambda: running.heard("heard news.new {'number': 1} of 1"), "the queue is delivered")
        # The client is killed with all that it runs; the same allocation is started again.
        eventually(lambda: running.heard(r"checkpoint \d+"), "a checkpoint is made")
        running.kill()
        last = int(running.heard(r"checkpoint \d+")[-1].split()[1])
        running = start()
        restored = int(eventually(lambda: running.heard(r"restored \d+")[1:], "the state is restored again")[0].split()[1])
        check(restored in (last, last + 10), f"{restored} is restored, and the last checkpoint is {last}")
        check(running.stop(), "it was killed")
    finally:
        running.kill()


@test("Each command of docs/nomad.md was run, nomad's own by what its driver does")
def page():
    return PAGE.check_all_run()
