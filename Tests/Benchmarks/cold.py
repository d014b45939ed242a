"""A cold start through a held socket, beside launching the same worker by hand and connecting then."""
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
    """In turns, so that whatever else the machine does disturbs all alike."""
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            Daemon(torpord, "", 1, WORKER.format(command=waking, port=port)) as daemon:
        own = listener.getsockname()[1]
        client = Connection(daemon.path)
        times = {"bare": [], "launched": [], "held": []}

        def timed(way, port, launch=lambda: None):
            # What the daemon does after the end of the last one is no part of a start.
            time.sleep(0.1)
            begin = time.perf_counter()
            launch()
            ask(port)
            times[way].append(1e6 * (time.perf_counter() - begin))
            eventually(lambda: client.call("List", names=["w*"])["workers"][0]["state"] == "notRunning")

        for _ in range(100):
            children = []
            timed("bare", own, lambda: children.append(os.posix_spawn(
                waking, [waking, "once"], {}, setsid=True,
                file_actions=[(os.POSIX_SPAWN_DUP2, listener.fileno(), 3)])))
            os.waitpid(children[0], 0)
            timed("launched", port, lambda: client.call("Launch", names=["w0"]))
            timed("held", port)
        medians = {way: statistics.median(spans) for way, spans in times.items()}
        table.add("a cold start through a held socket, beside posix_spawn", medians["held"], "us", bare=medians["bare"])
        table.add("  above 'torpor launch' and a connection by hand", medians["held"] - medians["launched"], "us",
                  limit=1000)


def ask(port):
    with socket.create_connection(("127.0.0.1", port), 60) as client:
        client.sendall(b"x")
        if client.recv(1) != b"x":
            raise EOFError("no answer")
