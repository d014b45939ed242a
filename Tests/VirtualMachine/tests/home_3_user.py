"""The pair of the user manager: an unprivileged user has workers that sleep, held by a unit of their own."""
import json
import os
import pwd

from home import cleaned
from package import install, packages
from vm import check, eventually, read, sh, test, write

USER = "sleeper"


class Somebody:
    """An unprivileged user with a manager that runs without a login."""

    def __enter__(self):
        sh(f"useradd --create-home --shell /bin/sh {USER}")
        self.account = pwd.getpwnam(USER)
        self.runtime = f"/run/user/{self.account.pw_uid}"
        sh(f"loginctl enable-linger {USER}")
        eventually(lambda: os.path.exists(f"{self.runtime}/systemd/private"), "the user's manager is there", 120)
        return self

    def __exit__(self, *_):
        sh(f"loginctl disable-linger {USER}; systemctl stop user@{self.account.pw_uid}.service", may_fail=True)
        sh(f"userdel --remove {USER}", may_fail=True)

    def run(self, command, may_fail=False):
        return sh(f"runuser -u {USER} -- env -C / XDG_RUNTIME_DIR={self.runtime} "
                  f"DBUS_SESSION_BUS_ADDRESS=unix:path={self.runtime}/bus {command}", may_fail)

    def workers(self):
        return {worker["name"]: worker for worker in json.loads(self.torpor("list --json=short"))["workers"]}

    def torpor(self, line, may_fail=False):
        """What an operator's line says to the user's own supervisor: the machine's is the default where it runs."""
        return self.run(f"torpor --user {line}", may_fail)


@test("an unprivileged user's daemon starts when it is asked, and its workers sleep by the freezer and outlive it")
@cleaned
def user():
    with Somebody() as somebody:
        path = f"{somebody.account.pw_dir}/.config/torpor/workers/dozer.worker"
        write(path, "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n")
        sh(f"chown -R {USER}: {somebody.account.pw_dir}/.config")
        check(somebody.run("systemctl --user is-active torpord.socket").strip() == "active", "the socket listens")
        check(somebody.run("systemctl --user is-active torpord.service", may_fail=True).strip() == "inactive", "nothing else runs")
        check("dozer" not in somebody.torpor("list", may_fail=True), "looking finds none")
        check(somebody.run("systemctl --user is-active torpord.service", may_fail=True).strip() == "inactive", "looking starts none")
        somebody.torpor("activate dozer")
        eventually(lambda: somebody.workers().get("dozer", {}).get("state") == "active", "its worker runs")
        pid = somebody.workers()["dozer"]["pid"]
        group = read(f"/proc/{pid}/cgroup").split("0::")[1].strip()
        check(group.endswith("/app.slice/torpor-workers.service/worker-dozer"), group)
        check(os.stat(f"/proc/{pid}").st_uid == somebody.account.pw_uid, "it is the user's")
        somebody.torpor("suspend dozer")
        check("frozen 1" in read(f"/sys/fs/cgroup{group}/cgroup.events"), "it is frozen")
        check("held by torpor-workers.service" in somebody.torpor("doctor"), somebody.torpor("doctor"))
        somebody.run("systemctl --user restart torpord.service")
        eventually(lambda: somebody.workers()["dozer"].get("pid") == pid, "the same process after a restart")
        check(somebody.workers()["dozer"]["state"] == "suspended", "still asleep")
        daemon = somebody.run("systemctl --user show --property=MainPID --value torpord.service").strip()
        install(packages()[1])
        check(somebody.run("systemctl --user show --property=MainPID --value torpord.service").strip() == daemon, "an upgrade keeps the daemon's process")
        check("(deleted)" not in os.readlink(f"/proc/{daemon}/exe"), "it is the program that was installed")
        dozer = somebody.workers()["dozer"]
        check(dozer.get("pid") == pid and dozer["state"] == "suspended", "and its workers")
        # Root's own supervisor knows nothing of it.
        check("dozer" not in sh("torpor list"), "it is nobody else's")
        somebody.run("systemctl --user stop torpor-workers.service")
        check(not os.path.exists(f"/proc/{pid}"), "the holder has ended it")
        return f"in {group}"
