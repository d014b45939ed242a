"""Podman with images, networks and settings of the test's own, of which nothing is left: `with engine() as podman`."""
import atexit
import contextlib
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile

from vm import Skipped, eventually, sh

CHECKOUT = os.environ["TEST_CHECKOUT"]
PROGRAMS = os.environ["TEST_PROGRAMS"]
PLACE = os.environ["TEST_PLACE"]
# The numbers of the user in the images.
USER = 999
# The groups that podman makes for its containers' groups, and leaves.
GROUPS = "/sys/fs/cgroup/*/libpod_parent"


def limits():
    """Limits that can be set here: podman's own are above those of some machines, and a container with them cannot start there."""
    files = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 20)
    processes = [number for number in resource.getrlimit(resource.RLIMIT_NPROC) if number != resource.RLIM_INFINITY]
    tasks = min([30000, *processes])
    return f'default_ulimits = ["nofile={files}:{files}", "nproc={tasks}:{tasks}"]'


@contextlib.contextmanager
def engine():
    """The engine of this file's tests, which ends with the process; what was started in the block is removed after it."""
    if not Engine.shared:
        Engine.shared = Engine()
        # At the limit of time; an exception would end one test alone.
        signal.signal(signal.SIGTERM, lambda *_: (Engine.shared.close(), os._exit(143)))
        atexit.register(Engine.shared.close)
    if Engine.shared.refusal is None:
        Engine.shared.start()
    if Engine.shared.refusal:
        raise Skipped(Engine.shared.refusal)
    try:
        yield Engine.shared
    finally:
        Engine.shared.clear()


class Engine:
    """Podman in a network namespace and a place of its own."""

    shared = None

    def __init__(self):
        # Why no container can run here; empty where they can, nothing before that was tried.
        self.refusal = None
        self.images = set()
        self.place = tempfile.mkdtemp(dir=PLACE)
        self.holder = None
        self.groups = set()
        self.names = 0
        self.environment = dict(
            os.environ, CONTAINERS_CONF=f"{self.place}/containers.conf", CONTAINERS_STORAGE_CONF=f"{self.place}/storage.conf",
            TMPDIR=self.place, PATH=f"{self.place}/bin:{os.environ['PATH']}")
        for key in ("LISTEN_FDS", "NOTIFY_SOCKET", "DBUS_SESSION_BUS_ADDRESS"):
            self.environment.pop(key, None)

    def start(self):
        try:
            self.prepare()
            self.refusal = ""
        except Skipped as why:
            self.refusal = str(why)

    def prepare(self):
        if os.geteuid() != 0:
            raise Skipped("podman is tried as root alone, with a network of the test's own")
        for program in ("podman", "buildah", "busybox"):
            if not shutil.which(program):
                raise Skipped(f"{program} is not installed")
        with open(f"{self.place}/storage.conf", "w", encoding="utf-8") as file:
            file.write(f'[storage]\ndriver = "overlay"\ngraphroot = "{self.place}/storage"\nrunroot = "{self.place}/run"\n')
        os.mkdir(f"{self.place}/bin")
        # Bridges and mounts of podman are in namespaces that end with this process.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-c", "ip link set lo up; echo; exec sleep infinity"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if not self.holder.stdout.readline():
            raise Skipped("a network namespace cannot be made here")
        self.inside = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", f"--mount=/proc/{self.holder.pid}/ns/mnt"]
        for program in ("podman", "buildah"):
            path = f"{self.place}/bin/{program}"
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec {' '.join(self.inside)} sh -c 'cd \"$0\" && exec \"$@\"' \"$PWD\" {shutil.which(program)} \"$@\"\n")
            os.chmod(path, 0o755)
        # What a page calls: the programs are built already.
        with open(f"{self.place}/bin/make", "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n[ "$*" = image ] || exit 64\nexec packaging/container/build {PROGRAMS}\n')
        os.chmod(f"{self.place}/bin/make", 0o755)
        self.groups = set(glob.glob(GROUPS))
        self.configure("crun")
        self.image("probe", {"/bin/busybox": shutil.which("busybox")})
        self.choose_runtime()

    def configure(self, runtime):
        with open(f"{self.place}/containers.conf", "w", encoding="utf-8") as file:
            file.write(f'[containers]\n{limits()}\nlog_driver = "k8s-file"\n[engine]\nruntime = "{runtime}"\n'
                       'cgroup_manager = "cgroupfs"\nevents_logger = "file"\n[network]\n'
                       f'network_config_dir = "{self.place}/networks"\n')

    def choose_runtime(self):
        """Takes the first runtime with which a container runs: some refuse hybrid cgroups, or a machine without a limit's right."""
        refusals = []
        for runtime in ("crun", "runc"):
            if not shutil.which(runtime):
                continue
            self.configure(runtime)
            done = self.podman("run", "--rm", "probe", "/bin/busybox", "true", may_fail=True)
            if done.returncode == 0:
                self.runtime = runtime
                return
            refusals.append(f"{runtime}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
        raise Skipped("no container can run here; " + "; ".join(refusals or ["there is no runtime"]))

    def close(self):
        if os.path.exists(f"{self.place}/containers.conf"):
            self.clear()
            self.podman("unmount", "--all", may_fail=True)
        if self.holder:
            subprocess.run([*self.inside, "umount", f"{self.place}/storage/overlay"], stderr=subprocess.DEVNULL, check=False)
            self.holder.kill()
            self.holder.wait()
        for path in set(glob.glob(GROUPS)) - self.groups:
            sh(f"find {path} -depth -type d -exec rmdir '{{}}' +", may_fail=True)
        shutil.rmtree(self.place, ignore_errors=True)
        if os.path.exists(self.place):
            sh(f"chmod -R u+rwX {self.place}; rm -rf {self.place}", may_fail=True)

    # Commands

    def run(self, *command, may_fail=False, where=CHECKOUT):
        done = subprocess.run(command, env=self.environment, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=300)
        if done.returncode != 0 and not may_fail:
            raise AssertionError(f"{' '.join(command)}: {done.returncode}, {done.stderr.strip()} {done.stdout.strip()}")
        return done

    def podman(self, *arguments, may_fail=False):
        # Where a container is killed for its memory, its monitor leaves a file in this directory.
        return self.run("podman", *arguments, may_fail=may_fail, where=self.place)

    def shell(self, text, may_fail=False):
        """Runs lines as a reader of the documentation would, in the checkout."""
        return self.run("sh", "-ec", text, may_fail=may_fail)

    def outside(self, command, may_fail=False):
        """Runs a command beside the containers, in their network, as a client would."""
        return self.run(*self.inside, "sh", "-c", command, may_fail=may_fail).stdout

    def clear(self):
        """Removes all containers, those first that use the network of others."""
        for name in reversed(self.podman("ps", "--all", "--quiet", "--sort", "created", may_fail=True).stdout.split()):
            self.podman("rm", "--force", "--time", "0", name, may_fail=True)

    # Images

    def image(self, name, files, user=None):
        """Makes an image without a base from files of this machine, and the libraries of those that are programs."""
        if name in self.images:
            return
        self.images.add(name)
        tree = tempfile.mkdtemp(dir=self.place)
        os.chmod(tree, 0o755)
        for path, source in files.items():
            source = os.path.realpath(source)
            libraries = re.findall(r"(/\S+)", sh(f"ldd {source}", may_fail=True))
            for target, origin in {path: source, **{library: library for library in libraries}}.items():
                os.makedirs(os.path.dirname(tree + target), exist_ok=True)
                shutil.copy(os.path.realpath(origin), tree + target)
        if "/bin/busybox" in files:
            for applet in sh("busybox --list").split():
                if not os.path.lexists(f"{tree}/bin/{applet}"):
                    os.symlink("busybox", f"{tree}/bin/{applet}")
        os.makedirs(f"{tree}/tmp")
        os.chmod(f"{tree}/tmp", 0o1777)
        with open(f"{tree}/Containerfile", "w", encoding="utf-8") as file:
            file.write("FROM scratch\nCOPY . /\nCMD [\"/bin/sh\"]\n" + (f"USER {user}\n" if user else ""))
        with open(f"{tree}/.containerignore", "w", encoding="utf-8") as file:
            file.write("Containerfile\n.containerignore\n")
        self.run("buildah", "bud", "--quiet", "--tag", name, tree)
        shutil.rmtree(tree)

    def torpor(self, name="torpor", *options):
        """Makes the image of torpor alone, as `make image` does; what that says."""
        self.images.add(name)
        return self.run("packaging/container/build", *options, PROGRAMS, name).stdout

    def redis(self):
        """Makes what stands in for the redis image of a registry, which cannot be reached, and the example on top of it."""
        if not shutil.which("redis-server"):
            raise Skipped("redis-server is not installed")
        programs = ["busybox", "redis-server", "redis-cli"]
        self.image("redis:7-bookworm", {f"{'/bin' if name == 'busybox' else '/usr/bin'}/{name}": shutil.which(name) for name in programs})
        self.build("redis-asleep", "packaging/container/redis.Containerfile", "packaging/container")

    def build(self, name, file, context):
        """Makes an image by a Containerfile that copies torpor."""
        if name in self.images:
            return
        if "torpor" not in self.images:
            self.torpor()
        self.run("podman", "build", "--tag", name, "--file", file, context)
        self.images.add(name)

    # Containers

    def start_container(self, image, *command, options=(), entrypoint=None):
        """Starts a container."""
        self.names += 1
        name = f"test-{self.names}"
        entry = ["--entrypoint", json.dumps(entrypoint)] if entrypoint else []
        self.podman("run", "--detach", "--name", name, *options, *entry, image, *command)
        return Container(self, name)


class Container:
    """A container that was started, until the end of the block of its engine."""

    def __init__(self, engine, name):
        self.engine = engine
        self.name = name

    def inspect(self, what):
        return self.engine.podman("inspect", "--format", "{{" + what + "}}", self.name).stdout.strip()

    @property
    def pid(self):
        return int(self.inspect(".State.Pid"))

    @property
    def address(self):
        return self.inspect(".NetworkSettings.IPAddress") or "127.0.0.1"

    def logs(self):
        done = self.engine.podman("logs", self.name)
        return done.stdout + done.stderr

    def execute(self, *command, may_fail=False):
        done = self.engine.podman("exec", self.name, *command, may_fail=may_fail)
        return done if may_fail else done.stdout

    def state(self, worker):
        """The state of the worker, as its supervisor tells it."""
        status = self.execute("torpor-here", "status", worker, may_fail=True).stdout
        found = re.search(r"State: (\w+)", status)
        return found.group(1) if found else status

    def reaches(self, worker, state):
        eventually(lambda: self.state(worker) == state, f"{worker} is not {state}: {self.state(worker)}\n{self.logs()}")

    def kill(self, signal):
        self.engine.podman("kill", "--signal", signal, self.name)

    def stop(self, seconds=10):
        """Stops it as the engine does, and returns the exit status."""
        self.engine.podman("stop", "--time", str(seconds), self.name)
        return int(self.inspect(".State.ExitCode"))

    def wait(self):
        return int(self.engine.podman("wait", self.name).stdout)
