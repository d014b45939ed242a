"""Packages beyond Debian 12: the tarball and its installer, the RPM package, and Debian 13."""
import os
import re
import shutil
import subprocess
import tempfile

from engine import CHECKOUT, PLACE, PROGRAMS
from vm import Skipped, check, read, sh, test

BUILT = f"{PLACE}/built"


def run(command, status=0, **variables):
    """What a command prints, which ends with this status; as a reader of the documentation would call it."""
    done = subprocess.run(["sh", "-ec", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=dict(os.environ, **variables))
    check(done.returncode == status, f"{command}: {done.returncode}, {done.stdout}")
    return done.stdout


def tarball():
    """The tarball, built once."""
    if not os.path.exists(BUILT):
        if not shutil.which("g++"):
            raise Skipped("g++ is not installed")
        run(f"{CHECKOUT}/packaging/tarball/build {PROGRAMS} {BUILT}")
    (name,) = [name for name in os.listdir(BUILT) if name.endswith(".tar.gz")]
    return f"{BUILT}/{name}"


def unpacked():
    """A fresh directory with what is in it."""
    place = tempfile.mkdtemp(dir=PLACE)
    os.chmod(place, 0o755)
    run(f"tar -C {place} -xzf {tarball()}")
    (name,) = os.listdir(place)
    return f"{place}/{name}"


def tree(root):
    """Everything below a directory: kind, mode and content by path."""
    found = {}
    for place, directories, files in os.walk(root):
        for name in [*directories, *files]:
            path = os.path.join(place, name)
            mode = os.lstat(path).st_mode
            content = os.readlink(path) if os.path.islink(path) else open(path, "rb").read() if name in files else b""
            found[os.path.relpath(path, root)] = (mode, content)
    return found


def root():
    """A root with files of others, as DESTDIR."""
    place = tempfile.mkdtemp(dir=PLACE)
    os.makedirs(f"{place}/usr/local/bin")
    os.makedirs(f"{place}/usr/local/share/man/man1")
    for path in ("bin/other", "share/man/man1/other.1"):
        with open(f"{place}/usr/local/{path}", "w", encoding="utf-8") as file:
            file.write("other\n")
    return place


@test("the tarball has the same bytes each time, and its version and architecture in its name")
def reproducible():
    first = tarball()
    again = tempfile.mkdtemp(dir=PLACE)
    run(f"umask 077; TZ=Asia/Tokyo LC_ALL=C {CHECKOUT}/packaging/tarball/build {PROGRAMS} {again}")
    second = f"{again}/{os.path.basename(first)}"
    check(open(first, "rb").read() == open(second, "rb").read(), "two tarballs differ")
    version = sh("torpord --version").strip()
    check(os.path.basename(first) == f"torpor-{version}-linux-{os.uname().machine}.tar.gz", first)
    listed = run(f"tar -tvzf {first}")
    check(all(" 0/0 " in line for line in listed.splitlines()), "an owner that is not root")
    check(all(line.split()[5].startswith(f"torpor-{version}-linux-") for line in listed.splitlines()), "a path outside of its directory")
    return f"{os.path.getsize(first) / 1e6:.1f} MB, glibc {read(f'{unpacked()}/glibc').strip()} or newer"


@test("what is installed is removed exactly: nothing of it is left, and nothing else is touched")
def undone():
    place, source = root(), unpacked()
    before = tree(place)
    run(f"{source}/install.sh", DESTDIR=place)
    after = tree(place)
    check(all(after[path] == before[path] for path in before), "a file of others was changed")
    listed = [line.split(" ", 2)[-1] for line in read(f"{place}/usr/local/lib/torpor/installed").splitlines() if line[0] in "fl"]
    made = {path.removeprefix("usr/local/") for path, (mode, _) in after.items() if path not in before and mode & 0o170000 != 0o040000}
    check(made == {*listed, "lib/torpor/installed"}, f"the list differs: {made ^ set(listed)}")
    run(f"{place}/usr/local/lib/torpor/uninstall", DESTDIR=place)
    check(tree(place) == before, f"left: {tree(place).keys() ^ before.keys()}")
    empty = f"{PLACE}/none/yet"
    run(f"{source}/install.sh --prefix /opt/torpor", DESTDIR=empty)
    run(f"{source}/install.sh --prefix=/opt/torpor/ --uninstall", DESTDIR=empty)
    check(not os.path.exists(empty), f"left: {tree(empty)}")
    run(f"{source}/install.sh --uninstall", 69, DESTDIR=place)
    return f"{len(listed)} files"


@test("files of others are refused before anything is written, and changed files are kept")
def refused():
    place, source = root(), unpacked()
    for path, make in (("bin/torpor", "echo other >"), ("lib/torpor/torpord", "ln -s /nowhere"), ("share/man/man8/torpord.8", "mkdir -p")):
        run(f"mkdir -p {place}/usr/local/{os.path.dirname(path)}; {make} {place}/usr/local/{path}")
        before = tree(place)
        said = run(f"{source}/install.sh", 73, DESTDIR=place)
        check(f"{place}/usr/local/{path}" in said, said)
        check(tree(place) == before, "something was written")
        run(f"rm -r {place}/usr/local/{path}")
    for arguments in ("--prefix relative", "--prefix", "--prefix '/a b'", "--prefix /", "--unknown", "extra"):
        run(f"{source}/install.sh {arguments}", 64, DESTDIR=place)
    run(f"{source}/install.sh", DESTDIR=place)
    changed = f"{place}/usr/local/lib/systemd/system/torpord.service"
    run(f"echo '# mine' >>{changed}")
    run(f"{source}/install.sh", 73, DESTDIR=place)
    said = run(f"{source}/install.sh --uninstall", 1, DESTDIR=place)
    check(changed in said and read(changed).endswith("# mine\n"), said)
    check([path for path, (_, content) in tree(place).items() if "torpor" in path and content] == ["usr/local/lib/systemd/system/torpord.service"], "more is left")


@test("another version replaces the one that is there, and an installation that was interrupted is undone too")
def replaced():
    place, source = root(), unpacked()
    before = tree(place)
    old = unpacked()
    run(f"echo old >>{old}/files/share/doc/torpor/README.md; mkdir {old}/files/share/torpor; echo old >{old}/files/share/torpor/old")
    run(f"{old}/install.sh", DESTDIR=place)
    run(f"{source}/install.sh", DESTDIR=place)
    check(not os.path.exists(f"{place}/usr/local/share/torpor/old"), "a file of the earlier version is left")
    check("old" not in read(f"{place}/usr/local/share/doc/torpor/README.md").splitlines(), "a file of the earlier version was kept")
    run(f"{source}/install.sh --uninstall", DESTDIR=place)
    check(tree(place) == before, f"left: {tree(place).keys() ^ before.keys()}")
    full = tempfile.mkdtemp(dir=PLACE)
    private = "unshare --mount" if os.geteuid() == 0 else "unshare --user --map-root-user --mount"
    if sh(f"{private} mount -t tmpfs none {full} && echo can", may_fail=True) != "can\n":
        raise Skipped("a file system that is too small cannot be mounted here")
    said = run(f"""{private} sh -c 'mount -t tmpfs -o size=30m none {full}
        {source}/install.sh; echo "ended with $?"
        {source}/install.sh --uninstall; echo "ended with $?"; echo "left $(ls -A {full} | wc -l)"'""", DESTDIR=full)
    check("ended with 74" in said and "ended with 0" in said and said.endswith("left 0\n"), said)


@test("what was installed works where it is, with its own libraries: run, a daemon, a transfer, without root too")
def works():
    source = unpacked()
    home = tempfile.mkdtemp(dir=PLACE)
    prefix = f"{home}/local"
    for path in (PLACE, home):
        os.chmod(path, 0o755)
    as_user = ""
    if os.geteuid() == 0:
        os.chown(home, 65534, 65534)
        as_user = "setpriv --reuid 65534 --regid 65534 --clear-groups "
    run(f"{as_user}{source}/install.sh --prefix {prefix}")
    said = run(f"{as_user}env -i HOME={home} {prefix}/bin/torpor run -- sh -c 'cat /proc/$PPID/maps; exit 5'", 5)
    mapped = {os.path.basename(path): path for path in re.findall(r"(/\S+\.so[\d.]*)$", said, re.M)}
    outside = {name for name, path in mapped.items() if not path.startswith(f"{prefix}/lib/torpor/")}
    check(outside <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, f"of the system: {outside}")
    os.makedirs(f"{home}/config/workers")
    with open(f"{home}/config/workers/nap.worker", "w", encoding="utf-8") as file:
        file.write("[Worker]\nExecStart=/bin/sleep infinity\nLaunch=boot\n")
    said = run(f"""cd {home}
        {as_user}env -i HOME={home} {prefix}/bin/torpord --config-dir {home}/config --state-dir {home}/state --runtime-dir {home}/run 2>log &
        daemon=$!
        trap 'kill $daemon 2>/dev/null; wait' EXIT
        call() {{ {as_user}{prefix}/bin/torpor --socket {home}/run/io.torpor.Supervisor "$@"; }}
        n=0; until call status nap >/dev/null 2>&1; do n=$((n + 1)); [ $n -lt 300 ] || {{ cat log; exit 1; }}; sleep 0.1; done
        call suspend nap
        call list
        call transfer nap -- /bin/touch {home}/transferred
        n=0; until [ -e transferred ]; do n=$((n + 1)); [ $n -lt 300 ] || {{ cat log; exit 1; }}; sleep 0.1; done
        call shutdown""")
    check(re.search(r"nap +suspended", said) and "Transfer 1 of nap began" in said, said)
    run(f"{as_user}{prefix}/lib/torpor/uninstall")
    check(not os.path.exists(prefix), f"left: {tree(prefix)}")


@test("units that were installed are valid, and name the programs that were")
def units():
    if not shutil.which("systemd-analyze"):
        raise Skipped("systemd is not installed")
    home = f"{tempfile.mkdtemp(dir=PLACE)}/local"
    run(f"{unpacked()}/install.sh --prefix {home}")
    for manager in ("system", "user"):
        said = run(f"systemd-analyze --{manager} verify --man=no {home}/lib/systemd/{manager}/* 2>&1", XDG_RUNTIME_DIR=PLACE)
        check(not said, said)
    text = "".join(read(f"{home}/lib/systemd/{path}") for path in ("system/torpord.service", "user/torpor-workers.service"))
    paths = re.findall(r"^Exec\w+=(/\S*torpor\S*)", text, re.M)
    check(len(paths) > 3 and all(path.startswith(home) and os.access(path, os.X_OK) for path in paths), f"{paths}")
    check(f"exec {home}/bin/torpor shutdown" in read(f"{home}/lib/torpor/keeper"), "the keeper calls another torpor")
    run(f"{home}/lib/torpor/uninstall")


def needs():
    """The highest version of each kind of symbol that the programs need of libraries."""
    highest = {}
    for program in ("torpor", "torpord", "torpor-relay", "torpor-transfer"):
        for kind, version in re.findall(r"\b(GLIBC|GLIBCXX|LIBSYSTEMD)_([\d.]+)", sh(f"readelf --wide --version-info {PROGRAMS}/{program}")):
            highest[kind] = max(highest.get(kind, ()), tuple(map(int, version.split("."))))
    return {kind: ".".join(map(str, version)) for kind, version in highest.items()}


@test("docs/packages.md says which libraries the programs need")
def documented():
    page = read(f"{CHECKOUT}/docs/packages.md")
    # Packed relocations are read by glibc from this version on.
    libraries = {"GLIBC": "2.36", **{kind: version for kind, version in needs().items() if kind != "GLIBC"}}
    check("GLIBC_ABI_DT_RELR" in sh(f"readelf --wide --version-info {PROGRAMS}/torpord"), "relocations are not packed")
    for kind, version in libraries.items():
        check(f"{kind}_{version}" in page or kind == "GLIBC" and f"glibc {version}" in page, f"{kind}_{version} is not in docs/packages.md")
    sonames = set(re.findall(r"\[(lib\S+\.so\.\d+)\]", sh(f"readelf --wide --dynamic {PROGRAMS}/torpord")))
    check(sonames == {"libsqlite3.so.0", "libsystemd.so.0", "libm.so.6", "libc.so.6"}, f"{sonames}")
    return ", ".join(f"{kind}_{version}" for kind, version in libraries.items())


@test("an RPM package is built, installed into a root, run, and erased without a trace")
def rpm():
    if not shutil.which("rpmbuild"):
        raise Skipped("rpmbuild is not installed")
    place = tempfile.mkdtemp(dir=PLACE)
    said = run(f"{CHECKOUT}/packaging/rpm/build {PROGRAMS} {tarball()} {place}")
    package = said.strip().splitlines()[-1]
    required = run(f"rpm -qp --requires {package}")
    for library in ("libsystemd.so.0(LIBSYSTEMD_243)", "libsqlite3.so.0()", "libc.so.6(GLIBC_ABI_DT_RELR)"):
        check(library in required, f"it does not require {library}: {required}")
    target = tempfile.mkdtemp(dir=PLACE)
    if os.geteuid() == 0:
        options = f"--root {target} --dbpath /var/lib/rpm --nodeps --noscripts"
        run(f"rpm {options} -i {package}")
        check(sh(f"{target}/usr/bin/torpor --version") == sh("torpor --version"), "the installed program")
        run(f"rpm {options} -e torpor")
        shutil.rmtree(f"{target}/var/lib/rpm")
        left = [path for path in tree(target) if "torpor" in path]
        check(not left, f"left: {left}")
    # What depends on the policy of a distribution, or is meant so: an example that finds its interpreter, the loader's path.
    known = {"no-signature", "no-packager-tag", "no-group-tag", "env-script-interpreter", "call-to-mktemp", "binary-or-shlib-defines-rpath"}
    lint = "rpmlint is not installed"
    if shutil.which("rpmlint"):
        found = set(re.findall(r": E: (\S+)", sh(f"rpmlint {package} 2>&1", may_fail=True)))
        check(found <= known, f"rpmlint: {found - known}")
        lint = f"rpmlint: {len(found)} known kinds of errors"
    return f"{os.path.getsize(package) / 1e6:.1f} MB; {lint}"


@test("on Debian 13 the Debian package and the tarball are installed, run and removed")
def trixie():
    if os.geteuid() != 0 or not shutil.which("mmdebstrap") or not shutil.which("dpkg-shlibdeps"):
        raise Skipped("needs root, mmdebstrap and dpkg-dev")
    target = tempfile.mkdtemp(dir=PLACE)
    deb = run(f"COMPRESSION=gzip {CHECKOUT}/packaging/debian/build {PROGRAMS} {PLACE}").strip().splitlines()[-1]
    wanted = "systemd,procps,libsqlite3-0,libsystemd0"
    done = subprocess.run(["timeout", "240", "mmdebstrap", "--quiet", "--variant=minbase", f"--include={wanted}", "trixie", target],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        raise Skipped(f"Debian 13 cannot be had here: {(done.stdout.strip().splitlines() or ['no answer'])[-1]}")
    try:
        shutil.copy(deb, f"{target}/torpor.deb")
        run(f"tar -C {target} -xzf {tarball()}")
        script = f"""
            mount -t proc proc /proc
            export DEBIAN_FRONTEND=noninteractive
            torpor_of() {{ "$1" run -- sh -c "exit 6" || [ $? = 6 ]; "$1" --version; }}
            dpkg -i /torpor.deb >/tmp/log 2>&1 || {{ cat /tmp/log; exit 1; }}
            torpor_of /usr/bin/torpor
            torpord --version
            systemd-analyze verify --man=no /lib/systemd/system/torpord.service
            XDG_RUNTIME_DIR=/tmp systemd-analyze --user verify --man=no /usr/lib/systemd/user/torpord.service
            dpkg --purge torpor >/tmp/log 2>&1 || {{ cat /tmp/log; exit 1; }}
            /torpor-*/install.sh
            torpor_of /usr/local/bin/torpor
            systemd-analyze verify --man=no /usr/local/lib/systemd/system/torpord.service
            /usr/local/lib/torpor/uninstall
            find /usr /etc -name \*torpor\* | sed s/^/left:/"""
        said = run(f"unshare --mount --pid --fork chroot {target} sh -ec '{script}' 2>&1")
        version = sh("torpor --version").strip()
        check(said.splitlines().count(version) == 3, said)
        check("left:" not in said and "nknown" not in said and "nvalid" not in said, said)
        return f"systemd {run(f'chroot {target} dpkg-query -W systemd').split()[1]}, glibc {run(f'chroot {target} dpkg-query -W libc6').split()[1]}"
    finally:
        shutil.rmtree(target, ignore_errors=True)
