"""What every test in Python needs: `@test`, `check`, `eventually`, `sh`, and the way to report."""
import fcntl
import json
import os
import subprocess
import termios
import time
import tty

TESTS = []
# What a test returns whose outcome comes while the machine shuts down: `report` is called then, by a program of its own.
AT_SHUTDOWN = object()
# The second serial port of the machine belongs to the results alone; elsewhere they go where this says.
PORT = os.environ.get("TEST_REPORTS", "/dev/ttyS1")


class Skipped(Exception):
    """Raised by a test that cannot be made here; says why."""


def test(sentence):
    """Makes a function the test of `sentence`. It returns its figure, or nothing, and raises what is wrong."""
    def register(function):
        TESTS.append((sentence, function))
        return function
    return register


def report(**outcome):
    """Tells the driver; one line of JSON."""
    port = os.open(PORT, os.O_WRONLY | os.O_NOCTTY)
    try:
        fcntl.flock(port, fcntl.LOCK_EX)
        if is_terminal := os.isatty(port):
            tty.setraw(port)
        line = (json.dumps(outcome) + "\n").encode()
        while line:
            line = line[os.write(port, line):]
        if is_terminal:
            termios.tcdrain(port)
    finally:
        os.close(port)


def say(line):
    """Has a line printed on the host, as a table's row."""
    report(say=line)


def check(condition, what):
    """Fails with `what` unless `condition` is true."""
    if not condition:
        raise AssertionError(what)


def eventually(question, what, seconds=300):
    """The first true answer of `question`; fails with `what` when none comes in time."""
    end = time.monotonic() + seconds
    while True:
        if answer := question():
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def sh(command, may_fail=False):
    """What a shell command prints; fails with its errors, unless it may."""
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace")
    if done.returncode != 0 and not may_fail:
        raise AssertionError(f"{command}: {done.returncode}, {done.stderr.strip()} {done.stdout.strip()}")
    return done.stdout


def read(path):
    """The text of a small file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text, mode=0o644):
    """Makes a file with all its directories."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def table(path):
    """The `name number` lines of a kernel's file, by name."""
    return {name: int(value) for name, value in (line.split() for line in read(path).splitlines())}
