"""`torpor run` as a whole process, beside tini."""
import os
import statistics
import subprocess
import time

from figures import descriptors, eventually, status, wakes


def whole(arguments):
    """How long a whole process takes, in ms."""
    begin = time.perf_counter()
    pid = os.posix_spawn(arguments[0], arguments, os.environ)
    _, code = os.waitpid(pid, 0)
    took = (time.perf_counter() - begin) * 1e3
    if code != 0:
        raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
    return took


def measure(table, torpor):
    # In turns, so that whatever else the machine does disturbs both alike.
    ours, tini = [], []
    for _ in range(200):
        ours.append(whole([torpor, "run", "--", "true"]))
        tini.append(whole(["/usr/bin/tini", "-s", "--", "true"]))
    table.add("torpor run -- true", statistics.median(ours), "ms", bare=statistics.median(tini))
    table.add("  of that above tini", statistics.median(ours) - statistics.median(tini), "ms", limit=6)

    examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../packaging/examples")
    begin = time.perf_counter()
    subprocess.run([torpor, "simulate", f"{examples}/day.scenario"], stdout=subprocess.DEVNULL, check=True)
    table.add("torpor simulate, a day of 100 workers", (time.perf_counter() - begin) * 1e3, "ms", limit=1000)

    process = subprocess.Popen([torpor, "run", "--", "sleep", "100"], stdin=subprocess.DEVNULL)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    try:
        eventually(lambda: open(children, encoding="utf-8").read())
        time.sleep(1)
        woken = wakes(process.pid, 20)
        table.add("torpor run, its child asleep: RssAnon", status(process.pid, "RssAnon") / 1000, "MB", limit=1.5)
        table.add("  threads", status(process.pid, "Threads"), "", limit=1)
        table.add("  wake-ups in 20 s", woken, "", limit=0)
        table.add("  descriptors", descriptors(process.pid), "")
    finally:
        process.terminate()
        process.wait()
