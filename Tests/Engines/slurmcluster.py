"""A whole Slurm cluster on this machine: munged, slurmctld and slurmd with a key, ports and directories of the test's own."""
import atexit
import glob
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

from vm import Skipped, check, eventually, read, sh, write

FREEZER = "/sys/fs/cgroup/freezer"
CONFIGURATION = """\
ClusterName=torpor
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge/socket,cred_expire=5
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
SlurmdDebug=verbose
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
FirstJobId={first}
ReturnToService=2
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=1 RealMemory=1000
"""


def free_ports(count):
    """Ports at which no process listens, all different."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def tracking():
    """How Slurm tracks processes here: by cgroups, or, where it cannot, by /proc."""
    return "proctrack/cgroup" if os.path.exists(f"{FREEZER}/cgroup.procs") else "proctrack/linuxproc"


class Cluster:
    """One node with one processor, configured by a fragment of packaging/slurm."""

    def __init__(self, place, fragment, track=None):
        for program in ("slurmctld", "slurmd", "sbatch", "munged"):
            if not shutil.which(program):
                raise Skipped(f"{program} is not installed")
        if os.geteuid() != 0:
            raise Skipped("slurmd starts jobs as root")
        self.place, self.tracking = place, track or tracking()
        self.node = f"torpor{os.getpid()}-{secrets.token_hex(2)}"
        self.daemons = []
        atexit.register(self.stop)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.environment = dict(os.environ, SLURM_CONF=f"{place}/slurm.conf")
        for name in ("munge", "state", "spool", "jobs"):
            os.makedirs(f"{place}/{name}", mode=0o755)
        key = os.open(f"{place}/munge/key", os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(key, secrets.token_bytes(128))
        os.close(key)
        # A job that ignores SIGTERM is killed early, so that no test waits half a minute for it.
        text = re.sub(r"(?m)^KillWait=.*\n|^ProctrackType=.*\n", "", read(fragment))
        write(f"{place}/slurm.conf", CONFIGURATION.format(
            place=place, host=socket.gethostname().split(".")[0], node=self.node, ports=free_ports(2),
            first=10000 + secrets.randbelow(1000000))
            + f"KillWait=5\nProctrackType={self.tracking}\n" + text)
        write(f"{place}/cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\n")
        self.start("munged", "--foreground", "--force", "--num-threads=1", *(
            f"--{option}={place}/munge/{name}" for option, name in (
                ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))
        eventually(lambda: os.path.exists(f"{place}/munge/socket"), "munged has its socket", 60)
        self.start("slurmctld", "-D", "-f", f"{place}/slurm.conf")
        self.start("slurmd", "-D", "-N", self.node, "-f", f"{place}/slurm.conf")
        eventually(lambda: "idle" in self.ask("sinfo -h -o %T", may_fail=True), "the node is idle", 180)

    def start(self, *command):
        """Starts a daemon that ends with the test, whatever happens to that."""
        output = open(f"{self.place}/{command[0]}.out", "wb")
        self.daemons.append(subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *command], env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT))
        output.close()

    def ask(self, command, may_fail=False):
        """What a command of Slurm's prints."""
        return sh(f"cd {self.place}/jobs; export SLURM_CONF={self.place}/slurm.conf TMPDIR={self.place}; {command}", may_fail)

    def submit(self, arguments):
        """Submits a job and waits until it runs; returns its number."""
        job = self.ask(f"sbatch --parsable {arguments}").strip()
        self.becomes(job, "RUNNING")
        return job

    def state(self, job):
        return self.ask(f"squeue -h -o %T -j {job}", may_fail=True).strip()

    def becomes(self, job, *states):
        eventually(lambda: self.state(job) in states, f"job {job} becomes {' or '.join(states)}", 60)

    def said(self, words):
        """Whether slurmd or a slurmstepd logged something that matches `words`."""
        return re.search(words, read(f"{self.place}/slurmd.log")) is not None

    def is_stopped(self, job, step="batch"):
        """Whether slurmstepd has stopped a step of a job: as the kernel has it, where Slurm uses its freezer; elsewhere whether it ever has.

        The log does not always say so: all processes of Slurm write to one file, and the lines of two steps go through each other.
        """
        if self.tracking != "proctrack/cgroup":
            return self.said(rf"\[{job}\.{step}\] Suspended ")
        states = glob.glob(f"{FREEZER}/slurm_{self.node}/uid_*/job_{job}/step_{step}/freezer.state")
        return bool(states) and read(states[0]).strip() == "FROZEN"

    def processes(self):
        """The processes of this cluster's jobs, and the workers of those."""
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    variables = file.read()
                if b"SLURM_JOB_ID=" in variables and f"SLURM_CONF={self.place}/".encode() in variables:
                    found.append(int(path.split("/")[2]))
            except OSError:
                continue  # It has ended.
        return found

    def cancel_all(self):
        """Ends all jobs, the suspended ones too."""
        self.ask("scancel --user=root", may_fail=True)
        end = time.monotonic() + 30
        while self.ask("squeue -h -o %i", may_fail=True).strip() and time.monotonic() < end:
            time.sleep(0.1)

    def stop(self):
        """Ends all jobs, then the daemons; removes what Slurm leaves."""
        daemons, self.daemons = self.daemons, []
        if not daemons:
            return
        if len(daemons) == 3:
            self.cancel_all()
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        groups = [directory for directory, _, _ in os.walk(f"{FREEZER}/slurm_{self.node}", topdown=False)]
        for directory in groups:
            write(f"{directory}/freezer.state", "THAWED")
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for directory in groups:
            deadline = time.monotonic() + 10
            while True:
                try:
                    os.rmdir(directory)
                    break
                except FileNotFoundError:
                    break
                except OSError:  # A process of it is still ending.
                    check(time.monotonic() < deadline, f"{directory} cannot be removed")
                    time.sleep(0.05)
        # Removes the groups of those that were killed.
        sh("torpor run -- true")
