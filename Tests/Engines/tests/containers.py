"""Torpor as the init of a container: the image, podman's containers, and a stand-in where none can run."""
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

import refusing
from engine import CHECKOUT, PLACE, PROGRAMS, USER, engine
from shellpages import commands
from vm import Skipped, check, eventually, read, sh, test

SERVER = ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--save", ""]
RUN = ["/opt/torpor/torpor", "run", "-v"]
# What a container of a careful operator has: no right to write, no capability.
BARE = ["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges"]
# The most of an image of torpor alone, in bytes.
MOST = 30_000_000


def ping(podman, container):
    return podman.outside(f"redis-cli -h {container.address} ping", may_fail=True).strip()


@test("the image of torpor alone is small, is the same each time, and has the terms of all that is in it")
def image():
    with engine() as podman:
        podman.torpor()
        first = podman.podman("inspect", "--format", "{{.Id}} {{.Size}}", "torpor").stdout.split()
        said = podman.torpor().strip()
        second = podman.podman("inspect", "--format", "{{.Id}} {{.Size}}", "torpor").stdout.split()
        check(first == second, f"the image differs: {first} {second}")
        check(int(first[1]) < MOST, f"{first[1]} bytes")
        listed = podman.podman("run", "--rm", "torpor", "/opt/torpor/torpor", "--version").stdout
        check(listed.strip() == sh("torpor --version").strip(), f"in the image: {listed}")
        podman.torpor("torpor-daemon", "--daemon")
        whole = int(podman.podman("inspect", "--format", "{{.Size}}", "torpor-daemon").stdout)
    return f"{said}; with the daemon {whole / 1e6:.1f} MB"


@test("in a container without any library torpor runs a command, as PID 1 and any user")
def alone():
    with engine() as podman:
        podman.torpor()
        file = f"{podman.place}/Containerfile"
        with open(file, "w", encoding="utf-8") as text:
            text.write("FROM torpor AS torpor\nFROM probe\nCOPY --from=torpor /opt/torpor /opt/torpor\n")
        podman.run("buildah", "bud", "--quiet", "--tag", "bare", "--file", file, podman.place)
        done = podman.podman("run", "--rm", *BARE, "--user", "12345:12345", "bare", "/opt/torpor/torpor", "run", "--", "sh", "-c",
                             "id -u; echo $PPID; ls /lib /lib64 /usr 2>&1 | grep -c 'No such'; exit 7", may_fail=True)
        check(done.returncode == 7, f"the status {done.returncode}: {done.stderr}")
        check(done.stdout.split() == ["12345", "1", "3"], f"it printed {done.stdout}")
        return podman.runtime


@test("a client outside wakes a sleeper in a container: unprivileged, read-only, without cgroups, with podman's seccomp profile")
def wakes():
    with engine() as podman:
        podman.redis()
        container = podman.start_container("redis-asleep", *SERVER, options=BARE, entrypoint=[*RUN, "--idle", "1s", "--"])
        container.reaches("redis-server", "suspended")
        status = read(f"/proc/{container.pid}/status")
        check(re.search(rf"^Uid:\s+{USER}\s", status, re.M), f"the user: {status}")
        check(re.search(r"^CapEff:\s+0+$", status, re.M), "it has capabilities")
        check(re.search(r"^Seccomp:\s+2$", status, re.M), "no filter of system calls")
        check(container.execute("sh", "-c", "touch /x 2>&1; true").count("Read-only") == 1, "the root is writable")
        check("SIGSTOP" in container.execute("torpor-here", "status"), "how it sleeps")
        start = time.monotonic()
        check(ping(podman, container) == "PONG", f"no answer\n{container.logs()}")
        milliseconds = (time.monotonic() - start) * 1000
        check("woken by a connection from" in container.logs(), container.logs())
        container.reaches("redis-server", "suspended")
        check("its epoll" in container.execute("torpor-here", "status", "redis-server"), "how it is watched")
        return f"answered {milliseconds:.0f} ms after the client was started"


@test("a command in a container that may write its cgroup is suspended by the freezer, and wakes by a client")
def frozen():
    with engine() as podman:
        podman.redis()
        mounts = [line.split()[1] for line in read("/proc/self/mounts").splitlines() if line.split()[2] == "cgroup2"]
        if not mounts:
            raise Skipped("there is no cgroup v2")
        container = podman.start_container(
            "redis-asleep", *SERVER, entrypoint=[*RUN, "--idle", "1s", "--"],
            options=["--read-only", "--user", "0", "--cgroupns", "host", "--volume", f"{mounts[0]}:{mounts[0]}"])
        container.reaches("redis-server", "suspended")
        if "cgroup freezer" not in container.execute("torpor-here", "status"):
            raise Skipped(f"the container may not write its cgroup\n{container.logs()}")
        (group,) = re.findall(r"^0::(\S+)", read(f"/proc/{container.pid}/cgroup"), re.M)
        frozen = sh(f"cat {mounts[0]}{group}/torpor-run-1-*/cgroup.freeze").strip()
        check(frozen == "1", f"it is not frozen: {frozen}")
        check(ping(podman, container) == "PONG", f"no answer\n{container.logs()}")


@test("with the refusals of Docker's seccomp profile the sleeper's sockets are sampled, and a client wakes it")
def sampled():
    with engine() as podman:
        podman.redis()
        profile = f"{podman.place}/seccomp.json"
        with open(profile, "w", encoding="utf-8") as file:
            file.write(refusing.profile())
        container = podman.start_container("redis-asleep", *SERVER, options=[*BARE, "--security-opt", f"seccomp={profile}"],
                                           entrypoint=[*RUN, "--idle", "1s", "--"])
        container.reaches("redis-server", "suspended")
        status = container.execute("torpor-here", "status", "redis-server")
        check("sampled" in status or "every 100" in status, status)
        times = []
        for _ in range(3):
            container.reaches("redis-server", "suspended")
            start = time.monotonic()
            check(ping(podman, container) == "PONG", f"no answer\n{container.logs()}")
            times.append((time.monotonic() - start) * 1000)
        return f"answered after {statistics.median(times):.0f} ms"


@test("podman stop ends the command by its stop signal; podman kill --signal TSTP and CONT put it to sleep and wake it")
def signals():
    with engine() as podman:
        podman.redis()
        container = podman.start_container("redis-asleep", *SERVER, options=BARE, entrypoint=[*RUN, "--"])
        container.reaches("redis-server", "active")
        container.kill("TSTP")
        container.reaches("redis-server", "suspended")
        container.kill("CONT")
        container.reaches("redis-server", "active")
        check(ping(podman, container) == "PONG", "awake again")
        container.kill("TSTP")
        container.reaches("redis-server", "suspended")
        status = container.stop(60)
        check(status == 0, f"the status {status}\n{container.logs()}")
        check("stopped, status 0" in container.logs(), container.logs())
        stubborn = podman.start_container("redis-asleep", "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done",
                                          entrypoint=[*RUN, "--stop-timeout", "200ms", "--"])
        eventually(lambda: "ready" in stubborn.logs(), "the command has not begun")
        check(stubborn.stop(60) == 137, f"the status {stubborn.inspect('.State.ExitCode')}")
        check("--stop-timeout" in stubborn.logs(), stubborn.logs())


@test("orphans in a container are reaped")
def orphans():
    with engine() as podman:
        podman.redis()
        container = podman.start_container(
            "redis-asleep", "sh", "-c", "i=0; while [ $i -lt 20 ]; do (setsid true & setsid sleep 0.01 &); i=$((i+1)); done; exec sleep 1000",
            options=BARE, entrypoint=[*RUN, "--"])
        pid = container.pid

        def children():
            return {name for child in read(f"/proc/{pid}/task/{pid}/children").split() for name in [read(f"/proc/{child}/comm").strip()]}
        eventually(lambda: children() == {"sleep"} and len(read(f"/proc/{pid}/task/{pid}/children").split()) == 1, "children are left")
        container.execute("sh", "-c", "(setsid true &)")
        eventually(lambda: len(read(f"/proc/{pid}/task/{pid}/children").split()) == 1, "the orphan of an exec is left")


@test("the memory limit of a container is the machine's memory: a sleeper is evicted when it is used up, and comes back")
def memory():
    with engine() as podman:
        podman.redis()
        container = podman.start_container(
            "redis-asleep", *SERVER, options=[*BARE, "--memory", "256m", "--shm-size", "256m"],
            entrypoint=[*RUN, "--idle", "1s", "--evictable", "silent", "--"])
        container.reaches("redis-server", "suspended")
        status = container.execute("torpor-here", "status")
        if "of 256.0M available" not in status:
            raise Skipped(f"the limit cannot be set here: {status}")
        # Files in memory, up to where a twentieth of the limit is left and no further.
        for number in range(60):
            container.execute("dd", "if=/dev/zero", f"of=/dev/shm/{number}", "bs=1M", "count=10" if number < 20 else "count=2")
            if "evict" in container.logs():
                break
        eventually(lambda: container.state("redis-server") == "notRunning", f"it is not evicted\n{container.logs()}")
        left = re.search(r"Memory: (.*)", container.execute("torpor-here", "status")).group(1)
        container.execute("sh", "-c", "rm /dev/shm/*")
        container.kill("CONT")
        eventually(lambda: ping(podman, container) == "PONG", f"it does not come back\n{container.logs()}")
        return left


@test("what the wrapper adds to a container")
def costs():
    with engine() as podman:
        podman.redis()
        with_wrapper, without = [], []
        for _ in range(9):
            for entrypoint, times in (("/bin/true", without), ("/opt/torpor/torpor", with_wrapper)):
                command = ["run", "--", "/bin/true"] if times is with_wrapper else []
                start = time.monotonic()
                podman.podman("run", "--rm", "--network", "none", "--entrypoint", entrypoint, "redis-asleep", *command)
                times.append((time.monotonic() - start) * 1000)
        whole, bare = statistics.median(with_wrapper), statistics.median(without)
        container = podman.start_container("redis-asleep", "sleep", "1000", entrypoint=["/opt/torpor/torpor", "run", "--"])
        container.reaches("sleep", "active")
        # A second one, which no client has asked anything.
        container = podman.start_container("redis-asleep", "sleep", "1000", entrypoint=["/opt/torpor/torpor", "run", "--"])
        pid = container.pid
        eventually(lambda: read(f"/proc/{pid}/task/{pid}/children").strip(), "it has no child")
        rollup = read(f"/proc/{pid}/smaps_rollup")
        anonymous = int(re.search(r"^Anonymous:\s+(\d+)", rollup, re.M).group(1))
        # Within the container, where nothing of the engine is counted: until the command has ended.
        inside = container.execute("sh", "-c", """
            t() { read up _ </proc/uptime; n=0; while [ $n -lt 40 ]; do "$@"; n=$((n+1)); done; read now _ </proc/uptime; echo $up $now; }
            t /bin/true; t /opt/torpor/torpor run -- /bin/true""").split()
        plain, wrapped = ((float(inside[i + 1]) - float(inside[i])) * 1000 / 40 for i in (0, 2))
    return (f"a container's start and end {bare:.0f} ms without, {whole:.0f} ms with it (x {whole / bare:.2f}); "
            f"of that the command {plain:.1f} ms without, {wrapped:.1f} ms with it; {anonymous / 1024:.1f} MB of anonymous memory")


@test("the commands of docs/containers.md do what it says")
def page():
    with engine() as podman:
        podman.redis()
        said = [podman.shell(block).stdout for block in commands(f"{CHECKOUT}/docs/containers.md")]
        check("1 active" in said[0] or "1 inactive" in said[0], said[0])
        check(re.search(r"redis-server +suspended", said[1]), said[1])
        check("of 256.0M available" in said[2], said[2])
        return f"{len(said)} blocks"


@test("where no container runs: PID 1 in namespaces, read-only, no capabilities, with those refusals")
def stand_in():
    if not all(map(shutil.which, ("redis-server", "setpriv"))):
        raise Skipped("redis-server or setpriv is not installed")
    place = tempfile.mkdtemp(dir=PLACE)
    os.chmod(PLACE, 0o755)
    # The user there cannot look into every checkout.
    for path in (f"{CHECKOUT}/Tests/Engines/refusing.py", f"{PROGRAMS}/torpor"):
        shutil.copy(path, place)
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    identity = "--reuid 65534 --regid 65534 --clear-groups" if os.geteuid() == 0 else ""
    os.chmod(place, 0o777)
    inner = (f"mount --rbind / /mnt && mount -o remount,bind,ro /mnt && mount -t proc proc /mnt/proc && mount --bind {place} /mnt{place} && "
             f"cd /mnt && pivot_root . mnt && umount -l /mnt && exec setpriv {identity} --bounding-set -all --inh-caps -all --no-new-privs "
             f"python3 {place}/refusing.py {place}/torpor run -v --idle 1s -- "
             f"redis-server --port 0 --unixsocket {place}/s --unixsocketperm 777 --save '' --dir {place}")
    command = ["unshare", *user, "--pid", "--fork", "--kill-child", "--mount", "--net", "--ipc", "--uts", "sh", "-ec", inner]
    log = f"{place}/log"
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        def begun():
            if process.poll() is not None:
                raise Skipped(f"namespaces cannot be made here: {read(log).strip()}")
            return "control socket @torpor-run-1-" in read(log)
        eventually(begun, "torpor has not begun")
        eventually(lambda: "→ suspended" in read(log), f"it does not sleep\n{read(log)}")
        start = time.monotonic()
        check(sh(f"timeout 20 redis-cli -s {place}/s ping").strip() == "PONG", f"no answer\n{read(log)}")
        milliseconds = (time.monotonic() - start) * 1000
        check("SIGSTOP" in read(log), "how it sleeps")
        init = int(sh(f"pgrep --parent {process.pid}").split()[0])
        os.kill(init, signal.SIGTERM)
        check(process.wait(30) == 0, f"the status {process.returncode}\n{read(log)}")
        return f"answered after {milliseconds:.0f} ms"
    finally:
        process.kill()
        process.wait()
