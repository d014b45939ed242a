"""One boot of the virtual machine: qemu without acceleration, the console to a file, the results as they come."""
import json
import os
import selectors
import socket
import subprocess
import time


class Machine:
    """Yields what the tests report, until the machine has ended or the time is over; leaves nothing behind."""

    def __init__(self, root, kernel, initrd, tests, console, memory=1024):
        self.console = console
        ours, theirs = socket.socketpair()
        self.results = ours
        self.process = subprocess.Popen(
            # The kernel ends it if we are killed ourselves.
            ["setpriv", "--pdeathsig", "KILL",
             "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", str(memory), "-smp", "2",
             "-nodefaults", "-display", "none", "-no-reboot",
             "-kernel", kernel, "-initrd", initrd,
             "-append", "root=/dev/vda rw console=ttyS0 quiet psi=1 systemd.wants=torpor-tests.service",
             "-drive", f"file={root},format=raw,if=virtio,snapshot=on,file.locking=off",
             "-drive", f"file={tests},format=raw,if=virtio,snapshot=on,file.locking=off",
             "-serial", f"file:{console}",
             "-chardev", f"socket,id=results,fd={theirs.fileno()}", "-serial", "chardev:results"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            pass_fds=(theirs.fileno(),))
        theirs.close()

    def reports(self, seconds):
        """Each line of the tests as a dictionary; raises TimeoutError when the machine runs longer than `seconds`."""
        end = time.monotonic() + seconds
        rest = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.results, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    raise TimeoutError(f"the machine ran longer than {seconds} s")
                if not (received := self.results.recv(1 << 16)):
                    return
                *lines, rest = (rest + received).split(b"\n")
                for line in lines:
                    try:
                        yield json.loads(line)
                    except ValueError:
                        yield {"say": line.decode(errors="replace")}

    def end(self):
        """Ends it if it still runs; returns what qemu had to say."""
        if self.process.poll() is None:
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
        errors = self.process.communicate()[1].strip()
        self.results.close()
        return errors
