"""The lock of a session, of which the daemon of a user is told by login1 (2.1)."""
import json
import subprocess

from service import call
from vm import eventually, sh, test, write

NAME = "vivian"
FILE = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n"


@test("a session's lock makes its workers inactive, and its unlocking active again")
def lock():
    sh(f"useradd --create-home --shell /bin/sh {NAME}")
    daemon = None
    try:
        write(f"/home/{NAME}/.config/torpor/workers/viewer.worker", FILE)
        sh(f"chown --recursive {NAME}: /home/{NAME}")
        # As from a login: pam_systemd makes a session and moves the daemon into it.
        daemon = subprocess.Popen(["runuser", "--login", NAME, "--command=exec /srv/bin/torpord"], stdin=subprocess.DEVNULL)
        place = f"/run/user/{sh(f'id --user {NAME}').strip()}/torpor/io.torpor.Supervisor"

        def state():
            try:
                return call("List", socket_path=place)["workers"][0]["state"]
            except (OSError, IndexError):
                return None

        eventually(lambda: state() == "active", "the worker is active")
        sessions = json.loads(sh("loginctl list-sessions --output=json"))
        session = next(entry["session"] for entry in sessions if entry["user"] == NAME)
        sh(f"loginctl lock-session {session}")
        eventually(lambda: state() == "inactive", "the worker is inactive while locked")
        sh(f"loginctl unlock-session {session}")
        eventually(lambda: state() == "active", "the worker is active again")
    finally:
        sh(f"loginctl terminate-user {NAME}", may_fail=True)
        if daemon:
            daemon.wait(timeout=60)
        eventually(lambda: subprocess.run(["pgrep", "--uid", NAME], stdout=subprocess.DEVNULL).returncode != 0, "all of them have gone")
        sh(f"userdel --remove {NAME}", may_fail=True)
    return "active → inactive → active"
