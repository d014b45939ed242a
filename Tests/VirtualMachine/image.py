"""The disks of the virtual machine: a root that is kept as long as its recipe stays the same, and one with the tests."""
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# What Debian's packages enable by themselves and no test wants by surprise.
DISABLED = ("redis-server", "nginx", "earlyoom", "systemd-oomd", "apt-daily.timer", "apt-daily-upgrade.timer",
            "dpkg-db-backup.timer", "fstrim.timer", "e2scrub_all.timer", "e2scrub_reap", "getty@tty1")
# The tests' unit mounts the second disk and starts what it finds there; the machine ends with it.
UNIT = """[Unit]
Description=The tests of Torpor
After=multi-user.target systemd-logind.service dbus.service systemd-udev-settle.service
SuccessAction=poweroff
FailureAction=poweroff

[Service]
Type=oneshot
ExecStartPre=/bin/mount -o ro LABEL=torpor-tests /srv
ExecStart=/usr/bin/python3 /srv/guest/run.py
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
TimeoutStartSec=infinity
"""


class Unavailable(Exception):
    """No machine can be had here; says why."""


def packages():
    with open(f"{HERE}/packages", encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def sources():
    """The lines of apt's sources.list for the machine: the Debian archives that this machine itself uses."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ARCHITECTURE)",
         "Created-By: Packages"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = []
    for origin, address, release, component, architecture in (line.split("|") for line in targets.splitlines()):
        if origin == "Debian" and release.startswith("bookworm") and component == "main" and architecture == "amd64":
            lines.append(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {address} {release} main")
    if not lines:
        raise Unavailable("apt knows no archive of Debian 12 here")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def recipe():
    """All that the root depends on."""
    return [
        "mmdebstrap", "--quiet", "--variant=minbase", "--include=" + ",".join(packages()),
        # No test reads them there.
        *(f"--dpkgopt=path-exclude=/usr/share/{place}/*" for place in ("doc", "man", "locale", "info")),
        "--customize-hook=chroot \"$1\" systemctl --quiet disable " + " ".join(DISABLED),
        "--customize-hook=chroot \"$1\" systemctl --quiet mask systemd-networkd.service serial-getty@ttyS0.service",
        f"--customize-hook=cat > \"$1/etc/systemd/system/torpor-tests.service\" <<'END'\n{UNIT}END\n",
        "--customize-hook=echo torpor-vm > \"$1/etc/hostname\"; chroot \"$1\" passwd --quiet --delete root",
        "bookworm",
    ]


def as_root():
    """The words before a command that keeps or makes files of other users."""
    return [] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--map-auto"]


def make_root(cache, log):
    """Returns the paths of the root's disk, kernel and initial RAM disk, which it makes where they are not there yet."""
    key = hashlib.sha256("\n".join(recipe()).encode()).hexdigest()[:16]
    kept = f"{cache}/{key}"
    if not os.path.exists(f"{kept}/complete"):
        for old in os.listdir(cache) if os.path.isdir(cache) else ():
            if os.path.isdir(f"{cache}/{old}"):
                shutil.rmtree(f"{cache}/{old}")
        os.makedirs(kept)
        try:
            make_archive(f"{kept}/root.tar", log)
            make_disk(kept, log)
        except subprocess.CalledProcessError as error:
            raise Unavailable(f"the root image cannot be made: {error.cmd[0]} ended with {error.returncode}, see {log.name}")
        with open(f"{kept}/complete", "w", encoding="utf-8"):
            pass
    return f"{kept}/root.img", f"{kept}/vmlinuz", f"{kept}/initrd.img"


def make_archive(path, log):
    *words, suite = recipe()
    print("installing Debian 12 for the virtual machine", flush=True)
    subprocess.run([*words, suite, path, "-"], input=sources(), text=True, check=True, stdout=log, stderr=log)


def make_disk(place, log):
    """Unpacks root.tar into a disk of its own."""
    with tarfile.open(f"{place}/root.tar") as archive:
        for name in archive.getnames():
            for wanted in ("vmlinuz", "initrd.img"):
                if os.path.basename(name).startswith(wanted + "-"):
                    with open(f"{place}/{wanted}", "wb") as copy:
                        shutil.copyfileobj(archive.extractfile(name), copy)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        subprocess.run(
            [*as_root(), "sh", "-euc",
             'tar -C "$1" --numeric-owner -xf "$2"; mke2fs -q -F -t ext4 -L torpor-root -d "$1" "$3" 1500M; rm -rf "$1"/*',
             "sh", folder, f"{place}/root.tar", f"{place}/root.img"], check=True, stdout=log, stderr=log)


def make_tests(path, programs, extra, plan):
    """Makes the second disk: our programs, the tests, what goes with them, and the plan of what is to be run."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        for part in ("guest", "tests", "bench"):
            shutil.copytree(f"{HERE}/{part}", f"{folder}/{part}", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(programs, f"{folder}/bin")
        for source in extra:
            copy = shutil.copytree if os.path.isdir(source) else shutil.copy2
            copy(source, f"{folder}/{os.path.basename(source)}")
        with open(f"{folder}/plan.json", "w", encoding="utf-8") as file:
            file.write(plan)
        size = sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-L", "torpor-tests", "-E", "root_owner=0:0",
                        "-d", folder, path, f"{size // (1 << 20) * 5 // 4 + 16}M"], check=True, stdout=subprocess.DEVNULL)
