"""`torpor continue --to`: an activity goes to another supervisor over ssh, beside `ssh true` on the same connection's way."""
import contextlib
import getpass
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from daemon import memory
from figures import eventually

SSHD = "/usr/sbin/sshd"
EDITOR = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\nActivityTypes=org.example.editing\n" \
    "[Callbacks]\nUserActivity=exec:/bin/echo notes.txt 42\n"
VIEWER = "[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\nActivityTypes=org.example.editing\n" \
    "[Callbacks]\nContinueActivity=exec:/bin/true\n"


@contextlib.contextmanager
def supervisor(torpord, directory, name, worker):
    """A daemon with one worker that runs; its control socket."""
    place = f"{directory}/{name}"
    os.makedirs(place + "/config/workers")
    with open(f"{place}/config/workers/{name}.worker", "w", encoding="utf-8") as file:
        file.write(worker)
    process = subprocess.Popen(
        [torpord, "--config-dir", place + "/config", "--state-dir", place + "/state",
         "--runtime-dir", place + "/run", "--log-level", "err"], stdin=subprocess.DEVNULL)
    try:
        yield place + "/run/io.torpor.Supervisor"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@contextlib.contextmanager
def server(directory, torpor):
    """A server of OpenSSH on the loopback interface, with keys of its own; the ssh command that reaches it as `box`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{directory}/{name}"], check=True)
    shutil.copy(f"{directory}/key.pub", f"{directory}/authorized_keys")
    os.makedirs(f"{directory}/bin")
    os.symlink(torpor, f"{directory}/bin/torpor")
    with open(f"{directory}/host.pub", encoding="utf-8") as key, \
            open(f"{directory}/known_hosts", "w", encoding="utf-8") as known:
        known.write("known " + key.read())
    with open(f"{directory}/ssh_config", "w", encoding="utf-8") as file:
        file.write(f"""Host box
  HostName 127.0.0.1
  Port {port}
  User {getpass.getuser()}
  HostKeyAlias known
  UserKnownHostsFile {directory}/known_hosts
  GlobalKnownHostsFile /dev/null
  IdentityFile {directory}/key
  IdentitiesOnly yes
  IdentityAgent none
""")
    with open(f"{directory}/sshd_config", "w", encoding="utf-8") as file:
        file.write(f"""Port {port}
ListenAddress 127.0.0.1
HostKey {directory}/host
AuthorizedKeysFile {directory}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv PATH={directory}/bin:/usr/bin:/bin
""")
    line = [SSHD, "-D", "-e", "-f", f"{directory}/sshd_config"]
    if os.geteuid() == 0:
        # Root's server wants a directory in /run, which is made where no other process sees it.
        line = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$@\"",
                "sh"] + line
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while "Server listening" not in (text := process.stderr.readline()):
            if not text:
                raise RuntimeError("sshd did not start")
        yield f"ssh -F {directory}/ssh_config"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def timed(line, env):
    begun = time.monotonic()
    subprocess.run(line, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=60)
    return (time.monotonic() - begun) * 1000


def measure(table, torpor, torpord, rounds):
    if not os.access(SSHD, os.X_OK):
        print("no handoff over ssh: openssh-server is not installed")
        return
    directory = tempfile.mkdtemp(prefix="torpor-bench-", dir=memory())
    try:
        with supervisor(torpord, directory, "editor", EDITOR) as first, \
                supervisor(torpord, directory, "viewer", VIEWER) as second, server(directory, torpor) as ssh:
            env = dict(os.environ, TORPOR_SSH=ssh)
            ask = [torpor, "--socket", first]
            eventually(lambda: subprocess.run(ask + ["activate", "editor"], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL, check=False).returncode == 0)
            bare, ours, here = [], [], []
            for turn in range(4 * rounds + 1):
                for figures, line in (
                        (bare, ssh.split() + ["-xT", "-o", "BatchMode=yes", "--", "box", "true"]),
                        (ours, ask + ["continue", "editor", "--to", "box", "--to-socket", second]),
                        (here, ask + ["continue", "editor", "--to-socket", second])):
                    if figures is not bare:
                        subprocess.run(ask + ["activate", "editor"], stdout=subprocess.DEVNULL, check=True)
                    took = timed(line, env)
                    # The first of each reads its program from the disk.
                    if turn > 0:
                        figures.append(took)
            table.add("a handoff over ssh on loopback", statistics.median(ours), "ms",
                      bare=statistics.median(bare))
            table.add("  more than ssh true", statistics.median(ours) - statistics.median(bare), "ms", limit=50)
            table.add("a handoff between two supervisors of this machine", statistics.median(here), "ms")
    finally:
        shutil.rmtree(directory)
