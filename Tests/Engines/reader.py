"""Reads a page of the documentation as an operator does, in a machine of its own: reader.py PAGE PROGRAMS PACKAGES GROUP.

Namespaces give it a home, a network, processes and temporary files that are gone when it ends. Its last line is JSON: what ran, what did
not, and what is wrong. With SHOW in its environment it prints what each command printed, and goes on.
"""
import ctypes
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

import pages

# The reader where the test is run by root.
UID = 4300
LIMIT = 60
SHOW = "SHOW" in os.environ
END = re.compile(r"\x1e(\d+)\x1e")


class Missing(Exception):
    """A program that the page needs is not installed."""


class Wrong(Exception):
    """What a page shows, or asks for, is not so."""


def mounted(programs, packages):
    """Puts the reader's own places over those of the machine; nothing of them is seen from outside or stays."""
    place = "/mnt"
    def mount(*words, handles=()):
        subprocess.run(["mount", *words], check=True, pass_fds=handles)
    standins = os.path.dirname(os.path.abspath(__file__)) + "/standins"
    sources = {"programs": programs, "packages": packages, "standins": standins}
    # Opened before something is mounted above them.
    handles = {name: os.open(path, os.O_PATH) for name, path in sources.items() if path}
    mount("-t", "tmpfs", "-o", "mode=755", "none", place)
    for name, handle in handles.items():
        os.mkdir(f"{place}/{name}")
        mount("--bind", f"/proc/self/fd/{handle}", f"{place}/{name}", handles=[handle])
    user = UID if os.geteuid() == 0 else os.geteuid()
    group = UID if os.geteuid() == 0 else os.getegid()
    with open("/etc/passwd", encoding="utf-8") as old, open(f"{place}/passwd", "w", encoding="utf-8") as new:
        new.write(f"you:x:{user}:{group}::/home/you:/bin/bash\n" + old.read())
    mount("--bind", f"{place}/passwd", "/etc/passwd")
    for name, mode in {"home": 0o755, "run": 0o755, "tmp": 0o1777}.items():
        os.mkdir(f"{place}/{name}")
        os.chmod(f"{place}/{name}", mode)
        mount("--bind", f"{place}/{name}", f"/{name}")
    for directory, mode in {"/home/you": 0o755, f"/run/user/{user}": 0o700}.items():
        os.makedirs(directory)
        os.chmod(directory, mode)
        if os.geteuid() == 0:
            os.chown(directory, user, group)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    return user, group


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, user, group, cgroup):
        self.text = ""
        self.child, self.screen = pty.fork()
        if self.child == 0:
            try:
                if cgroup:
                    with open(f"{cgroup}/cgroup.procs", "w", encoding="utf-8") as file:
                        file.write("0")
                self.begin(user, group)
            finally:
                os._exit(127)
        self.answer("the shell")

    @staticmethod
    def begin(user, group):
        for name in (signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(name, signal.SIG_DFL)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        modes = termios.tcgetattr(0)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(0, termios.TCSANOW, modes)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)
        ctypes.CDLL(None).prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
        os.chdir("/home/you")
        environment = {
            "HOME": "/home/you", "USER": "you", "LOGNAME": "you", "XDG_RUNTIME_DIR": f"/run/user/{user}", "LANG": "C.UTF-8",
            "PATH": "/mnt/programs:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TERM": "dumb", "SHELL": "/bin/bash",
            "PS1": "", "PS2": "", "PROMPT_COMMAND": r"printf '\036%d\036' $?", "HISTFILE": "/dev/null"}
        os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)

    def type(self, text):
        self.text = ""
        os.write(self.screen, text.encode())

    def read(self, seconds):
        if not select.select([self.screen], [], [], seconds)[0]:
            return
        try:
            data = os.read(self.screen, 65536).decode(errors="replace")
        except OSError:
            raise Wrong(f"the terminal was closed; it showed {self.text[-2000:]}") from None
        # What moves the cursor or colours is not shown by a page; the marks around a status stay.
        self.text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1a]", "", self.text + data)

    def answer(self, what, seconds=LIMIT):
        """What was printed until the shell was there again, and the status."""
        end = time.monotonic() + seconds
        while not (match := END.search(self.text)):
            if time.monotonic() > end:
                raise Wrong(f"{what}: no end within {seconds} s; it showed\n{self.text[-2000:]}")
            self.read(0.2)
        came, self.text = self.text[:match.start()], self.text[match.end():]
        return came, int(match.group(1))


class Reader:
    """Does what the page says."""

    def __init__(self, steps, user, group, cgroup):
        self.steps = steps
        self.user = user, group
        self.cgroup = cgroup
        self.terminals = {}
        self.terminal = "1"
        self.replaced = []
        self.done = {"commands": 0, "files": 0}
        self.notes = {"really": [], "standin": [], "skip": []}

    def at(self):
        if self.terminal not in self.terminals:
            self.terminals[self.terminal] = Terminal(*self.user, self.cgroup)
        return self.terminals[self.terminal]

    def fitted(self, text):
        for old, new in self.replaced:
            text = text.replace(old, new)
        return text

    def read(self):
        for step in self.steps:
            try:
                getattr(self, f"on_{step.kind}")(step)
            except Wrong as wrong:
                raise Wrong(f"line {step.line}: {wrong}") from None

    def on_needs(self, step):
        for program in step.text.split():
            if not shutil.which(program) and not os.path.exists(f"/mnt/packages/{program}"):
                raise Missing(f"{program} is not installed")

    def on_really(self, step):
        self.notes["really"].append(step.text)

    def on_standin(self, step):
        self.notes["standin"].append(step.text)

    def on_terminal(self, step):
        self.terminal = step.text

    def on_replace(self, step):
        self.replaced.append(tuple(step.text.split(" => ")))

    def on_key(self, step):
        terminal = self.at()
        os.write(terminal.screen, {"^C": b"\x03", "^D": b"\x04"}[step.text])
        terminal.answer(step.text)

    def on_supervisor(self, step):
        """As docs/start.md has left it: a supervisor of the reader's in another terminal."""
        self.hidden("mkdir -p ~/.config/torpor/workers")
        terminal = self.terminals["torpord"] = Terminal(*self.user, self.cgroup)
        terminal.type("torpord\n")
        self.follow(terminal, "torpord", "the control socket is …")

    def on_run(self, step):
        self.hidden(step.body)

    def hidden(self, body):
        terminal = self.at()
        terminal.type("{ " + body.strip() + "\n}\n")
        came, status = terminal.answer(body)
        if status:
            raise Wrong(f"{body.strip()}: status {status}, {came}")

    def on_venv(self, step):
        """A virtual environment as pip would have made it here: the packages are those that `make setup` has installed."""
        directory = os.path.expanduser(step.text.replace("~", "/home/you"))
        self.hidden(f"/usr/bin/python3 -m venv --without-pip {directory}")
        packages = [f"/mnt/packages/lib/{name}/site-packages" for name in os.listdir("/mnt/packages/lib")]
        for path in packages:
            with open(path.replace("/mnt/packages", directory) + "/installed.pth", "w", encoding="utf-8") as file:
                file.write(path + "\n")
        for name in os.listdir("/mnt/packages/bin"):
            path, copy = f"/mnt/packages/bin/{name}", f"{directory}/bin/{name}"
            with open(path, "rb") as file:
                head, _, rest = file.read().partition(b"\n")
            if head.startswith(b"#!") and b"python" in head and not os.path.lexists(copy):
                with open(copy, "wb") as file:
                    file.write(b"#!" + directory.encode() + b"/bin/python\n" + rest)
                os.chmod(copy, 0o755)
        if os.path.isdir("/mnt/packages/share"):
            os.symlink("/mnt/packages/share", f"{directory}/share")

    def on_file(self, step):
        if "skip" in step.about:
            return self.skipped(step)
        path = os.path.join("/home/you", step.text.replace("~/", "/home/you/"))
        if not os.path.isdir(os.path.dirname(path)):
            raise Wrong(f"the page has not made the directory of {step.text}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.fitted(step.body))
        if os.geteuid() == 0:
            os.chown(path, *self.user)
        self.done["files"] += 1

    def skipped(self, step):
        if reason := step.about["skip"][0]:
            self.notes["skip"].append(reason)

    def on_commands(self, step):
        if "skip" in step.about:
            return self.skipped(step)
        if "instead" in step.about:
            reason, body = step.about["instead"]
            if reason:
                self.notes["skip"].append(reason)
            if body.strip():
                self.hidden(body)
            return None
        end = time.monotonic() + LIMIT
        block = pages.commands(step.body)
        if not block:
            self.follow(self.at(), "what goes on in this terminal", step.body)
            return None
        while True:
            try:
                for index, (command, shown) in enumerate(block):
                    self.command(command, shown, step.about, index == len(block) - 1)
                break
            except Wrong:
                if "repeat" not in step.about or time.monotonic() > end:
                    raise
                time.sleep(0.1)
        self.done["commands"] += len(block)
        return None

    def command(self, command, shown, about, is_last):
        terminal = self.at()
        terminal.type(self.fitted(command) + "\n")
        if is_last and "stay" in about:
            self.follow(terminal, command, shown)
            return
        came, status = terminal.answer(command)
        wanted = int(about["status"][0]) if is_last and "status" in about else 0
        if SHOW and "repeat" not in about:
            print(f"$ {command}\n{came}" + (f"[status {status}]\n" if status else ""), end="", flush=True)
        if status != wanted:
            self.wrong(f"{command}: status {status} and not {wanted}\n{came}", about)
        elif not pages.matches(shown, came):
            self.wrong(f"$ {command}\nthe page shows:\n{shown}\nbut it printed:\n{came}", about)

    def wrong(self, what, about):
        if not SHOW or "repeat" in about:
            raise Wrong(what)
        print(f"  ^^^^ not as the page shows:\n{what}", flush=True)

    @staticmethod
    def follow(terminal, command, shown):
        """A command that goes on: until what is shown has come."""
        end = time.monotonic() + LIMIT
        while not (match := pages.appears(shown, terminal.text)):
            if END.search(terminal.text):
                raise Wrong(f"$ {command}\nended at once, with\n{terminal.text}")
            if time.monotonic() > end:
                raise Wrong(f"$ {command}\nthe page shows:\n{shown}\nbut until now it printed:\n{terminal.text}")
            terminal.read(0.2)
        if SHOW:
            print(f"$ {command}\n{terminal.text}", flush=True)
        terminal.text = terminal.text[match.end():]

    def figure(self):
        parts = [", ".join(f"{count} {noun}" for noun, count in self.done.items() if count)]
        for note, words in {"really": "with", "standin": "in the place of the real one:", "skip": "not run:"}.items():
            if self.notes[note]:
                parts.append(f"{words} " + ", ".join(self.notes[note]))
        return "; ".join(parts + ["asleep in a cgroup" if self.cgroup else "asleep by SIGSTOP"])


def main():
    page, programs, packages, cgroup = sys.argv[1:]
    try:
        with open(page, encoding="utf-8") as file:
            steps = pages.steps(file.read())
        user = mounted(programs, packages)
        # This is the first process here: orphans come to it, and nothing asks for their status.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        reader = Reader(steps, *user, cgroup)
        reader.read()
        outcome = {"figure": reader.figure()}
    except Missing as missing:
        outcome = {"skipped": str(missing)}
    except (Wrong, ValueError) as wrong:
        outcome = {"wrong": str(wrong)}
    print("\n" + json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
