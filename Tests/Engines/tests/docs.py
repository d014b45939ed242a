"""The pages of docs/: an operator who follows one line by line sees what it shows."""
import contextlib
import glob
import json
import os
import re
import subprocess
import sys

import reader
from vm import Skipped, check, eventually, read, test

CHECKOUT = os.environ["TEST_CHECKOUT"]
PACKAGES = f"{CHECKOUT}/.build/venv"
# A machine of the reader's own; no process of it outlives it.
ALONE = ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child", "--mount-proc"]
AS_USER = ["--user", "--map-current-user", "--keep-caps"]


def pages():
    """The pages with a directive; the others have tests of their own, or nothing to run."""
    found = sorted(glob.glob(f"{CHECKOUT}/docs/**/*.md", recursive=True))
    words = os.environ.get("DOCS", "").split()
    for path in found:
        name = os.path.relpath(path, CHECKOUT)
        if "<!-- test:" in read(path) and (not words or any(word in name for word in words)):
            yield path, name


@contextlib.contextmanager
def delegated():
    """A cgroup that the reader may use as a user's session has one under systemd; its path, or nothing where none can be had."""
    mounts = [line.split()[1] for line in read("/proc/self/mounts").splitlines() if line.split()[2] == "cgroup2"]
    path = f"{mounts[0]}/torpor-docs-{os.getpid()}" if mounts else ""
    try:
        os.mkdir(path)
        for name in ["", "/cgroup.procs", "/cgroup.subtree_control", "/cgroup.threads"]:
            os.chown(path + name, reader.UID, reader.UID)
    except OSError:
        path = ""
    try:
        yield path
    finally:
        if path:
            eventually(lambda: "populated 0" in read(f"{path}/cgroup.events"), "the reader's processes end")
            for directory, _, _ in os.walk(path, topdown=False):
                os.rmdir(directory)


def follow(path):
    alone = ALONE if os.geteuid() == 0 else ALONE + AS_USER
    refused = subprocess.run([*alone, "true"], stderr=subprocess.PIPE, text=True)
    if refused.returncode != 0:
        raise Skipped(f"no namespaces: {refused.stderr.strip()}")
    packages = PACKAGES if os.path.isdir(PACKAGES) else ""
    with delegated() as group:
        done = subprocess.run(
            [*alone, sys.executable, reader.__file__, path, os.environ["TEST_PROGRAMS"], packages, group],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    check(lines and lines[-1].startswith("{"), f"the reader ended with status {done.returncode}: {done.stdout[-1000:]}")
    if "SHOW" in os.environ:
        print("\n".join(lines[:-1]), flush=True)
    outcome = json.loads(lines[-1])
    if "skipped" in outcome:
        raise Skipped(outcome["skipped"])
    check("wrong" not in outcome, outcome.get("wrong"))
    return outcome["figure"]


def anchors(path):
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", read(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@test("each link of the documentation leads to a file of the checkout, and to a heading there")
def links():
    count = 0
    for page in [f"{CHECKOUT}/README.md", *glob.glob(f"{CHECKOUT}/docs/**/*.md", recursive=True)]:
        for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
            if "://" in target:
                continue
            file, _, heading = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            check(os.path.exists(path), f"{os.path.relpath(page, CHECKOUT)}: there is no {target}")
            check(not heading or heading in anchors(path), f"{os.path.relpath(page, CHECKOUT)}: no heading {target}")
            count += 1
    return f"{count} links"


for path, name in pages():
    test(f"{name} is what an operator sees")(lambda path=path: follow(path))
