"""The commands of docs/fleet.md, with two machines: each a server of OpenSSH on the loopback interface, and a supervisor."""
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request

from page import Page
from slurmcluster import free_ports
from vm import Skipped, check, eventually, read, sh, test, write

PLACE, CHECKOUT, PROGRAMS = (os.environ[f"TEST_{name}"] for name in ("PLACE", "CHECKOUT", "PROGRAMS"))
PAGE = Page("fleet.md")
HOSTS = ("box1", "box2")
WEB = "[Worker]\nDescription={}\nExecStart=/bin/sleep 1000\nLaunch=boot\n[Notifications]\ncache.invalidate=signal:SIGWINCH\n"
# Where the worker files of each machine are, seen by what its sshd runs.
ELSEWHERE = "/run/torpor-etc"
PROCESSES = {}
SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {place}/key
AuthorizedKeysFile {place}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
SetEnv PATH={programs}:/usr/bin:/bin TORPOR_SUPERVISOR={socket}
"""
CLIENT = """\
Host {host}
  HostName 127.0.0.1
  Port {port}
  User root
  HostKeyAlias {host}
  IdentityFile {place}/key
Host *
  UserKnownHostsFile {all}/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  IdentitiesOnly yes
  IdentityAgent none
  ControlMaster no
  LogLevel ERROR
"""


def end(name):
    """Ends a process that `begin` has started."""
    process = PROCESSES.pop(name, None)
    if process:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def begin(name, command, **options):
    with open(f"{PLACE}/{name}.log", "ab") as output:
        PROCESSES[name] = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, **options)


def end_all():
    for name in list(PROCESSES):
        end(name)


atexit.register(end_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Machine:
    """One of them."""

    def __init__(self, host):
        self.host, self.place = host, f"{PLACE}/{host}"
        self.socket = f"{self.place}/run/io.torpor.Supervisor"
        self.ssh_port, self.metrics_port = free_ports(2)
        write(f"{self.place}/etc/workers/web.worker", WEB.format("Before"))
        write(f"{self.place}/etc/torpord.conf", f"[Metrics]\nListen=127.0.0.1:{self.metrics_port}\n")
        self.start_daemon()
        self.start_sshd()

    def start_daemon(self):
        begin(f"torpord-{self.host}", [
            "torpord", "--config-dir", f"{self.place}/etc", "--state-dir", f"{self.place}/state", "--runtime-dir", f"{self.place}/run"])
        eventually(lambda: "active" in self.here("list --no-legend -o state"), f"the worker of {self.host} is active", 180)

    def start_sshd(self):
        if not os.path.exists(f"{self.place}/key"):
            sh(f"ssh-keygen -q -t ed25519 -N '' -C test -f {self.place}/key")
            with open(f"{PLACE}/known_hosts", "a", encoding="utf-8") as known:
                known.write(f"{self.host} {read(f'{self.place}/key.pub')}")
        write(f"{self.place}/sshd_config", SSHD.format(
            port=self.ssh_port, place=self.place, programs=PROGRAMS, socket=self.socket))
        # Root's sshd wants a directory in /run; the machine's worker files are there too, where no other process sees them.
        script = (f"mount -t tmpfs none /run && mkdir -m 755 /run/sshd {ELSEWHERE} && mount --bind {self.place}/etc {ELSEWHERE} && "
                  f"exec /usr/sbin/sshd -D -e -f {self.place}/sshd_config")
        begin(f"sshd-{self.host}", ["unshare", "--mount", "sh", "-c", script])
        eventually(lambda: "Server listening" in read(f"{PLACE}/sshd-{self.host}.log"), f"the sshd of {self.host} listens", 180)

    def here(self, arguments):
        return sh(f"torpor --socket {self.socket} {arguments}", may_fail=True)


def machines():
    """Both, with a directory of their operator's."""
    if "machines" in MACHINES:
        return MACHINES["machines"]
    for program in ("/usr/sbin/sshd", "ssh", "rsync", "unshare"):
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        raise Skipped("a mount namespace of one's own is not allowed here")
    both = [Machine(host) for host in HOSTS]
    text = "".join(
        CLIENT.format(host=one.host, port=one.ssh_port, place=one.place, all=PLACE).split("Host *")[0] for one in both)
    write(f"{PLACE}/ssh_config", text + "Host *" + CLIENT.format(host="", port="", place="", all=PLACE).split("Host *")[1])
    # The only difference to an operator's own ssh is the configuration.
    write(f"{PLACE}/bin/ssh", f"#!/bin/sh\nexec {shutil.which('ssh')} -F {PLACE}/ssh_config \"$@\"\n", 0o755)
    write(f"{PLACE}/operator/hosts", "".join(f"{host}\n" for host in HOSTS))
    for directory in ("prometheus", "ansible"):
        shutil.copytree(f"{CHECKOUT}/packaging/{directory}", f"{PLACE}/operator", dirs_exist_ok=True)
    MACHINES["machines"] = both
    return both


MACHINES = {}


def run(command, may_fail=False):
    """A command of the page, by bash, in the operator's directory; its output, and its status if it may fail."""
    command = PAGE.command(command).replace("/etc/torpor", ELSEWHERE)
    environment = dict(os.environ, PATH=f"{PLACE}/bin:{os.environ['PATH']}", HOME=f"{PLACE}/operator", ANSIBLE_LOCALHOST_WARNING="False",
                       ANSIBLE_NOCOLOR="1", ANSIBLE_LOCAL_TEMP=f"{PLACE}/ansible", ANSIBLE_REMOTE_TEMP=f"{PLACE}/ansible-there",
                       ANSIBLE_SSH_ARGS=f"-o ControlMaster=auto -o ControlPersist=60s -o ControlPath={PLACE}/%C",
                       ANSIBLE_PIPELINING="1", ANSIBLE_PYTHON_INTERPRETER="/usr/bin/python3")
    environment.pop("TORPOR_SUPERVISOR", None)
    done = subprocess.run(["bash", "-c", command], cwd=f"{PLACE}/operator", env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if may_fail:
        return done.returncode, done.stdout, done.stderr
    check(done.returncode == 0, f"{command}: {done.returncode}, {done.stderr.strip()} {done.stdout.strip()}")
    return done.stdout


LIST = "for host in $(cat hosts); do torpor --host \"$host\" list --no-legend -o name,state | sed \"s/^/$host /\"; done"
SUSPEND = "xargs -a hosts -P 8 -I HOST torpor --host HOST suspend web"


@test("Supervisors of other machines are looked at by ssh")
def looking():
    machines()
    check("web" in run("torpor --host box1 list"), "no worker is listed")
    check("active" in run("torpor --host box1 status web"), "status does not say that it is active")
    check(run("torpor --host box1 why web").startswith("web"), "why says nothing of the worker")
    run("torpor --host box1 report --list --since \"1h ago\"")
    rows = [line.split() for line in run(LIST).splitlines()]
    check(rows == [[host, "web", "active"] for host in HOSTS], f"the loop prints {rows}")


@test("All machines are steered at once, and one that cannot be reached is told and keeps no other")
def steering():
    both = machines()
    run(SUSPEND)
    check(all("suspended" in one.here("list --no-legend -o state") for one in both), "not all workers sleep")
    run("xargs -a hosts -P 8 -I HOST torpor --host HOST --timeout 10s post web cache.invalidate")
    check(all("cache.invalidate" in one.here("notifications web") for one in both), "not all workers have the notification")
    run("xargs -a hosts -P 8 -I HOST torpor --host HOST activate web")
    check(all("active" in one.here("list --no-legend -o state").split() for one in both), "not all workers are active")
    end("sshd-box2")
    try:
        status, _, errors = run(SUSPEND, may_fail=True)
        check(status == 123 and "box2" in errors and "box1" not in errors, f"xargs: {status}, {errors}")
        check("suspended" in both[0].here("list --no-legend -o state"), "box1 was kept from it by box2")
        status, output, errors = run(LIST, may_fail=True)
        check(output.split() == ["box1", "web", "suspended"] and "box2" in errors, f"{output} {errors}")
    finally:
        os.remove(f"{PLACE}/sshd-box2.log")
        both[1].start_sshd()
    run("xargs -a hosts -P 8 -I HOST torpor --host HOST activate web")
    return errors.strip()


@test("Worker files are rolled out by rsync, and workers restarted one after another")
def rollout():
    both = machines()
    write(f"{PLACE}/operator/workers/web.worker", WEB.format("After"))
    run("torpor verify workers/*.worker")
    run("for host in $(cat hosts); do rsync -a workers/ \"$host:/etc/torpor/workers/\" && torpor --host \"$host\" reload || break; done")
    check(all("After" in one.here("status web") for one in both), "not every supervisor has read the new file")
    pids = [one.here("list --no-legend -o pid").strip() for one in both]
    run("for host in $(cat hosts); do torpor --host \"$host\" restart web && torpor --host \"$host\" status web || break; done")
    again = [one.here("list --no-legend -o pid").strip() for one in both]
    check(all(old != new for old, new in zip(pids, again)), f"the workers were {pids} and are {again}")


@test("Worker files are rolled out by Ansible, and one that is invalid changes nothing")
def ansible():
    both = machines()
    if not shutil.which("ansible-playbook"):
        raise Skipped("ansible-playbook is not installed")
    playbook = f"{PLACE}/operator/torpor-workers.yml"
    write(playbook, read(playbook).replace("/etc/torpor", ELSEWHERE))
    write(f"{PLACE}/operator/workers/web.worker", WEB.format("By Ansible"))
    write(f"{PLACE}/operator/workers/new.worker", "[Worker]\nAfter=web\nExecStart=/bin/sleep 1000\n")
    run("ansible-playbook -i hosts torpor-workers.yml")
    for one in both:
        check("By Ansible" in one.here("status web"), f"{one.host} has not read the new file")
        check("new" in one.here("list --no-legend -o name").split(), f"{one.host} has no new worker")
    again = run("ansible-playbook -i hosts torpor-workers.yml")
    check(again.count("changed=0") == 2, f"a second run changes something: {again}")
    write(f"{PLACE}/operator/workers/web.worker", WEB.format("Refused") + "Bogus=1\n")
    status, output, _ = run("ansible-playbook -i hosts torpor-workers.yml", may_fail=True)
    check(status != 0 and "Bogus=" in output and "box2" not in output, f"{status}: {output}")
    check(all("By Ansible" in one.here("status web") for one in both), "an invalid file has taken the place of a valid one")
    for host in HOSTS:
        sh(f"{PLACE}/bin/ssh -o ControlPath={PLACE}/%C -O exit {host}", may_fail=True)
    return sh("ansible-playbook --version").splitlines()[0]


@test("The alerts fire when they should, by promtool")
def alerts():
    machines()
    if not shutil.which("promtool"):
        raise Skipped("promtool is not installed")
    run("promtool check config prometheus.yml")
    checked = run("promtool check rules torpor.rules.yml")
    run("promtool test rules torpor.rules.test.yml")
    named = set(sh(f"sed -n 's/.*alert: //p' {PLACE}/operator/torpor.rules.yml").split())
    text = read(f"{CHECKOUT}/docs/fleet.md")
    check(all(f"`{name}`" in text for name in named), "docs/fleet.md does not name every alert")
    return next(line.strip() for line in checked.splitlines() if "rules found" in line)


@test("A text file for node_exporter has the metrics, and nothing that promtool would mend")
def textfile():
    both = machines()
    if not shutil.which("promtool"):
        raise Skipped("promtool is not installed")
    os.environ["TORPOR_SUPERVISOR"] = both[0].socket
    write(f"{PLACE}/bin/torpor", f"#!/bin/sh\nexec {PROGRAMS}/torpor --socket {both[0].socket} \"$@\"\n", 0o755)
    try:
        run("torpor metrics --format prometheus >torpor.prom.new && mv torpor.prom.new torpor.prom")
    finally:
        os.remove(f"{PLACE}/bin/torpor")
    text = read(f"{PLACE}/operator/torpor.prom")
    check('torpor_worker_state{worker="web"' in text, "the file has no worker")
    sh(f"promtool check metrics <{PLACE}/operator/torpor.prom")
    return f"{len(text.splitlines())} lines"


@test("One Prometheus scrapes both machines, and tells of a supervisor that has gone")
def scraped():
    both = machines()
    if not shutil.which("prometheus"):
        raise Skipped("prometheus is not installed")
    [port] = free_ports(1)
    text = read(f"{PLACE}/operator/prometheus.yml").replace("15s", "1s").replace(
        '"127.0.0.1:9477"', ", ".join(f'"127.0.0.1:{one.metrics_port}"' for one in both))
    write(f"{PLACE}/operator/scraping.yml", text)
    begin("prometheus", [
        "prometheus", f"--config.file={PLACE}/operator/scraping.yml", f"--storage.tsdb.path={PLACE}/tsdb",
        f"--web.listen-address=127.0.0.1:{port}"])

    def query(expression):
        try:
            url = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.request.quote(expression)}"
            with urllib.request.urlopen(url, timeout=5) as answer:
                return [(one["metric"], float(one["value"][1])) for one in json.load(answer)["data"]["result"]]
        except OSError:
            return []

    def rules():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/rules", timeout=5) as answer:
                return [rule for group in json.load(answer)["data"]["groups"] for rule in group["rules"]]
        except OSError:
            return []

    eventually(lambda: query('count(up{job="torpor"} == 1)')[:1] == [({}, 2.0)], "both supervisors are scraped")
    active = {f"127.0.0.1:{one.metrics_port}" for one in both}
    eventually(lambda: {labels["instance"] for labels, value in query('torpor_workers{state="active"}') if value >= 1} == active,
               "an active worker is known of each")
    eventually(lambda: (found := rules()) and all(rule["health"] == "ok" for rule in found), "every rule is evaluated")
    end("torpord-box2")
    gone = eventually(lambda: query('ALERTS{alertname="TorporDown"}'), "the alert is pending")
    check([labels["instance"] for labels, _ in gone] == [f"127.0.0.1:{both[1].metrics_port}"], f"the alert is about {gone}")
    return f"{len(rules())} rules evaluated"


@test("Each command of docs/fleet.md was run")
def page():
    if "machines" not in MACHINES:
        raise Skipped("no machines")
    end_all()
    return PAGE.check_all_run()
