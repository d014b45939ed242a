"""The workers: ten kinds of one small server, their files, and a day of theirs."""
import random
import socket
import subprocess


# What happens to each worker in a day. That a worker falls asleep and wakes follows from its requests.
DAY = {
    # It is asked something every half hour, and sleeps in between.
    "request": 48,
    # A notification every quarter of an hour; workers that attach, of which there are three in ten, take them.
    "post": 100,
    # An operator suspends it and resumes it later, ends and launches it, edits its file.
    "suspend": 6,
    "restart": 2,
    "edit": 1,
    # A crash, by kill -9.
    "crash": 2,
}
# What happens to all together, so many times a day: once a minute of an hour that stands for a day.
ROUNDS = 60

# A worker that was woken may sleep again as soon as before: each sleep counts here.
SLEEPS = "IdleSec={0}\nIdleMaxSec={0}\n"
# Of an app that waits for a busy processor it shall not be said that it hangs: what is tried here is not how fast it is.
PATIENCE = "".join(f"{callback}TimeoutSec=60s\n" for callback in (
    "WillFinishLaunching", "DidFinishLaunching", "DidBecomeActive", "WillResignActive", "DidEnterBackground",
    "WillEnterForeground", "WillTerminate", "DidReceiveNotifications"))
# Of those that open their sockets themselves, one in so many of its kind may be evicted: to see where each of them listens again, the
# daemon looks through all sockets of the machine, and some that come back at once keep it from everything else.
SOME = 10
KINDS = [
    ("simple", "", SLEEPS.format("1s"), "Evictable=no"),
    ("simple", "", SLEEPS.format("2s"), "Evictable=no"),
    ("notify", "", SLEEPS.format("1s"), "Evictable=no"),
    ("notify", "", SLEEPS.format("3s"), "Evictable=no"),
    ("notify", "held", SLEEPS.format("1s"), "Evictable=silent"),
    ("simple", "", SLEEPS.format("2s"), "Evictable=silent"),
    ("app", "app", SLEEPS.format("1s"), "Evictable=no"),
    ("app", "app", SLEEPS.format("2s"), "Evictable=no"),
    ("app", "app", SLEEPS.format("2s"), "Evictable=silent"),
    # It never sleeps unless an operator has it sleep, and talks.
    ("notify", "talks", "", "Evictable=no"),
]


# A loopback address of this run alone: its ports are taken by no client and no other run.
HOST = "127." + ".".join(str(random.SystemRandom().randrange(1, 255)) for _ in range(3))
FIRST_PORT = 10000


def compile_worker(source, directory):
    program = directory + "/worker"
    subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    return program


class Worker:
    """One worker: its port, its file, and what is asked of it."""

    def __init__(self, number, program, reports, name=None):
        self.name = name or f"w{number}"
        self.type, self.way, self.foreground, self.memory = KINDS[number % len(KINDS)]
        if self.memory != "Evictable=no" and self.way != "held" and number % (SOME * len(KINDS)) >= len(KINDS):
            self.memory = "Evictable=no"
        self.program, self.reports, self.edits = program, reports, 0
        self.port = FIRST_PORT + number if name is None else FIRST_PORT + 10000 + number

    @property
    def attaches(self):
        return self.way == "app"

    def description(self):
        return f"the {self.type} worker {self.name}, edited {self.edits} times"

    def text(self):
        output = "" if self.way == "talks" else "StandardOutput=null\n"
        listens = f"ListenStream={HOST}:{self.port}\n" if self.way == "held" else ""
        background = f"\n[Background]\nModes=remote-notification\nWakeBudget=infinity\n\n[Callbacks]\n{PATIENCE}" if self.attaches else ""
        return (f"[Worker]\nDescription={self.description()}\n"
                f"ExecStart={self.program} {self.name} {HOST} {self.port} {self.way}\nType={self.type}\nLaunch=boot\n"
                f"Environment=LONG_LIFE_SOCKET=@{self.reports}\n{output}"
                "Restart=always\nRestartSec=100ms\nStartLimitIntervalSec=0\nTimeoutStopSec=10s\n"
                f"\n[Foreground]\n{listens}{self.foreground}{background}\n[Memory]\n{self.memory}\n")

    def ask(self, number, seconds, is_slow):
        """The process that has answered; fails when the answer is wrong or does not come. Calls once when that takes long."""
        with socket.create_connection((HOST, self.port), seconds) as connection:
            connection.settimeout(seconds / 6)
            connection.sendall(b"%d\n" % number)
            answer = b""
            while not answer.endswith(b"\n"):
                try:
                    part = connection.recv(200)
                except TimeoutError:
                    if connection.gettimeout() == seconds:
                        raise
                    is_slow()
                    connection.settimeout(seconds)
                    continue
                if not part:
                    raise ConnectionError(f"the connection was closed after {answer!r}")
                answer += part
        name, pid, result = answer.split()
        if name.decode() != self.name or int(result) != number + 1:
            raise ValueError(f"answered {answer!r} to {number}")
        return int(pid)


def plan(workers, minutes, random):
    """What happens to which worker when, in seconds from the beginning and in order."""
    events = []
    for worker in workers:
        for kind, count in DAY.items():
            if kind == "post" and not worker.attaches:
                continue
            mean = count * minutes / 60
            # What is no whole number is one more for some.
            for _ in range(int(mean) + (random.random() < mean % 1)):
                events.append((random.uniform(0, minutes * 60), kind, worker))
    return sorted(events, key=lambda event: event[0])
