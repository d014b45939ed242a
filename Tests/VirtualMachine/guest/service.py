"""torpord as a service of systemd with its workers' files, its control socket, and the operators' verbs."""
import json
import shutil
import socket

from vm import eventually, sh, write

CONFIGURATION = "/etc/torpor"
SOCKET = "/run/torpor/io.torpor.Supervisor"
GROUP = "/sys/fs/cgroup/system.slice/torpord.service"


class Torpord:
    """Runs the daemon for the length of a `with`: `Torpord({"redis": "[Worker]\\nExecStart=…"})`.

    Its unit is transient and delegated; `properties` are more lines of it, `settings` the text of torpord.conf. What it has
    kept is removed at the end, so that tests may come in any order.
    """

    def __init__(self, workers=None, settings="", properties=()):
        self.workers, self.settings = workers or {}, settings
        self.properties = ("Delegate=yes", "KillMode=mixed", "LimitNOFILE=1024:524288", *properties)

    def __enter__(self):
        for name, text in self.workers.items():
            define(name, text)
        write(f"{CONFIGURATION}/torpord.conf", self.settings)
        try:
            sh("systemd-run --quiet --collect --unit=torpord --service-type=exec "
               + " ".join(f"--property={property}" for property in self.properties) + " /srv/bin/torpord")
            eventually(answers, "the daemon answers")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        sh("systemctl stop torpord.service; systemctl reset-failed torpord.service", may_fail=True)
        for path in (CONFIGURATION, "/var/lib/torpor", "/run/torpor"):
            shutil.rmtree(path, ignore_errors=True)

    @property
    def pid(self):
        return int(sh("systemctl show --property=MainPID --value torpord.service"))


def define(name, text):
    """Writes a worker's file; a daemon that runs already wants `torpor reload`."""
    write(f"{CONFIGURATION}/workers/{name}.worker", text)


def call(method, /, socket_path=SOCKET, **parameters):
    """The answer of the control socket to one call of io.torpor.Supervisor, far cheaper than a process of `torpor`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(socket_path)
        connection.sendall(json.dumps({"method": f"io.torpor.Supervisor.{method}", "parameters": parameters}).encode() + b"\0")
        received = b""
        while not received.endswith(b"\0"):
            if not (part := connection.recv(1 << 16)):
                raise ConnectionError("the daemon hung up")
            received += part
    answer = json.loads(received[:-1])
    if "error" in answer:
        raise AssertionError(f"{method}: {answer}")
    return answer.get("parameters", {})


def answers():
    """Whether there is a daemon to talk to."""
    try:
        return call("Ping") is not None
    except OSError:
        return False


def torpor(*words, may_fail=False):
    """What one of the operators' verbs prints."""
    return sh("torpor " + " ".join(words), may_fail=may_fail)


def queue(name):
    """What waits for a worker, by topic."""
    return {entry["topic"]: entry for entry in call("Notifications", name=name)["notifications"]}


def sleeper(notifications):
    """The file of a worker to be put to sleep, with these lines of [Notifications]: its queue keeps what it is told."""
    return f"[Worker]\nExecStart=/bin/sleep infinity\nLaunch=on-demand\n[Notifications]\n{notifications}\n"


def workers():
    """All that the daemon's list tells of its workers."""
    return call("List")["workers"]


def states():
    """The state of each worker, by name."""
    return {worker["name"]: worker["state"] for worker in workers()}


def reaches(name, state, seconds=60):
    """Waits until a worker is in `state`."""
    eventually(lambda: states().get(name) == state, f"{name} is {state}", seconds)


def group(name):
    """The control group of a worker's."""
    return f"{GROUP}/worker-{name}"
