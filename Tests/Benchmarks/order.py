#!/usr/bin/env python3
"""Writes packaging/functions.order: the functions that run often, those of a wake first, for the linker to put side by side.

Usage: order.py PROGRAMS WAKING BARE: a folder with torpord and torpor as they were linked, with their symbols, and the built waking.c and bare.c.

Each function that runs is on a page and in a cache line of its own program, and a daemon that was asleep finds neither at hand: what runs
together is put together. perf(1) samples real wakes, launches, stops and calls. Of torpor, which lives for milliseconds, most functions run once and
in no sample: valgrind(1) lists all that run in its verbs. Names that a later program lacks mean nothing to the linker.
"""
import collections
import os
import subprocess
import sys
import tempfile

import waking as wakes
from daemon import Connection, Daemon
from figures import printed

RARE = 2
VERBS = ["launch w0", "suspend w0", "resume w0", "list", "status w0", "status", "kill w0"]
FIRST = "becameReady"
HEADER = "# Written by 'make order': functions of torpord and torpor that run often, those of a wake first.\n"


def record(file, *target):
    return ["perf", "record", "-q", "-F", "8000", "--call-graph", "fp", "-o", file, *target]


def stacks(file):
    """The functions of each sample, innermost first, of our own programs alone."""
    text = subprocess.run(["perf", "script", "--no-demangle", "-i", file, "-F", "ip,sym,dso"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    for sample in text.split("\n\n"):
        frames = [line.split() for line in sample.splitlines()]
        yield [frame[1] for frame in frames if len(frame) > 2 and "torpor" in frame[-1] and frame[1] != "[unknown]"]


def daemon(torpord, waking, bare, file):
    port = wakes.free_port()
    worker = wakes.WORKER.format(command=" ".join(word or '""' for word in [*wakes.REDIS, str(port)]), type="simple")
    with wakes.BareRedis() as redis, Daemon(torpord, bare, 1, worker) as running:
        connection = Connection(running.path)
        connection.call("Launch", names=["w0"])
        wakes.answering(port)
        with subprocess.Popen(record(file, "-p", str(running.pid))) as perf:
            for kind, count, idle in (("new", 400, 0), ("kept", 400, 100)):
                printed(waking, kind, str(count), str(idle), running.path, "w0", str(running.pid), str(port), redis.group,
                        str(redis.pid), str(redis.port), "0", seconds=600)
            for _ in range(40):
                for method, parameters in (("List", {}), ("Describe", {"name": "w0"}), ("Suspend", {"names": ["w0"]}),
                                           ("Resume", {"names": ["w0"]}), ("Restart", {"names": ["w0"]})):
                    connection.call(method, **parameters)
            perf.terminate()


def client(torpor, torpord, bare, file):
    with Daemon(torpord, bare, 20) as running:
        calls = ["list", "status", "why w0", "launch w0 --timeout 5s", "suspend w0", "resume w0", "kill w0", "--version"]
        loop = "; ".join(f"{torpor} --socket {running.path} {call}" if call[0] != "-" else f"{torpor} {call}" for call in calls)
        subprocess.run(record(file, "sh", "-c", f"for i in $(seq 30); do {loop}; {torpor} run -- true; done"), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def functions(program, folder, *arguments):
    """The functions of `program` that run when it is called so."""
    file = os.path.join(folder, "callgrind")
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no", "--compress-strings=no", f"--callgrind-out-file={file}",
                    program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    found, is_ours = set(), False
    with open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                is_ours = line.rstrip() == f"ob={program}"
            elif is_ours and line.startswith("fn="):
                # A recursion has its depth behind its name.
                found.add(line[3:].rstrip().partition("'")[0])
    return found


def verbs(torpor, torpord, bare, folder):
    """How many verbs of torpor each function runs in."""
    # valgrind cannot read what the linker has made of the tables for debuggers.
    program = os.path.join(folder, "stripped")
    subprocess.run(["strip", "--strip-debug", "-o", program, torpor], check=True)
    found = collections.Counter(functions(program, folder, "--version"))
    found.update(functions(program, folder, "run", "--", "true"))
    with Daemon(torpord, bare, 20) as running:
        for call in VERBS:
            found.update(functions(program, folder, *call.split(), "--socket", running.path))
    return found


def main(programs, waking, bare):
    waking, bare = os.path.realpath(waking), os.path.realpath(bare)
    ours = {program: os.path.join(os.path.realpath(programs), program) for program in ("torpord", "torpor")}
    every, first = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ours]
        daemon(ours["torpord"], waking, bare, files[0])
        client(ours["torpor"], ours["torpord"], bare, files[1])
        starts = verbs(ours["torpor"], ours["torpord"], bare, folder)
        for file in files:
            for stack in stacks(file):
                every.update(set(stack))
                if any(FIRST in name for name in stack):
                    first.update(set(stack))
    names = [name for name, _ in first.most_common()]
    names += [name for name, _ in starts.most_common() if name not in first]
    names += [name for name, count in every.most_common() if count >= RARE and name not in first and name not in starts]
    with open("packaging/functions.order", "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(name + "\n" for name in names))
    print(f"{len(names)} functions, {len(first)} of them of a wake, {len(starts)} of the verbs")


if __name__ == "__main__":
    main(*sys.argv[1:])
