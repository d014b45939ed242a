"""torpor-relay beside systemd-socket-proxyd, both in front of the same redis-server."""
import array
import contextlib
import fcntl
import os
import resource
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile

from figures import descriptors, eventually

PROXY = next(filter(os.path.exists, ("/usr/lib/systemd/systemd-socket-proxyd", "/lib/systemd/systemd-socket-proxyd")), None)
CONNECTIONS = 1000


def measure(table, program, rounds):
    missing = [name for name in ("redis-server", "redis-benchmark") if not shutil.which(name)]
    if missing or not PROXY:
        table.absent("a relay", f"{missing[0] if missing else 'systemd-socket-proxyd'} is not installed")
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:
        target = redis(stack)
        ours = listener(stack)
        theirs = listener(stack)
        relay = start_relay(stack, program, ours, target)
        proxy = start_proxy(stack, theirs, target)
        ports = {name: door.getsockname()[1] for name, door in (("ours", ours), ("theirs", theirs))}
        for port in ports.values():
            eventually(lambda port=port: answers(port))
        times = {name: [] for name in ports} | {"direct": []}
        for _ in range(rounds):
            for name, port in (ports | {"direct": target}).items():
                times[name].append(request_time(port))
        direct, mine, other = (statistics.median(times[name]) for name in ("direct", "ours", "theirs"))
        table.add("redis-benchmark through torpor-relay, 50 clients: each request", mine, "us", bare=other, ratio=1)
        table.add("  beside no relay at all", mine, "us", bare=direct)
        costs = {name: connection_cost(pid, ports[name]) for name, pid in (("ours", relay), ("theirs", proxy))}
        table.add("memory of an idle connection through torpor-relay", costs["ours"][0], "B", bare=costs["theirs"][0], ratio=1)
        table.add("  its descriptors", costs["ours"][1], "", bare=costs["theirs"][1], ratio=1)


def redis(stack):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    directory = stack.enter_context(tempfile.TemporaryDirectory())
    spawn(stack, ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", directory])
    eventually(lambda: answers(port))
    return port


def listener(stack):
    door = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=4096))
    door.setblocking(False)
    return door


def spawn(stack, command, descriptor=None):
    """A process with `descriptor` as its fourth."""
    copy = None if descriptor is None else fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, close_fds=descriptor is None,
                               preexec_fn=(lambda: os.dup2(copy, 3)) if copy else None)
    if copy:
        os.close(copy)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process.pid


def start_relay(stack, program, door, target):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stack.enter_context(ours)
    with theirs:
        pid = spawn(stack, [program], theirs.fileno())

    def field(name, value):
        return struct.pack(">BI", name, len(value)) + value

    address = struct.pack("=H", socket.AF_INET) + struct.pack(">H", target) + socket.inet_aton("127.0.0.1") + bytes(8)
    ours.send(b"\1" + field(1, address) + field(3, struct.pack(">Q", 4096)))
    ours.sendmsg([b"\2"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [door.fileno()]))])
    ours.send(b"\5")
    return pid


def start_proxy(stack, door, target):
    return spawn(stack, ["sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh", PROXY, "--connections-max=4096",
                         f"127.0.0.1:{target}"], door.fileno())


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(b"PING\r\n")
            return client.recv(100).startswith(b"+PONG")
    except OSError:
        return False


def request_time(port):
    output = subprocess.run(["redis-benchmark", "-p", str(port), "-t", "get", "-n", "100000", "-c", "50", "--csv"],
                            stdout=subprocess.PIPE, check=True, text=True, timeout=120).stdout
    return 1e6 / float(output.splitlines()[-1].split(",")[1].strip('"'))


def anonymous(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Anonymous:"))


def connection_cost(pid, port):
    """Anonymous memory and descriptors of each of many connections that have been used once."""
    before = anonymous(pid), descriptors(pid)
    with contextlib.ExitStack() as stack:
        for _ in range(CONNECTIONS):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), 10))
            client.sendall(b"PING\r\n")
            client.recv(100)
        after = anonymous(pid), descriptors(pid)
    return tuple((two - one) / CONNECTIONS for one, two in zip(before, after))
