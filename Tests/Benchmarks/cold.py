"""A cold start through a held socket, beside launching the same program by hand."""
import os
import socket
import statistics
import time

from daemon import Connection, Daemon
from figures import eventually

WORKER = """[Worker]
ExecStart={command} once
StandardOutput=null
Launch=on-demand
StartLimitBurst=0
[Foreground]
ListenStream=127.0.0.1:{port}
"""


def measure(table, torpord, waking, port):
    """In turns, so that whatever else the machine does disturbs both alike."""
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            Daemon(torpord, "", 1, WORKER.format(command=waking, port=port)) as daemon:
        own = listener.getsockname()[1]
        client = Connection(daemon.path)
        times = {"hand": [], "held": []}
        for _ in range(100):
            begin = time.perf_counter()
            child = os.posix_spawn(waking, [waking, "once"], {}, setsid=True,
                                   file_actions=[(os.POSIX_SPAWN_DUP2, listener.fileno(), 3)])
            ask(own)
            times["hand"].append(1e6 * (time.perf_counter() - begin))
            os.waitpid(child, 0)
            begin = time.perf_counter()
            ask(port)
            times["held"].append(1e6 * (time.perf_counter() - begin))
            eventually(lambda: client.call("List", names=["w*"])["workers"][0]["state"] == "notRunning")
        medians = {way: statistics.median(spans) for way, spans in times.items()}
        table.add("a cold start through a held socket, beside by hand", medians["held"], "us", bare=medians["hand"])
        table.add("  above that", medians["held"] - medians["hand"], "us", limit=1000)


def ask(port):
    with socket.create_connection(("127.0.0.1", port), 60) as client:
        client.sendall(b"x")
        if client.recv(1) != b"x":
            raise EOFError("no answer")
