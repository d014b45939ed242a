"""Jobs under torpor run, in a Slurm cluster of this machine: suspended, resumed, requeued, preempted, and killed without warning."""
import glob
import itertools
import os
import re
import shutil
import signal
import time

from page import Page
from slurmcluster import Cluster
from vm import Skipped, check, eventually, read, sh, test, write

PLACE, CHECKOUT, PROGRAMS = (os.environ[f"TEST_{name}"] for name in ("PLACE", "CHECKOUT", "PROGRAMS"))
FILES = f"{CHECKOUT}/packaging/slurm"
PAGE = Page("slurm.md")
RUNNING = {}

JOBS = {}
NUMBERS = itertools.count()

# A command that knows two signals, and writes down the time at which it heard them.
COMMAND = """\
import os, signal, sys, time
times = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def hear(word):
    os.write(times, f"{word} {time.time():.3f}\\n".encode())
    os.write(1, f"{word}\\n".encode())
signal.signal(signal.SIGUSR1, lambda *_: hear("saved"))
signal.signal(signal.SIGUSR2, lambda *_: hear("again"))
def end(*_):
    hear("ends")
    os._exit(0)
signal.signal(signal.SIGTERM, end)
# A signal that comes before pause(2) would be heard with the next one.
heard, tells = os.pipe()
os.set_blocking(tells, False)
signal.set_wakeup_fd(tells)
hear("starts")
while True:
    os.read(heard, 1)
"""


def cluster(fragment, track=None, fresh=True):
    """The running cluster of this fragment, without jobs if it is to be fresh; one runs at a time."""
    if RUNNING.get("kind") != (fragment, track):
        stop()
        RUNNING["cluster"] = Cluster(f"{PLACE}/{fragment}{next(NUMBERS)}", f"{FILES}/{fragment}.conf", track)
        RUNNING["kind"] = (fragment, track)
    elif fresh:
        RUNNING["cluster"].cancel_all()
    return RUNNING["cluster"]


def job_before(slurm):
    """The job that the test before this one has left running."""
    if slurm not in JOBS:
        raise Skipped("the test before this one has left no job")
    return JOBS[slurm]


def stop():
    if "cluster" in RUNNING:
        RUNNING.pop("cluster").stop()
        RUNNING.clear()


def log(slurm, name, job):
    path = f"{slurm.place}/jobs/{name}-{job}.log"
    return read(path) if os.path.exists(path) else ""


def heard(slurm, job, word):
    """The moments at which the command of a job printed `word`."""
    path = f"{slurm.place}/jobs/times-{job}"
    return [float(moment) for moment in re.findall(rf"(?m)^{word} (\S+)$", read(path) if os.path.exists(path) else "")]


def start_command(slurm, script="command.sbatch", options=""):
    write(f"{slurm.place}/jobs/simulate", f"#!/bin/sh\nexec python3 {slurm.place}/command.py {slurm.place}/jobs/times-$SLURM_JOB_ID\n", 0o755)
    write(f"{slurm.place}/command.py", COMMAND)
    # Its log is to have the changes of state.
    if script == "command.sbatch":
        write(f"{slurm.place}/jobs/{script}", read(f"{FILES}/{script}").replace("torpor run", "torpor run --verbose"))
    command = PAGE.command("sbatch --partition=low command.sbatch ./simulate --steps 100000")
    job = slurm.submit(command.replace("command.sbatch", script).replace("sbatch ", f"{options} ", 1))
    eventually(lambda: heard(slurm, job, "starts"), "the command runs")
    # What is stopped while it is launched is not told.
    eventually(lambda: "inactive → active" in log(slurm, "command", job), "the launch is complete")
    return job


def suspend_and_resume(slurm, job):
    """Suspends a job and resumes it; returns how long before the stop its command had saved."""
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    stopped = eventually(lambda: slurm.is_stopped(job) and time.time(), "slurmstepd has stopped the job")
    saved = heard(slurm, job, "saved")
    check(len(saved) == 1, f"the command has heard didEnterBackground {len(saved)} times when it is stopped: "
          + log(slurm, "command", job) + sh(f"grep {job} {slurm.place}/slurmd.log"))
    check(not heard(slurm, job, "again"), "the command goes on although the job is suspended")
    check(slurm.state(job) == "SUSPENDED", "the job is not suspended")
    slurm.ask(PAGE.command("scontrol resume JOB", JOB=job))
    again = eventually(lambda: heard(slurm, job, "again"), "the command hears willEnterForeground")
    check(saved[0] < stopped < again[0], f"saved at {saved[0]}, stopped at {stopped}, again at {again[0]}")
    return stopped - saved[0]


@test("A job that scontrol suspends has saved before it is stopped, and goes on when it is resumed")
def suspended():
    slurm = cluster("suspend")
    job = start_command(slurm)
    ahead = suspend_and_resume(slurm, job)
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    eventually(lambda: heard(slurm, job, "ends"), "SIGTERM of scancel reaches the command")
    slurm.becomes(job, "")
    version = slurm.ask("scontrol --version").split()[1]
    return f"slurm {version}, {slurm.tracking}: saved {ahead:.1f} s before the stop"


@test("A job that is preempted by a partition of higher priority hears the same, and goes on after it")
def preempted():
    slurm = cluster("suspend")
    job = start_command(slurm)
    high = slurm.submit(f"--partition=high --output=/dev/null --wrap 'until [ -e {slurm.place}/go ]; do sleep 0.1; done'")
    slurm.becomes(job, "SUSPENDED")
    eventually(lambda: slurm.is_stopped(job), "slurmstepd has stopped the job")
    check(len(heard(slurm, job, "saved")) == 1, "the command was stopped without having saved")
    write(f"{slurm.place}/go", "")
    slurm.becomes(high, "")
    eventually(lambda: heard(slurm, job, "again"), "the command goes on")
    check(slurm.state(job) == "RUNNING", "the job does not run")
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    slurm.becomes(job, "")


@test("A step that srun starts hears the same; a command below a shell of the script does not")
def steps():
    slurm = cluster("suspend")
    text = read(f"{FILES}/command.sbatch")
    check("\nexec torpor run" in text, "command.sbatch does not exec torpor run")
    outcomes = {}
    for name in ("srun ", ""):
        script = f"script-{name.strip() or 'shell'}.sbatch"
        write(f"{slurm.place}/jobs/{script}", text.replace("\nexec torpor run", f"\n{name}torpor run --verbose") + "\ntrue\n")
        job = start_command(slurm, script=script)
        slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
        steps_of = ("batch", "0") if name else ("batch",)
        eventually(lambda: all(slurm.is_stopped(job, step) for step in steps_of), "every step is stopped")
        outcomes[name] = len(heard(slurm, job, "saved"))
        slurm.ask(PAGE.command("scontrol resume JOB", JOB=job))
        slurm.becomes(job, "RUNNING")
        slurm.ask(PAGE.command("scancel JOB", JOB=job))
        slurm.becomes(job, "")
    check(outcomes["srun "] == 1, "the step has not heard didEnterBackground")
    # The other trackings signal every process.
    if slurm.tracking == "proctrack/cgroup":
        check(outcomes[""] == 0, "without exec the command hears the suspension too: docs/slurm.md and command.sbatch say otherwise")


def start_workers(slurm):
    """Submits a job of workers from a copy of the files; its worker is the one of the example."""
    shutil.copytree(FILES, f"{slurm.place}/jobs", dirs_exist_ok=True)
    path = f"{slurm.place}/jobs/workers/counter.worker"
    text = read(path).replace("/usr/local/bin/counter.py", f"{slurm.place}/jobs/counter.py")
    write(path, text.replace(
        "[Worker]\n", f"[Worker]\nEnvironment=PYTHONPATH={CHECKOUT}/packaging/python/src PYTHONDONTWRITEBYTECODE=1\n"))
    for command in ("mkdir -p job/workers", "cp workers.hook job/", "cp workers/counter.worker job/workers/"):
        slurm.ask(PAGE.command(command))
    job = slurm.submit(PAGE.command("sbatch --partition=low workers.sbatch job").replace("sbatch ", "", 1))
    worker_is(job, "active")
    return job


def torpor(job, arguments, may_fail=False):
    runtime = max(glob.glob(f"{RUNNING['cluster'].place}/torpor-{job}.*"), default="/nonexistent")
    return sh(f"torpor --socket {runtime}/io.torpor.Supervisor {arguments}", may_fail)


def counted(slurm, job, word):
    """The counts that the worker of a job told with `word`."""
    return [int(count) for count in re.findall(rf"(?m)^counter\[\d+\]: {word} (\d+)$", log(slurm, "workers", job))]


def worker_is(job, state):
    eventually(lambda: state in torpor(job, "list --no-legend -o name,state", may_fail=True).split(), f"the worker is {state}")


@test("A job of an ordinary user, who may make no cgroups, hears the same")
def ordinary_user():
    slurm = cluster("suspend")
    # It finds its script, its programs and a directory to write to.
    for directory, mode in ((PLACE, 0o711), (f"{slurm.place}/jobs", 0o1777)):
        os.chmod(directory, mode)
    os.makedirs(f"{slurm.place}/bin", exist_ok=True)
    shutil.copy(f"{PROGRAMS}/torpor", f"{slurm.place}/bin")
    job = start_command(slurm, options=f"--uid=nobody --export=PATH={slurm.place}/bin:/usr/bin:/bin")
    check({os.stat(f"/proc/{pid}").st_uid for pid in slurm.processes()} == {65534}, "the job is not the user's")
    ahead = suspend_and_resume(slurm, job)
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    eventually(lambda: heard(slurm, job, "ends"), "SIGTERM of scancel reaches the command")
    slurm.becomes(job, "")
    return f"saved {ahead:.1f} s before the stop"


@test("A hook that takes longer than Slurm waits is stopped in the middle, and goes on when the job is resumed")
def slow_hook():
    slurm = cluster("suspend")
    hook, script = f"{slurm.place}/hook", "slow.sbatch"
    write(hook, f"#!/bin/sh\nexec >{hook}.log\necho begins\nuntil [ -e {slurm.place}/gate ]; do sleep 0.05; done\necho ends\n", 0o755)
    text = read(f"{FILES}/command.sbatch").split("exec torpor run")[0]
    write(f"{slurm.place}/jobs/{script}", text + f"""exec torpor run --verbose --on didEnterBackground=exec:{hook} \
        --on willEnterForeground=signal:USR2 -- "$@"\n""")
    job = start_command(slurm, script=script)
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    eventually(lambda: slurm.is_stopped(job), "the job is stopped")
    check("begins" in read(f"{hook}.log"), "the hook has not begun")
    write(f"{slurm.place}/gate", "")
    check("ends" not in read(f"{hook}.log"), "the hook goes on although the job is suspended")
    slurm.ask(PAGE.command("scontrol resume JOB", JOB=job))
    eventually(lambda: heard(slurm, job, "again"), "the command goes on")
    check("ends" in read(f"{hook}.log"), "the command goes on before its hook has ended")


@test("Workers of a job save before it is suspended, keep their notifications and their sleep, and go on when it is resumed")
def workers():
    slurm = cluster("suspend")
    job = start_workers(slurm)
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    eventually(lambda: slurm.is_stopped(job), "the job is stopped")
    check(len(counted(slurm, job, "saved")) == 1, "the worker was stopped without having saved")
    slurm.ask(PAGE.command("scontrol resume JOB", JOB=job))
    eventually(lambda: counted(slurm, job, "foreground"), "the worker hears willEnterForeground")
    worker_is(job, "active")
    # One that sleeps with its queue sleeps on.
    torpor(job, "suspend counter")
    for number in (1, 2):
        torpor(job, f"post counter news.new --payload '{{\"number\": {number}}}'")
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    eventually(lambda: slurm.is_stopped(job), "the job is stopped again")
    slurm.ask(PAGE.command("scontrol resume JOB", JOB=job))
    slurm.becomes(job, "RUNNING")
    # Answered again when torpor run goes on.
    eventually(lambda: "active" in sh(f"torpor --socket {control(job)} list --no-legend -o state"), "torpord is active again")
    check("suspended" in torpor(job, "list --no-legend -o state"), "the worker was woken by the resumption of its job")
    check("2" in torpor(job, "notifications counter").splitlines()[1].split(), "the queue has lost notifications")
    listed = slurm.ask(PAGE.command(
        "srun --jobid=JOB --overlap torpor --socket /tmp/torpor-JOB.0/io.torpor.Supervisor list", JOB=job).replace("/tmp/", f"{slurm.place}/"))
    check("counter" in listed, f"srun --overlap shows {listed}")
    torpor(job, "activate counter")
    eventually(lambda: "heard news.new {'number': 2} of 2" in log(slurm, "workers", job), "the queue is delivered")
    JOBS[slurm] = job


def control(job):
    """The socket of the job's torpor run: that of the process which is the parent of torpord."""
    daemon = int(torpor(job, "status --json=short").split('"pid":')[1].split(",")[0].split("}")[0])
    parent = re.search(r"(?m)^PPid:\s+(\d+)", read(f"/proc/{daemon}/status")).group(1)
    return re.search(rf"@torpor-run-{parent}-\S+/io\.torpor\.Supervisor", read("/proc/net/unix")).group(0)


@test("A suspended job that is requeued is killed without a warning: what its worker saved and its queue are there when it runs again")
def killed():
    slurm = cluster("suspend", fresh=False)
    job = job_before(slurm)
    torpor(job, "suspend counter")
    saved = counted(slurm, job, "saved")[-1]
    torpor(job, "post counter news.last --payload '{\"number\": 3}'")
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    eventually(lambda: slurm.is_stopped(job), "the job is stopped")
    slurm.ask(PAGE.command("scontrol requeue JOB", JOB=job))
    # The suspension by hand has left it without a priority.
    eventually(lambda: "JobHeldAdmin" in slurm.ask(f"squeue -h -o %r -j {job}"), "the job is held")
    check(not slurm.said(rf"\[{job}\.batch\] Sent signal 15 "), "the job was warned: docs/slurm.md says that it is not")
    slurm.ask(PAGE.command("scontrol release JOB", JOB=job))
    eventually(lambda: counted(slurm, job, "restored") == [saved], "the state that was saved last is restored")
    eventually(lambda: "heard news.last {'number': 3}" in log(slurm, "workers", job), "the queue is delivered")


@test("A job whose processes are all killed at work starts with its last checkpoint")
def killed_at_work():
    slurm = cluster("suspend", fresh=False)
    job = job_before(slurm)
    eventually(lambda: counted(slurm, job, "checkpoint"), "the worker makes a checkpoint")
    for pid in slurm.processes():
        os.kill(pid, signal.SIGKILL)
    slurm.becomes(job, "")
    eventually(lambda: not slurm.processes(), "no process is left")
    last = counted(slurm, job, "checkpoint")[-1]
    # One more may have been made whose line was not printed any more.
    slurm.ask(PAGE.command("scontrol requeue JOB", JOB=job))
    restored = eventually(lambda: counted(slurm, job, "restored")[1:], "the job runs again")[0]
    check(restored in (last, last + 10), f"{restored} is restored, and the last checkpoint is {last}")
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    slurm.becomes(job, "")
    eventually(lambda: not slurm.processes(), "the job leaves no process")


@test("A job that is requeued starts with the state that its worker saved at SIGTERM, and with the queue")
def requeued():
    slurm = cluster("requeue")
    if slurm.tracking != "proctrack/cgroup":
        raise Skipped("no freezer of cgroup v1 for proctrack/cgroup: without it SIGTERM reaches the workers before their supervisor can have them save")
    job = start_workers(slurm)
    slurm.ask(PAGE.command("scontrol requeue JOB", JOB=job))
    eventually(lambda: counted(slurm, job, "saved"), "the worker saves")
    eventually(lambda: counted(slurm, job, "restored"), "the job runs again")
    check(counted(slurm, job, "restored") == counted(slurm, job, "saved"), "another state is restored than was saved")
    worker_is(job, "active")
    JOBS[slurm] = job


@test("A job that is requeued for a partition of higher priority does, too")
def requeued_for_another():
    slurm = cluster("requeue", fresh=False)
    job = job_before(slurm)
    torpor(job, "suspend counter")
    torpor(job, "post counter news.new --payload '{\"number\": 4}'")
    torpor(job, "post counter other.new")
    saved = counted(slurm, job, "saved")[-1]
    high = slurm.ask("sbatch --parsable --partition=high --output=/dev/null --wrap true").strip()
    eventually(lambda: len(counted(slurm, job, "restored")) == 2, "the job runs again")
    check(counted(slurm, job, "restored")[-1] == saved, "another state is restored than was saved")
    eventually(lambda: "heard news.new {'number': 4} of 1" in log(slurm, "workers", job), "the queue is delivered")
    restarts = re.search(r"Restarts=(\d+)", slurm.ask(f"scontrol show job {job}")).group(1)
    check(restarts == "2", f"{restarts} restarts")
    slurm.becomes(high, "")
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    slurm.becomes(job, "")
    eventually(lambda: not slurm.processes(), "the job leaves no process")
    return "requeued twice; state and queue kept"


@test("Where Slurm signals every process (proctrack/linuxproc), a command hears the suspension once and before the stop")
def every_process():
    slurm = cluster("suspend", "proctrack/linuxproc")
    job = start_command(slurm)
    ahead = suspend_and_resume(slurm, job)
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    slurm.becomes(job, "")
    return f"saved {ahead:.1f} s before the stop"


@test("Where Slurm knows a process group alone (proctrack/pgid), a command outlives its job when Slurm kills that, as docs/slurm.md says")
def process_group():
    slurm = cluster("suspend", "proctrack/pgid")
    job = start_command(slurm)
    slurm.ask(PAGE.command("scontrol suspend JOB", JOB=job))
    eventually(lambda: slurm.is_stopped(job), "the job is stopped")
    # Without a warning, since it is suspended.
    slurm.ask(PAGE.command("scancel JOB", JOB=job))
    slurm.becomes(job, "")
    left = eventually(slurm.processes, "the command is left")
    check(not heard(slurm, job, "ends"), "the command was told to end")
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: not slurm.processes(), "the command is gone")


@test("The cluster leaves nothing, and each command of docs/slurm.md was run")
def nothing_left():
    slurm = RUNNING.get("cluster")
    stop()
    check(not slurm or not slurm.processes(), "processes of jobs are left")
    return PAGE.check_all_run() if slurm else ""
