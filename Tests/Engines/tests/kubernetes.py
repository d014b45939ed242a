"""The example of packaging/kubernetes: by the schema of Kubernetes, and by what the kubelet does to the processes."""
import copy
import os
import re
import shutil
import tempfile
import time

import yaml
from engine import CHECKOUT, engine
from kubelet import Pod
from shellpages import commands
from vm import Skipped, check, eventually, read, sh, test

PLACE = f"{CHECKOUT}/packaging/kubernetes"
VALIDATOR = f"{CHECKOUT}/.build/venv/bin/kubernetes-validate"
# The oldest of which the sidecar is a stable part, and the newest whose schema the validator has.
VERSIONS = ("1.33", "1.37")


def documents(name):
    return list(yaml.safe_load_all(read(f"{PLACE}/{name}")))


def template():
    """The pod of the example, with an idle time that a test can wait for."""
    spec = copy.deepcopy(documents("redis.yaml")[1]["spec"]["template"]["spec"])
    command = spec["containers"][0]["command"]
    command[command.index("--idle=10min")] = "--idle=1s"
    command.insert(2, "-v")
    return spec


def pod(podman, spec, volume=None):
    podman.redis()
    podman.image("busybox:1", {"/bin/busybox": shutil.which("busybox")})
    podman.build("torpor-metrics", "packaging/kubernetes/metrics.Containerfile", "packaging")
    if not volume:
        volume = tempfile.mkdtemp(dir=podman.place)
        # As fsGroup does.
        os.chown(volume, -1, spec["securityContext"]["fsGroup"])
        os.chmod(volume, 0o2775)
    made = Pod(podman, spec, {"data": volume})
    made.start()
    return made


def client(podman, made, words):
    return podman.outside(f"redis-cli -h {made.address} {words}", may_fail=True).strip()


@test("the manifests are valid by the schema of Kubernetes")
def schema():
    if not os.path.exists(VALIDATOR):
        raise Skipped("kubernetes-validate is not installed: make setup")
    for version in VERSIONS:
        said = sh(f"{VALIDATOR} --strict --no-warn --kubernetes-version {version} {PLACE}/redis.yaml {PLACE}/image-volume.yaml 2>&1")
        check(said.count("passed") == 3, said)
    place = tempfile.mkdtemp()
    try:
        # It does find what is wrong.
        with open(f"{place}/wrong.yaml", "w", encoding="utf-8") as file:
            file.write(read(f"{PLACE}/redis.yaml").replace("readinessProbe", "readynessProbe"))
        said = sh(f"{VALIDATOR} --strict --kubernetes-version {VERSIONS[0]} {place}/wrong.yaml 2>&1", may_fail=True)
        check("readynessProbe" in said, f"a wrong field is not found: {said}")
    finally:
        shutil.rmtree(place)
    return f"{', '.join(VERSIONS)}; PodMonitor has no schema there"


@test("the parts of the manifests fit together")
def fits():
    service, stateful = documents("redis.yaml")
    (monitor,) = documents("podmonitor.yaml")
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    spec = stateful["spec"]["template"]["spec"]
    for selector in (service["spec"]["selector"], stateful["spec"]["selector"]["matchLabels"], monitor["spec"]["selector"]["matchLabels"]):
        check(selector == labels, f"the selector {selector}")
    notes = stateful["spec"]["template"]["metadata"]["annotations"]
    (port,) = spec["initContainers"][0]["ports"]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    check(endpoint["port"] == port["name"] and notes["prometheus.io/port"] == str(port["containerPort"]), "the port of the metrics")
    check(endpoint["path"] == notes["prometheus.io/path"], "the path of the metrics")
    check(f"\"{port['containerPort']}\"" in read(f"{PLACE}/metrics.Containerfile"), "the port of the image")
    command = spec["containers"][0]["command"]
    stop = next(int(re.match(r"--stop-timeout=(\d+)s$", word).group(1)) for word in command if word.startswith("--stop-timeout"))
    check(stop < spec["terminationGracePeriodSeconds"], "the command may take longer than the pod")


@test("a pod starts, is ready while it sleeps, is scraped without being woken, and is woken by a client")
def life():
    with engine() as podman:
        made = pod(podman, template())
        redis = made.containers["redis"]
        check(made.is_ready(), f"not ready after the startup probe\n{redis.logs()}")
        redis.reaches("redis-server", "suspended")
        check(made.is_ready(), "not ready while it sleeps")
        text = podman.outside(f"busybox wget -q -O - http://{made.address}:9477/cgi-bin/metrics")
        check(text.rstrip().endswith("# EOF") and 'torpor_workers{state="suspended"} 1' in text, f"the metrics: {text[:500]}")
        check(redis.state("redis-server") == "suspended", "the probe or the scrape woke it")
        check(client(podman, made, "ping") == "PONG", f"no answer\n{redis.logs()}")
        return f"{text.count(chr(10))} lines of metrics"


@test("the end of a pod: preStop is didEnterBackground, SIGTERM ends the server, and the next pod has its state")
def end():
    with engine() as podman:
        made = pod(podman, template())
        check(client(podman, made, "set colour green") == "OK", "cannot be set")
        volume = made.volumes["data"]
        start = time.monotonic()
        statuses = made.terminate()
        seconds = time.monotonic() - start
        logs = made.containers["redis"].logs()
        check(statuses["redis"] == (0, 0), f"preStop and the exit status: {statuses}\n{logs}")
        check(os.path.exists(f"{volume}/dump.rdb"), f"nothing was saved\n{logs}")
        check("DB saved on disk" in logs and logs.index("DB saved on disk") < logs.index("ended: stopped"), logs)
        made = pod(podman, template(), volume)
        check(client(podman, made, "get colour") == "green", "its state is lost")
        # Asleep when its end comes.
        made.containers["redis"].reaches("redis-server", "suspended")
        check(made.terminate()["redis"] == (0, 0), made.containers["redis"].logs())
        return f"{seconds:.1f} s"


@test("a server that ignores SIGTERM is killed by torpor within the grace period, and by the kubelet where torpor is not to")
def stubborn():
    with engine() as podman:
        spec = template()
        spec["terminationGracePeriodSeconds"] = 6
        container = spec["containers"][0]
        container["args"] = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"]
        del container["startupProbe"], container["lifecycle"]
        command = container["command"]
        command.remove("--type=notify")
        stop = command.index("--stop-timeout=20s")
        ends = {}
        for limit in ("--stop-timeout=500ms", "--stop-timeout=infinity"):
            command[stop] = limit
            made = pod(podman, copy.deepcopy(spec))
            redis = made.containers["redis"]
            eventually(lambda: "ready" in redis.logs(), "the command has not begun")
            start = time.monotonic()
            statuses = made.terminate()
            ends[limit] = (time.monotonic() - start, statuses["redis"][1], "did not end within" in redis.logs())
            podman.clear()
        seconds, status, told = ends["--stop-timeout=500ms"]
        check(status == 137 and told, f"by torpor: {ends}")
        limit, status, told = ends["--stop-timeout=infinity"]
        check(status == 137 and not told and limit >= 6, f"by the kubelet: {ends}")
        return f"{seconds:.1f} s and {limit:.1f} s"


@test("a resize in place is memory pressure: the server that runs is warned or ended gracefully, and not restarted by the kubelet")
def resize():
    with engine() as podman:
        spec = template()
        command = spec["containers"][0]["command"]
        command.insert(-1, "--on=didReceiveMemoryWarning=exec:redis-cli set warned 1")
        command[command.index("--idle=1s")] = "--idle=1h"
        made = pod(podman, spec)
        redis = made.containers["redis"]
        status = redis.execute("torpor-here", "status")
        if "of 256.0M available" not in status:
            raise Skipped(f"the limit cannot be set here: {status}")
        client(podman, made, "setrange ballast 83886079 x")
        pid = redis.pid
        available = float(re.search(r"([0-9.]+)M of 256.0M available", redis.execute("torpor-here", "status")).group(1))
        check(available < 200, f"the ballast is not there: {available}")
        # A fifteenth of the new limit is left, and with what 'status' itself held then no more than a tenth, below which workers are warned.
        made.resize("redis", int((256 - available) * 15 / 14))
        start = time.monotonic()
        # Nothing tells of another limit: it is found when memory is looked at next, which is seldom while there is plenty.
        eventually(lambda: client(podman, made, "get warned") == "1", f"it is not warned\n{redis.logs()}", 200)
        seconds = time.monotonic() - start
        told = re.search(r"Memory: (.*)", redis.execute("torpor-here", "status")).group(1)
        made.resize("redis", 256)
        eventually(lambda: "Memory: normal" in redis.execute("torpor-here", "status"), "the pressure does not end", 200)
        check(redis.pid == pid, "the container was restarted")
        return f"{told}, {seconds:.0f} s after the resize"


@test("the commands of docs/kubernetes.md build the images of the manifests")
def page():
    with engine() as podman:
        podman.redis()
        podman.image("busybox:1", {"/bin/busybox": shutil.which("busybox")})
        for block in commands(f"{CHECKOUT}/docs/kubernetes.md"):
            podman.shell(block)
        spec = documents("redis.yaml")[1]["spec"]["template"]["spec"]
        for container in [*spec["containers"], *spec["initContainers"]]:
            podman.podman("image", "exists", container["image"])
