"""Does to a pod's processes what the kubelet does, by podman: starts containers, probes, resizes, and ends them in the order of its documents.

Of a pod's fields it knows those of packaging/kubernetes, and refuses others of a container.
"""
import json
import time

import refusing
from engine import Container
from vm import check, eventually

KNOWN = {"name", "image", "command", "args", "ports", "startupProbe", "readinessProbe", "lifecycle", "resources", "resizePolicy",
         "securityContext", "volumeMounts", "restartPolicy"}


def mebibytes(quantity):
    check(quantity.endswith("Mi"), f"the quantity {quantity}")
    return int(quantity.removesuffix("Mi"))


class Pod:
    """The containers of a template; they share their network as in a pod."""

    def __init__(self, podman, spec, volumes):
        self.podman = podman
        self.spec = spec
        self.volumes = volumes
        self.containers = {}
        # As the default profile of containerd, which is that of Docker.
        self.profile = f"{podman.place}/runtime-default.json"
        with open(self.profile, "w", encoding="utf-8") as file:
            file.write(refusing.profile())

    def start(self):
        """Starts the sidecars, and then the containers, each after the startup probe of the one before."""
        for container in self.spec.get("initContainers", []):
            check(container.get("restartPolicy") == "Always", "an init container that ends")
        for container in [*self.spec.get("initContainers", []), *self.spec["containers"]]:
            self.start_container(container)

    def start_container(self, spec):
        check(not spec.keys() - KNOWN, f"unknown fields {spec.keys() - KNOWN}")
        identity = self.spec["securityContext"]
        own = spec["securityContext"]
        check(identity["runAsNonRoot"] and identity["seccompProfile"] == {"type": "RuntimeDefault"}, "not a restricted pod")
        check(own == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
              "not a restricted container")
        options = ["--user", f"{identity['runAsUser']}:{identity['runAsGroup']}", "--cap-drop", "all", "--read-only",
                   "--security-opt", "no-new-privileges", "--security-opt", f"seccomp={self.profile}",
                   "--memory", f"{mebibytes(spec['resources']['limits']['memory'])}m"]
        for mount in spec.get("volumeMounts", []):
            options += ["--volume", f"{self.volumes[mount['name']]}:{mount['mountPath']}"]
        if self.containers:
            options += ["--network", f"container:{next(iter(self.containers.values())).name}"]
        entry = ["--entrypoint", json.dumps(spec["command"])] if "command" in spec else []
        name = f"pod-{len(self.containers)}-{spec['name']}-{time.monotonic_ns()}"
        self.podman.podman("run", "--detach", "--name", name, *options, *entry, spec["image"], *spec.get("args", []))
        container = self.containers[spec["name"]] = Container(self.podman, name)
        if probe := spec.get("startupProbe"):
            command = probe["exec"]["command"]
            eventually(lambda: container.execute(*command, may_fail=True).returncode == 0,
                       f"{spec['name']}: its startup probe fails\n{container.logs()}",
                       probe["periodSeconds"] * probe["failureThreshold"])

    @property
    def address(self):
        return next(iter(self.containers.values())).address

    def is_ready(self):
        """Whether the readiness probes of all containers succeed."""
        return all(self.containers[spec["name"]].execute(*spec["readinessProbe"]["exec"]["command"], may_fail=True).returncode == 0
                   for spec in self.spec["containers"] if "readinessProbe" in spec)

    def resize(self, name, mebi):
        """Writes another limit of memory into the container's group, as the runtime does for `kubectl patch --subresource resize`."""
        spec = next(spec for spec in self.spec["containers"] if spec["name"] == name)
        check({"resourceName": "memory", "restartPolicy": "NotRequired"} in spec["resizePolicy"], "a resize would restart it")
        with open(f"/proc/{self.containers[name].pid}/cgroup", encoding="utf-8") as file:
            groups = dict(line.rstrip("\n").split(":", 2)[1:] for line in file)
        if "memory" in groups:
            path = f"/sys/fs/cgroup/memory{groups['memory']}/memory.limit_in_bytes"
        else:
            path = f"/sys/fs/cgroup{groups['']}/memory.max"
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(mebi << 20))

    def terminate(self):
        """Ends the pod: preStop, then SIGTERM or the stop signal of the image, and SIGKILL after the rest of the grace period. Returns how each container ended.

        The grace period begins with preStop, and holds for the sidecars too, which end last.
        """
        end = time.monotonic() + self.spec["terminationGracePeriodSeconds"]
        statuses = {}
        for spec in [*self.spec["containers"], *reversed(self.spec.get("initContainers", []))]:
            container = self.containers[spec["name"]]
            hook = spec.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
            hook_status = container.execute(*hook, may_fail=True).returncode if hook else None
            container.kill(container.inspect(".Config.StopSignal"))
            while container.inspect(".State.Running") == "true":
                if time.monotonic() > end:
                    container.kill("KILL")
                    container.wait()
                    break
                time.sleep(0.05)
            statuses[spec["name"]] = (hook_status, int(container.inspect(".State.ExitCode")))
        return statuses
